// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Updates: parse the request, make one batch of merges, write it as durably as the node wants.

mod entries;
mod request;
#[cfg(test)]
mod tests;

use crate::compaction::{now_ns, Written};
use crate::durability::PendingSync;
use crate::error::{EngineError, Kind as Failure, Result};
use crate::raw::sys::{Batch, WriteMode};
use crate::store_core::StoreCore;
use crate::table::{AttachedIndex, Held, Table, TableCore};
use crate::tokens::token_of;
use cassiterite_codec::key::Kind;
use entries::IndexPart;
pub(crate) use request::Request;
use std::cell::RefCell;
use std::time::{Duration, Instant};

/// `flags`: the update is not logged (`durable_writes: false`).
const NO_LOG: u32 = 1;
/// A thread gives back the memory of a batch that was larger than this.
const BATCH_BYTES_KEPT: usize = 1 << 20;
/// How often a write that is held back asks whether the table is being closed.
const HELD_BACK_STEP: Duration = Duration::from_millis(20);

/// What becomes of a batch in the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Log {
    /// It has a record, synced where each write is.
    Yes,
    /// It has none.
    No,
    /// It has a record, and fails where RocksDB would have it wait.
    AtOnce,
}

struct Scratch {
    batch: Batch,
    /// Entries of indexes, where they go another way than the rows.
    entries: Batch,
    key: Vec<u8>,
}

thread_local! {
    static SCRATCH: RefCell<Scratch> = RefCell::new(Scratch { batch: Batch::new(), entries: Batch::new(), key: Vec::new() });
}

impl Table {
    /// Applies one partition update (a write request) atomically, with the entries of the table's indexes. `flags` 1:
    /// without a log record. When it returns, the update is as durable as the node's commitlog_sync promises.
    pub fn write(&self, request: &[u8], flags: u32) -> Result<()> {
        write(self, request, flags)
    }

    /// Applies one partition update without entries of indexes, atomically and with a log record, if nothing has to be
    /// waited for but writes that others are at. False otherwise, and then nothing was written, or what was may be written
    /// again: it counts once. With true it is as durable as the node's commitlog_sync promises.
    pub fn write_at_once(&self, request: &[u8]) -> Result<bool> {
        let tried = self.try_shared(|core| match would_wait(core) {
            true => Ok(false),
            false => update_at_once(core, request),
        });
        tried.unwrap_or(Ok(false))
    }
}

/// The first write of a generation is noted in the catalog first, on the device.
fn would_wait(core: &TableCore) -> bool {
    let store = core.store();
    !core.has_data()
        || store.durability.writers_wait()
        || store.backpressure.is_full(store)
        || core.purge().brake().is_on()
}

fn update_at_once(core: &TableCore, request: &[u8]) -> Result<bool> {
    SCRATCH.with_borrow_mut(|scratch| {
        scratch.batch.clear();
        let update = fill(scratch, core, request)?;
        if update.count == 0 || !update.parts.is_empty() {
            return Err(EngineError::invalid("only rows are written at once"));
        }
        match apply_rows(core, &mut scratch.batch, &update, Log::AtOnce) {
            Err(error) if error.kind() == Failure::Busy => return Ok(false),
            applied => applied?,
        }
        core.count_write(request.len());
        let pending = core.store().durability.after_write()?;
        core.follow_readers();
        Ok(pending.is_none())
    })
}

/// Applies one partition update; see [`Table::write`]. It waits for memtables and for the log without the table's lock:
/// a change of the column families would wait as long, and all other calls for that.
fn write(table: &Table, request: &[u8], flags: u32) -> Result<()> {
    let is_full = |core: &TableCore| core.store().backpressure.is_full(core.store());
    let try_write = |core: &TableCore| {
        let held_back = if core.store().events.any_braked() { braked(core, request)? } else { None };
        match held_back.is_some() || is_full(core) {
            true => Ok(Tried::Waits(held_back)),
            false => update(core, request, flags).map(Tried::Written),
        }
    };
    let pending = match table.shared(try_write)? {
        Tried::Written(pending) => pending,
        Tried::Waits(held_back) => {
            table.on_copy(|core| {
                held_back.map_or(Ok(()), |time| hold_back(core, time))?;
                wait_for_memtables(core)
            })?;
            table.shared(|core| update(core, request, flags))?
        }
    };
    pending.map_or(Ok(()), PendingSync::wait)
}

