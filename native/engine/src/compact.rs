// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Compaction of a whole table on demand, and what compactions may purge.

use crate::error::{EngineError, Result};
use crate::raw::{self, sys};
use crate::store_core::StoreCore;
use crate::table::{each_open, OpenTables, Table, TableCore};
use std::sync::atomic::{AtomicBool, Ordering};

/// gc_grace_seconds below this would have every file rewritten all the time: in an hour a large table cannot be.
const PERIODIC_SECONDS_MIN: i64 = 86_400;
const PERIODIC_SECONDS_MAX: i64 = 365 * 86_400;

impl Table {
    /// Rewrites the base and the indexes to their bottommost levels and purges what may be purged. Side column families
    /// stay as they are, and nothing is purged while there are any. Where no header is left, point reads no longer look
    /// one up.
    pub fn compact(&self) -> Result<()> {
        self.flush()?;
        self.on_copy(compact)?;
        self.clear_headers()?;
        let indexes = self.shared(|core| core.indexes().all())?;
        each_open(&indexes, Table::compact)
    }

    /// What compaction may purge: deletions older than `gc_grace_s` seconds whose timestamp is below
    /// `max_purgeable_timestamp` (`i64::MIN`: none). `now_offset_s`: the server's clock minus this machine's.
    pub fn set_purge(&self, gc_grace_s: i64, max_purgeable_timestamp: i64, now_offset_s: i64) -> Result<()> {
        // Every file passes the purge filter about once in gc_grace_seconds, also where nothing is written.
        let period_s = gc_grace_s.clamp(PERIODIC_SECONDS_MIN, PERIODIC_SECONDS_MAX);
        self.purge_by((gc_grace_s, max_purgeable_timestamp, now_offset_s), period_s)
    }

    fn purge_by(&self, (gc_grace_s, max_timestamp, now_offset_s): (i64, i64, i64), period_s: i64) -> Result<()> {
        self.shared(|core| {
            core.column_families().all().for_each(|family| family.purge.set(gc_grace_s, max_timestamp, now_offset_s));
            Ok(())
        })?;
        self.on_copy(|core| {
            core.change_period(period_s)?;
            self.clear_headers_after_compactions(core);
            // Only entries are in an index: what they are older than cannot be elsewhere, and no other node has them.
            each_open(&core.indexes().all()?, |index| index.purge_by((0, i64::MAX, now_offset_s), period_s))
        })
    }
}

/// Ends every compaction of the store that runs or waits, and returns when they have ended. Those on demand, and
/// cleanups, fail with [`crate::Kind::Busy`]; automatic ones begin anew when there is a thread for them.
pub(crate) fn stop_compactions(store: &StoreCore, tables: &OpenTables) -> Result<()> {
    raw::stop_compactions(&store.db);
    let stopped = store.events.take_stopped();
    tables.each(|table| {
        table.on_copy(|core| {
            let mut families = core.column_families().all();
            families.try_for_each(|family| if stopped.contains(family.name()) { family.reconsider() } else { Ok(()) })
        })
    })
}

fn compact(core: &TableCore) -> Result<()> {
    core.flush()?;
    let canceled = core.begin_rewrite()?;
    let empties_before = core.purge().stats().empties_left;
    let rewrite = || core.manually(|| sys::compact(core.family(), &canceled));
    unless_stopped(core, &canceled, rewrite())?;
    core.store().events.damaged().end(core.family_name());
    // A full merge cannot drop a key, only empty it: those that this pass emptied go in another.
    if core.purge().stats().empties_left > empties_before {
        unless_stopped(core, &canceled, rewrite())?;
    }
    Ok(())
}

/// The outcome of work that ends early, with whatever error, when the table or the store closes, or it is canceled.
fn unless_stopped(core: &TableCore, canceled: &AtomicBool, outcome: Result<()>) -> Result<()> {
    outcome.or_else(|error| {
        core.check_open()?;
        if canceled.load(Ordering::Acquire) {
            return Err(EngineError::busy("the compaction was stopped; what it has done so far stays"));
        }
        Err(error)
    })
}

#[cfg(test)]
mod tests;
