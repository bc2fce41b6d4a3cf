// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Each rule of purging by itself.

use crate::store::{header_key, row_key, Store, Write};
use cassiterite_codec::key::Kind;
use cassiterite_engine::compaction::TablePurge;

const CELL: (u8, u8, u32) = (1, 5, 1);

/// One deletion of each kind of what is at [`CELL`], at timestamp 20 and tick 10, and the key it is stored under.
fn deletions() -> Vec<(Write, Vec<u8>)> {
    let (partition, row, timestamp, tick) = (1, 5, 20, 10);
    vec![
        (Write::CellTombstone { at: CELL, timestamp, tick }, row_key(1, 5)),
        (Write::Row { partition, row, timestamp, tick }, row_key(1, 5)),
        (Write::Partition { partition, timestamp, tick }, header_key(1)),
        (Write::Rows { partition, rows: (3, 6), timestamp, tick }, header_key(1)),
    ]
}

fn header_deletions() -> Vec<(Write, Vec<u8>)> {
    deletions().into_iter().filter(|(_, key)| *key == header_key(1)).collect()
}

/// Compacts the files that hold the header of partition 1, without those that hold only rows of it.
fn compact_header(store: &Store) {
    store.compact_between(&header_key(1), &header_key(1));
}

/// A file that holds `first` between two rows of other partitions.
fn wide_file(first: &Write) -> Store {
    let store = Store::new();
    store.write(first);
    for partition in [0, 9] {
        store.cell((partition, 9, 9), 1_000);
    }
    store.flush();
    store
}

/// Compacts that file by its last key: RocksDB does not flush a memtable that does not overlap with that range.
fn compact_wide_file(store: &Store) {
    store.compact_between(&row_key(9, 9), &row_key(9, 9));
}

#[test]
fn a_deletion_stays_for_gc_grace_and_then_goes() {
    for (deletion, key) in deletions() {
        let store = Store::new();
        store.cell(CELL, 15);
        store.write(&deletion);
        store.flush();
        store.at(14, 5);
        store.compact();
        assert!(store.has(&key), "{deletion:?} within grace");
        assert!(store.view(14).is_empty());
        store.at(16, 5);
        store.compact();
        assert_eq!(store.entries(), vec![], "{deletion:?} after grace");
    }
}

#[test]
fn an_older_write_in_the_memtable_keeps_its_deletion() {
    for (deletion, key) in header_deletions() {
        let store = Store::new();
        store.write(&deletion);
        store.flush();
        store.cell(CELL, 15);
        store.at(100, 5);
        compact_header(&store);
        assert!(store.has(&key), "{deletion:?}");
        assert!(store.view(100).is_empty());
        store.flush();
        store.compact();
        assert_eq!(store.entries(), vec![], "{deletion:?} once they meet");
    }
}

#[test]
fn an_older_write_in_the_memtable_keeps_the_deletions_of_its_own_row() {
    for (deletion, key) in deletions().into_iter().filter(|(_, key)| *key == row_key(1, 5)) {
        let store = wide_file(&deletion);
        store.at(100, 5);
        store.cell(CELL, 15);
        compact_wide_file(&store);
        assert_eq!(store.purge.stats().blind_compactions, 0);
        assert!(store.has(&key) && !store.view(100).contains_key(&CELL), "{deletion:?}");
        store.flush();
        assert!(!store.view(100).contains_key(&CELL), "{deletion:?}");
        store.compact();
        assert!(!store.has(&key), "{deletion:?} once they meet");
        assert!(!store.view(100).contains_key(&CELL), "{deletion:?}");
    }
}

#[test]
fn the_same_compaction_purges_where_nothing_is_in_the_memtable() {
    let store = wide_file(&deletions()[0].0);
    store.at(100, 5);
    compact_wide_file(&store);
    let left = store.entries().into_iter().find(|(key, _)| *key == row_key(1, 5));
    assert!(left.is_none_or(|(_, fragment)| cassiterite_codec::is_empty(Kind::Row, &fragment)));
}

#[test]
fn older_data_in_a_file_beside_keeps_its_deletion() {
    for (deletion, key) in header_deletions() {
        let store = Store::new();
        store.cell(CELL, 15);
        store.flush();
        store.move_to_level(6);
        store.write(&deletion);
        store.flush();
        store.at(100, 5);
        compact_header(&store);
        assert!(store.has(&key), "{deletion:?}");
        assert!(store.view(100).is_empty());
        store.compact();
        assert_eq!(store.entries(), vec![], "{deletion:?} once they meet");
    }
}

#[test]
fn an_older_write_that_came_later_keeps_its_deletion() {
    for (deletion, key) in header_deletions() {
        let store = Store::new();
        store.write(&deletion);
        store.flush();
        store.move_to_level(6);
        store.cell(CELL, 15);
        store.flush();
        store.at(100, 5);
        compact_header(&store);
        assert!(store.has(&key), "{deletion:?}");
        store.compact();
        assert_eq!(store.entries(), vec![], "{deletion:?} once they meet");
    }
}

