// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The column families of one table generation: the base, which takes the writes, and the side column families. The
//! table is the merge of all of them.

use crate::catalog::{family_name, is_of_index, Record};
use crate::compaction::{
    Backlog, StoreEvents, TablePurge, L0_SLOWDOWN_FILES, L0_STOP_FILES, PENDING_SLOWDOWN_BYTES, PENDING_STOP_BYTES,
};
use crate::error::Result;
use crate::options::{family_options, ALL_FACTOR};
use crate::raw::placed_files;
use crate::raw::sys::{FamilyHandle, Frozen, Iter, IterSpec};
use crate::source::Source;
use crate::store_core::{Kept, KeptOptions, StoreCore};
use rocksdb::Options;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::Arc;

/// RocksDB's number of the state of a family: memtables and files.
pub(crate) const VERSION: &str = "rocksdb.current-super-version-number";
/// What leveled compaction has before it; 0 for the other styles.
const PENDING_BYTES: &str = "rocksdb.estimate-pending-compaction-bytes";
/// Compaction does not remove a backlog at once: meanwhile as much again may come.
const RELAXED_FACTOR: u64 = 2;

/// One column family of a table, with what purges it; cheap to clone.
#[derive(Clone)]
pub(crate) struct ColumnFamily {
    // Before the purging: handles go first.
    pub handle: FamilyHandle,
    pub purge: Arc<TablePurge>,
    /// Its number in the catalog record; 0 is the column family that the generation began with.
    pub number: u32,
    relaxed: Arc<AtomicBool>,
    /// In how many seconds each file is compacted once; 0: as the settings say.
    period_s: Arc<AtomicI64>,
    kept: Arc<KeptOptions>,
    events: Arc<StoreEvents>,
}

/// A column family that is there, with the purging that it was opened with.
pub(crate) struct FoundFamily {
    pub handle: FamilyHandle,
    pub purge: Arc<TablePurge>,
}

impl ColumnFamily {
    /// A column family that exists, ready to be purged.
    pub(crate) fn open(
        store: &StoreCore,
        number: u32,
        FoundFamily { handle, purge }: FoundFamily,
    ) -> Result<ColumnFamily> {
        purge.attach(&store.db, &handle)?;
        store.events.watch(&purge);
        let kept = store.kept.of(purge.name());
        let period_s = Arc::new(AtomicI64::new(kept.period_s));
        let (events, relaxed) = (Arc::clone(&store.events), Arc::default());
        let family = ColumnFamily { handle, purge, number, relaxed, period_s, kept: Arc::clone(&store.kept), events };
        let backlog = family.backlog();
        family.events.change_brake(&family.purge, |brake| {
            brake.set_off(kept.uncompacted);
            brake.note(backlog)
        });
        Ok(family)
    }

    /// What a column family of this name is made with.
    pub(crate) fn options(store: &StoreCore, name: &str, compacted: bool) -> Result<(Arc<TablePurge>, Options)> {
        let purge = TablePurge::new(name);
        let settings = store.settings()?.clone();
        purge.set_unsynced_max(settings.sync.unsynced_max());
        let families = store.events.families() + 1;
        let mut options = family_options(&settings, &store.shared, &purge, is_of_index(name), families);
        store.kept.change(name, |kept| *kept = Kept { uncompacted: !compacted, period_s: 0 })?;
        options.set_disable_auto_compactions(!compacted);
        Ok((purge, options))
    }

    /// The name of the column family.
    pub(crate) fn name(&self) -> &str {
        self.purge.name()
    }

    /// Bytes in files and memtables.
    pub(crate) fn bytes(&self) -> u64 {
        let figures = ["rocksdb.live-sst-files-size", "rocksdb.cur-size-all-mem-tables"];
        figures.iter().map(|name| self.handle.property(name)).fold(0, u64::saturating_add)
    }

    /// RocksDB compacts only the base by itself, and that only while the table's switch is on: a side column family is to
    /// be rewritten anyway, and while its files are compacted others cannot be ingested beside them.
    pub(crate) fn set_compacted(&self, compacted: bool) -> Result<()> {
        let keep = || self.kept.change(self.name(), |kept| kept.uncompacted = !compacted);
        // Known before it is so where it is off, and after that where it is on: a crash leaves it off.
        if !compacted {
            keep()?;
        }
        let disabled = if compacted { "false" } else { "true" };
        self.handle.set_options(&[("disable_auto_compactions", disabled)])?;
        let backlog = self.backlog();
        self.events.change_brake(&self.purge, |brake| {
            brake.note(backlog);
            brake.set_off(!compacted)
        });
        if compacted {
            keep()?;
        }
        Ok(())
    }

