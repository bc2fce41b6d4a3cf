// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Answers that broke off: faults in the part that arrived still count.

use std::collections::HashSet;
use std::error::Error;
use std::fmt::{self, Display, Formatter};

use crate::load::{Answer, Fault, FaultKind, Row};

/// Why the rest of an answer did not come, and the part that did.
#[derive(Debug)]
struct PartialAnswer {
    part: Answer,
    why: anyhow::Error,
}

impl Display for PartialAnswer {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("after a part of the answer")
    }
}

impl Error for PartialAnswer {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(self.why.as_ref())
    }
}

impl Answer {
    /// The error of an operation whose answer ended early; what is wrong with the part that came goes with it.
    pub fn followed_by(self, why: anyhow::Error) -> anyhow::Error {
        match self.faults.is_empty() {
            true => why,
            false => PartialAnswer { part: self, why }.into(),
        }
    }
}

/// The faults of an answer, or of the part of it that arrived.
pub fn faults_of(answer: &anyhow::Result<Answer>) -> &[Fault] {
    what_came(answer).map_or(&[], |came| &came.faults)
}

/// An answer, or the part of one in which something was wrong.
fn what_came(answer: &anyhow::Result<Answer>) -> Option<&Answer> {
    match answer {
        Ok(answer) => Some(answer),
        Err(error) => error.chain().find_map(|cause| cause.downcast_ref::<PartialAnswer>()).map(|cut| &cut.part),
    }
}

/// Faults that the tries of one operation have found.
#[derive(Debug, Default)]
pub(super) struct Found {
    wrong: HashSet<(FaultKind, Row)>,
    /// Rows in which something wrong was looked for: those of whole answers, and of parts that had something.
    pub(super) rows_checked: u64,
}

impl Found {
    /// The faults that only this try found.
    pub(super) fn new_in(&mut self, answer: &anyhow::Result<Answer>) -> Vec<Fault> {
        let faults = faults_of(answer);
        let new = faults.iter().filter(|fault| !self.wrong.contains(&(fault.kind, fault.row))).cloned().collect();
        self.wrong.extend(faults.iter().map(|fault| (fault.kind, fault.row)));
        self.rows_checked += what_came(answer).map_or(0, |came| came.rows_checked);
        new
    }
}
