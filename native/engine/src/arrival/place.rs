// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Where the files of a shipment go.

use super::foreign::import_linked;
use super::parcel::Parcel;
use super::receive::as_rows;
use super::rows::{disjoint, FILE_BYTES};
use super::{ARRIVALS_MAX, FILES_AT_ONCE_MAX, LEVEL0_FILES_MAX};
use crate::catalog::family_name;
use crate::error::{EngineError, Result};
use crate::faults::{reached, Step};
use crate::raw::{ingest, try_to_ingest, Ingested};
use crate::sys::Family;
use crate::table::{Absorbed, Member, Table, TableCore};
use std::sync::Arc;

/// How much a memtable may hold before it is flushed ahead of an ingestion, which would do so while all writers wait.
const MEMTABLE_BYTES_MAX: u64 = 1 << 20;

/// The placing of one shipment, by whoever holds [`TableCore::changing`].
pub(super) struct Placing<'a> {
    pub table: &'a Table,
    /// The table as it is.
    pub core: &'a TableCore,
    pub absorbed: &'a mut Absorbed,
    /// Bytes of whole files that had to be written anew, as rows.
    pub rewritten_bytes: u64,
}

impl<'a> Placing<'a> {
    pub(super) fn new(table: &'a Table, core: &'a TableCore, absorbed: &'a mut Absorbed) -> Self {
        Self { table, core, absorbed, rewritten_bytes: 0 }
    }

    /// Takes in whole files, and rows that belong to them.
    pub(super) fn place(&mut self, whole: &Parcel, rows: &Parcel) -> Result<()> {
        if whole.is_empty() {
            return self.place_rows(rows);
        }
        if self.beside_an_arrival(whole, rows)? {
            return Ok(());
        }
        if self.core.arrivals().len() < ARRIVALS_MAX {
            return self.as_arrival(whole, rows);
        }
        self.rewritten_bytes += whole.bytes();
        let lists = [whole.files.clone(), disjoint(&rows.files)];
        let rewritten = as_rows(self.core, &whole.directory, &lists, None)?;
        self.place_rows(&rewritten.parcel)
    }

    /// Takes in rows: into the base, where they are few.
    pub(super) fn place_rows(&mut self, rows: &Parcel) -> Result<()> {
        if rows.is_empty() {
            return Ok(());
        }
        let united;
        let mut rows = rows;
        if rows.files.len() > FILES_AT_ONCE_MAX && rows.bytes() <= FILES_AT_ONCE_MAX as u64 * FILE_BYTES / 2 {
            united = as_rows(self.core, &rows.directory, &[disjoint(&rows.files)], None)?;
            rows = &united.parcel;
        }
        if self.has_room(rows) {
            return self.put_into_base(rows);
        }
        match self.core.arrivals().first() {
            Some(arrival) => {
                let arrival = arrival.clone();
                self.onto(&arrival, rows)
            }
            None => self.as_arrival(&empty(rows), rows),
        }
    }

    /// Whether the base takes these files without slowing writers down.
    fn has_room(&self, rows: &Parcel) -> bool {
        let present = self.core.families().base.level0_files();
        rows.files.len() <= FILES_AT_ONCE_MAX && present + rows.files.len() as u64 <= LEVEL0_FILES_MAX
    }

    /// Ingests rows into the base.
    pub(super) fn put_into_base(&self, rows: &Parcel) -> Result<()> {
        flush_ahead(self.core)?;
        let writing = self.core.purge().begin_ingestion(rows.min_timestamp);
        let ingested = ingest(&self.core.store().db, &[rows.for_family(self.core.family())]);
        drop(writing);
        ingested?;
        reached(Step::Ingested)
    }

    /// Ingests rows over an arrival: they hide nothing of it.
    fn onto(&mut self, arrival: &Member, rows: &Parcel) -> Result<()> {
        let writing = arrival.purge.begin_ingestion(rows.min_timestamp);
        let ingested = ingest(&self.core.store().db, &[rows.for_family(&arrival.family)]);
        drop(writing);
        ingested?;
        self.start_over(arrival);
        reached(Step::Ingested)
    }

