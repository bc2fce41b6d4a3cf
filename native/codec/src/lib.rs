// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Keys, row fragments and header fragments of Cassiterite, and how they merge: pure functions over bytes.
//!
//! The formats are described in `docs/internals/formats.md`; merging equals Apache Cassandra's own reconciliation. This
//! crate does no I/O and knows neither RocksDB nor Java. Everything here is safe to call from any thread, and malformed
//! bytes give a [`CodecError`], never a panic.

pub mod columns;
pub mod header;
pub mod key;
pub mod row;

mod deletion;
mod error;
mod fragment;
mod murmur;
mod wire;

pub use columns::{ColumnMap, ColumnSet};
pub use deletion::{DeletionTime, Purge};
pub use error::CodecError;
pub use fragment::{compact, is_empty, merge, min_timestamp, shadow, validate, Outcome};
