// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The store of a node: one RocksDB, its catalog and its tables.

mod opening;
mod uncompacted;

use crate::compact;
use crate::error::{EngineError, Kind, Result};
use crate::generations;
use crate::log::log;
use crate::options::{self, Settings};
use crate::raw::{self, sys};
use crate::read;
use crate::report;
use crate::schema::{check_id, SchemaRequest};
use crate::store_core::StoreCore;
use crate::table::{OpenTables, Table};
use std::sync::atomic::Ordering;
use std::sync::{Arc, RwLock};
use std::thread::JoinHandle;

/// A store. Every method may be called from any thread; after [`Store::close`] all answer [`crate::Kind::Closed`].
/// Dropping it closes it.
pub struct Store {
    live: RwLock<Option<Live>>,
}

/// An open store with its tables.
pub(crate) struct Live {
    pub core: Arc<StoreCore>,
    pub tables: Arc<OpenTables>,
    threads: Vec<JoinHandle<()>>,
}

impl Store {
    /// Refuses options that [`Store::open`] would refuse by themselves; opens nothing.
    pub fn check(options: &str) -> Result<()> {
        Settings::parse(options).map(drop)
    }

    /// Opens the store, creating it where there is none. `options`: UTF-8 lines `name=value` (docs/settings.md).
    pub fn open(options: &str) -> Result<Arc<Store>> {
        let live = opening::open(Settings::parse(options)?)?;
        Ok(Arc::new(Store { live: RwLock::new(Some(live)) }))
    }

    /// Closes the store after running calls have ended. Every handle of it then answers [`crate::Kind::Closed`]. What
    /// has been written is synced first. May be called again.
    pub fn close(&self) -> Result<()> {
        let Some(Live { core, tables, threads }) = self.live.write().map_err(|_| EngineError::poisoned())?.take()
        else {
            return Ok(());
        };
        core.closing.begin();
        sys::stop_manual_compactions(&core.db);
        let flushed = tables.each(|table| table.flush_unlogged());
        generations::close_all(&tables)?;
        core.closing.wait();
        core.durability.stop();
        core.retirement.stop();
        core.db.discards().stop();
        let ended = threads.into_iter().map(JoinHandle::join).fold(Ok(()), std::thread::Result::and);
        // Also after a failure: writers wait for it.
        let synced = core.durability.finish(&core.db);
        // Flushes what has come without a log meanwhile, and ends background work; the database itself closes with its
        // last owner, and is locked until then.
        core.db.cancel_all_background_work(true);
        let closed = Arc::into_inner(core).map(|core| core.db).and_then(Arc::into_inner);
        flushed?;
        synced?;
        ended.map_err(|_| EngineError::internal("a thread of the store panicked"))?;
        closed.map(drop).ok_or_else(|| EngineError::internal("the store is still in use and stays open"))
    }

    /// Makes every write that has returned durable on the device, also those without a log record.
    pub fn sync(&self) -> Result<()> {
        self.live(|Live { core, tables, .. }| {
            core.durability.sync(&core.db)?;
            tables.each(|table| table.flush_unlogged())
        })
    }

    /// Changes live settings; same lines as [`Store::open`]. All are taken, or none.
    pub fn set(&self, options: &str) -> Result<()> {
        self.shared(|core| {
            let mut settings = core.settings.lock().map_err(|_| EngineError::poisoned())?;
            let changed = settings.changed(options)?;
            let apply = |from, to| options::apply_live(&core.db, &core.options, &core.shared, from, to);
            apply(&settings, &changed).inspect_err(|_| {
                // RocksDB takes a value also where it cannot write its file of options, and tells of that alone.
                let _ = apply(&changed, &settings);
            })?;
            core.stop_at_newest.store(changed.stop_at_newest, Ordering::Relaxed);
            *settings = changed;
            Ok(())
        })
    }

    /// A report as lines of tab-separated values, first line the column names (docs/internals/boundary.md). Topics:
    /// tables levels stalls caches settings work compactions damage increments.
    pub fn report(&self, topic: &str) -> Result<String> {
        self.live(|live| report::report(&live.core, &live.tables, topic))
    }

    /// The first background error since start or the last successful [`Store::resume`].
    pub fn background_error(&self) -> Result<Option<(Kind, String)>> {
        self.shared(|core| {
            if let Some(failure) = core.durability.failure() {
                return Ok(Some((failure.kind(), failure.message().to_owned())));
            }
            Ok(core
                .events
                .first_error()
                .map(|failed| (failed.error.kind(), format!("{} failed: {}", failed.during, failed.error.message()))))
        })
    }

    /// Keeps what flushes write and what tables receive for incremental backups, to be taken by [`Table::back_up`]; or
    /// does so no more. The next start goes on as it was, also with what it recovers from the log.
    pub fn keep_increments(&self, on: bool) -> Result<()> {
        self.shared(|core| core.increments.turn(on))
    }

    /// Leaves the read-only state that a background error put the store in.
    pub fn resume(&self) -> Result<()> {
        self.live(|Live { core, tables, .. }| {
            core.events.resume(|| raw::resume(&core.db))?;
            core.drop_leftovers();
            if core.durability.failure().is_some() {
                // What the log may have lost is still in the memtables: bring it into files before writes go on.
                tables.each(|table| table.flush())?;
                core.durability.recover()?;
                core.durability.sync(&core.db)?;
            }
            Ok(())
        })
    }

    /// Ends every compaction that runs or waits. Those on demand, and cleanups, fail with [`crate::Kind::Busy`];
    /// automatic ones begin anew when there is a thread for them.
    pub fn stop_compactions(&self) -> Result<()> {
        self.live(|live| compact::stop_compactions(&live.core, &live.tables))
    }

    /// Opens or creates the current generation of a table: a table schema request (docs/internals/boundary.md).
    pub fn table(&self, request: &[u8]) -> Result<Arc<Table>> {
        let request = SchemaRequest::parse(request)?;
        self.live(|live| generations::open_table(&live.core, &live.tables, &request))
    }

    /// Drops a table, named by the 16 bytes of its id: all generations with their indexes, catalog record and files.
    /// Unknown ones are fine.
    pub fn drop_table(&self, id: &[u8]) -> Result<()> {
        check_id(id)?;
        self.live(|live| generations::drop_table(&live.core, &live.tables, id))
    }

    /// See [`read::cursor_next`]: cursors are numbered across all stores of the process.
    pub fn cursor_next(&self, cursor: i64, flags: u32, answer: &mut [u8]) -> Result<i32> {
        read::cursor_next(cursor, flags, answer)
    }

    /// See [`read::cursor_close`].
    pub fn cursor_close(&self, cursor: i64) -> Result<()> {
        read::cursor_close(cursor)
    }

    pub(crate) fn shared<T>(&self, work: impl FnOnce(&Arc<StoreCore>) -> Result<T>) -> Result<T> {
        self.live(|live| work(&live.core))
    }

    pub(crate) fn live<T>(&self, work: impl FnOnce(&Live) -> Result<T>) -> Result<T> {
        let live = self.live.read().map_err(|_| EngineError::poisoned())?;
        work(live.as_ref().ok_or_else(EngineError::has_closed)?)
    }
}

impl Drop for Store {
    fn drop(&mut self) {
        if let Err(error) = self.close() {
            log(format_args!("closing the store: {error}"));
        }
    }
}