#[test]
fn newer_data_beside_does_not_keep_a_deletion() {
    for (deletion, key) in header_deletions() {
        let store = Store::new();
        store.cell(CELL, 25);
        store.flush();
        store.write(&deletion);
        store.flush();
        store.cell((1, 6, 1), 26);
        store.at(100, 5);
        compact_header(&store);
        compact_header(&store);
        assert!(!store.has(&key), "{deletion:?}");
        assert_eq!(store.view(100).len(), 2);
    }
}

#[test]
fn what_a_deletion_covers_leaves_the_disk_before_it_does() {
    let (timestamp, tick) = (20, 10);
    let covering = [
        ("partition", vec![Write::Partition { partition: 1, timestamp, tick }]),
        ("range", vec![Write::Rows { partition: 1, rows: (0, 199), timestamp, tick }]),
        ("rows", (0..200).map(|row| Write::Row { partition: 1, row, timestamp, tick }).collect()),
    ];
    for (name, deletions) in covering {
        let store = Store::new();
        for row in 0..200 {
            for column in 1..10 {
                store.cell((1, row, column), 15);
            }
        }
        store.flush();
        store.compact();
        let before = store.sst_bytes();
        for deletion in &deletions {
            store.write(deletion);
        }
        store.flush();
        store.at(11, 5);
        store.compact();
        let after = store.sst_bytes();
        println!("{name}: {before} bytes of SST before, {after} after the deletion was compacted");
        assert!(after < before / 8, "{name}: {before} to {after}");
        assert!(store.view(11).is_empty());
        store.at(16, 5);
        store.compact();
        assert_eq!(store.sst_bytes(), 0, "{name}: nothing is left after grace");
    }
}

#[test]
fn shadowed_operands_over_an_old_value_do_not_uncover_it_when_the_header_goes() {
    for (deletion, _) in header_deletions() {
        let store = Store::new();
        store.cell(CELL, 14);
        store.flush();
        store.compact();
        store.cell(CELL, 15);
        store.write(&deletion);
        store.flush();
        store.at(100, 5);
        store.compact_files();
        assert!(store.view(100).is_empty(), "{deletion:?}");
        store.compact();
        assert_eq!(store.entries(), vec![], "{deletion:?}");
    }
}

#[test]
fn expired_cells_leave() {
    let store = Store::new();
    store.write(&Write::Expiring { at: CELL, timestamp: 15, value: vec![7; 100], expires: 10 });
    store.flush();
    store.at(9, 5);
    store.compact();
    assert_eq!(store.view(9).len(), 1);
    store.at(11, 5);
    store.compact();
    assert!(store.view(11).is_empty());
    assert!(store.has(&row_key(1, 5)), "a tombstone now");
    store.at(16, 5);
    store.compact();
    assert_eq!(store.entries(), vec![]);
}

#[test]
fn the_max_purgeable_timestamp_keeps_deletions_from_it_on() {
    for (max_purgeable, stays) in [(i64::MIN, true), (20, true), (21, false)] {
        for (deletion, key) in deletions() {
            let store = Store::new();
            store.write(&deletion);
            store.flush();
            store.max_purgeable(100, 5, max_purgeable);
            store.compact();
            assert_eq!(store.has(&key), stays, "{deletion:?} below {max_purgeable}");
        }
    }
}

#[test]
fn dropped_columns_go() {
    let store = Store::new();
    store.cell((1, 5, 1), 15);
    store.cell((1, 5, 2), 15);
    store.cell((1, 6, 2), 15);
    store.flush();
    store.purge.set_dropped([2].into_iter().collect());
    store.compact();
    assert_eq!(store.view(0).keys().copied().collect::<Vec<_>>(), vec![(1, 5, 1)]);
    assert!(!store.has(&row_key(1, 6)));
}

#[test]
fn a_deletion_that_the_device_may_lack_removes_nothing_from_other_files() {
    let store = Store::new();
    store.cell(CELL, 15);
    store.flush();
    store.write(&Write::Partition { partition: 1, timestamp: 20, tick: 1 });
    store.flush();
    let row = row_key(CELL.0, CELL.1);
    store.purge.set_unsynced_max(std::time::Duration::from_secs(3600));
    store.at(10, 1000);
    store.compact_between(&row, &row);
    assert!(store.has(&row));
    store.at(60, 1000);
    store.compact_between(&row, &row);
    assert!(!store.has(&row));
}

