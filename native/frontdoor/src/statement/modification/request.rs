// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The engine's write request for an EXECUTE (docs/internals/boundary.md, Write request).

use super::{CellChange, Change, Modification};
use crate::reason::Reason;
use crate::statement::execute::{wall_clock_s, Absent, Execute};
use crate::statement::le_bytes::{put_counted, put_u32};
use crate::statement::limits::KEY_BYTES_MAX;
use crate::statement::partition_key::{partition_key, Key};
use crate::statement::value::CLUSTERING;
use cassiterite_codec::key::{self, encode_partition, murmur3_token, Kind};
use cassiterite_codec::row::{put_raw_component, Cell, Head, Liveness, RowWriter};
use cassiterite_codec::DeletionTime;

/// Without entries of indexes.
const VERSION: u8 = 1;
/// `Attributes.MAX_TTL`: twenty years.
const TTL_S_MAX: u32 = 20 * 365 * 24 * 3600;
/// In 2038: what expires later, Cassandra refuses or shortens, as it is told to.
const EXPIRATION_S_MAX: i64 = i32::MAX as i64 - 1;

/// What a node looks at of a write request that another one has made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WriteHead {
    /// The time of writing, in microseconds since the epoch.
    pub timestamp: i64,
    /// Of the partition.
    pub token: i64,
}

impl WriteHead {
    /// `None` where the bytes are not what [`Modification::write_request`] makes.
    pub(crate) fn of(request: &[u8]) -> Option<WriteHead> {
        let (&[VERSION], rest) = request.split_first_chunk()? else { return None };
        let (timestamp, rest) = rest.split_first_chunk()?;
        let (length, rest) = rest.split_first_chunk()?;
        let (partition, _) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
        let token = key::token(partition).ok()?;
        Some(WriteHead { timestamp: i64::from_le_bytes(*timestamp), token })
    }
}

/// Buffers of one thread that writes.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    clustering: Vec<u8>,
    fragment: Vec<u8>,
}

impl Modification {
    /// The write request for the body of an EXECUTE, for a comparison with the memtable's; `None` where Cassandra has to make
    /// it.
    ///
    /// * `version` of the protocol
    /// * `now_s` in seconds since the epoch
    pub fn request(&self, version: u8, body: &[u8], now_s: i64) -> Option<Vec<u8>> {
        let execute = Execute::parse_write(version, body).ok()?;
        let mut request = Vec::new();
        self.write_request(&execute, now_s, &mut Scratch::default(), &mut request).ok()?;
        Some(request)
    }

    /// Writes the write request for `execute` into `request`, which is cleared; the partition's token.
    ///
    /// * `now_s` the local deletion time of what is deleted, in seconds since the epoch
    pub(crate) fn write_request(
        &self,
        execute: &Execute<'_>,
        now_s: i64,
        scratch: &mut Scratch,
        request: &mut Vec<u8>,
    ) -> Result<i64, Reason> {
        if execute.values() != self.binds {
            return Err(Reason::ValueCount);
        }
        // Cassandra gives others a time of its own.
        let timestamp = execute.timestamp.ok_or(Reason::NoTimestamp)?;
        let mut buffer = Key::new();
        let key = partition_key(&self.partition, execute, &mut buffer)?;
        self.put_raw_clustering(execute, &mut scratch.clustering)?;
        self.put_fragment(execute, timestamp, now_s, scratch)?;

        request.clear();
        request.push(VERSION);
        request.extend_from_slice(&timestamp.to_le_bytes());
        let token = murmur3_token(key);
        put_counted(request, |request| encode_partition(token, key, request));
        put_u32(1, request);
        request.push(self.kind as u8);
        put_counted(request, |request| self.put_clustering(execute, request))?;
        put_counted(request, |request| request.extend_from_slice(&scratch.fragment));
        Ok(token)
    }

    /// Appends the form by which rows are ordered.
    fn put_clustering(&self, execute: &Execute<'_>, out: &mut Vec<u8>) -> Result<(), Reason> {
        if self.kind == Kind::Static {
            return Ok(());
        }
        for (column, value) in &self.clustering {
            column.put_component(Some(value.bytes(execute)?), out)?;
        }
        out.push(CLUSTERING);
        Ok(())
    }

    /// The components as they are.
    fn put_raw_clustering(&self, execute: &Execute<'_>, out: &mut Vec<u8>) -> Result<(), Reason> {
        out.clear();
        for (_, value) in &self.clustering {
            let value = value.checked(execute)?;
            if value.len() > KEY_BYTES_MAX {
                return Err(Reason::KeyLength);
            }
            put_raw_component(value, out);
        }
        Ok(())
    }

    fn put_fragment(
        &self,
        execute: &Execute<'_>,
        timestamp: i64,
        now_s: i64,
        scratch: &mut Scratch,
    ) -> Result<(), Reason> {
        let clustering = (!self.clustering.is_empty()).then_some(&*scratch.clustering);
        let mut head = Head { clustering, ..Head::NOTHING };
        let expiry = self.expiry(execute, now_s)?;
        let cells = match &self.change {
            Change::Write { is_insert, cells } => {
                if *is_insert {
                    let (ttl_s, local_expiration_time_s) = expiry;
                    head.liveness = Liveness { timestamp, ttl_s, local_expiration_time_s };
                }
                &cells[..]
            }
            Change::Delete => {
                head.deletion = DeletionTime { marked_for_delete_at: timestamp, local_deletion_time_s: now_s };
                &[]
            }
        };
        let mut is_nothing = matches!(self.change, Change::Write { is_insert: false, .. });
        let mut row = RowWriter::new(&head, &mut scratch.fragment);
        for (id, change) in cells {
            let cell = match change {
                CellChange::Put(value) => match value.absent(execute) {
                    Some(Absent::Unset) => continue,
                    Some(Absent::Null) => Cell::tombstone(timestamp, now_s),
                    None => {
                        let (ttl_s, local_deletion_time_s) = expiry;
                        let value = value.checked(execute)?;
                        Cell { timestamp, ttl_s, local_deletion_time_s, is_counter: false, value }
                    }
                },
                CellChange::Delete => Cell::tombstone(timestamp, now_s),
            };
            row.simple(*id, &cell);
            is_nothing = false;
        }
        row.finish();
        // Cassandra acknowledges an UPDATE of nothing, and writes nothing.
        match is_nothing {
            true => Err(Reason::NullValue),
            false => Ok(()),
        }
    }

    /// The time to live of what is written, and when that is over, in seconds; 0 and never where it lives on.
    fn expiry(&self, execute: &Execute<'_>, now_s: i64) -> Result<(u32, i64), Reason> {
        let Some(ttl) = &self.ttl else { return Ok((0, i64::MAX)) };
        let ttl_s = ttl.checked(execute)?.try_into().map(i32::from_be_bytes).map_err(|_| Reason::InvalidValue)?;
        let ttl_s = u32::try_from(ttl_s).ok().filter(|ttl_s| *ttl_s <= TTL_S_MAX).ok_or(Reason::InvalidValue)?;
        // Cassandra looks at its own clock, too.
        match now_s.max(wall_clock_s()) + i64::from(ttl_s) {
            _ if ttl_s == 0 => Ok((0, i64::MAX)),
            EXPIRATION_S_MAX.. => Err(Reason::InvalidValue),
            _ => Ok((ttl_s, now_s + i64::from(ttl_s))),
        }
    }
}
