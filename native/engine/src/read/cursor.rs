// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Cursors: reads that were not complete in one answer, under numbers that are never valid twice.

use super::answer::{Answer, Chunk, Entry, Put, HEAD_BYTES};
use super::walk::Walk;
use crate::error::{EngineError, Result};
use crate::table::{FrozenFamilies, Table};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard};

/// Each cursor pins files and memtables; more than this are leaked ones, not readers.
const CURSORS_MAX: usize = 1 << 16;
/// `cursor_next`: drop the rest of the current partition first.
const SKIP: u32 = 1;

struct Cursor {
    rest: Rest,
    table: Arc<Table>,
}

/// What an answer goes on with.
pub(super) enum Rest {
    Walk(Box<Walk>),
    /// Entries of one partition that have been read already. They are long: none is to be read and merged twice.
    Entries(VecDeque<(Entry, Vec<u8>)>),
    /// No answer: what scans begin with.
    View(Arc<FrozenFamilies>),
}

impl Rest {
    /// As [`Walk::skip`].
    fn skip(&mut self) {
        match self {
            Rest::Walk(walk) => walk.skip(),
            Rest::Entries(entries) => entries.clear(),
            Rest::View(_) => {}
        }
    }

    /// As [`Walk::fill`].
    fn fill(&mut self, answer: &mut Answer<'_>) -> Result<bool> {
        match self {
            Rest::Walk(walk) => walk.fill(answer),
            Rest::Entries(entries) => {
                while let Some((entry, value)) = entries.front() {
                    if answer.put(*entry, value, &[]) == Put::Later {
                        return Ok(false);
                    }
                    entries.pop_front();
                }
                Ok(true)
            }
            Rest::View(_) => Err(EngineError::invalid("a view has no answer; scan it")),
        }
    }
}

struct Slot {
    generation: u32,
    state: State,
}

enum State {
    Free,
    Idle(Box<Cursor>),
    /// A call has taken the cursor.
    Taken(Arc<Table>),
}

struct Slots {
    slots: Vec<Slot>,
    free: Vec<usize>,
    closed: u64,
}

// One for the process: a cursor's number names no store.
static SLOTS: Mutex<Slots> = Mutex::new(Slots { slots: Vec::new(), free: Vec::new(), closed: 0 });

fn slots() -> Result<MutexGuard<'static, Slots>> {
    SLOTS.lock().map_err(|_| EngineError::poisoned())
}

fn closed() -> EngineError {
    EngineError::closed("the cursor has been closed")
}

impl Slots {
    fn insert(&mut self, cursor: Cursor) -> Result<i64> {
        let index = match self.free.pop() {
            Some(index) => index,
            None if self.slots.len() < CURSORS_MAX => {
                self.slots.push(Slot { generation: 0, state: State::Free });
                self.slots.len() - 1
            }
            None => {
                return Err(EngineError::busy(format!("{CURSORS_MAX} reads are open already; close some of them")));
            }
        };
        let slot = self.slots.get_mut(index).ok_or_else(closed)?;
        slot.state = State::Idle(Box::new(cursor));
        Ok(number(slot.generation, index))
    }

    fn slot(&mut self, cursor: i64) -> Option<(usize, &mut Slot)> {
        let index = usize::try_from(cursor & 0xFFFF_FFFF).ok()?.checked_sub(1)?;
        let generation = u32::try_from(cursor >> 32).ok()?;
        let slot = self.slots.get_mut(index)?;
        (slot.generation == generation && !matches!(slot.state, State::Free)).then_some((index, slot))
    }

    fn view(&mut self, view: i64) -> Result<&Cursor> {
        match self.slot(view).ok_or_else(closed)?.1 {
            Slot { state: State::Idle(cursor), .. } if matches!(cursor.rest, Rest::View(_)) => Ok(cursor),
            _ => Err(no_view()),
        }
    }

    /// Frees a slot and hands over what was in it, to be dropped outside the lock.
    fn release(&mut self, cursor: i64) -> Option<State> {
        let (index, slot) = self.slot(cursor)?;
        let state = std::mem::replace(&mut slot.state, State::Free);
        slot.generation = (slot.generation + 1) & 0x7FFF_FFFF;
        self.free.push(index);
        self.closed += 1;
        Some(state)
    }
}

fn number(generation: u32, index: usize) -> i64 {
    (i64::from(generation) << 32) | (index as i64 + 1)
}

/// How many cursors and views there are in the process, and have been.
pub(crate) struct OpenAndClosed {
    pub open: u64,
    pub closed: u64,
}

pub(crate) fn open_and_closed() -> Result<OpenAndClosed> {
    let slots = slots()?;
    Ok(OpenAndClosed { open: (slots.slots.len() - slots.free.len()) as u64, closed: slots.closed })
}