#[test]
fn a_deletion_that_no_log_has_removes_nothing_from_files() {
    for logged in [true, false] {
        let store = Store::new();
        store.cell(CELL, 15);
        store.flush();
        store.write_logged(&Write::Partition { partition: 1, timestamp: 20, tick: 1 }, logged);
        store.at(60, 1000);
        let row = row_key(CELL.0, CELL.1);
        store.compact_between(&row, &row); // which does not flush the memtable
        assert_eq!(store.has(&row), !logged, "a crash takes back what is not in the log: {logged}");
    }
}

#[test]
fn an_explicit_snapshot_keeps_deletions() {
    let store = Store::new();
    store.cell(CELL, 15);
    store.flush();
    for (deletion, key) in deletions() {
        store.write(&deletion);
        let snapshot = store.db.snapshot();
        store.flush();
        store.at(100, 5);
        store.compact();
        assert!(store.has(&key), "{deletion:?}");
        drop(snapshot);
    }
    store.compact();
    assert_eq!(store.entries(), vec![]);
}

#[test]
fn split_compactions_keep_headers() {
    let store = Store::with(|options, family| {
        options.set_max_subcompactions(4);
        family.set_disable_auto_compactions(true);
    });
    for (deletion, _) in header_deletions() {
        store.write(&deletion);
    }
    store.flush();
    store.at(100, 5);
    store.compact();
    assert!(store.has(&header_key(1)));
}

#[test]
fn a_table_that_is_not_attached_purges_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let purge = TablePurge::new("default");
    let mut options = rocksdb::Options::default();
    options.create_if_missing(true);
    purge.install(&mut options);
    let db = rocksdb::DB::open(&options, folder.path()).unwrap();
    purge.set(0, i64::MAX, 1_000_000);
    let deletion = [1, 1, 20, 0, 0, 0, 0, 0, 0, 0, 10];
    db.merge(header_key(1), deletion).unwrap();
    db.flush().unwrap();
    db.compact_range(None::<&[u8]>, None::<&[u8]>);
    assert_eq!(db.get(header_key(1)).unwrap().as_deref(), Some(&deletion[..]));
    assert!(purge.stats().blind_compactions > 0);
}

#[test]
fn a_malformed_fragment_fails_reads_of_its_key_only() {
    let store = Store::new();
    store.cell((1, 6, 1), 15);
    for byte in 0..3 {
        store.db.merge_cf(&store.family(), row_key(1, 5), [9, 9, byte]).unwrap();
        store.flush();
    }
    store.compact();
    let error = store.db.get_cf(&store.family(), row_key(1, 5)).unwrap_err().into_string();
    assert!(error.contains("Corruption"), "{error}");
    assert!(store.purge.stats().merge_failures > 0);
    assert!(store.db.get_cf(&store.family(), row_key(1, 6)).unwrap().is_some());
    store.cell((1, 7, 1), 15);
    assert_eq!(store.events.first_error(), None);
}

#[test]
fn the_smallest_timestamp_ever_survives_reopening() {
    let mut store = Store::new();
    assert_eq!(store.purge.min_timestamp_ever(), i64::MAX);
    store.cell(CELL, 15);
    assert_eq!(store.purge.min_timestamp_ever(), 15);
    store = store.reopen();
    assert_eq!(store.purge.min_timestamp_ever(), 15);
    store.cell(CELL, 40);
    assert_eq!(store.purge.min_timestamp_ever(), 15);
}

#[test]
fn what_was_in_the_log_counts_after_reopening() {
    for (deletion, key) in header_deletions() {
        let mut store = Store::new();
        store.write(&deletion);
        store.flush();
        store.cell(CELL, 15);
        store = store.reopen();
        store.at(100, 5);
        compact_header(&store);
        assert!(store.has(&key), "{deletion:?}");
        store.compact();
        assert_eq!(store.entries(), vec![], "{deletion:?} once they meet");
    }
}

#[test]
fn a_partition_of_many_files_loses_what_its_header_deletes() {
    for (deletion, _) in [
        (Write::Partition { partition: 1, timestamp: 20, tick: 10 }, ()),
        (Write::Rows { partition: 1, rows: (0, 199), timestamp: 20, tick: 10 }, ()),
    ] {
        let store = Store::with(|_, family| {
            family.set_disable_auto_compactions(true);
            family.set_target_file_size_base(4_000);
            family.set_max_compaction_bytes(4_000);
        });
        for row in 0..200 {
            store.cell((1, row, 1), 15);
        }
        store.flush();
        store.compact_files();
        let files = store.db.live_files().unwrap().len();
        assert!(files >= 4, "{files} files");
        store.write(&deletion);
        store.flush();
        store.at(11, 5);
        store.compact();
        assert_eq!(store.entries().len(), 200 + 1, "{deletion:?}: too young to be certain");
        store.at(20, 15);
        store.compact();
        assert_eq!(store.entries().len(), 1, "{deletion:?}: only the header");
        store.at(26, 15);
        store.compact();
        assert_eq!(store.entries(), vec![], "{deletion:?}");
    }
}
