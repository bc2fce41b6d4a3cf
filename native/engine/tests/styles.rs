// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! A table answers and purges the same in either style of compaction, also when the style changes at a restart.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic, clippy::expect_used)]

mod common;

use cassiterite_engine::{Store, Table};
use common::shipments::*;
use common::*;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const ROUNDS: u32 = 12;
const PARTITIONS: u32 = 30;
const CLUSTERINGS: u32 = 8;

fn names() -> Vec<String> {
    (0..PARTITIONS).map(|number| format!("p{number}")).collect()
}

/// The same table in a store of each style.
struct Pair {
    folder: tempfile::TempDir,
    stores: [Arc<Store>; 2],
}

impl Pair {
    fn new() -> Pair {
        let folder = tempfile::tempdir().unwrap();
        let stores = [0, 1].map(|number| open_with(&path(folder.path(), number), STYLES[number]));
        Pair { folder, stores }
    }

    fn tables(&self) -> [Arc<Table>; 2] {
        self.stores.each_ref().map(|store| table(store))
    }

    /// Each store continues in the other's style.
    fn swap_styles(&mut self) {
        self.stores.iter().for_each(|store| store.close().unwrap());
        self.stores = [0, 1].map(|number| open_with(&path(self.folder.path(), number), STYLES[1 - number]));
    }

    fn write(&self, name: &str, entries: &[(u8, &[u8], &[u8])]) {
        self.tables().iter().for_each(|table| table.write(&update(&partition(name), entries), 0).unwrap());
    }

    fn each(&self, work: impl Fn(&Table)) {
        self.tables().iter().for_each(|table| work(table));
    }

    fn compare(&self) {
        let [leveled, universal] = self.tables();
        assert_same(&universal, &leveled, &names(), CLUSTERINGS);
    }
}

fn path(folder: &Path, number: usize) -> PathBuf {
    folder.join(format!("{number}"))
}

/// Rounds of rows that overwrite each other in part, each in a file.
fn overwrite(pair: &Pair) {
    for round in 0..ROUNDS {
        for (number, name) in (0..).zip(names()) {
            for at in (0..CLUSTERINGS).filter(|at| !(at + number + round).is_multiple_of(3)) {
                let fragment =
                    row(i64::from((round * 5) % ROUNDS) + 100, 1 + round % 2, &half_noise(round.into(), 200));
                pair.write(&name, &[(ROW, &clustering(at), &fragment)]);
            }
        }
        pair.each(|table| table.flush().unwrap());
    }
}

fn compactions(store: &Store) -> u64 {
    let work = store.report("work").unwrap();
    let line = work.lines().find(|line| line.starts_with("compaction\t")).unwrap();
    line.split('\t').nth(2).unwrap().parse().unwrap()
}

/// What RocksDB tells of the options that it has, since the store was opened.
fn options_in_effect(store: &Path) -> String {
    String::from_utf8(std::fs::read(store.join("db/LOG")).unwrap()).unwrap()
}

#[test]
fn overwritten_rows_are_the_same_after_compactions_and_in_the_other_style() {
    let mut pair = Pair::new();
    overwrite(&pair);
    pair.compare();
    for store in &pair.stores {
        await_until("files are compacted without being asked", || compactions(store) > 0);
    }
    pair.compare();
    for universal in [1, 0] {
        let options = options_in_effect(&path(pair.folder.path(), universal));
        assert!(options.contains("Options.compaction_style: kCompactionStyleUniversal"));
        pair.compare();
        pair.each(|table| table.compact().unwrap());
        pair.compare();
        pair.swap_styles();
        pair.compare();
        overwrite(&pair);
        pair.compare();
    }
}

#[test]
fn what_is_deleted_goes_in_either_style() {
    let mut pair = Pair::new();
    overwrite(&pair);
    for name in names().iter().step_by(2) {
        pair.write(name, &[(HEADER, b"", &partition_deletion(1_000))]);
    }
    let deleted = pair.tables().map(|table| table.stats().unwrap()[2]);
    pair.each(|table| table.compact().unwrap());
    pair.compare();
    let headers = |entries: &[Entry]| entries.iter().filter(|entry| matches!(entry, Entry::Header(_))).count();
    let left = whole(&pair.tables()[1]);
    assert_eq!(headers(&left), names().len().div_ceil(2), "no call of set_purge has allowed it");
    pair.each(|table| {
        table.set_purge(0, i64::MAX, 0).unwrap();
        table.compact().unwrap();
    });
    pair.compare();
    let left = whole(&pair.tables()[1]);
    assert_eq!(headers(&left), 0);
    let partitions = left.iter().filter(|entry| matches!(entry, Entry::Partition(..))).count();
    assert_eq!(partitions, names().len() / 2);
    for (table, before) in pair.tables().iter().zip(deleted) {
        assert!(table.stats().unwrap()[2] < before, "the files are smaller than {before} bytes");
    }
    pair.swap_styles();
    pair.compare();
}
