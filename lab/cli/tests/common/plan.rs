// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The command `plan`.

use std::process::{Command, Output, Stdio};

/// With these words.
pub fn plan(words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cassiterite"));
    command.arg("plan").args(words).stdin(Stdio::null());
    command
}

/// On both of its outputs.
pub fn said(output: &Output) -> String {
    String::from_utf8_lossy(&[output.stdout.clone(), output.stderr.clone()].concat()).into_owned()
}
