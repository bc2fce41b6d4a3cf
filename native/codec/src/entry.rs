// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Index entries (docs/internals/formats.md, Index entry): whether a row has had a value, since when, and until when.

use crate::deletion::{DeletionTime, Purge};
use crate::error::CodecError;
use crate::outcome::Outcome;
use crate::row::{put_deletion, read_deletion, validate_raw_clustering, Liveness};
use crate::wire::{put_i64, put_prefixed, put_uvarint, Reader, LOCAL_DELETION_S_MAX, TTL_S_MAX};

/// In the three high bits of the first byte: no row fragment has them.
const VERSION: u8 = 0x20;
const VERSION_BITS: u8 = 0xE0;
const NAMES: u8 = 0x01;
const LIVE: u8 = 0x02;
const EXPIRING: u8 = 0x04;
const DELETION: u8 = 0x08;
/// The time is a multiple of [`TICK`].
const ROUNDED: u8 = 0x10;
/// What compaction leaves where nothing is left, of any kind.
const EMPTY_FRAGMENT: [u8; 2] = [1, 0];
/// Of times that are rounded, in microseconds: 67 seconds.
pub const TICK: i64 = 1 << 26;
/// As many ticks as 32 bits hold: to the year 11,000.
const TICKS_MAX: u64 = u32::MAX as u64;

/// An entry taken apart; borrows from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry<'a> {
    /// What the key does not give back as it was written: raw components.
    pub names: Option<&'a [u8]>,
    /// When the value was written.
    pub live: Liveness,
    /// What removes the entry.
    pub deletion: DeletionTime,
}

impl<'a> Entry<'a> {
    const NOTHING: Entry<'static> = Entry { names: None, live: Liveness::NONE, deletion: DeletionTime::LIVE };

    /// Reads an entry, or the empty fragment.
    pub fn read(fragment: &'a [u8]) -> Result<Self, CodecError> {
        if fragment == EMPTY_FRAGMENT {
            return Ok(Self::NOTHING);
        }
        let mut reader = Reader::new(fragment);
        let head = reader.u8("version")?;
        if head & VERSION_BITS != VERSION {
            return Err(CodecError::Version { found: head, offset: 0 });
        }
        if head & LIVE == 0 && head & (EXPIRING | ROUNDED) != 0 {
            return Err(reader.fail("entry flags"));
        }
        let mut entry = Self::NOTHING;
        if head & NAMES != 0 {
            let names = reader.prefixed("names")?;
            validate_raw_clustering(names)?;
            entry.names = Some(names);
        }
        if head & LIVE != 0 {
            entry.live = Liveness::without_ttl(read_time(&mut reader, head & ROUNDED != 0)?);
            if head & EXPIRING != 0 {
                entry.live.ttl_s = match reader.bounded(TTL_S_MAX, "ttl")? {
                    0 => return Err(reader.fail("ttl")),
                    ttl_s => ttl_s as u32,
                };
                entry.live.local_expiration_time_s = reader.bounded(LOCAL_DELETION_S_MAX, "expiration")? as i64;
            }
        }
        if head & DELETION != 0 {
            entry.deletion = read_deletion(&mut reader)?;
        }
        if !reader.is_done() {
            return Err(reader.fail("end of entry"));
        }
        Ok(entry)
    }

    /// Appends the entry.
    pub fn write(&self, out: &mut Vec<u8>) {
        let ticks = ticks_of(self.live.timestamp).filter(|_| !self.live.is_none());
        let mut head = VERSION;
        for (flag, set) in [
            (NAMES, self.names.is_some()),
            (LIVE, !self.live.is_none()),
            (EXPIRING, !self.live.is_none() && self.live.ttl_s != 0),
            (DELETION, !self.deletion.is_live()),
            (ROUNDED, ticks.is_some()),
        ] {
            head |= if set { flag } else { 0 };
        }
        out.push(head);
        if let Some(names) = self.names {
            put_prefixed(out, names);
        }
        match ticks {
            Some(ticks) => put_uvarint(out, ticks),
            None if !self.live.is_none() => put_i64(out, self.live.timestamp),
            None => {}
        }
        if head & EXPIRING != 0 {
            put_uvarint(out, u64::from(self.live.ttl_s));
            put_uvarint(out, self.live.local_expiration_time_s as u64);
        }
        if !self.deletion.is_live() {
            put_deletion(out, &self.deletion);
        }
    }

