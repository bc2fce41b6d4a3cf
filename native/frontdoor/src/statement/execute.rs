// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The body of an EXECUTE, versions 3 to 5.

use super::bytes::Bytes;
use crate::reason::Reason;
use smallvec::SmallVec;
use std::time::{SystemTime, UNIX_EPOCH};

/// The id of a statement, of a table, or of a result's metadata.
pub(crate) type Id = [u8; 16];

const VALUES: u32 = 0x01;
const SKIP_METADATA: u32 = 0x02;
const PAGE_SIZE: u32 = 0x04;
const PAGING_STATE: u32 = 0x08;
const SERIAL_CONSISTENCY: u32 = 0x10;
const TIMESTAMP: u32 = 0x20;
const NAMES: u32 = 0x40;
const KEYSPACE: u32 = 0x80;
const NOW_IN_SECONDS: u32 = 0x100;
/// SERIAL and LOCAL_SERIAL.
const SERIAL_LEVELS: [u16; 2] = [8, 9];
/// Version 5 has flags of four bytes, a metadata id, and a time of its own.
pub(super) const V5: u8 = 5;
const V3: u8 = 3;
/// Lengths that stand for no value; in version 3 each negative one does, and there is nothing unset.
const NULL: i32 = -1;
const UNSET: i32 = -2;

/// A value that the client has not given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Absent {
    Null,
    /// What is there stays.
    Unset,
}

/// An EXECUTE; borrows from its body.
#[derive(Debug)]
pub(crate) struct Execute<'a> {
    /// The protocol's version, 3 to 5.
    pub version: u8,
    pub statement_id: &'a Id,
    /// The metadata that the client has (version 5).
    pub result_metadata_id: Option<&'a Id>,
    pub consistency: u16,
    pub skip_metadata: bool,
    /// Rows on a page; positive.
    pub page_size: Option<u32>,
    pub paging_state: Option<&'a [u8]>,
    /// The time of writing that the client names, in microseconds since the epoch. Drivers send one with reads, too, where
    /// it has no meaning.
    pub timestamp: Option<i64>,
    /// The time at which cells are to be judged, seconds since the epoch (version 5).
    pub now_in_seconds: Option<i64>,
    values: SmallVec<[Option<&'a [u8]>; 8]>,
    /// Of those without a value, by ascending index.
    unset: SmallVec<[u16; 4]>,
}