enum Tried {
    Written(Option<PendingSync>),
    Waits(Option<Duration>),
}

/// How long the write waits because compaction of the table, or of an index that it may change, is behind.
#[cold]
fn braked(core: &TableCore, request: &[u8]) -> Result<Option<Duration>> {
    let now_ns = now_ns();
    let take = |core: &TableCore| core.purge().brake().take(request.len() as u64, now_ns);
    let mut longest = take(core);
    if request.first() == Some(&request::VERSION) {
        for index in core.indexes().all()?.iter() {
            // One that is being changed or closed holds nobody back.
            if let Some(Ok(time)) = index.table.try_shared(|index| Ok(take(index))) {
                longest = longest.max(time);
            }
        }
    }
    Ok(longest)
}

fn hold_back(core: &TableCore, time: Duration) -> Result<()> {
    core.store().events.count_held_back();
    let until = Instant::now() + time;
    loop {
        core.check_open()?;
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Ok(());
        }
        std::thread::sleep(left.min(HELD_BACK_STEP));
    }
}

#[cold]
fn wait_for_memtables(core: &TableCore) -> Result<()> {
    core.store().durability.check()?;
    core.store().backpressure.wait(core.store(), || core.check_open())
}

/// Applies one partition update at once; what has to be waited for before it may be acknowledged, if anything.
fn update(core: &TableCore, request: &[u8], flags: u32) -> Result<Option<PendingSync>> {
    if flags & !NO_LOG != 0 {
        return Err(EngineError::invalid(format!("write flags {flags:#x} are not known here")));
    }
    SCRATCH.with_borrow_mut(|scratch| {
        scratch.batch.clear();
        let log = if flags & NO_LOG == 0 { Log::Yes } else { Log::No };
        let logged = log == Log::Yes;
        let written = fill(scratch, core, request).and_then(|update| {
            if update.count == 0 && update.parts.is_empty() {
                return Ok(None);
            }
            match update.parts.is_empty() {
                true => apply_rows(core, &mut scratch.batch, &update, log)?,
                false => apply_with_entries(core, scratch, &update, log)?,
            }
            core.count_write(request.len());
            match logged || !update.parts.is_empty() {
                true => core.store().durability.after_write(),
                false => Ok(None),
            }
        });
        for batch in [&mut scratch.batch, &mut scratch.entries] {
            if batch.bytes() > BATCH_BYTES_KEPT {
                *batch = Batch::new();
            }
        }
        core.follow_readers();
        written
    })
}

fn apply_rows(core: &TableCore, batch: &mut Batch, update: &Update<'_>, log: Log) -> Result<()> {
    core.note_write(|number| update.parts.iter().any(|part| part.is_of(number)))?;
    apply(core, batch, update.written, &[update.token], log)
}

/// Rows and entries in one batch. Rows without a log record come after their entries: a crash may lose the rows, and
/// entries without rows do no harm.
fn apply_with_entries(core: &TableCore, scratch: &mut Scratch, update: &Update<'_>, log: Log) -> Result<()> {
    let all = core.indexes().all()?;
    let held = hold_all(core, &all, &update.parts)?;
    let index_of = |part: &IndexPart<'_>| held.iter().find(|(number, _)| part.is_of(*number))?.1.core();
    let Scratch { batch, entries, key } = scratch;
    entries.clear();
    let mut writing = Vec::new();
    for (index, part) in update.parts.iter().filter_map(|part| Some((index_of(part)?, part))) {
        part.add(if log != Log::No && update.count > 0 { &mut *batch } else { &mut *entries }, index, key)?;
        writing.push(index.purge().begin(part.written()));
        index.count_write(0);
    }
    if !entries.is_empty() {
        core.store().durability.check()?;
        write_batch(core.store(), entries, Log::Yes)?;
    }
    if update.count > 0 {
        apply_rows(core, batch, update, log)?;
    }
    held.iter().filter_map(|(_, index)| index.core()).for_each(TableCore::follow_readers);
    Ok(())
}

