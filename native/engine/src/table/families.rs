// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The column families of one table generation: the base, which is written to, and what has arrived from other nodes and
//! is not in the base yet. What the table holds is the merge of all of them.

use crate::catalog::{family_name, Record};
use crate::compaction::TablePurge;
use crate::error::Result;
use crate::options::{family_options, L0_SLOWDOWN_FILES, L0_STOP_FILES, PENDING_SLOWDOWN_BYTES, PENDING_STOP_BYTES};
use crate::read::Source;
use crate::store::Core;
use crate::sys::{Family, Iter, IterSpec};
use rocksdb::Options;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;

/// RocksDB's number of the state of a family: memtables and files.
const VERSION: &str = "rocksdb.current-super-version-number";
/// What leveled compaction has before it; 0 for the other styles.
const PENDING_BYTES: &str = "rocksdb.estimate-pending-compaction-bytes";
/// What is there does not get less at once: while compaction moves it, as much again may come.
const ROOM: u64 = 2;

/// One column family of a table, with what purges it; cheap to clone.
#[derive(Clone)]
pub(crate) struct Member {
    // Before the purging: handles go first.
    pub family: Family,
    pub purge: Arc<TablePurge>,
    /// Its number in the catalog record; 0 is the family that the generation began with.
    pub number: u32,
    patient: Arc<AtomicBool>,
}

impl Member {
    /// A family that exists, ready to be purged.
    pub(crate) fn open(store: &Arc<Core>, family: Family, number: u32, purge: Arc<TablePurge>) -> Result<Member> {
        purge.attach(&store.db, &family)?;
        store.events.watch(&purge);
        Ok(Member { family, purge, number, patient: Arc::default() })
    }

    /// What a family of this name is opened with.
    pub(crate) fn options(store: &Core, name: &str) -> Result<(Arc<TablePurge>, Options)> {
        let purge = TablePurge::new(name);
        let settings = store.settings()?;
        purge.set_unsynced_max(settings.sync.unsynced_max());
        let options = family_options(&settings, &store.shared, &purge);
        Ok((purge, options))
    }

    /// The name of the column family.
    pub(crate) fn name(&self) -> &str {
        self.purge.name()
    }

    /// Bytes in files and memtables.
    pub(crate) fn bytes(&self) -> u64 {
        let figures = ["rocksdb.live-sst-files-size", "rocksdb.cur-size-all-mem-tables"];
        figures.iter().map(|name| self.family.property(name)).fold(0, u64::saturating_add)
    }

    /// Only the base is compacted by itself: an arrival is to be rewritten anyway, and files that are being compacted refuse
    /// others that come beside them.
    pub(crate) fn set_compacted(&self, compacted: bool) -> Result<()> {
        let disabled = if compacted { "false" } else { "true" };
        Ok(self.family.db().set_options_cf(&self.family, &[("disable_auto_compactions", disabled)])?)
    }

    /// Files of level 0.
    pub(crate) fn level0_files(&self) -> u64 {
        let text = self.family.db().property_value_cf(&self.family, "rocksdb.num-files-at-level0").ok().flatten();
        text.and_then(|text| text.parse().ok()).unwrap_or_default()
    }

    /// Whether writers do not wait for what is there by now, but only when much more comes. What has come from many nodes may be
    /// hundreds of files of level 0 when it becomes the base, and writers of all tables would wait until they are compacted.
    pub(crate) fn set_patient(&self, patient: bool) -> Result<()> {
        if !patient && !self.patient.load(Ordering::Acquire) {
            return Ok(());
        }
        let brakes =
            if patient { brakes(self.level0_files(), self.family.property(PENDING_BYTES)) } else { brakes(0, 0) };
        let options = brakes.each_ref().map(|(name, value)| (*name, value.as_str()));
        self.family.db().set_options_cf(&self.family, &options)?;
        self.patient.store(patient, Ordering::Release);
        Ok(())
    }

