// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Any order of writes, flushes and compactions against a model that never purges anything.
//!
//! No write comes later than gc_grace: that is Cassandra's own condition for purging a deletion. Within it every
//! reader must see what the model sees, whatever was purged on the way.

use crate::store::{Store, View, Write};
use proptest::prelude::*;
use std::collections::BTreeMap;

/// Writes are at most this late, and gc_grace is this long.
const GRACE_TICKS: i64 = 4;
const PARTITIONS: u8 = 3;
const ROWS: u8 = 5;
const COLUMNS: u32 = 3;

#[derive(Clone, Debug)]
enum Step {
    /// What is written, and how many ticks late.
    Write(Choice, i64),
    Tick(i64),
    Flush,
    CompactAll,
    /// Compacts what overlaps from one partition to another.
    Compact(u8, u8),
    /// Compacts the header's files of one partition, not those of its rows.
    CompactHeader(u8),
    MoveToLevel(i32),
}

#[derive(Clone, Debug)]
enum Choice {
    Cell(u8, u8, u32, u8),
    Expiring(u8, u8, u32, i64),
    CellTombstone(u8, u8, u32),
    Row(u8, u8),
    Partition(u8),
    Rows(u8, u8, u8),
}

fn choice() -> impl Strategy<Value = Choice> {
    let (partition, row, column) = (0..PARTITIONS, 0..ROWS, 1..=COLUMNS);
    let at = (partition.clone(), row.clone(), column);
    prop_oneof![
        6 => (at.clone(), any::<u8>()).prop_map(|((p, r, c), value)| Choice::Cell(p, r, c, value)),
        2 => (at.clone(), 0..4i64).prop_map(|((p, r, c), ttl)| Choice::Expiring(p, r, c, ttl)),
        3 => at.prop_map(|(p, r, c)| Choice::CellTombstone(p, r, c)),
        2 => (partition.clone(), row.clone()).prop_map(|(p, r)| Choice::Row(p, r)),
        1 => partition.clone().prop_map(Choice::Partition),
        2 => (partition, row.clone(), row).prop_map(|(p, a, b)| Choice::Rows(p, a.min(b), a.max(b))),
    ]
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        24 => (choice(), 0..GRACE_TICKS).prop_map(|(choice, late)| Step::Write(choice, late)),
        6 => (1..4i64).prop_map(Step::Tick),
        6 => Just(Step::Flush),
        2 => Just(Step::CompactAll),
        2 => (0..PARTITIONS, 0..PARTITIONS).prop_map(|(a, b)| Step::Compact(a.min(b), a.max(b))),
        2 => (0..PARTITIONS).prop_map(Step::CompactHeader),
        1 => (3..7i32).prop_map(Step::MoveToLevel),
    ]
}

/// All that was ever written.
#[derive(Default)]
struct Model {
    writes: Vec<Write>,
}

impl Model {
    fn view(&self, tick: i64) -> View {
        // by place: timestamp, whether it is a deletion, value, and when it expires
        type Newest = (i64, bool, Vec<u8>, i64);
        let mut cells: BTreeMap<(u8, u8, u32), Newest> = BTreeMap::new();
        for write in &self.writes {
            let (at, timestamp, is_cell_deletion, value, expires) = match write {
                Write::Cell { at, timestamp, value } => (*at, *timestamp, false, value.clone(), i64::MAX),
                Write::Expiring { at, timestamp, value, expires } => (*at, *timestamp, false, value.clone(), *expires),
                Write::CellTombstone { at, timestamp, .. } => (*at, *timestamp, true, Vec::new(), i64::MAX),
                _ => continue,
            };
            let candidate = (timestamp, is_cell_deletion, value, expires);
            let winner = cells.entry(at).or_insert_with(|| candidate.clone());
            if candidate.0 > winner.0 {
                *winner = candidate;
            }
        }
        let seen = cells.into_iter().filter(|(at, (timestamp, is_deletion, _, expires))| {
            !is_deletion && *expires > tick && !self.deletes(*at, *timestamp)
        });
        seen.map(|(at, (timestamp, _, value, _))| (at, (timestamp, value))).collect()
    }

    fn deletes(&self, at: (u8, u8, u32), written: i64) -> bool {
        self.writes.iter().any(|write| match *write {
            Write::Row { partition, row, timestamp, .. } => (partition, row) == (at.0, at.1) && written <= timestamp,
            Write::Partition { partition, timestamp, .. } => partition == at.0 && written <= timestamp,
            Write::Rows { partition, rows, timestamp, .. } => {
                partition == at.0 && (rows.0..=rows.1).contains(&at.1) && written <= timestamp
            }
            _ => false,
        })
    }
}

struct Run {
    store: Store,
    model: Model,
    tick: i64,
    count: i64,
}

impl Run {
    /// Timestamps are unique, and those of a tick are above those of the tick before.
    fn timestamp(&mut self, late: i64) -> i64 {
        self.count += 1;
        (self.tick - late) * 1_000_000 + self.count
    }