    /// Takes over what stays of the two.
    fn unite(&mut self, other: &Entry<'a>) {
        self.names = match (self.names, other.names) {
            (Some(one), Some(two)) => Some(one.min(two)),
            (one, two) => one.or(two),
        };
        if other.live.supersedes(&self.live) {
            self.live = other.live;
        }
        self.deletion = self.deletion.max(other.deletion);
    }

    /// Drops what its own deletion deletes.
    fn shadow(&mut self) {
        if self.deletion.deletes(self.live.timestamp) {
            self.live = Liveness::NONE;
        }
    }

    fn is_empty(&self) -> bool {
        self.live.is_none() && self.deletion.is_live()
    }
}

fn read_time(reader: &mut Reader<'_>, is_rounded: bool) -> Result<i64, CodecError> {
    if is_rounded {
        return Ok(reader.bounded(TICKS_MAX, "ticks")? as i64 * TICK);
    }
    let timestamp = reader.i64("timestamp")?;
    if timestamp == i64::MIN || ticks_of(timestamp).is_some() {
        return Err(reader.fail("timestamp that has another form"));
    }
    Ok(timestamp)
}

/// Of times that are multiples: equal times have equal forms.
fn ticks_of(timestamp: i64) -> Option<u64> {
    let ticks = u64::try_from(timestamp / TICK).ok().filter(|&ticks| ticks <= TICKS_MAX)?;
    (timestamp >= 0 && timestamp % TICK == 0).then_some(ticks)
}

pub(crate) fn merge(operands: &[&[u8]], out: &mut Vec<u8>) -> Result<(), CodecError> {
    let mut merged = Entry::NOTHING;
    for operand in operands {
        merged.unite(&Entry::read(operand)?);
    }
    merged.shadow();
    merged.write(out);
    Ok(())
}

/// What compaction leaves of a fully merged entry.
pub(crate) fn compact(fragment: &[u8], purge: &Purge, out: &mut Vec<u8>) -> Result<Outcome, CodecError> {
    let entry = Entry::read(fragment)?;
    let mut kept = entry;
    kept.shadow();
    kept.live = kept.live.purged(purge);
    if purge.allows_deletion(&kept.deletion) {
        kept.deletion = DeletionTime::LIVE;
    }
    if kept.is_empty() {
        return Ok(Outcome::Empty);
    }
    if kept == entry {
        return Ok(Outcome::Unchanged);
    }
    kept.write(out);
    Ok(Outcome::Changed)
}

pub(crate) fn min_timestamp(fragment: &[u8]) -> Result<i64, CodecError> {
    let entry = Entry::read(fragment)?;
    let of_live = if entry.live.is_none() { i64::MAX } else { entry.live.timestamp };
    let of_deletion = if entry.deletion.is_live() { i64::MAX } else { entry.deletion.marked_for_delete_at };
    Ok(of_live.min(of_deletion))
}

pub(crate) fn max_timestamp(fragment: &[u8]) -> Result<i64, CodecError> {
    let entry = Entry::read(fragment)?;
    Ok(entry.live.timestamp.max(entry.deletion.marked_for_delete_at))
}

pub(crate) fn has_deletion(fragment: &[u8]) -> Result<bool, CodecError> {
    Ok(!Entry::read(fragment)?.deletion.is_live())
}

pub(crate) fn is_empty(fragment: &[u8]) -> Result<bool, CodecError> {
    Ok(Entry::read(fragment)?.is_empty())
}

pub(crate) fn validate(fragment: &[u8]) -> Result<(), CodecError> {
    Entry::read(fragment).map(drop)
}
