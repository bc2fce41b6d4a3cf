// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Where the files of a shipment go.

use super::rewrite::as_rows;
use super::rows::{disjoint, FILE_BYTES};
use super::sst_set::SstSet;
use super::{FILES_AT_ONCE_MAX, SIDE_FAMILIES_MAX};
use crate::catalog::family_name;
use crate::error::{EngineError, Kind, Result};
use crate::faults::{reached, Step};
use crate::imported::import_linked;
use crate::options::L0_CALM_FILES;
use crate::raw::sys::FamilyHandle;
use crate::raw::{ingest, try_to_ingest, Ingested};
use crate::table::{ColumnFamily, FoundFamily, MergeInProgress, Table, TableCore};
use std::sync::Arc;

/// How much a memtable may hold before it is flushed ahead of an ingestion, which would do so while all writers wait.
const MEMTABLE_BYTES_MAX: u64 = 1 << 20;

/// The placing of one shipment, under [`TableCore::change_lock`].
pub(super) struct Placement<'a> {
    pub table: &'a Table,
    /// The table as it is.
    pub core: &'a TableCore,
    pub progress: &'a mut MergeInProgress,
    /// Bytes of whole files that were rewritten as rows.
    pub rewritten_bytes: u64,
}

impl<'a> Placement<'a> {
    pub(super) fn new(table: &'a Table, core: &'a TableCore, progress: &'a mut MergeInProgress) -> Self {
        Self { table, core, progress, rewritten_bytes: 0 }
    }

    /// The side column families that take more.
    fn side_families(&self) -> impl Iterator<Item = &'a ColumnFamily> + '_ {
        self.core.side_families().iter().filter(|family| !self.progress.departing.contains(&family.number))
    }

    /// Takes in whole files, and rows that belong to them.
    pub(super) fn place(&mut self, whole: &SstSet, rows: &SstSet) -> Result<()> {
        if whole.is_empty() {
            return self.place_rows(rows);
        }
        if self.beside_a_side_family(whole, rows)?.is_some() {
            return Ok(());
        }
        self.where_it_overlaps(whole, rows)
    }

    /// Takes in a chunk: values, and the headers of their partitions. Headers go onto the values, one step after them:
    /// they lie in their range, where no values could follow. Until then, and if the node ends in between, rows that are
    /// deleted elsewhere in the table seem to be there in this part of it.
    pub(super) fn place_chunk(&mut self, values: &SstSet, headers: &SstSet) -> Result<()> {
        if values.is_empty() {
            return self.place_rows(headers);
        }
        match self.beside_a_side_family(values, &empty(headers))? {
            Some(_) if headers.is_empty() => Ok(()),
            Some(side_family) => self.onto(&side_family, headers),
            None => self.where_it_overlaps(values, headers),
        }
    }

    /// Takes in whole files that can go into no side column family that there is, and rows that belong to them.
    fn where_it_overlaps(&mut self, whole: &SstSet, rows: &SstSet) -> Result<()> {
        if self.side_families().count() < SIDE_FAMILIES_MAX {
            return self.as_side_family(whole, rows);
        }
        self.rewritten_bytes += whole.bytes();
        let lists = [whole.files.clone(), disjoint(&rows.files)];
        let rewritten = as_rows(self.core, &whole.directory, &lists, None)?;
        self.place_rows(&rewritten.sst_set)
    }

    /// Takes in rows: into the base, where they are few.
    pub(super) fn place_rows(&mut self, rows: &SstSet) -> Result<()> {
        if rows.is_empty() {
            return Ok(());
        }
        let merged;
        let mut rows = rows;
        if rows.files.len() > FILES_AT_ONCE_MAX && rows.bytes() <= FILES_AT_ONCE_MAX as u64 * FILE_BYTES / 2 {
            merged = as_rows(self.core, &rows.directory, &[disjoint(&rows.files)], None)?;
            rows = &merged.sst_set;
        }
        if self.is_ready_for(rows) {
            return self.put_into_base(rows);
        }
        let first = self.side_families().next().cloned();
        match first {
            Some(side_family) => self.onto(&side_family, rows),
            None => self.as_side_family(&empty(rows), rows),
        }
    }

    /// Whether the base takes these files without slowing writers down.
    fn is_ready_for(&self, rows: &SstSet) -> bool {
        let present = self.core.column_families().base.level0_files();
        rows.files.len() <= FILES_AT_ONCE_MAX && present + rows.files.len() as u64 <= L0_CALM_FILES
    }

