// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! A wrong row of an answer.

/// One CQL row of a workload: which partition of the population, which row of the partition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Row {
    /// The partition's seed: its keys are a pure function of it.
    pub partition: u64,
    /// The row's number in the partition; its clustering is a pure function of both.
    pub row: u64,
}

/// The kind of a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FaultKind {
    /// A row whose write was acknowledged is not there.
    Lost,
    /// A row is there as it was before a write that was acknowledged.
    Stale,
    /// A row's cells do not belong together, or were never written; or a row is there that must not be, or twice.
    MixedUp,
    /// A row whose deletion was acknowledged is there again.
    Resurrected,
}

/// One wrong row of one answer.
#[derive(Clone, Debug)]
pub struct Fault {
    /// Its kind.
    pub kind: FaultKind,
    /// Which row.
    pub row: Row,
    /// Key, expected and actual version, as text.
    pub detail: String,
}
