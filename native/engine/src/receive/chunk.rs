// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Rows that this node has elsewhere, in sstables, taken into a table a chunk at a time: written in the order of keys
//! into files of values, which are received as another node's files are.
//!
//! A value is the complete fragment of a row in one place, as an operand is. It hides what its column family has of the
//! row. So these files go only where no key lies in their range, and then to the bottom level, where they stay: nothing
//! has to rewrite them. What deletes more than a row is an operand in a file of its own. The header of a partition sorts
//! before its rows, and is complete only after them.

mod files;
mod writing;

use super::placement::Placement;
use super::sst_set::SstSet;
use crate::backup::keep_received;
use crate::catalog::Record;
use crate::error::{EngineError, Result};
use crate::faults::{reached, Step};
use crate::manifest::{FileKind, ListedFile, Manifest};
use crate::raw::sys::TableFile;
use crate::staging::Staged;
use crate::table::{Table, TableCore};
use crate::tokens::TokenSet;
use std::sync::{Arc, Mutex, MutexGuard, TryLockError};
use writing::Writing;

/// What a finished chunk holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ChunkFigures {
    /// Files on the device, and their bytes.
    pub files: u64,
    /// See [`ChunkFigures::files`].
    pub file_bytes: u64,
    /// Rows, static ones included.
    pub rows: u64,
    /// Partitions that have a header.
    pub headers: u64,
    /// Keys and fragments, before compression.
    pub bytes: u64,
}

/// Writes one chunk and has it received. Its files lie in the store's staging area: dropping the writer removes them, and
/// so does the next start. It is for one thread at a time: another one gets [`crate::Kind::Busy`].
pub struct ChunkWriter {
    table: Arc<Table>,
    state: Mutex<State>,
}

enum State {
    Writing(Box<Writing>),
    Finished(Box<Chunk>),
    /// Why there are no files any more.
    Over(&'static str),
}

/// A chunk whose files are complete, and on the device.
pub(super) struct Chunk {
    values: Vec<TableFile>,
    headers: Vec<TableFile>,
    /// Of the first and the last partition; none where there are no files.
    tokens: Option<(i64, i64)>,
    figures: ChunkFigures,
    staged: Staged,
}

impl ChunkWriter {
    /// Begins a chunk for the table, whose columns keep their ids from now on.
    pub fn begin(table: &Arc<Table>) -> Result<ChunkWriter> {
        let core = table.shared(|core| {
            core.hand_out_ids();
            Ok(core.clone())
        })?;
        let writing = Writing::begin(core.store())?;
        Ok(ChunkWriter { table: Arc::clone(table), state: Mutex::new(State::Writing(Box::new(writing))) })
    }

    /// Adds a write request without entries of indexes: rows behind all that were added before, of their partition as of
    /// others. A partition may be spread over any number of requests, and what it has of a header over any of these.
    /// Answers with the bytes of the chunk so far, before compression. [`crate::Kind::Invalid`], and nothing has
    /// changed, where the request is malformed or out of order; any other failure gives the chunk up.
    pub fn append(&self, request: &[u8]) -> Result<u64> {
        let mut state = self.lock()?;
        let State::Writing(writing) = &mut *state else { return Err(state.refusal()) };
        let checked = writing.check(request)?;
        let added = writing.add(checked, || self.table.shared(TableCore::check_open));
        if added.is_err() {
            *state = State::Over("it failed");
        }
        added
    }

    /// Completes the files; they are on the device when it returns.
    pub fn finish(&self) -> Result<ChunkFigures> {
        let mut state = self.lock()?;
        if let State::Finished(chunk) = &*state {
            return Ok(chunk.figures);
        }
        match std::mem::replace(&mut *state, State::Over("it failed")) {
            State::Writing(writing) => {
                let chunk = writing.finish()?;
                let figures = chunk.figures;
                *state = State::Finished(Box::new(chunk));
                Ok(figures)
            }
            other => {
                *state = other;
                Err(state.refusal())
            }
        }
    }

    /// Moves a finished chunk into the table; when it returns, the rows are durable and seen by every read that begins
    /// later. `had_rows`: the table had them already where they come from, so that no index becomes incomplete. Answers
    /// with the bytes that were rewritten because they fit in nowhere. After a failure it can be repeated, or the chunk
    /// written again: rows that came twice are as if they had come once.
    pub fn receive(&self, had_rows: bool) -> Result<u64> {
        let mut state = self.lock()?;
        let State::Finished(chunk) = &*state else { return Err(state.refusal()) };
        let rewritten = receive(&self.table, chunk, had_rows).map_err(|error| error.context("receiving a chunk"))?;
        *state = State::Over("it was received");
        Ok(rewritten)
    }

    /// Gives the chunk up, unless it was received, and removes its files.
    pub fn abort(&self) -> Result<()> {
        *self.lock()? = State::Over("it was given up");
        Ok(())
    }

    /// Never waits.
    fn lock(&self) -> Result<MutexGuard<'_, State>> {
        match self.state.try_lock() {
            Ok(state) => Ok(state),
            Err(TryLockError::Poisoned(_)) => Err(EngineError::poisoned()),
            Err(TryLockError::WouldBlock) => Err(EngineError::busy("another thread works on this chunk")),
        }
    }
}

impl Chunk {
    fn manifest(&self, core: &TableCore) -> Result<Manifest> {
        let listed = |kind, files: &[TableFile]| -> Vec<ListedFile> {
            files.iter().map(|file| ListedFile { kind, family: 0, file: file.clone() }).collect()
        };
        let files = [listed(FileKind::Whole, &self.values), listed(FileKind::Rows, &self.headers)].concat();
        let record = core.store().catalog.get(core.id())?.ok_or_else(EngineError::has_closed)?;
        let record = Record { has_headers: !self.headers.is_empty(), ..record };
        Ok(Manifest::new(core.id(), &record, TokenSet::all(), files))
    }
}

impl State {
    fn refusal(&self) -> EngineError {
        EngineError::invalid(match self {
            State::Writing(_) => "the chunk is not finished yet".to_owned(),
            State::Finished(_) => "the chunk is finished: rows go into the next one".to_owned(),
            State::Over(why) => format!("there is no chunk any more: {why}"),
        })
    }
}

fn receive(table: &Table, chunk: &Chunk, had_rows: bool) -> Result<u64> {
    let Some((first, last)) = chunk.tokens else { return Ok(0) };
    table.on_copy(|core| {
        let mut progress = core.change_lock()?;
        core.store().durability.check()?;
        if !core.is_current()? {
            return Err(EngineError::closed("the table has been truncated"));
        }
        let core = &table.shared(|core| Ok(core.clone()))?; // as it is under the change lock
        if !had_rows {
            core.note_bulk_load()?;
        }
        let _recorded = core.record_contents(!chunk.headers.is_empty())?;
        reached(Step::ContentsRecorded)?;
        let tokens = TokenSet::between(first, last);
        core.column_families().all().for_each(|family| family.purge.keep_late_ranges(&tokens));
        let directory = &chunk.staged.directory;
        keep_received(core, directory, &chunk.manifest(core)?);
        let values = SstSet::open(directory, chunk.values.clone(), true)?;
        let headers = SstSet::open(directory, chunk.headers.clone(), false)?;
        let mut placement = Placement::new(table, core, &mut progress);
        placement.place_chunk(&values, &headers)?;
        Ok(placement.rewritten_bytes)
    })
}