impl<'a> Execute<'a> {
    /// The statement's id, without a look at the rest of the body.
    pub(crate) fn statement_id(body: &'a [u8]) -> Option<&'a Id> {
        id(&mut Bytes::new(body))
    }

    /// Reads the whole body, uncompressed, of a request that gives every value.
    pub(crate) fn parse(version: u8, body: &'a [u8]) -> Result<Self, Reason> {
        let execute = Self::parse_write(version, body)?;
        match execute.values.iter().all(Option::is_some) {
            true => Ok(execute),
            false => Err(Reason::NullValue),
        }
    }

    /// The same of one whose values may be [`Absent`].
    pub(crate) fn parse_write(version: u8, body: &'a [u8]) -> Result<Self, Reason> {
        let mut bytes = Bytes::new(body);
        let statement_id = id(&mut bytes).ok_or(Reason::Malformed)?;
        let result_metadata_id = match version {
            V5 => Some(id(&mut bytes).ok_or(Reason::Malformed)?),
            3 | 4 => None,
            _ => return Err(Reason::Malformed),
        };
        let consistency = bytes.u16().ok_or(Reason::Malformed)?;
        let flags = if version == V5 { bytes.u32() } else { bytes.u8().map(u32::from) }.ok_or(Reason::Malformed)?;
        refuse(flags, version)?;
        let mut execute = Execute {
            version,
            statement_id,
            result_metadata_id,
            consistency,
            skip_metadata: flags & SKIP_METADATA != 0,
            page_size: None,
            paging_state: None,
            timestamp: None,
            now_in_seconds: None,
            values: SmallVec::new(),
            unset: SmallVec::new(),
        };
        execute.read_options(flags, &mut bytes)?;
        if bytes.is_done() {
            Ok(execute)
        } else {
            Err(Reason::Malformed)
        }
    }

    fn read_options(&mut self, flags: u32, bytes: &mut Bytes<'a>) -> Result<(), Reason> {
        if flags & VALUES != 0 {
            for index in 0..bytes.u16().ok_or(Reason::Malformed)? {
                self.read_value(index, bytes)?;
            }
        }
        if flags & PAGE_SIZE != 0 {
            let rows = bytes.i32().ok_or(Reason::Malformed)?;
            self.page_size = Some(u32::try_from(rows).ok().filter(|rows| *rows > 0).ok_or(Reason::PageSize)?);
        }
        if flags & PAGING_STATE != 0 {
            let length = bytes.i32().ok_or(Reason::Malformed)?;
            let length = usize::try_from(length).map_err(|_| Reason::PagingState)?;
            self.paging_state = Some(bytes.take(length).ok_or(Reason::Malformed)?);
        }
        // Drivers name one with every request. No read at another level looks at it.
        if flags & SERIAL_CONSISTENCY != 0 && !SERIAL_LEVELS.contains(&bytes.u16().ok_or(Reason::Malformed)?) {
            return Err(Reason::SerialConsistency);
        }
        if flags & TIMESTAMP != 0 {
            // The smallest number is Cassandra's "none", which it refuses.
            let timestamp = bytes.i64().filter(|timestamp| *timestamp != i64::MIN);
            self.timestamp = Some(timestamp.ok_or(Reason::Malformed)?);
        }
        if flags & NOW_IN_SECONDS != 0 {
            self.now_in_seconds = Some(bytes.u32().map(i64::from).ok_or(Reason::Malformed)?);
        }
        Ok(())
    }

    fn read_value(&mut self, index: u16, bytes: &mut Bytes<'a>) -> Result<(), Reason> {
        let length = bytes.i32().ok_or(Reason::Malformed)?;
        let value = match usize::try_from(length) {
            Ok(length) => Some(bytes.take(length).ok_or(Reason::Malformed)?),
            Err(_) => None,
        };
        match length {
            0.. | NULL => {}
            _ if self.version == V3 => {}
            UNSET => self.unset.push(index),
            _ => return Err(Reason::Malformed),
        }
        self.values.push(value);
        Ok(())
    }

    /// How many values there are.
    pub(crate) fn values(&self) -> usize {
        self.values.len()
    }

    /// The value of a bind variable, if there is one.
    #[inline]
    pub(crate) fn value(&self, index: u16) -> Option<&'a [u8]> {
        self.values.get(usize::from(index)).copied().flatten()
    }

    /// Why a bind variable has no value; `None` where it has one.
    pub(crate) fn absent(&self, index: u16) -> Option<Absent> {
        match self.value(index) {
            Some(_) => None,
            None if self.unset.contains(&index) => Some(Absent::Unset),
            None => Some(Absent::Null),
        }
    }
}

/// As Cassandra tells what has expired, and when something was deleted.
pub(crate) fn wall_clock_s() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs() as i64)
}

fn refuse(flags: u32, version: u8) -> Result<(), Reason> {
    const KNOWN: u32 = VALUES | SKIP_METADATA | PAGE_SIZE | PAGING_STATE | SERIAL_CONSISTENCY | TIMESTAMP;
    let known = if version == V5 { KNOWN | NOW_IN_SECONDS } else { KNOWN };
    match flags & !known {
        0 => Ok(()),
        other if other & NAMES != 0 => Err(Reason::NamedValues),
        other if other & KEYSPACE != 0 => Err(Reason::Keyspace),
        _ => Err(Reason::UnknownFlags),
    }
}

fn id<'a>(bytes: &mut Bytes<'a>) -> Option<&'a Id> {
    match bytes.u16()? {
        16 => bytes.array(),
        _ => None,
    }
}
