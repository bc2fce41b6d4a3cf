// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Prints to standard output and, with `-log file=`, to a file.

use std::fs::File;
use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result};

/// Standard output and perhaps a file.
pub struct Console {
    file: Option<File>,
}

impl Console {
    /// With a copy in a file.
    pub fn new(file: Option<&Path>) -> Result<Self> {
        let file = file.map(|path| File::create(path).with_context(|| format!("-log: file={}", path.display())));
        Ok(Self { file: file.transpose()? })
    }

    /// Says a line, or several.
    pub fn print(&mut self, text: &str) {
        // Whoever closed the other end of a pipe does not want to hear it; the run goes on.
        let _ = writeln!(std::io::stdout(), "{text}");
        if let Some(file) = &mut self.file {
            let _ = writeln!(file, "{text}");
        }
    }
}
