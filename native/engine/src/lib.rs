// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The store of Cassiterite: tables of merged row fragments on RocksDB, usable from native threads alone. It knows no
//! JVM type; `cassiterite-bridge` puts Java in front of it.
//!
//! A map of the crate:
//! * [`Store`] one RocksDB with one write-ahead log; [`Table`] one column family per table generation;
//! * `catalog` which tables, generations and columns exist; `options` every setting with its default and reason;
//! * `write` and `durability` updates and when they are safe; `read` points, slices, scans and their cursors;
//! * `database` RocksDB and the lock on its directory; `wal` looks for damage in the log before it is replayed;
//! * `snapshot` and `load` hard-linked images of a table; `report` what an operator may ask;
//! * `export` and `side_family` shipments from node to node, and the column families that they wait in; `keep` cleanup;
//!   `range_sizes` estimates; `ring` where files are cut; `log` what nobody asked for;
//! * `links` hard links and copies of files; `staging` folders for them; `faults` the steps at which a test may stop or fail the work;
//! * `compaction` merge operator and purge filter; `raw` the C++ shim and the C functions used directly: all unsafe code.
//!
//! Requests and answers are bytes: `docs/internals/boundary.md`. What is on disk: `docs/internals/formats.md`.

#![deny(clippy::print_stderr)] // see `log`

// The helpers of the tests in `tests/` name the crate, also where they are used in here.
#[cfg(test)]
extern crate self as cassiterite_engine;
#[cfg(test)]
#[path = "../tests/common/mod.rs"]
mod common;

mod bytes;
mod catalog;
mod cleanup;
pub mod compaction;
mod database;
mod disk_space;
mod durability;
mod error;
mod export;
mod faults;
mod links;
mod load;
mod log;
mod options;
mod range_sizes;
mod raw;
mod read;
mod receive;
mod report;
mod ring;
mod schema;
mod snapshot;
mod staging;
mod stats;
mod store;
mod table;
mod tokens;
mod wal;
mod write;

use raw::sys;

pub use error::{EngineError, Kind, Result};
pub use options::documentation as settings_documentation;
pub use read::{cursor_close, cursor_next};
pub use receive::{receive_bytes, share_socket};
pub use store::Store;
pub use table::Table;

/// The version of the RocksDB that is loaded, like `11.8.1`; an error where the engine was built for another one.
pub fn rocksdb_version() -> Result<String> {
    sys::rocksdb_version()
}