    /// Ingests rows into the base.
    pub(super) fn put_into_base(&self, rows: &SstSet) -> Result<()> {
        flush_ahead(self.core)?;
        let writing = self.core.purge().begin_ingestion(rows.min_timestamp);
        let ingested = ingest(&self.core.store().db, &[rows.for_family(self.core.family())]);
        drop(writing);
        ingested?;
        reached(Step::Ingested)
    }

    /// Ingests rows over a side column family: they hide nothing of it.
    fn onto(&mut self, side_family: &ColumnFamily, rows: &SstSet) -> Result<()> {
        let writing = side_family.purge.begin_ingestion(rows.min_timestamp);
        let ingested = ingest(&self.core.store().db, &[rows.for_family(&side_family.handle)]);
        drop(writing);
        ingested?;
        self.restart_merge_in(side_family);
        reached(Step::Ingested)
    }

    /// Tries to put whole files beside those of a side column family, and their rows into the base, in one step.
    /// Into which one it could: where no key of the side column family is in their range.
    fn beside_a_side_family(&mut self, whole: &SstSet, rows: &SstSet) -> Result<Option<ColumnFamily>> {
        if !rows.is_empty() && !self.is_ready_for(rows) {
            return Ok(None);
        }
        let db = &self.core.store().db;
        let side_families: Vec<ColumnFamily> = self.side_families().cloned().collect();
        for side_family in side_families {
            let mut ingestions = vec![whole.for_family(&side_family.handle)];
            if !rows.is_empty() {
                flush_ahead(self.core)?;
                ingestions.push(rows.for_family(self.core.family()));
            }
            let writing = (
                side_family.purge.begin_ingestion(whole.min_timestamp),
                (!rows.is_empty()).then(|| self.core.purge().begin_ingestion(rows.min_timestamp)),
            );
            let ingested = try_to_ingest(db, &ingestions);
            drop(writing);
            if ingested? == Ingested::All {
                self.restart_merge_in(&side_family);
                reached(Step::Ingested)?;
                return Ok(Some(side_family));
            }
        }
        Ok(None)
    }

    /// Makes a column family of whole files, with rows on top, or of rows alone, and then a part of the table.
    fn as_side_family(&mut self, whole: &SstSet, rows: &SstSet) -> Result<()> {
        let store = self.core.store();
        let number = self.core.next_family();
        let name = family_name(self.core.id(), self.core.generation(), number);
        let (purge, options) = ColumnFamily::options(store, &name, false)?;
        purge.follow(self.core.purge());
        purge.suspend(true);
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
            .and_then(|()| {
                ColumnFamily::open(store, number, FoundFamily { handle: family.clone(), purge: Arc::clone(&purge) })
            })
            .and_then(|family| self.core.set_period(&family).map(|()| family))
            .and_then(|family| reached(Step::RowsIngested).map(|()| family));
        match made {
            Ok(family) => self.join(family),
            Err(error) => {
                let _ = store.drop_family(&name, family); // logs where that fails
                Err(error)
            }
        }
    }

    fn finish(&self, family: &FamilyHandle, rows: Option<&SstSet>) -> Result<()> {
        match rows.filter(|rows| !rows.is_empty()) {
            Some(rows) => ingest(&self.core.store().db, &[rows.for_family(family)]),
            None => Ok(()),
        }
    }

    /// Names the column family in the catalog, and then shows it to readers.
    fn join(&mut self, family: ColumnFamily) -> Result<()> {
        let number = family.number;
        let generation = self.core.generation();
        let named = self.core.store().catalog.update(self.core.id(), |record| {
            if record.generation != generation {
                return Err(EngineError::closed("the table has been truncated"));
            }
            record.side_families.push(number);
            record.next_family = record.next_family.max(number.saturating_add(1));
            Ok(())
        });
        match named {
            Ok(_) => {}
            Err(error) if error.kind() == Kind::Closed => {
                family.delete(self.core.store())?;
                return Err(error);
            }
            // The device may have the record all the same: the column family stays until the next start.
            Err(error) => return Err(error),
        }
        reached(Step::FamilyRecorded)?;
        self.table.exclusive(|core| {
            // Columns may have been dropped since the import began.
            family.purge.follow(core.purge());
            core.column_families_mut().side_families.push(family);
            Ok(())
        })?;
        reached(Step::Published)
    }

    /// What has come into a side column family may lie before the point that its merge-in has reached.
    fn restart_merge_in(&mut self, side_family: &ColumnFamily) {
        if self.progress.position.as_ref().is_some_and(|(number, _)| *number == side_family.number) {
            self.progress.position = None;
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

fn empty(like: &SstSet) -> SstSet {
    SstSet { directory: like.directory.clone(), files: Vec::new(), min_timestamp: i64::MAX, whole: true }
}
