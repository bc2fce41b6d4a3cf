// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The head of a row fragment: clustering, liveness, deletion.

use crate::deletion::DeletionTime;
use crate::error::CodecError;
use crate::row::cell::{read_ttl_s, Context};
use crate::row::liveness::Liveness;
use crate::wire::{put_i64, put_prefixed, put_uvarint, Reader, LOCAL_DELETION_S_MAX};

pub(crate) const VERSION: u8 = 1;
const CLUSTERING: u8 = 0x01;
const LIVENESS: u8 = 0x02;
const EXPIRING: u8 = 0x04;
const DELETION: u8 = 0x08;
const SHADOWABLE: u8 = 0x10;
/// Set by the writer once it knows the first cell.
pub(crate) const BASE: u8 = 0x20;
const KNOWN: u8 = CLUSTERING | LIVENESS | EXPIRING | DELETION | SHADOWABLE | BASE;

/// The part of a row fragment before its columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Head<'a> {
    /// The raw clustering, if the fragment carries one.
    pub clustering: Option<&'a [u8]>,
    /// The liveness.
    pub liveness: Liveness,
    /// The row deletion.
    pub deletion: DeletionTime,
    /// Whether the deletion is one of those that only old materialized views have.
    pub is_shadowable: bool,
}

impl<'a> Head<'a> {
    /// An empty head.
    pub const NOTHING: Head<'static> =
        Head { clustering: None, liveness: Liveness::NONE, deletion: DeletionTime::LIVE, is_shadowable: false };

    /// Whether it has nothing but the clustering.
    pub fn is_empty(&self) -> bool {
        self.liveness.is_none() && self.deletion.is_live()
    }

    /// Reads a head, and what the cells after it refer to.
    #[inline]
    pub(crate) fn read(reader: &mut Reader<'a>) -> Result<(Self, Context), CodecError> {
        let flags = read_version_and_flags(reader, KNOWN)?;
        let needless = (flags & EXPIRING != 0 && flags & LIVENESS == 0)
            || (flags & SHADOWABLE != 0 && flags & DELETION == 0)
            || (flags & BASE != 0 && flags & LIVENESS != 0);
        if needless {
            return Err(reader.fail("row flags"));
        }
        let mut head = Self::NOTHING;
        if flags & CLUSTERING != 0 {
            head.clustering = Some(reader.prefixed("clustering")?);
        }
        if flags & LIVENESS != 0 {
            head.liveness = read_liveness(reader, flags & EXPIRING != 0)?;
        }
        if flags & DELETION != 0 {
            head.deletion = read_deletion(reader)?;
            head.is_shadowable = flags & SHADOWABLE != 0;
        }
        let mut context = Context::of(&head.liveness);
        if flags & BASE != 0 {
            context.timestamp = read_timestamp(reader)?;
        }
        Ok((head, context))
    }

    /// Writes version, flags and all but the base timestamp.
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&[VERSION, self.flags()]);
        if let Some(clustering) = self.clustering {
            put_prefixed(out, clustering);
        }
        if !self.liveness.is_none() {
            put_i64(out, self.liveness.timestamp);
            if self.liveness.ttl_s != 0 {
                put_uvarint(out, u64::from(self.liveness.ttl_s));
                put_uvarint(out, self.liveness.local_expiration_time_s as u64);
            }
        }
        if !self.deletion.is_live() {
            put_deletion(out, &self.deletion);
        }
    }

    fn flags(&self) -> u8 {
        let mut flags = 0;
        for (flag, set) in [
            (CLUSTERING, self.clustering.is_some()),
            (LIVENESS, !self.liveness.is_none()),
            (EXPIRING, !self.liveness.is_none() && self.liveness.ttl_s != 0),
            (DELETION, !self.deletion.is_live()),
            (SHADOWABLE, !self.deletion.is_live() && self.is_shadowable),
        ] {
            flags |= if set { flag } else { 0 };
        }
        flags
    }

    /// Takes over what stays of the two heads.
    #[inline]
    pub(crate) fn unite(&mut self, other: &Head<'a>) {
        self.clustering = match (self.clustering, other.clustering) {
            (Some(one), Some(two)) if two < one => Some(two),
            (None, two) => two,
            (one, _) => one,
        };
        if other.liveness.supersedes(&self.liveness) {
            self.liveness = other.liveness;
        }
        if other.deletion == self.deletion {
            self.is_shadowable &= other.is_shadowable;
        } else if other.deletion.supersedes(&self.deletion) {
            self.deletion = other.deletion;
            self.is_shadowable = other.is_shadowable;
        }
    }

    /// Drops what `deletion`, which stays elsewhere, deletes.
    #[inline]
    pub(crate) fn shadow(&mut self, deletion: &DeletionTime) {
        if deletion.deletes(self.liveness.timestamp) {
            self.liveness = Liveness::NONE;
        }
        if !self.deletion.supersedes(deletion) {
            self.deletion = DeletionTime::LIVE;
            self.is_shadowable = false;
        }
    }
}

/// Reads the two bytes with which every fragment begins.
#[inline]
pub(crate) fn read_version_and_flags(reader: &mut Reader<'_>, known: u8) -> Result<u8, CodecError> {
    match reader.u8("version")? {
        VERSION => {}
        found => return Err(CodecError::Version { found, offset: reader.offset() - 1 }),
    }
    let flags = reader.u8("flags")?;
    if flags & !known != 0 {
        return Err(reader.fail("flags"));
    }
    Ok(flags)
}

#[inline]
pub(crate) fn read_deletion(reader: &mut Reader<'_>) -> Result<DeletionTime, CodecError> {
    let marked_for_delete_at = reader.i64("deletion timestamp")?;
    let local_deletion_time_s = reader.bounded(LOCAL_DELETION_S_MAX, "local deletion time")? as i64;
    Ok(DeletionTime { marked_for_delete_at, local_deletion_time_s })
}

#[inline]
pub(crate) fn put_deletion(out: &mut Vec<u8>, deletion: &DeletionTime) {
    put_i64(out, deletion.marked_for_delete_at);
    put_uvarint(out, deletion.local_deletion_time_s as u64);
}

#[inline]
fn read_timestamp(reader: &mut Reader<'_>) -> Result<i64, CodecError> {
    match reader.i64("timestamp")? {
        i64::MIN => Err(reader.fail("timestamp that means none")),
        timestamp => Ok(timestamp),
    }
}

#[inline]
fn read_liveness(reader: &mut Reader<'_>, is_expiring: bool) -> Result<Liveness, CodecError> {
    let timestamp = read_timestamp(reader)?;
    if !is_expiring {
        return Ok(Liveness::without_ttl(timestamp));
    }
    let ttl_s = read_ttl_s(reader)?;
    let local_expiration_time_s = reader.bounded(LOCAL_DELETION_S_MAX, "liveness expiration")? as i64;
    Ok(Liveness { timestamp, ttl_s, local_expiration_time_s })
}