    fn write(&mut self, choice: &Choice, late: i64) {
        let (timestamp, tick) = (self.timestamp(late), self.tick);
        let write = match *choice {
            Choice::Cell(p, r, c, value) => Write::Cell { at: (p, r, c), timestamp, value: vec![value; 40] },
            Choice::Expiring(p, r, c, ttl) => {
                Write::Expiring { at: (p, r, c), timestamp, value: vec![1; 40], expires: tick + ttl }
            }
            Choice::CellTombstone(p, r, c) => Write::CellTombstone { at: (p, r, c), timestamp, tick },
            Choice::Row(partition, row) => Write::Row { partition, row, timestamp, tick },
            Choice::Partition(partition) => Write::Partition { partition, timestamp, tick },
            Choice::Rows(partition, first, last) => Write::Rows { partition, rows: (first, last), timestamp, tick },
        };
        self.store.write(&write);
        self.model.writes.push(write);
    }

    fn take(&mut self, step: &Step) {
        match step {
            Step::Write(choice, late) => self.write(choice, *late),
            Step::Tick(ticks) => {
                self.tick += ticks;
                self.store.at(self.tick, GRACE_TICKS);
            }
            Step::Flush => self.store.flush(),
            Step::CompactAll => self.store.compact_files(),
            Step::Compact(first, last) => self.compact(*first, *last + 1),
            Step::CompactHeader(partition) => {
                let key = crate::store::header_key(*partition);
                self.store.compact_between(&key, &key);
            }
            Step::MoveToLevel(level) => self.store.move_to_level(*level),
        }
    }

    fn compact(&self, first: u8, after: u8) {
        self.store.compact_between(&crate::store::header_key(first), &crate::store::header_key(after));
    }
}

/// How files are laid out.
#[derive(Clone, Copy, Debug)]
enum Layout {
    /// Compactions only where a step asks for one, several files in a level.
    Manual,
    /// RocksDB compacts by itself through many small levels, while the steps go on.
    Automatic,
    Universal,
}

fn open(layout: Layout) -> Store {
    Store::with(|options, family| {
        options.set_max_background_jobs(2);
        family.set_target_file_size_base(300);
        family.set_max_bytes_for_level_base(600);
        family.set_max_bytes_for_level_multiplier(2.0);
        family.set_level_zero_file_num_compaction_trigger(2);
        let mut table = rocksdb::BlockBasedOptions::default();
        table.set_block_size(128);
        family.set_block_based_table_factory(&table);
        match layout {
            Layout::Manual => family.set_disable_auto_compactions(true),
            Layout::Automatic => family.set_level_compaction_dynamic_level_bytes(false),
            Layout::Universal => family.set_compaction_style(rocksdb::DBCompactionStyle::Universal),
        }
    })
}

fn check(layout: Layout, steps: &[Step]) -> Result<u64, TestCaseError> {
    let mut run = Run { store: open(layout), model: Model::default(), tick: 10, count: 0 };
    run.store.at(run.tick, GRACE_TICKS);
    for (at, step) in steps.iter().enumerate() {
        run.take(step);
        if !matches!(step, Step::Write(..)) {
            prop_assert_eq!(run.store.view(run.tick), run.model.view(run.tick), "after step {} {:?}", at, step);
        }
    }
    prop_assert_eq!(run.store.view(run.tick), run.model.view(run.tick));
    run.store.flush();
    run.tick += 2 * GRACE_TICKS;
    run.store.at(run.tick, GRACE_TICKS);
    // One compaction of everything: files of a partition that are compacted apart keep what they know of each other.
    let one_file = [("target_file_size_base", "100000000"), ("max_compaction_bytes", "1000000000")];
    run.store.db.set_options_cf(&run.store.family(), &one_file).unwrap();
    run.store.compact();
    run.store.compact();
    let view = run.store.view(run.tick);
    prop_assert_eq!(&view, &run.model.view(run.tick));
    let keys: std::collections::BTreeSet<_> = view.keys().map(|at| (at.0, at.1)).collect();
    prop_assert_eq!(run.store.entries().len(), keys.len(), "only live rows are left in the end");
    let stats = run.store.purge.stats();
    prop_assert_eq!(stats.merge_failures, 0);
    Ok(stats.fragments_changed + stats.fragments_removed)
}

fn config() -> ProptestConfig {
    let cases = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(48);
    ProptestConfig { cases, failure_persistence: None, max_shrink_iters: 2_000, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn manual_compactions_are_never_noticed(steps in prop::collection::vec(step(), 1..120)) {
        check(Layout::Manual, &steps)?;
    }

    #[test]
    fn automatic_compactions_are_never_noticed(steps in prop::collection::vec(step(), 1..200)) {
        check(Layout::Automatic, &steps)?;
    }

    #[test]
    fn universal_compactions_are_never_noticed(steps in prop::collection::vec(step(), 1..120)) {
        check(Layout::Universal, &steps)?;
    }
}
