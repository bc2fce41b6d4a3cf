// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The words of `cassiterite cluster`.

use std::process::ExitCode;

use anyhow::{bail, Result};
use clap::Args;

/// `cassiterite cluster`.
#[derive(Args, Debug)]
pub struct ClusterCommand {
    /// Words of the command.
    words: Vec<String>,
}

impl ClusterCommand {
    /// Runs the command; the exit code is the process's.
    pub fn run(self) -> Result<ExitCode> {
        bail!("'cluster' is not built in yet")
    }
}