    /// Has every file compacted once in so many seconds; `default_s` is what the settings say.
    pub(crate) fn set_period(&self, seconds: i64, default_s: i64) -> Result<()> {
        let period_s = if seconds == default_s { 0 } else { seconds };
        let before = self.period_s.swap(period_s, Ordering::AcqRel);
        if before == period_s {
            return Ok(());
        }
        let set = || {
            self.handle.set_options(&[("periodic_compaction_seconds", seconds.to_string().as_str())])?;
            self.kept.change(self.name(), |kept| kept.period_s = period_s)
        };
        set().inspect_err(|_| self.period_s.store(before, Ordering::Release)) // the next call tries again
    }

    /// Has level 0 compacted when it has so many files.
    pub(crate) fn compact_level0_at(&self, files: i32) -> Result<()> {
        self.handle.set_options(&[("level0_file_num_compaction_trigger", files.to_string().as_str())])
    }

    /// Bytes of level 0 and of the memtables.
    pub(crate) fn young_bytes(&self) -> u64 {
        let files = placed_files(self.handle.db(), &self.handle);
        let level0 = files.iter().filter(|file| file.level == 0).map(|file| file.file_bytes).sum::<u64>();
        level0.saturating_add(self.handle.property("rocksdb.cur-size-all-mem-tables"))
    }

    /// Whether a sealed memtable or level 0 has anything.
    pub(crate) fn has_young(&self) -> bool {
        self.handle.property("rocksdb.num-immutable-mem-table") > 0 || self.level0_files() > 0
    }

    /// Has RocksDB look at what there is to compact, and wakes what waits for a compaction.
    pub(crate) fn reconsider(&self) -> Result<()> {
        // Unchanged, but any change of options does it.
        self.handle.set_options(&[("max_successive_merges", "0")])
    }

    /// Files of level 0.
    pub(crate) fn level0_files(&self) -> u64 {
        let text = self.handle.db().property_value_cf(&self.handle, "rocksdb.num-files-at-level0").ok().flatten();
        text.and_then(|text| text.parse().ok()).unwrap_or_default()
    }

    /// What leveled compaction has before it.
    pub(crate) fn pending_bytes(&self) -> u64 {
        self.handle.property(PENDING_BYTES)
    }

    fn backlog(&self) -> Backlog {
        Backlog { files: self.level0_files(), bytes: self.pending_bytes() }
    }

    pub(crate) fn has_relaxed_stall_triggers(&self) -> bool {
        self.relaxed.load(Ordering::Acquire)
    }

    /// Relaxed stall triggers stall writers not for the present files, only for many more. A side column family from
    /// many nodes may have hundreds of files of level 0 when it becomes the base: writers of all tables would wait for
    /// their compaction.
    pub(crate) fn relax_stall_triggers(&self, relaxed: bool) -> Result<()> {
        if !relaxed && !self.has_relaxed_stall_triggers() {
            return Ok(());
        }
        let backlog = if relaxed { self.backlog() } else { Backlog::default() };
        let stall_triggers = stall_triggers(backlog.files, backlog.bytes);
        let options = stall_triggers.each_ref().map(|(name, value)| (*name, value.as_str()));
        self.handle.set_options(&options)?;
        let allowed =
            Backlog { files: RELAXED_FACTOR * backlog.files, bytes: backlog.bytes.saturating_mul(RELAXED_FACTOR) };
        self.events.change_brake(&self.purge, |brake| brake.allow(allowed));
        self.relaxed.store(relaxed, Ordering::Release);
        Ok(())
    }

    /// Deletes the family: its files go when the last read of them ends.
    pub(crate) fn delete(self, store: &StoreCore) -> Result<()> {
        store.drop_family(self.purge.name(), self.handle)
    }
}

