// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! What an open store is made of; its tables are no part of it.

mod backpressure;
mod closing;
mod kept;
mod leftovers;
mod retirement;
mod table_keys;
mod write_lock;

pub(crate) use closing::Closing;
pub(crate) use kept::{Kept, KeptOptions};
pub(crate) use retirement::Retirement;
use table_keys::TableKeys;

use crate::catalog::Catalog;
use crate::compaction::StoreEvents;
use crate::database::Database;
use crate::durability::Durability;
use crate::error::{EngineError, Result};
use crate::increments::Increments;
use crate::options::{self, Settings};
use crate::raw::sys::{Reach, ReadMode, WriteMode};
use backpressure::WriteBackpressure;
use leftovers::Leftovers;
use rocksdb::Options;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard};
use write_lock::WriteLock;

/// An open store, shared by its tables.
pub(crate) struct StoreCore {
    pub db: Arc<Database>,
    pub catalog: Catalog,
    pub durability: Arc<Durability>,
    pub events: Arc<StoreEvents>,
    pub modes: Modes,
    /// Taken for each write that does not sync; see `write::apply`.
    pub write_lock: WriteLock,
    pub backpressure: WriteBackpressure,
    pub shared: options::Shared,
    /// The options that the database was opened with: they hold its statistics.
    pub options: Options,
    /// The setting of that name.
    pub stop_at_newest: AtomicBool,
    pub settings: Mutex<Settings>,
    /// What column families are opened with.
    pub kept: Arc<KeptOptions>,
    /// Files that incremental backups are yet to get.
    pub increments: Arc<Increments>,
    /// For calls that take long, also those that outlast their table.
    pub closing: Arc<Closing>,
    pub keys: TableKeys,
    leftovers: Leftovers,
    /// Takes each column family that has been dropped.
    pub retirement: Arc<Retirement>,
}

impl StoreCore {
    pub(crate) fn new(
        db: Arc<Database>,
        catalog: Catalog,
        durability: Arc<Durability>,
        events: Arc<StoreEvents>,
        retirement: Arc<Retirement>,
        (settings, shared, options, kept, increments): (
            Settings,
            options::Shared,
            Options,
            Arc<KeptOptions>,
            Arc<Increments>,
        ),
    ) -> StoreCore {
        StoreCore {
            db,
            catalog,
            durability,
            events,
            modes: Modes::new(),
            write_lock: WriteLock::default(),
            backpressure: WriteBackpressure::default(),
            shared,
            options,
            stop_at_newest: AtomicBool::new(settings.stop_at_newest),
            settings: Mutex::new(settings),
            kept,
            increments,
            closing: Arc::default(),
            keys: TableKeys::default(),
            leftovers: Leftovers::default(),
            retirement,
        }
    }

    /// An error once closing has begun.
    pub(crate) fn check_open(&self) -> Result<()> {
        self.closing.check()
    }

    /// The settings in effect.
    pub(crate) fn settings(&self) -> Result<MutexGuard<'_, Settings>> {
        self.settings.lock().map_err(|_| EngineError::poisoned())
    }
}

/// How single operations are run.
pub(crate) struct Modes {
    pub read: ReadMode,
    pub read_in_memory: ReadMode,
    pub logged: WriteMode,
    pub at_once: WriteMode,
    pub synced: WriteMode,
    pub unlogged: WriteMode,
}

impl Modes {
    fn new() -> Modes {
        Modes {
            read: ReadMode::new(Reach::Files),
            read_in_memory: ReadMode::new(Reach::Memory),
            logged: WriteMode::new(false, true),
            at_once: WriteMode::at_once(),
            synced: WriteMode::new(true, true),
            unlogged: WriteMode::new(false, false),
        }
    }
}
