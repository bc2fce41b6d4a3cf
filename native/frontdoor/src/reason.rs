// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Why the door passes a request on to Cassandra instead of answering it.

use cassiterite_codec::CodecError;

/// Lists the reasons once, with their names in reports.
macro_rules! reasons {
    ($($(#[$doc:meta])* $reason:ident = $name:literal,)*) => {
        /// Why a request is forwarded. None of them is an error: Cassandra answers, and words the error where there is one.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Reason {
            $($(#[$doc])* $reason,)*
        }

        impl Reason {
            /// All reasons, in the order of their numbers.
            pub(crate) const ALL: &'static [Reason] = &[$(Reason::$reason,)*];

            /// The name in reports.
            pub(crate) fn name(self) -> &'static str {
                match self {
                    $(Reason::$reason => $name,)*
                }
            }
        }
    };
}

reasons! {
    /// The body of the request is not what the protocol describes, or longer.
    Malformed = "malformed",
    /// Flags that the door does not know.
    UnknownFlags = "unknown_flags",
    /// Values by name.
    NamedValues = "named_values",
    /// A keyspace in the request.
    Keyspace = "keyspace",
    /// A serial consistency that is none.
    SerialConsistency = "serial_consistency",
    /// More or fewer values than the statement has bind variables.
    ValueCount = "value_count",
    /// A value that is null or unset.
    NullValue = "null_value",
    /// A value that its type refuses, or of which the door has no byte-comparable form.
    InvalidValue = "invalid_value",
    /// A write without a time of its own.
    NoTimestamp = "no_timestamp",
    /// A partition key that is empty or too long.
    KeyLength = "key_length",
    /// A limit that is not a positive number.
    Limit = "limit",
    /// A selection that is empty, or whose slices overlap.
    Selection = "selection",
    /// A page size that is not positive.
    PageSize = "page_size",
    /// A page with others to follow, where the door cannot tell from where.
    MorePages = "more_pages",
    /// A paging state that the door does not continue.
    PagingState = "paging_state",
    /// More tombstones and expired cells than the door reads over.
    Tombstones = "tombstones",
    /// A longer answer than the door gives.
    AnswerLength = "answer_length",
    /// The engine has more than the part of its answer that was given, and it is needed.
    Unfinished = "unfinished",
    /// The engine's answer has something that the recipe does not explain.
    UnknownContent = "unknown_content",
    /// A flag of the header, such as that of tracing or of a custom payload.
    HeaderFlags = "header_flags",
    /// The node as a whole does not allow it, or has not said so of late.
    NodeGate = "node_gate",
    /// The connection has not been admitted yet.
    NotAdmitted = "not_admitted",
    /// The statement has no recipe yet.
    NoRecipe = "no_recipe",
    /// The statement cannot have a recipe.
    RecipeRefused = "recipe_refused",
    /// Its answers are compared with Cassandra's first.
    Auditioning = "auditioning",
    /// Its answers differed from Cassandra's, or the door could not make them.
    AuditionFailed = "audition_failed",
    /// The role has not been allowed the statement yet, or may not execute it.
    NotGranted = "not_granted",
    /// The table does not allow it, or has not been opened yet.
    TableGate = "table_gate",
    /// A consistency level that needs other replicas.
    Consistency = "consistency",
    /// This node is no replica of the partition.
    NotReplica = "not_replica",
    /// The engine failed.
    EngineFailure = "engine_failure",
    /// A right ended during the read.
    RightsMoved = "rights_moved",
    /// A write that is older than what Cassandra knows of the table.
    OldTimestamp = "old_timestamp",
    /// A record of a lightweight transaction or a batch has to outlive a crash first.
    UnsafeRecords = "unsafe_records",
    /// The engine would have the write wait.
    WriteWaits = "write_waits",
    /// A longer write than other replicas are sent.
    WriteLength = "write_length",
    /// Too many writes wait until other replicas have them.
    CopiesBusy = "copies_busy",
    /// The client has not read earlier answers.
    Backlog = "backlog",
    /// Too many reads wait for the device.
    PoolBusy = "pool_busy",
    /// A fault of the door, which is written to the log.
    Panic = "panic",
    /// Too few doors of other replicas can be asked.
    Replicas = "replicas",
    /// Another replica has something else: Cassandra reads both, and repairs.
    Disagreement = "disagreement",
    /// Another replica may not answer.
    PeerRefused = "peer_refused",
    /// Another replica has not answered in time.
    PeerLate = "peer_late",
    /// The connection to another replica has ended.
    PeerLost = "peer_lost",
    /// The replicas agree, and `front_door_quorum_reads` only compares.
    Compared = "compared",
}

impl From<CodecError> for Reason {
    fn from(_: CodecError) -> Self {
        Reason::UnknownContent
    }
}

impl Reason {
    /// Whether the door may answer the same request another time.
    pub(crate) fn may_end(self) -> bool {
        match self {
            Reason::NodeGate
            | Reason::NotAdmitted
            | Reason::NoRecipe
            | Reason::Auditioning
            | Reason::NotGranted
            | Reason::TableGate
            | Reason::EngineFailure
            | Reason::RightsMoved
            | Reason::OldTimestamp
            | Reason::UnsafeRecords
            | Reason::WriteWaits
            | Reason::CopiesBusy
            | Reason::Backlog
            | Reason::PoolBusy
            | Reason::Panic
            | Reason::Replicas
            | Reason::Disagreement
            | Reason::PeerRefused
            | Reason::PeerLate
            | Reason::PeerLost
            | Reason::Compared => true,
            Reason::Malformed
            | Reason::UnknownFlags
            | Reason::NamedValues
            | Reason::Keyspace
            | Reason::SerialConsistency
            | Reason::ValueCount
            | Reason::NullValue
            | Reason::InvalidValue
            | Reason::NoTimestamp
            | Reason::KeyLength
            | Reason::Limit
            | Reason::Selection
            | Reason::PageSize
            | Reason::MorePages
            | Reason::PagingState
            | Reason::Tombstones
            | Reason::AnswerLength
            | Reason::WriteLength
            | Reason::Unfinished
            | Reason::UnknownContent
            | Reason::HeaderFlags
            | Reason::RecipeRefused
            | Reason::AuditionFailed
            | Reason::Consistency
            | Reason::NotReplica => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn each_reason_has_a_name_of_its_own() {
        let names: HashSet<_> = Reason::ALL.iter().map(|reason| reason.name()).collect();
        assert_eq!(names.len(), Reason::ALL.len());
    }
}
