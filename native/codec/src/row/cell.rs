// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Cells: how one is written, and which of two stays.

use std::cmp::Ordering;

use crate::error::CodecError;
use crate::row::liveness::Liveness;
use crate::wire::{put_i64, put_prefixed, put_uvarint, Reader, LOCAL_DELETION_S_MAX, TTL_S_MAX};

const TOMBSTONE: u8 = 0x01;
const EXPIRING: u8 = 0x02;
const SAME_TIMESTAMP: u8 = 0x04;
const SAME_EXPIRY: u8 = 0x08;
const COUNTER: u8 = 0x10;
const EMPTY: u8 = 0x20;

/// Which combinations of cell flags mean something: bit n is set if flags n do.
const MEANINGFUL: u64 = {
    let mut set = 0u64;
    let mut flags = 0u8;
    while flags < 64 {
        let tombstone_is_alone = flags & TOMBSTONE == 0 || flags & !(TOMBSTONE | SAME_TIMESTAMP) == 0;
        let expiry_has_owner = flags & SAME_EXPIRY == 0 || flags & EXPIRING != 0;
        let counter_stays = flags & COUNTER == 0 || flags & EXPIRING == 0;
        if tombstone_is_alone && expiry_has_owner && counter_stays {
            set |= 1 << flags;
        }
        flags += 1;
    }
    set
};

/// One cell; its value is borrowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cell<'a> {
    /// Write timestamp, microseconds by custom; never `i64::MIN`.
    pub timestamp: i64,
    /// Time to live in seconds; 0 for none.
    pub ttl_s: u32,
    /// When it was deleted or expires, seconds since the epoch; `i64::MAX` for never.
    pub local_deletion_time_s: i64,
    /// Whether the value is a counter context.
    pub is_counter: bool,
    /// The value; empty for a tombstone.
    pub value: &'a [u8],
}

impl<'a> Cell<'a> {
    /// A cell that lives until it is deleted.
    pub fn live(timestamp: i64, value: &'a [u8]) -> Self {
        Cell { timestamp, ttl_s: 0, local_deletion_time_s: i64::MAX, is_counter: false, value }
    }

    /// A deleted cell.
    pub fn tombstone(timestamp: i64, local_deletion_time_s: i64) -> Self {
        Cell { timestamp, ttl_s: 0, local_deletion_time_s, is_counter: false, value: &[] }
    }

    /// Whether the cell is deleted, whatever the time.
    #[inline]
    pub fn is_tombstone(&self) -> bool {
        self.ttl_s == 0 && self.local_deletion_time_s != i64::MAX
    }

    /// Whether a reader at `now_s` (seconds since the epoch) sees a value.
    #[inline]
    pub fn is_live(&self, now_s: i64) -> bool {
        self.local_deletion_time_s == i64::MAX || (self.ttl_s != 0 && now_s < self.local_deletion_time_s)
    }

    /// Which of two cells without counters stays: the greater. A total order: two cells that are equal here are equal.
    #[inline]
    pub(crate) fn precedence(&self, other: &Cell<'_>) -> Ordering {
        self.timestamp.cmp(&other.timestamp).then_with(|| self.precedence_within_timestamp(other))
    }

    fn precedence_within_timestamp(&self, other: &Cell<'_>) -> Ordering {
        self.deadness()
            .cmp(&other.deadness())
            .then_with(|| self.local_deletion_time_s.cmp(&other.local_deletion_time_s))
            .then_with(|| other.ttl_s.cmp(&self.ttl_s))
            .then_with(|| self.value.cmp(other.value))
    }

    fn deadness(&self) -> u8 {
        match (self.local_deletion_time_s, self.ttl_s) {
            (i64::MAX, _) => 0,
            (_, 0) => 2,
            _ => 1,
        }
    }

