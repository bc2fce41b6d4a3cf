// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Answers of which only a part came: what was wrong with that part stays wrong.

use std::collections::HashSet;
use std::error::Error;
use std::fmt::{self, Display, Formatter};

use crate::load::{Answer, Fault, FaultKind, Row};

/// Why the rest of an answer did not come, and what was wrong with the part that did.
#[derive(Debug)]
struct CutShort {
    faults: Vec<Fault>,
    rows_checked: u64,
    why: anyhow::Error,
}

impl Display for CutShort {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("after a part of the answer")
    }
}

impl Error for CutShort {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(self.why.as_ref())
    }
}

impl Answer {
    /// The error of an operation whose answer ended early; what is wrong with the part that came goes with it.
    pub fn cut_short(self, why: anyhow::Error) -> anyhow::Error {
        match self.faults.is_empty() {
            true => why,
            false => CutShort { faults: self.faults, rows_checked: self.rows_checked, why }.into(),
        }
    }
}

/// What is wrong with what came of an answer, whole or not.
pub fn faults_of(answer: &anyhow::Result<Answer>) -> &[Fault] {
    match answer {
        Ok(answer) => &answer.faults,
        Err(error) => part(error).map_or(&[], |part| &part.faults),
    }
}

fn part(error: &anyhow::Error) -> Option<&CutShort> {
    error.chain().find_map(|cause| cause.downcast_ref::<CutShort>())
}

/// What the tries of one operation have found.
#[derive(Debug, Default)]
pub(super) struct Found {
    wrong: HashSet<(FaultKind, Row)>,
    /// Rows in which something wrong was looked for: those of whole answers, and of parts that had something.
    pub(super) rows_checked: u64,
}

impl Found {
    /// What one try found that none before it has.
    pub(super) fn new_in(&mut self, answer: &anyhow::Result<Answer>) -> Vec<Fault> {
        let faults = faults_of(answer);
        let new = faults.iter().filter(|fault| !self.wrong.contains(&(fault.kind, fault.row))).cloned().collect();
        self.wrong.extend(faults.iter().map(|fault| (fault.kind, fault.row)));
        self.rows_checked += match answer {
            Ok(answer) => answer.rows_checked,
            Err(error) => part(error).map_or(0, |part| part.rows_checked),
        };
        new
    }
}
