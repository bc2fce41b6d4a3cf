// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Programs of the system: what they say, or why they failed.

use std::io::Write;
use std::process::{Command, Stdio};

use anyhow::{bail, Context, Result};

/// Runs one that says nothing.
pub fn run(command: &mut Command) -> Result<()> {
    said(command).map(drop)
}

/// What it says.
pub fn said(command: &mut Command) -> Result<String> {
    answered(command, "")
}

/// What it says to an input.
pub fn answered(command: &mut Command, input: &str) -> Result<String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().with_context(|| format!("cannot start {name}"))?;
    let written = child.stdin.take().context("no input")?.write_all(input.as_bytes());
    let output = child.wait_with_output().with_context(|| name.clone())?;
    if !output.status.success() {
        bail!("{name}: {}", String::from_utf8_lossy(&output.stderr).trim().replace('\n', "; "));
    }
    written.with_context(|| name)?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