    /// Reads a cell whose flags have been read.
    #[inline(always)]
    pub(crate) fn read(reader: &mut Reader<'a>, flags: u8, context: &Context) -> Result<Self, CodecError> {
        if flags >= 64 || MEANINGFUL >> flags & 1 == 0 {
            return Err(reader.fail("cell flags"));
        }
        let timestamp = if flags & SAME_TIMESTAMP != 0 { context.timestamp } else { reader.i64("cell timestamp")? };
        if timestamp == i64::MIN {
            return Err(reader.fail("cell timestamp"));
        }
        let (ttl_s, local_deletion_time_s) = match flags & (TOMBSTONE | EXPIRING | SAME_EXPIRY) {
            0 => (0, i64::MAX),
            other => read_expiry(reader, other, context)?,
        };
        let value = if flags & (TOMBSTONE | EMPTY) == 0 { reader.prefixed("cell value")? } else { &[] };
        Ok(Cell { timestamp, ttl_s, local_deletion_time_s, is_counter: flags & COUNTER != 0, value })
    }

    /// The flags under which [`Cell::write`] writes this cell.
    #[inline]
    pub(crate) fn flags(&self, context: &Context) -> u8 {
        let mut flags = if self.timestamp == context.timestamp { SAME_TIMESTAMP } else { 0 };
        if self.ttl_s != 0 {
            flags |= EXPIRING;
            if self.ttl_s == context.ttl_s && self.local_deletion_time_s == context.local_deletion_time_s {
                flags |= SAME_EXPIRY;
            }
        } else if self.local_deletion_time_s != i64::MAX {
            return flags | TOMBSTONE;
        }
        if self.is_counter {
            flags |= COUNTER;
        }
        if self.value.is_empty() {
            flags |= EMPTY;
        }
        flags
    }

    /// Writes what follows the flags.
    #[inline]
    pub(crate) fn write(&self, flags: u8, out: &mut Vec<u8>) {
        if flags & SAME_TIMESTAMP == 0 {
            put_i64(out, self.timestamp);
        }
        if flags & EXPIRING != 0 && flags & SAME_EXPIRY == 0 {
            put_uvarint(out, u64::from(self.ttl_s));
        }
        if flags & TOMBSTONE != 0 || (flags & EXPIRING != 0 && flags & SAME_EXPIRY == 0) {
            put_uvarint(out, self.local_deletion_time_s as u64);
        }
        if flags & (TOMBSTONE | EMPTY) == 0 {
            put_prefixed(out, self.value);
        }
    }
}

/// What the cells of a fragment may refer to instead of repeating it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Context {
    /// The base timestamp; `i64::MIN` for none.
    pub(crate) timestamp: i64,
    /// The liveness's time to live in seconds; 0 for none.
    pub(crate) ttl_s: u32,
    /// The liveness's expiration, seconds since the epoch; `i64::MAX` for none.
    pub(crate) local_deletion_time_s: i64,
}

impl Context {
    /// The context that `liveness` makes; without one, the base timestamp is still to be told.
    #[inline]
    pub(crate) fn of(liveness: &Liveness) -> Self {
        Context {
            timestamp: liveness.timestamp,
            ttl_s: liveness.ttl_s,
            local_deletion_time_s: liveness.local_expiration_time_s,
        }
    }
}

fn read_expiry(reader: &mut Reader<'_>, flags: u8, context: &Context) -> Result<(u32, i64), CodecError> {
    if flags & SAME_EXPIRY != 0 {
        if context.ttl_s == 0 {
            return Err(reader.fail("cell expiry of a row that has none"));
        }
        return Ok((context.ttl_s, context.local_deletion_time_s));
    }
    let ttl_s = if flags & EXPIRING != 0 { read_ttl_s(reader)? } else { 0 };
    Ok((ttl_s, reader.bounded(LOCAL_DELETION_S_MAX, "cell local deletion time")? as i64))
}

pub(crate) fn read_ttl_s(reader: &mut Reader<'_>) -> Result<u32, CodecError> {
    match reader.bounded(TTL_S_MAX, "ttl")? {
        0 => Err(reader.fail("ttl of zero")),
        ttl_s => Ok(ttl_s as u32),
    }
}
