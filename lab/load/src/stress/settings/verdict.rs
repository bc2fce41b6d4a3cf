// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Verdict settings: failed operations, checked reads, SLAs.

use anyhow::{bail, ensure, Result};

use crate::report::Sla;
use crate::stress::command_line::CommandLine;

/// The settings of `-errors`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Errors {
    /// Tries after the first.
    pub retries: u32,
    /// Whether a run with failed operations may pass.
    pub ignore: bool,
    /// Whether the first failed operation ends the run.
    pub fail_fast: bool,
}

/// Whether what is read is compared with what was acknowledged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Check {
    /// Where it can be: not for counters, nor beside queries that write what nobody could remember.
    WherePossible,
    /// It must be.
    On,
    /// As `On`, and every row is there as a load that only wrote left it.
    Written,
    /// No.
    Off,
}

/// The settings that decide whether a run passes.
#[derive(Clone, Debug)]
pub struct Verdict {
    /// Failed operations.
    pub errors: Errors,
    /// Whether what is read is compared with what was acknowledged.
    pub check: Check,
    /// The SLAs.
    pub slas: Vec<Sla>,
}

impl Verdict {
    /// Understands `-errors`, `-check` and `-sla`.
    pub fn read(line: &mut CommandLine) -> Result<Self> {
        let errors = line.take("-errors");
        errors.at_most_one_of(&["ignore", "fail-fast"])?;
        let retries = errors.parsed("retries=", "a whole number", |text| text.parse::<u32>().ok())?.unwrap_or(9);
        let skip = errors.has("skip-read-validation");
        let check = line.take("-check");
        check.at_most_one_of(&["on", "written", "off"])?;
        let must = check.has("on") || check.has("written");
        ensure!(!(skip && must), "-check: on and written do not go together with -errors skip-read-validation");
        let given = line.option("-sla").is_some();
        let mut slas = Vec::new();
        for word in line.take("-sla").free() {
            match word.parse() {
                Ok(sla) => slas.push(sla),
                Err(error) => bail!("-sla: {error:#}"),
            }
        }
        ensure!(!given || !slas.is_empty(), "-sla: what must hold is missing, as in -sla 'p99<=10ms'");
        Ok(Self {
            errors: Errors { retries, ignore: errors.has("ignore"), fail_fast: errors.has("fail-fast") },
            check: match () {
                () if skip || check.has("off") => Check::Off,
                () if check.has("written") => Check::Written,
                () if check.has("on") => Check::On,
                () => Check::WherePossible,
            },
            slas,
        })
    }
}
