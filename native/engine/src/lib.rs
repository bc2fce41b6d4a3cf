// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The store of Cassiterite: tables of merged row fragments on RocksDB, usable from native threads alone. It knows no
//! JVM type; `cassiterite-bridge` puts Java in front of it.
//!
//! The modules in layers, from low to high. A module may use those before it in this table, also of its own layer, and
//! no other; `tests/layers.rs` holds it to that.
//!
//! | Layer | Modules | What they know |
//! |---|---|---|
//! | basics | `error` `log` `faults` `bytes` `tokens` `links` `increments` `disk_space` | nothing of RocksDB |
//! | RocksDB | `database` `entry_blocks` `raw` `compaction` `options` `wal` | one database; all unsafe code is in `raw` |
//! | store | `catalog` `schema` `manifest` `durability` `store_core` `staging` | an open store, without its tables |
//! | table | `source` `table` `imported` | what a table is: column families, columns, generation, locks |
//! | work | `read` `write` `flush` `compact` `snapshot` `load` `backup` `export` `receive` `cleanup` `verify` `range_sizes` `stats` | what is done to a table, each in an `impl Table` |
//! | top | `generations` `report` `store` `ring` | the tables of a store together, and its operator |
//!
//! Requests and answers are bytes: `docs/internals/boundary.md`. What is on disk: `docs/internals/formats.md`.

#![deny(clippy::print_stderr)] // see `log`

// The helpers of the tests in `tests/` name the crate, also where they are used in here.
#[cfg(test)]
extern crate self as cassiterite_engine;
#[cfg(test)]
#[path = "../tests/common/mod.rs"]
mod common;

mod backup;
mod bytes;
mod catalog;
mod cleanup;
mod compact;
pub mod compaction;
mod database;
mod disk_space;
mod durability;
mod entry_blocks;
mod error;
mod export;
mod faults;
mod flush;
mod generations;
mod imported;
mod increments;
mod links;
mod load;
mod log;
mod manifest;
mod options;
mod range_sizes;
mod raw;
mod read;
mod receive;
mod report;
mod ring;
mod schema;
mod snapshot;
mod source;
mod staging;
mod stats;
mod store;
mod store_core;
mod table;
mod tokens;
mod verify;
mod wal;
mod write;

pub use error::{EngineError, Kind, Result};
pub use generations::IndexState;
pub use options::documentation as settings_documentation;
pub use read::{cursor_close, cursor_next, view_scan};
pub use receive::{receive_bytes, share_socket, ChunkFigures, ChunkWriter};
pub use report::report_manifests;
pub use store::Store;
pub use table::Missed;
pub use table::Table;
pub use verify::{Depth, Verified};

/// The version of the RocksDB that is loaded, like `11.8.1`; an error where the engine was built for another one.
pub fn rocksdb_version() -> Result<String> {
    raw::sys::rocksdb_version()
}
