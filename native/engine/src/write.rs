// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Updates: parse the request, make one batch of merges, write it as durably as the node wants.

use crate::bytes::Bytes;
use crate::compaction::Written;
use crate::durability::PendingSync;
use crate::error::{EngineError, Result};
use crate::raw::sys::{Batch, WriteMode};
use crate::store_core::StoreCore;
use crate::table::{Table, TableCore};
use cassiterite_codec::key::Kind;
use cassiterite_codec::validate;
use std::cell::RefCell;

const VERSION: u8 = 1;
/// `flags`: the update is not logged (`durable_writes: false`).
const NO_LOG: u32 = 1;
/// A thread gives back the memory of a batch that was larger than this.
const BATCH_BYTES_KEPT: usize = 1 << 20;

struct Scratch {
    batch: Batch,
    key: Vec<u8>,
}

thread_local! {
    static SCRATCH: RefCell<Scratch> = RefCell::new(Scratch { batch: Batch::new(), key: Vec::new() });
}

impl Table {
    /// Applies one partition update (a write request) atomically. `flags` 1: without a log record. When it returns, the
    /// update is as durable as the node's commitlog_sync promises.
    pub fn write(&self, request: &[u8], flags: u32) -> Result<()> {
        write(self, request, flags)
    }
}

/// Applies one partition update; see [`Table::write`]. It waits for memtables and for the log without the table's lock:
/// a change of the column families would wait as long, and all other calls for that.
fn write(table: &Table, request: &[u8], flags: u32) -> Result<()> {
    let is_full = |core: &TableCore| core.store().backpressure.is_full(core.store());
    let try_write = |core: &TableCore| match is_full(core) {
        true => Ok(None),
        false => update(core, request, flags).map(Some),
    };
    let pending = match table.shared(try_write)? {
        Some(pending) => pending,
        None => {
            table.on_copy(wait_for_memtables)?;
            table.shared(|core| update(core, request, flags))?
        }
    };
    pending.map_or(Ok(()), PendingSync::wait)
}

#[cold]
fn wait_for_memtables(core: &TableCore) -> Result<()> {
    core.store().durability.check()?;
    core.store().backpressure.wait(core.store(), || core.check_open())
}

/// Applies one partition update at once; what has to be waited for before it may be acknowledged, if anything.
fn update(core: &TableCore, request: &[u8], flags: u32) -> Result<Option<PendingSync>> {
    if flags & !NO_LOG != 0 {
        return Err(EngineError::Invalid(format!("write flags {flags:#x} are not known here")));
    }
    SCRATCH.with_borrow_mut(|scratch| {
        scratch.batch.clear();
        let written = fill(scratch, core, request).and_then(|update| {
            if update.count == 0 {
                return Ok(None);
            }
            let logged = flags & NO_LOG == 0;
            apply(core, &mut scratch.batch, update.written, logged)?;
            core.count_write(request.len());
            match logged {
                true => core.store().durability.after_write(),
                false => Ok(None),
            }
        });
        if scratch.batch.bytes() > BATCH_BYTES_KEPT {
            scratch.batch = Batch::new();
        }
        written
    })
}

/// Writes a batch of merges, which `written` describes. A caller that needs more than survival of the process syncs
/// after it; one that writes much waits for [`crate::store_core::StoreCore::backpressure`] before it.
pub(crate) fn apply(core: &TableCore, batch: &mut Batch, written: Written, logged: bool) -> Result<()> {
    let store = core.store();
    store.durability.check()?;
    let _recorded = core.record_contents(written.has_header)?;
    let writing = core.purge().begin(written);
    match (logged, store.durability.sync_in_write()) {
        (true, true) => batch.write(&store.db, &store.modes.synced)?, // RocksDB syncs for a whole group at once
        (true, false) => under_write_lock(store, batch, &store.modes.logged)?,
        (false, _) => under_write_lock(store, batch, &store.modes.unlogged)?,
    }
    drop(writing);
    if !logged {
        core.mark_unlogged(); // before the write returns, but never before it is in the memtable
    }
    Ok(())
}

fn under_write_lock(store: &StoreCore, batch: &mut Batch, mode: &WriteMode) -> Result<()> {
    let _lock = store.write_lock.acquire();
    batch.write(&store.db, mode)
}

struct Update {
    written: Written,
    count: u32,
}

fn fill(scratch: &mut Scratch, core: &TableCore, request: &[u8]) -> Result<Update> {
    let mut bytes = Bytes::new(request, "write request");
    bytes.version(VERSION)?;
    let min_timestamp = bytes.i64()?;
    let partition = bytes.counted()?;
    if cassiterite_codec::key::partition_len(partition) != Some(partition.len()) {
        return Err(bytes.malformed("the partition key is malformed"));
    }
    let mut update = Update { written: Written { min_timestamp, has_header: false }, count: bytes.u32()? };
    for _ in 0..update.count {
        let kind = bytes.u8()?;
        let kind = Kind::try_from(kind).map_err(|_| bytes.malformed(&format!("kind {kind:#x} is not known here")))?;
        let (clustering, fragment) = (bytes.counted()?, bytes.counted()?);
        if (kind == Kind::Row) == clustering.is_empty() {
            return Err(bytes.malformed("a row, and nothing else, has a clustering"));
        }
        // What is stored malformed can never be merged again: refuse it here, where the caller still has the data.
        validate(kind, fragment).map_err(|error| bytes.malformed(&format!("a fragment is malformed: {error}")))?;
        update.written.has_header |= kind == Kind::Header;
        let key = &mut scratch.key;
        key.clear();
        key.extend_from_slice(partition);
        key.push(kind as u8);
        key.extend_from_slice(clustering);
        scratch.batch.merge(core.family(), key, fragment);
    }
    bytes.end()?;
    Ok(update)
}
