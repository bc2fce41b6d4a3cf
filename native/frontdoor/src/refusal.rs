// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Why a node gives another one no digest of a read, or does not write what another one has written.

use crate::reason::Reason;

/// Lists the refusals once, with their codes between nodes and their names in reports.
macro_rules! refusals {
    ($($(#[$doc:meta])* $refusal:ident = $code:literal $name:literal,)*) => {
        /// Why a node gives another one no digest, or does not write. Whoever asked forwards the request: Cassandra asks again, and words the
        /// error where there is one. Its number is part of the protocol between nodes (docs/internals/formats.md).
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        pub(crate) enum Refusal {
            $($(#[$doc])* $refusal = $code,)*
        }

        impl Refusal {
            /// All refusals, in the order of their numbers.
            pub(crate) const ALL: &'static [Refusal] = &[$(Refusal::$refusal,)*];

            /// The name in reports.
            pub(crate) fn name(self) -> &'static str {
                match self {
                    $(Refusal::$refusal => $name,)*
                }
            }
        }
    };
}

refusals! {
    /// A gate of the node is closed, or its Java side has not said otherwise of late.
    NodeGate = 1 "node_gate",
    /// The table's columns are other ones here.
    Spec = 2 "spec",
    /// The table is not open here, or not for other nodes.
    TableGate = 3 "table_gate",
    /// The node is no replica of the partition.
    NotReplica = 4 "not_replica",
    /// More tombstones than are read over: Cassandra warns of them.
    Tombstones = 5 "tombstones",
    /// A longer answer than is digested.
    TooLong = 6 "too_long",
    /// The engine failed, or the table has something that is not digested.
    EngineFailure = 7 "engine_failure",
    /// A right ended during the read.
    RightsMoved = 8 "rights_moved",
    /// The bytes are no read, or no write.
    Malformed = 9 "malformed",
    /// Too many reads wait here.
    Busy = 10 "busy",
    /// A fault of the door, which is written to the log.
    Panic = 11 "panic",
    /// The write is older than it may be, by the clocks of both nodes.
    Late = 12 "late",
    /// Its time of writing is older than what Cassandra knows of the table here.
    OldTimestamp = 13 "old_timestamp",
    /// A record of a lightweight transaction or a batch has to outlive a crash here first.
    UnsafeRecords = 14 "unsafe_records",
    /// The engine would have the write wait.
    WriteWaits = 15 "write_waits",
}

impl Refusal {
    /// Whether a digest can be refused for it.
    pub(crate) fn is_of_digests(self) -> bool {
        !matches!(self, Refusal::Late | Refusal::OldTimestamp | Refusal::UnsafeRecords | Refusal::WriteWaits)
    }

    /// Whether a write can be refused for it.
    pub(crate) fn is_of_copies(self) -> bool {
        !matches!(self, Refusal::Tombstones | Refusal::TooLong | Refusal::RightsMoved | Refusal::Busy)
    }
}

impl From<Reason> for Refusal {
    fn from(reason: Reason) -> Self {
        match reason {
            Reason::Tombstones => Refusal::Tombstones,
            Reason::AnswerLength | Reason::Unfinished => Refusal::TooLong,
            _ => Refusal::EngineFailure,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn each_refusal_has_a_name_and_a_number_of_its_own() {
        let names: HashSet<_> = Refusal::ALL.iter().map(|refusal| refusal.name()).collect();
        assert_eq!(names.len(), Refusal::ALL.len());
        let numbers: Vec<u8> = Refusal::ALL.iter().map(|refusal| *refusal as u8).collect();
        assert_eq!(numbers, (1..=Refusal::ALL.len() as u8).collect::<Vec<_>>());
    }
}
