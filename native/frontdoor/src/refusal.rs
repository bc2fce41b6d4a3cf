// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Why a node gives another one no digest of a read.

use crate::reason::Reason;

/// Lists the refusals once, with their codes between nodes and their names in reports.
macro_rules! refusals {
    ($($(#[$doc:meta])* $refusal:ident = $code:literal $name:literal,)*) => {
        /// Why a node gives another one no digest. Whoever asked forwards the request: Cassandra asks again, and words the
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
    /// The bytes are no read.
    Malformed = 9 "malformed",
    /// Too many reads wait here.
    Busy = 10 "busy",
    /// A fault of the door, which is written to the log.
    Panic = 11 "panic",
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
