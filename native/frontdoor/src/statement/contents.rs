// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! What two replicas must have alike so that one of them may answer for both: the digest of what a read covers.
//!
//! It covers what `UnfilteredRowIterators.digest` of Cassandra covers, after what `ReadCommand.executeLocally` does before
//! it. Left out is whatever differs between replicas that have the same writes: cells under deletions, what is older than
//! `gc_before`, local deletion times, columns that the statement does not fetch. The form is in
//! `docs/internals/formats.md`, "What a digest covers".
//!
//! | Modules | What they know |
//! |---|---|
//! | `layout` | what of a table's columns two nodes must have alike |
//! | `spec` `read` | what one node asks another |
//! | `row` `ranges` | the parts of a digest |

mod layout;
mod ranges;
mod read;
mod row;
mod spec;

use std::hash::Hasher;

use siphasher::sip128::{Hasher128, SipHasher24};

use super::entries::{Entries, Entry};
use super::response::{Answer, Served};
use super::row::Found;
use super::value::{AFTER, BEFORE, CLUSTERING};
use crate::reason::Reason;
use cassiterite_codec::header::{self, Coverage};
use cassiterite_codec::row::Components;
use cassiterite_codec::DeletionTime;
use row::Moment;

pub(crate) use layout::Layout;
pub(crate) use read::{DigestKey, PeerRead, ReadRequest};
pub(crate) use spec::PeerSpec;

/// What replicas compare: SipHash-2-4 of 128 bits, under the key of the node that asks.
pub(crate) type Digest = [u8; 16];

/// A digest, and what was read for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Digested {
    pub digest: Digest,
    /// Its rows are live ones; none of them goes to a client.
    pub read: Served,
}

const DELETED: u8 = 1;
const STATIC: u8 = 2;
const ROW: u8 = 3;

/// Digests an engine's answer to `read`.
///
/// # Errors
/// [`Reason::Unfinished`] where a longer part of the answer is needed, [`Reason::Tombstones`] beyond `tombstones_max`.
pub(crate) fn digest(
    spec: &PeerSpec,
    read: &PeerRead<'_>,
    answer: Answer<'_>,
    tombstones_max: u32,
) -> Result<Digested, Reason> {
    let mut contents = Contents {
        spec,
        read,
        moment: Moment { now_s: read.now_s, gc_before_s: read.gc_before_s },
        tombstones_max,
        hasher: SipHasher24::new_with_key(read.key),
        header: None,
        deletions: Coverage::new(),
        rows: 0,
        tombstones: 0,
        buffer: Vec::with_capacity(1 << 10),
        order: Vec::new(),
    };
    contents.read(answer)?;
    let read = Served { rows: 0, live_rows: contents.rows, tombstones: contents.tombstones };
    Ok(Digested { digest: contents.hasher.finish128().as_bytes(), read })
}

struct Contents<'s, 'a> {
    spec: &'s PeerSpec,
    read: &'s PeerRead<'a>,
    moment: Moment,
    tombstones_max: u32,
    hasher: SipHasher24,
    header: Option<&'a [u8]>,
    deletions: Coverage,
    /// Live rows so far.
    rows: u32,
    tombstones: u32,
    /// A part of the digest, and the order of a row.
    buffer: Vec<u8>,
    order: Vec<u8>,
}

impl<'a> Contents<'_, 'a> {
    fn read(&mut self, answer: Answer<'a>) -> Result<(), Reason> {
        let mut entries = Entries::new(answer.entries);
        let mut last = None;
        while self.rows < self.read.rows_max {
            match entries.next()? {
                Some(Entry::Header(fragment)) => self.add_header(fragment)?,
                Some(Entry::Static(fragment)) => self.add_static(fragment)?,
                Some(Entry::Row(fragment)) => last = Some(self.add_row(fragment)?),
                Some(Entry::SliceEnd) => {}
                None if answer.is_complete => break,
                None => return Err(Reason::Unfinished),
            }
        }
        let is_stopped = self.rows >= self.read.rows_max;
        self.add_ranges(last.filter(|_| is_stopped))
    }

    fn add_header(&mut self, fragment: &'a [u8]) -> Result<(), Reason> {
        // An answer has one, in front.
        if self.header.replace(fragment).is_some() {
            return Err(Reason::UnknownContent);
        }
        self.deletions.add(fragment)?;
        let partition = self.deletions.partition_deletion();
        if self.moment.keeps(&partition) {
            self.hasher.write(&[DELETED]);
            self.hasher.write(&partition.marked_for_delete_at.to_be_bytes());
        }
        let (_, ranges) = header::read(fragment)?;
        let touched = ranges.iter().map(|range| self.read.request.touched_by(range)).sum::<usize>();
        self.count(u32::try_from(touched).unwrap_or(u32::MAX).saturating_mul(2))
    }

    fn add_static(&mut self, fragment: &[u8]) -> Result<(), Reason> {
        let covering = self.deletions.partition_deletion();
        self.add(STATIC, fragment, covering).map(|_| ())
    }

    /// Adds a row; its clustering.
    fn add_row(&mut self, fragment: &'a [u8]) -> Result<&'a [u8], Reason> {
        let clustering = row::clustering(fragment)?;
        let covering = match self.deletions.has_ranges() {
            false => self.deletions.partition_deletion(),
            true => {
                self.write_order(clustering, CLUSTERING)?;
                self.deletions.deletion_for(&self.order)
            }
        };
        let found = self.add(ROW, fragment, covering)?;
        self.rows += u32::from(found.is_live);
        Ok(clustering)
    }

    fn add(&mut self, kind: u8, fragment: &[u8], covering: DeletionTime) -> Result<Found, Reason> {
        let columns = if kind == STATIC { self.spec.statics() } else { self.spec.regulars() };
        self.buffer.clear();
        self.buffer.push(kind);
        let (found, is_empty) = row::put(fragment, columns, covering, self.moment, &mut self.buffer)?;
        if !is_empty {
            self.hasher.write(&self.buffer);
        }
        self.count(found.tombstones)?;
        Ok(found)
    }

    /// Adds the range deletions of what was read: up to the last row, if there is one with which the read stopped.
    fn add_ranges(&mut self, last: Option<&[u8]>) -> Result<(), Reason> {
        let Some(header) = self.header else { return Ok(()) };
        let (_, ranges) = header::read(header)?;
        if ranges.is_empty() {
            return Ok(());
        }
        if let Some(clustering) = last {
            self.write_order(clustering, if self.read.request.is_reversed() { BEFORE } else { AFTER })?;
        }
        let stop = last.map(|_| &self.order[..]);
        self.buffer.clear();
        ranges::put(&self.read.request, &ranges, stop, self.moment, &mut self.buffer);
        self.hasher.write(&self.buffer);
        Ok(())
    }

    fn write_order(&mut self, clustering: &[u8], end: u8) -> Result<(), Reason> {
        self.order.clear();
        let columns = self.spec.layout().clustering();
        let mut components = Components::new(clustering);
        for column in columns {
            let value = components.next().ok_or(Reason::UnknownContent)??;
            column.put_component(value, &mut self.order)?;
        }
        self.order.push(end);
        match components.next() {
            None => Ok(()),
            Some(_) => Err(Reason::UnknownContent),
        }
    }

    fn count(&mut self, tombstones: u32) -> Result<(), Reason> {
        self.tombstones = self.tombstones.saturating_add(tombstones);
        match self.tombstones > self.tombstones_max {
            true => Err(Reason::Tombstones),
            false => Ok(()),
        }
    }
}
