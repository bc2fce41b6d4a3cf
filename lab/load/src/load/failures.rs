// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Counts wrong answers and errors, and keeps the first few as text.

use std::sync::{Mutex, MutexGuard, PoisonError};

use scylla::statement::Consistency;

use crate::check::Levels;
use crate::load::outcome::FaultCount;
use crate::load::{Fault, FaultKind};

const FAULTS_KEPT: usize = 20;
const ERRORS_KEPT: usize = 20;

/// Wrong answers and errors so far. Locked only when there is one.
#[derive(Debug, Default)]
pub(super) struct Failures(Mutex<FailureReport>);

/// Counts, and the first few faults and errors as text.
#[derive(Clone, Debug, Default)]
pub(super) struct FailureReport {
    pub(super) faults: [FaultCount; 4],
    pub(super) first_faults: Vec<String>,
    pub(super) first_errors: Vec<(String, u64)>,
}

impl Failures {
    /// `level`: at which the rows were read, where it is not that of `levels`.
    pub(super) fn faults(&self, faults: &[Fault], levels: Option<&Levels>, level: Option<Consistency>) {
        let mut kept = self.open();
        for fault in faults {
            let explained = levels.is_some_and(|levels| levels.explain_at(fault.kind, level));
            let count = &mut kept.faults[place(fault.kind)];
            count.rows += 1;
            count.explained_by_consistency += u64::from(explained);
            if kept.first_faults.len() < FAULTS_KEPT {
                let allowed = if explained { " (the consistency levels allow it)" } else { "" };
                let Fault { kind, row, detail } = fault;
                let words = format!("{kind:?}: partition {} row {}: {detail}{allowed}", row.partition, row.row);
                kept.first_faults.push(words);
            }
        }
    }

    pub(super) fn error(&self, error: &anyhow::Error) {
        let words = format!("{error:#}");
        let mut kept = self.open();
        match kept.first_errors.iter().position(|(known, _)| *known == words) {
            Some(known) => kept.first_errors[known].1 += 1,
            None if kept.first_errors.len() < ERRORS_KEPT => kept.first_errors.push((words, 1)),
            None => {}
        }
    }

    pub(super) fn kept(&self) -> FailureReport {
        self.open().clone()
    }

    fn open(&self) -> MutexGuard<'_, FailureReport> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Where [`Outcome::faults`](crate::load::Outcome::faults) counts a kind.
fn place(kind: FaultKind) -> usize {
    match kind {
        FaultKind::Lost => 0,
        FaultKind::Stale => 1,
        FaultKind::MixedUp => 2,
        FaultKind::Resurrected => 3,
    }
}
