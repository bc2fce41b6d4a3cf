// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Keys, row and header fragments and index entries of Cassiterite, and how they merge: pure functions over bytes.
//!
//! The formats are described in `docs/internals/formats.md`; merging equals Apache Cassandra's own reconciliation. This
//! crate does no I/O and knows neither RocksDB nor Java. Everything here is safe to call from any thread, and malformed
//! bytes give a [`CodecError`], never a panic.
//!
//! The modules in layers, from low to high. A module may use those before it in this table, and no other; the same holds
//! for the folder `row`. `tests/layers.rs` holds them to it.
//!
//! | Modules | What they know |
//! |---|---|
//! | `error` `wire` `murmur` | bytes |
//! | `key` | keys, and what kind of fragment one has |
//! | `columns` `deletion` `outcome` | what rewrites need besides a fragment, and what comes of them |
//! | `row` `header` `entry` | fragments of one kind |
//! | `fragment` | fragments of any kind |

pub mod columns;
pub mod entry;
pub mod header;
pub mod key;
pub mod row;

mod deletion;
mod error;
mod fragment;
mod murmur;
mod outcome;
mod wire;

pub use columns::{ColumnMap, ColumnSet};
pub use deletion::{DeletionTime, Purge};
pub use error::CodecError;
pub use fragment::{
    compact, has_row_deletion, is_empty, max_timestamp, merge, min_timestamp, outlasts, remap, shadow, validate,
};
pub use outcome::Outcome;