/// The stall triggers, above a backlog that exists already.
fn stall_triggers(level0_files: u64, pending_bytes: u64) -> [(&'static str, String); 4] {
    let factor = u64::from(ALL_FACTOR.unsigned_abs());
    let files = |limit: i32| (factor * u64::from(limit.unsigned_abs()) + RELAXED_FACTOR * level0_files).to_string();
    let bytes =
        |limit: usize| (factor * limit as u64).saturating_add(pending_bytes.saturating_mul(RELAXED_FACTOR)).to_string();
    [
        ("level0_slowdown_writes_trigger", files(L0_SLOWDOWN_FILES)),
        ("level0_stop_writes_trigger", files(L0_STOP_FILES)),
        ("soft_pending_compaction_bytes_limit", bytes(PENDING_SLOWDOWN_BYTES)),
        ("hard_pending_compaction_bytes_limit", bytes(PENDING_STOP_BYTES)),
    ]
}

/// All column families of a table generation.
#[derive(Clone)]
pub(crate) struct ColumnFamilies {
    pub base: ColumnFamily,
    pub side_families: Vec<ColumnFamily>,
}

impl ColumnFamilies {
    /// Opens the column families that a record names; `find` gives each by its name.
    pub(crate) fn open(
        store: &Arc<StoreCore>,
        id: &[u8],
        record: &Record,
        mut find: impl FnMut(&str) -> Result<FoundFamily>,
    ) -> Result<ColumnFamilies> {
        let suspended = !record.side_families.is_empty();
        let mut family = |number: u32| {
            let name = family_name(id, record.generation, number);
            let found = find(&name)?;
            found.purge.set_dropped(record.dropped());
            found.purge.suspend(suspended);
            ColumnFamily::open(store, number, found)
        };
        let base = family(record.base)?;
        let side_families = record.side_families.iter().map(|&number| family(number)).collect::<Result<Vec<_>>>()?;
        for side_family in &side_families {
            if !store.kept.of(side_family.name()).uncompacted {
                side_family.set_compacted(false)?;
            }
        }
        // until the merge-in finds few files in it, or the table's compaction has caught up
        if suspended || base.level0_files() >= u64::from(L0_SLOWDOWN_FILES.unsigned_abs()) {
            base.relax_stall_triggers(true)?;
        }
        Ok(ColumnFamilies { base, side_families })
    }

    /// The side column families, then the base.
    pub(crate) fn all(&self) -> impl Iterator<Item = &ColumnFamily> {
        self.side_families.iter().chain([&self.base])
    }

    /// Whether the others are the same ones, in the same roles.
    pub(crate) fn are_those_of(&self, others: &ColumnFamilies) -> bool {
        self.all().map(|family| family.number).eq(others.all().map(|family| family.number))
    }

    /// Views every column family, in the order of [`Self::all`], while nothing is ingested into a side column family.
    /// Whole files go into one in the same step as rows into the base: neither may be seen without the deletions of the
    /// other.
    pub(crate) fn consistent<T>(&self, view: impl Fn(&ColumnFamily) -> T) -> Vec<T> {
        let versions = || -> Vec<u64> {
            self.side_families.iter().map(|side_family| side_family.handle.property(VERSION)).collect()
        };
        loop {
            let before = versions();
            let seen = self.all().map(&view).collect();
            if versions() == before {
                return seen;
            }
        }
    }

    /// An iterator over the merge of all column families.
    pub(crate) fn iterate(&self, spec: IterSpec) -> Source {
        if self.side_families.is_empty() {
            return Source::one(Iter::open(&self.base.handle, spec));
        }
        Source::merged(self.consistent(|family| Iter::open(&family.handle, spec.clone())))
    }

    /// What they hold now, as [`Self::iterate`] shows it, for iterators that come later.
    pub(crate) fn freeze(&self) -> FrozenFamilies {
        FrozenFamilies(self.consistent(|family| Frozen::take(&family.handle)))
    }

    /// Deletes all of them; the first error.
    pub(crate) fn delete(self, store: &StoreCore) -> Result<()> {
        let families = self.side_families.into_iter().chain([self.base]);
        families.map(|family| family.delete(store)).fold(Ok(()), Result::and)
    }

    /// While side column families exist, nothing is purged: a deletion in one column family may hide data of another.
    pub(crate) fn suspend_purging_while_side_families(&self) {
        self.all().for_each(|family| family.purge.suspend(!self.side_families.is_empty()));
    }
}

/// What the column families of a generation held at one point in time.
pub(crate) struct FrozenFamilies(Vec<Frozen>);

impl FrozenFamilies {
    /// An iterator over the merge of all of them.
    pub(crate) fn iterate(&self, spec: IterSpec) -> Source {
        match &self.0[..] {
            [one] => Source::one(one.iterate(spec)),
            several => Source::merged(several.iter().map(|one| one.iterate(spec.clone())).collect()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writers_are_slowed_down_beyond_the_present_backlog() {
        assert_eq!(stall_triggers(0, 0).map(|trigger| trigger.1), ["80", "144", "274877906944", "1099511627776"]);
        assert_eq!(
            stall_triggers(300, 1 << 40).map(|trigger| trigger.1),
            ["680", "744", "2473901162496", "3298534883328"]
        );
    }
}
