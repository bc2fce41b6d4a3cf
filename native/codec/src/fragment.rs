// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! What can be done with a fragment of any kind.

use crate::columns::{ColumnMap, ColumnSet};
use crate::deletion::{DeletionTime, Purge};
use crate::entry;
use crate::error::CodecError;
use crate::header;
use crate::key::Kind;
use crate::outcome::{cleared_on_error, Outcome};
use crate::row::{self, Rules};

/// Merges the fragments of one key, in any order, into `out` (cleared first). A single operand is copied as it is.
///
/// Commutative, associative and idempotent, byte for byte, for canonical operands; the exceptions, which are those of
/// Cassandra's counters, are in docs/internals/formats.md. After an error `out` is empty.
pub fn merge(kind: Kind, operands: &[&[u8]], out: &mut Vec<u8>) -> Result<(), CodecError> {
    out.clear();
    let merged = match operands {
        [] => Err(CodecError::NoOperand),
        [only] => {
            out.extend_from_slice(only);
            Ok(())
        }
        many if kind == Kind::Header => header::merge(many, out),
        many if kind == Kind::Entry => entry::merge(many, out),
        many => row::merge(many, out),
    };
    cleared_on_error(merged, out)
}

/// What compaction leaves of one fully merged fragment, in `out` (cleared first): data that `covering` shadows removed,
/// columns in `dropped` removed, expired cells turned into tombstones, purgeable deletions gone.
///
/// `covering` is a deletion that stays elsewhere (the header's, for a row; live for others). What a reader at
/// `purge.now_s` sees never changes. After an error `out` is empty.
pub fn compact(
    kind: Kind,
    fragment: &[u8],
    covering: DeletionTime,
    purge: &Purge,
    dropped: &ColumnSet,
    out: &mut Vec<u8>,
) -> Result<Outcome, CodecError> {
    let outcome = match kind {
        Kind::Header => header::compact(fragment, covering, purge, out),
        Kind::Entry => entry::compact(fragment, purge, out),
        Kind::Static | Kind::Row => {
            let rules = Rules { covering, purge: *purge, dropped: Some(dropped), own_deletions: true };
            row::rewrite(fragment, &rules, out)
        }
    };
    cleared_on_error(outcome, out)
}

/// Removes from a row fragment only what `covering` deletes, into `out` (cleared first). Safe on unmerged operands, as
/// long as `covering` stays elsewhere or is applied to all operands of the key. After an error `out` is empty.
pub fn shadow(fragment: &[u8], covering: DeletionTime, out: &mut Vec<u8>) -> Result<Outcome, CodecError> {
    let rules = Rules { covering, purge: Purge::NOTHING, dropped: None, own_deletions: false };
    let outcome = row::rewrite(fragment, &rules, out);
    cleared_on_error(outcome, out)
}

/// Rewrites a row fragment under other column ids into `out` (cleared first), without the columns that have no new id.
///
/// With [`Outcome::Unchanged`] and [`Outcome::Empty`] `out` is left empty. Two columns which become one are a
/// [`CodecError::Conflict`].
pub fn remap(fragment: &[u8], map: &ColumnMap, out: &mut Vec<u8>) -> Result<Outcome, CodecError> {
    let outcome = row::remap(fragment, map, out);
    cleared_on_error(outcome, out)
}

/// The smallest timestamp in the fragment, deletions included; `i64::MAX` if it is empty.
pub fn min_timestamp(kind: Kind, fragment: &[u8]) -> Result<i64, CodecError> {
    match kind {
        Kind::Header => header::min_timestamp(fragment),
        Kind::Entry => entry::min_timestamp(fragment),
        Kind::Static | Kind::Row => row::min_timestamp(fragment),
    }
}

/// The greatest timestamp in the fragment, deletions included; `i64::MIN` if it is empty.
pub fn max_timestamp(kind: Kind, fragment: &[u8]) -> Result<i64, CodecError> {
    match kind {
        Kind::Header => header::max_timestamp(fragment),
        Kind::Entry => entry::max_timestamp(fragment),
        Kind::Static | Kind::Row => row::max_timestamp(fragment),
    }
}

/// Whether a fragment of a row deletes the row; a header does not.
pub fn has_row_deletion(kind: Kind, fragment: &[u8]) -> Result<bool, CodecError> {
    match kind {
        Kind::Header => Ok(false),
        Kind::Entry => entry::has_deletion(fragment),
        Kind::Static | Kind::Row => row::has_deletion(fragment),
    }
}

/// Whether the fragment of a row stays as it is, byte for byte, when it is merged with older ones: with any that have
/// no timestamp above `newest`, nor a clustering, nor a column outside of `columns`, nor, unless `with_deletions`, a row
/// deletion. Follows `SinglePartitionReadCommand.queryMemtableAndSSTablesInTimestampOrder` of Cassandra, which stops at
/// such a row.
pub fn outlasts(fragment: &[u8], columns: &ColumnSet, newest: i64, with_deletions: bool) -> Result<bool, CodecError> {
    row::outlasts(fragment, columns, newest, with_deletions)
}

/// Whether the fragment is empty, apart from a row's clustering. Malformed bytes are not empty.
pub fn is_empty(kind: Kind, fragment: &[u8]) -> bool {
    let empty = match kind {
        Kind::Header => header::is_empty(fragment),
        Kind::Entry => entry::is_empty(fragment),
        Kind::Static | Kind::Row => row::is_empty(fragment),
    };
    empty.unwrap_or(false)
}

/// Checks the whole structure, canonical order and encoding included.
pub fn validate(kind: Kind, fragment: &[u8]) -> Result<(), CodecError> {
    match kind {
        Kind::Header => header::validate(fragment),
        Kind::Entry => entry::validate(fragment),
        Kind::Static | Kind::Row => row::validate(fragment),
    }
}