    /// Deletes the family: its files go when the last read of them ends.
    pub(crate) fn delete(self, store: &Core) -> Result<()> {
        store.drop_family(self.purge.name(), self.family)
    }
}

/// The options that slow writers down and stop them, where so much is there already.
fn brakes(level0_files: u64, pending_bytes: u64) -> [(&'static str, String); 4] {
    let files = |limit: i32| (u64::from(limit.unsigned_abs()) + ROOM * level0_files).to_string();
    let bytes = |limit: usize| (limit as u64).saturating_add(pending_bytes.saturating_mul(ROOM)).to_string();
    [
        ("level0_slowdown_writes_trigger", files(L0_SLOWDOWN_FILES)),
        ("level0_stop_writes_trigger", files(L0_STOP_FILES)),
        ("soft_pending_compaction_bytes_limit", bytes(PENDING_SLOWDOWN_BYTES)),
        ("hard_pending_compaction_bytes_limit", bytes(PENDING_STOP_BYTES)),
    ]
}

/// All column families of a table generation.
#[derive(Clone)]
pub(crate) struct Families {
    pub base: Member,
    pub arrivals: Vec<Member>,
}

impl Families {
    /// Opens the families that a record names; `purge_of` hands over what they were opened with.
    pub(crate) fn open(
        store: &Arc<Core>,
        id: &[u8],
        record: &Record,
        mut purge_of: impl FnMut(&str) -> Result<Arc<TablePurge>>,
    ) -> Result<Families> {
        let hold = !record.arrivals.is_empty();
        let mut member = |number: u32| {
            let name = family_name(id, record.generation, number);
            let purge = purge_of(&name)?;
            purge.set_dropped(record.dropped());
            purge.hold(hold);
            Member::open(store, Family::named(&store.db, &name)?, number, purge)
        };
        let base = member(record.base)?;
        let arrivals = record.arrivals.iter().map(|&number| member(number)).collect::<Result<Vec<_>>>()?;
        for arrival in &arrivals {
            arrival.set_compacted(false)?;
        }
        if hold {
            base.set_patient(true)?; // until absorption finds that it has few files
        }
        Ok(Families { base, arrivals })
    }

    /// The arrivals, then the base.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Member> {
        self.arrivals.iter().chain([&self.base])
    }

    /// Looks at every family, in the order of [`Self::all`], when nothing comes into an arrival. Whole files come into one in the
    /// same step as rows into the base: neither is to be seen without the deletions that came with the other.
    pub(crate) fn look<T>(&self, look: impl Fn(&Member) -> T) -> Vec<T> {
        let versions =
            || -> Vec<u64> { self.arrivals.iter().map(|arrival| arrival.family.property(VERSION)).collect() };
        loop {
            let before = versions();
            let seen = self.all().map(&look).collect();
            if versions() == before {
                return seen;
            }
        }
    }

    /// An iterator over the merge of all families.
    pub(crate) fn iterate(&self, spec: IterSpec) -> Source {
        if self.arrivals.is_empty() {
            return Source::one(Iter::open(&self.base.family, spec));
        }
        Source::united(self.look(|member| Iter::open(&member.family, spec.clone())))
    }

    /// Deletes all of them; the first error.
    pub(crate) fn delete(self, store: &Core) -> Result<()> {
        let members = self.arrivals.into_iter().chain([self.base]);
        members.map(|member| member.delete(store)).fold(Ok(()), Result::and)
    }

    /// While anything has arrived, nothing is purged anywhere: what one family forgets may hide data of another.
    pub(crate) fn hold_purging(&self) {
        self.all().for_each(|member| member.purge.hold(!self.arrivals.is_empty()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writers_are_slowed_down_beyond_what_was_there() {
        assert_eq!(brakes(0, 0).map(|brake| brake.1), ["20", "36", "68719476736", "274877906944"]);
        assert_eq!(brakes(300, 1 << 40).map(|brake| brake.1), ["620", "636", "2267742732288", "2473901162496"]);
    }
}