/// The indexes that have entries in the request, by number. One that was dropped meanwhile needs none. Each is held once:
/// a second hold would wait for whoever waits to close the index, and that one for the first.
fn hold_all<'h>(core: &TableCore, all: &'h [AttachedIndex], parts: &[IndexPart<'_>]) -> Result<Vec<(u32, Held<'h>)>> {
    let mut held: Vec<(u32, Held<'h>)> = Vec::new();
    for part in parts.iter().filter(|part| part.has_entries()) {
        if held.iter().any(|(number, _)| part.is_of(*number)) {
            continue;
        }
        if let Some(index) = part.hold(core, all)? {
            held.push((part.number(), index));
        }
    }
    Ok(held)
}

/// Writes a batch of merges, which `written` describes, into the partitions with these tokens. A caller that needs more than survival of the process syncs
/// after it; one that writes much waits for [`crate::store_core::StoreCore::backpressure`] before it.
pub(crate) fn apply(core: &TableCore, batch: &mut Batch, written: Written, tokens: &[i64], log: Log) -> Result<()> {
    let store = core.store();
    store.durability.check()?;
    let _recorded = core.record_contents(written.has_header)?;
    core.column_families().all().for_each(|family| family.purge.keep_late(tokens));
    let writing = core.purge().begin(written);
    write_batch(store, batch, log)?;
    drop(writing);
    if log == Log::No {
        core.mark_unlogged(); // before the write returns, but never before it is in the memtable
    }
    Ok(())
}

fn write_batch(store: &StoreCore, batch: &mut Batch, log: Log) -> Result<()> {
    match log {
        Log::Yes if store.durability.sync_in_write() => batch.write(&store.db, &store.modes.synced), // RocksDB syncs for a whole group at once
        Log::Yes => under_write_lock(store, batch, &store.modes.logged),
        Log::AtOnce => {
            let lock = store.write_lock.try_acquire();
            let _lock = lock.ok_or_else(|| EngineError::busy("another write takes long"))?;
            batch.write(&store.db, &store.modes.at_once)
        }
        Log::No => under_write_lock(store, batch, &store.modes.unlogged),
    }
}

fn under_write_lock(store: &StoreCore, batch: &mut Batch, mode: &WriteMode) -> Result<()> {
    let _lock = store.write_lock.acquire();
    batch.write(&store.db, mode)
}

struct Update<'a> {
    /// Of its partition.
    token: i64,
    written: Written,
    count: u32,
    parts: Vec<IndexPart<'a>>,
}

fn fill<'a>(scratch: &mut Scratch, core: &TableCore, request: &'a [u8]) -> Result<Update<'a>> {
    let request = Request::parse(request)?;
    let written = Written { min_timestamp: request.min_timestamp, has_header: false };
    let mut update = Update { token: token_of(request.partition)?, written, count: request.count, parts: Vec::new() };
    let mut entries = request.entries();
    for entry in &mut entries {
        let (kind, clustering, fragment) = entry?;
        update.written.has_header |= kind == Kind::Header;
        let key = &mut scratch.key;
        key.clear();
        key.extend_from_slice(request.partition);
        key.push(kind as u8);
        key.extend_from_slice(clustering);
        scratch.batch.merge(core.family(), key, fragment);
    }
    let mut bytes = entries.rest();
    if request.has_parts() {
        update.parts = IndexPart::parse_all(&mut bytes)?;
    }
    bytes.end()?;
    Ok(update)
}
