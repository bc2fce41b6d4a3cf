// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The words of `cassiterite compare`.

use std::process::ExitCode;

use anyhow::{bail, Result};
use clap::Args;

/// `cassiterite compare`.
#[derive(Args, Debug)]
pub struct CompareCommand {
    /// Words of the command.
    words: Vec<String>,
}

impl CompareCommand {
    /// Runs the command; the exit code is the process's.
    pub fn run(self) -> Result<ExitCode> {
        bail!("'compare' is not built in yet")
    }
}