/// The table of an open view.
pub(super) fn table_of_view(view: i64) -> Result<Arc<Table>> {
    slots()?.view(view).map(|cursor| Arc::clone(&cursor.table))
}

/// What an open view shows.
pub(super) fn view(view: i64) -> Result<Arc<FrozenFamilies>> {
    match &slots()?.view(view)?.rest {
        Rest::View(frozen) => Ok(Arc::clone(frozen)),
        Rest::Walk(_) | Rest::Entries(_) => Err(no_view()),
    }
}

fn no_view() -> EngineError {
    EngineError::invalid("this is a cursor, not a view; it cannot be scanned")
}

/// Opens a cursor on the rest of an answer; its number.
pub(super) fn open(table: &Arc<Table>, rest: Rest) -> Result<i64> {
    slots()?.insert(Cursor { rest, table: Arc::clone(table) })
}

/// Closes every cursor of a table that is about to close; none is in use then.
pub(crate) fn close_cursors(table: &Table) -> Result<()> {
    let mut dropped = Vec::new();
    let mut slots = slots()?;
    for index in 0..slots.slots.len() {
        let Some(slot) = slots.slots.get(index) else { break };
        let owner = match &slot.state {
            State::Free => continue,
            State::Idle(cursor) => &cursor.table,
            State::Taken(table) => table,
        };
        if std::ptr::eq(Arc::as_ptr(owner), table) {
            let cursor = number(slot.generation, index);
            dropped.extend(slots.release(cursor));
        }
    }
    drop(slots);
    drop(dropped);
    Ok(())
}

/// Continues an answer: fills `answer` and returns the bytes filled, or the negated size that the next entry needs.
/// `flags` 1: skip the rest of the current partition. One thread at a time per cursor, else [`crate::Kind::Busy`].
pub fn cursor_next(cursor: i64, flags: u32, answer: &mut [u8]) -> Result<i32> {
    if flags & !SKIP != 0 {
        return Err(EngineError::invalid(format!("cursor flags {flags:#x} are not known here")));
    }
    let table = match slots()?.slot(cursor) {
        None => return Err(closed()),
        Some((_, Slot { state: State::Idle(idle), .. })) => Arc::clone(&idle.table),
        Some(_) => return Err(EngineError::busy("the cursor is in use by another thread")),
    };
    // While the table is open its cursors are not closed.
    table.shared(|core| {
        core.count_read();
        let answered = resume(cursor, flags & SKIP != 0, Answer::new(answer, Chunk::ALL));
        core.flush_if_hot();
        answered
    })
}

fn resume(cursor: i64, skip: bool, mut answer: Answer<'_>) -> Result<i32> {
    let mut taken = Taken::take(cursor)?;
    let rest = taken.rest()?;
    if skip {
        rest.skip();
    }
    let complete = rest.fill(&mut answer)?;
    if complete && answer.capacity() >= HEAD_BYTES {
        return answer.finish(0);
    }
    let result = answer.finish(cursor);
    taken.put_back()?;
    result
}

/// Ends an answer early. It may have been closed already.
pub fn cursor_close(cursor: i64) -> Result<()> {
    let released = slots()?.release(cursor);
    drop(released);
    Ok(())
}

/// A cursor in use; its slot is freed when it is dropped, unless it has been put back.
struct Taken {
    number: i64,
    cursor: Option<Box<Cursor>>,
}

impl Taken {
    fn take(number: i64) -> Result<Taken> {
        let mut slots = slots()?;
        let (_, slot) = slots.slot(number).ok_or_else(closed)?;
        let State::Idle(idle) = &slot.state else {
            return Err(EngineError::busy("the cursor is in use by another thread"));
        };
        let table = Arc::clone(&idle.table);
        match std::mem::replace(&mut slot.state, State::Taken(table)) {
            State::Idle(cursor) => Ok(Taken { number, cursor: Some(cursor) }),
            State::Free | State::Taken(_) => Err(closed()),
        }
    }

    fn rest(&mut self) -> Result<&mut Rest> {
        self.cursor.as_mut().map(|cursor| &mut cursor.rest).ok_or_else(closed)
    }

    /// Back into its slot, unless that has been closed meanwhile.
    fn put_back(mut self) -> Result<()> {
        let mut slots = slots()?;
        if let Some((_, slot)) = slots.slot(self.number) {
            slot.state = self.cursor.take().map_or(State::Free, State::Idle);
        }
        // What a closed one leaves is dropped with `self`, after the lock.
        Ok(())
    }
}

impl Drop for Taken {
    fn drop(&mut self) {
        if self.cursor.is_some() {
            // A poisoned lock leaves the slot taken, which no caller mistakes for open.
            let released = slots().ok().and_then(|mut slots| slots.release(self.number));
            drop(released);
        }
    }
}
