// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Programs of the system: what they say, or why they failed.

use std::process::{Command, Stdio};

use anyhow::{bail, Context, Result};

pub fn run(command: &mut Command) -> Result<()> {
    said(command).map(drop)
}

pub fn said(command: &mut Command) -> Result<String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.stdin(Stdio::null()).output().with_context(|| format!("cannot start {name}"))?;
    if !output.status.success() {
        bail!("{name}: {}", String::from_utf8_lossy(&output.stderr).trim().replace('\n', "; "));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