    /// Tries to put whole files beside those of an arrival, and their rows into the base, in one step: where no key of the
    /// arrival is in their range. Whether that was so.
    fn beside_an_arrival(&mut self, whole: &Parcel, rows: &Parcel) -> Result<bool> {
        if !rows.is_empty() && !self.has_room(rows) {
            return Ok(false);
        }
        let db = &self.core.store().db;
        for arrival in self.core.arrivals() {
            let mut ingestions = vec![whole.for_family(&arrival.family)];
            if !rows.is_empty() {
                flush_ahead(self.core)?;
                ingestions.push(rows.for_family(self.core.family()));
            }
            let writing = (
                arrival.purge.begin_ingestion(whole.min_timestamp),
                (!rows.is_empty()).then(|| self.core.purge().begin_ingestion(rows.min_timestamp)),
            );
            let ingested = try_to_ingest(db, &ingestions);
            drop(writing);
            if ingested? == Ingested::All {
                let arrival = arrival.clone();
                self.start_over(&arrival);
                reached(Step::Ingested)?;
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Makes a column family of whole files, with rows on top, or of rows alone, and then a part of the table.
    fn as_arrival(&mut self, whole: &Parcel, rows: &Parcel) -> Result<()> {
        let store = self.core.store();
        let number = self.core.next_family();
        let name = family_name(self.core.id(), self.core.generation(), number);
        let (purge, mut options) = Member::options(store, &name)?;
        options.set_disable_auto_compactions(true);
        purge.follow(self.core.purge());
        purge.hold(true);
        let (first, bottom);
        let lowest = if whole.is_empty() {
            bottom = disjoint(&rows.files);
            &bottom
        } else {
            first = whole.files.clone();
            &first
        };
        let family = import_linked(self.core, &options, &name, &whole.directory, lowest)?;
        let made = reached(Step::Imported)
            .and_then(|()| self.finish(&family, (!whole.is_empty()).then_some(rows)))
            .and_then(|()| Member::open(store, family.clone(), number, Arc::clone(&purge)))
            .and_then(|member| self.core.set_period(&member).map(|()| member))
            .and_then(|member| reached(Step::Topped).map(|()| member));
        match made {
            Ok(member) => self.join(member),
            Err(error) => {
                let _ = store.drop_family(&name, family); // it says so where that fails
                Err(error)
            }
        }
    }

    fn finish(&self, family: &Family, rows: Option<&Parcel>) -> Result<()> {
        match rows.filter(|rows| !rows.is_empty()) {
            Some(rows) => ingest(&self.core.store().db, &[rows.for_family(family)]),
            None => Ok(()),
        }
    }

    /// Names the family in the catalog, and then shows it to readers.
    fn join(&mut self, member: Member) -> Result<()> {
        let number = member.number;
        let generation = self.core.generation();
        let named = self.core.store().catalog.update(self.core.id(), |record| {
            if record.generation != generation {
                return Err(EngineError::Closed("the table has been truncated".into()));
            }
            record.arrivals.push(number);
            record.next_family = record.next_family.max(number.saturating_add(1));
            Ok(())
        });
        match named {
            Ok(_) => {}
            Err(EngineError::Closed(why)) => {
                member.delete(self.core.store())?;
                return Err(EngineError::Closed(why));
            }
            // The device may have the record all the same: the family stays until the next start.
            Err(error) => return Err(error),
        }
        reached(Step::Named)?;
        self.table.alone(|core| {
            core.families_mut().arrivals.push(member);
            Ok(())
        })?;
        reached(Step::Shown)
    }

    /// What has come into an arrival may lie before the point that its absorption has reached.
    fn start_over(&mut self, arrival: &Member) {
        if self.absorbed.position.as_ref().is_some_and(|(number, _)| *number == arrival.number) {
            self.absorbed.position = None;
        }
    }
}

/// Flushes the base ahead of an ingestion: RocksDB would do so itself, but with all writers waiting.
pub(super) fn flush_ahead(core: &TableCore) -> Result<()> {
    if core.family().property("rocksdb.cur-size-active-mem-table") > MEMTABLE_BYTES_MAX {
        core.store().db.flush_cf(core.family())?;
    }
    Ok(())
}

fn empty(like: &Parcel) -> Parcel {
    Parcel { directory: like.directory.clone(), files: Vec::new(), min_timestamp: i64::MAX, whole: true }
}
