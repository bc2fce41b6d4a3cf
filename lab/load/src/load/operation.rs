// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The interface between a workload and the load: operations and their answers.

use std::fmt::Debug;
use std::future::Future;
use std::pin::Pin;

use anyhow::Result;
use scylla::client::session::Session;
use scylla::statement::Consistency;

use crate::check::Fault;

/// Whether an operation reads or writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// It changes nothing.
    Read,
    /// It inserts, updates, deletes or counts.
    Write,
}

/// One kind of operation, a line of its own in every report: `insert`, `read1`, `simple1` ...
#[derive(Clone, Debug)]
pub struct Kind {
    /// The name that the profile or the command gives it.
    pub name: String,
    /// Reads or writes.
    pub class: Class,
}

/// The result of a finished operation.
#[derive(Clone, Debug, Default)]
pub struct Answer {
    /// Partitions read or written.
    pub partitions: u64,
    /// Rows read or written.
    pub rows: u64,
    /// Bytes of the values written, as the user counts them; 0 for reads.
    pub value_bytes: u64,
    /// Rows whose content was compared with what was acknowledged.
    pub rows_checked: u64,
    /// Wrong rows of the answer.
    pub faults: Vec<Fault>,
}

/// One operation, planned but not yet sent.
pub trait Operation: Send + Debug {
    /// Which of [`Workload::kinds`] it is.
    fn kind(&self) -> usize;

    /// Whether a write may be sent again when nobody knows whether it was applied (not counters, not conditions). Not asked
    /// of reads: they always may.
    fn is_idempotent(&self) -> bool {
        false
    }

    /// Its consistency level, where it is not the target's: it decides whether a wrong answer is allowed.
    fn consistency(&self) -> Option<Consistency> {
        None
    }

    /// Sends it and checks the answer; called once. Errors are the server's or the driver's; one in the middle of an answer is
    /// made by [`Answer::followed_by`].
    fn run<'a>(self: Box<Self>, session: &'a Session) -> Pin<Box<dyn Future<Output = Result<Answer>> + Send + 'a>>;
}

/// A source of operations; safe to share between threads.
///
/// `plan` is a pure function of the workload's seed and `index` (but for what `check` remembers), so a run can be repeated. A
/// retry plans the same index again.
pub trait Workload: Send + Sync {
    /// The kinds of operations, in the order of the report.
    fn kinds(&self) -> &[Kind];

    /// Operation number `index`; `None` ends the run (a sequence that does not wrap).
    fn plan(&self, index: u64) -> Option<Box<dyn Operation>>;
}
