// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Snapshots are consistent images; loading one merges it, under the table's own column ids.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic)]

mod common;

use cassiterite_engine::{report_manifests, Kind, Store, Table};
use common::*;
use std::collections::BTreeSet;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::Arc;

fn filled(store: &Store) -> Arc<Table> {
    let table = table(store);
    for number in 0..500u32 {
        put(&table, &format!("p{}", number % 50), number / 50, i64::from(number) + 1, b"old");
        if number == 250 {
            table.flush().unwrap();
        }
    }
    table.write(&update(&partition("p1"), &[(HEADER, b"", &partition_deletion(1))]), 0).unwrap();
    table.write(&update(&partition("p1"), &[(STATIC, b"", &row(5, 3, b"static"))]), 0).unwrap();
    table
}

fn whole(table: &Arc<Table>) -> Vec<Entry> {
    scan_all(table, &scan_request(WHOLE | WITH_STATIC, 1 << 20, b"", b"", &[]), 1 << 20)
}

#[test]
fn a_snapshot_of_an_emptied_generation_knows_its_deletions() {
    let directory = tempfile::tempdir().unwrap();
    let taken = directory.path().join("snapshots/one");
    let store = open(&directory.path().join("store"));
    let table = filled(&store);
    table.truncate().unwrap();
    table.snapshot(&taken).unwrap();
    let other = open(&directory.path().join("other"));
    let fresh = common::table(&other);
    fresh.receive(&taken).unwrap();
    let found = read_all(&fresh, &read_request(POINTS, 0, &partition("p1"), &[point(1)]), 1000);
    assert!(matches!(found[0], Entry::Header(_)), "{found:?}");
}

#[test]
fn a_snapshot_holds_the_table_as_it_was() {
    let directory = tempfile::tempdir().unwrap();
    let taken = directory.path().join("snapshots/one");
    let store = open(&directory.path().join("store"));
    let table = filled(&store);
    let before = whole(&table);
    table.snapshot(&taken).unwrap();
    assert_eq!(table.snapshot(&taken).unwrap_err().kind(), Kind::Invalid, "never into what exists");
    put(&table, "later", 1, 1, b"new");
    table.compact().unwrap();
    let linked = std::fs::read_dir(&taken).unwrap().map(|entry| entry.unwrap().metadata().unwrap());
    assert!(linked.count() >= 2);

    let emptied = table.truncate().unwrap();
    table.retire().unwrap();
    let loaded = emptied.load(&taken).unwrap();
    assert_eq!(loaded, 502);
    assert!(whole(&emptied) == before);
    assert_eq!(emptied.load(&taken).unwrap(), 502, "loading twice is loading once");
    assert!(whole(&emptied) == before);
    let request = read_request(POINTS, 0, &partition("p1"), &[point(1)]);
    let found = read_all(&emptied, &request, 1000);
    assert!(matches!(found[0], Entry::Header(_)), "headers that were loaded are read");
    store.close().unwrap();

    let store = open(&directory.path().join("store"));
    assert!(whole(&common::table(&store)) == before);
    assert!(manifest_in(&taken).exists(), "loading takes nothing away");
    let other = open(&directory.path().join("other"));
    let restored = common::table(&other);
    assert_eq!(restored.load(&taken).unwrap(), 502);
    assert!(whole(&restored) == before, "another store loads it too");
}

#[test]
fn of_two_snapshots_into_one_directory_one_stands() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(&directory.path().join("store"));
    let table = table(&store);
    for round in 0..10 {
        put(&table, &format!("p{round}"), 1, 1, &[7; 100_000]);
        let taken = directory.path().join(format!("snapshot-{round}"));
        let both: Vec<_> = std::thread::scope(|scope| {
            let takers: Vec<_> = (0..2).map(|_| scope.spawn(|| table.snapshot(&taken))).collect();
            takers.into_iter().map(|taker| taker.join().unwrap()).collect()
        });
        assert_eq!(both.iter().filter(|result| result.is_ok()).count(), 1, "{both:?}");
        let refused = both.into_iter().find_map(Result::err).unwrap();
        assert_eq!(refused.kind(), Kind::Invalid, "{refused}");
        assert!(manifest_in(&taken).exists());
    }
}

#[test]
fn loading_merges_with_what_is_there_under_the_ids_of_the_table() {
    let directory = tempfile::tempdir().unwrap();
    let taken = directory.path().join("snapshot");
    let store = open(&directory.path().join("store"));
    let source = store.table(&schema(&TABLE, &[(0, "v", "blob"), (0, "gone", "int"), (0, "w", "blob")])).unwrap();
    for (at, column) in [(1, 1), (2, 2), (3, 3)] {
        let fragment = row(10, column, b"loaded");
        source.write(&update(&partition("a"), &[(ROW, &clustering(at), &fragment)]), 0).unwrap();
    }
    source.snapshot(&taken).unwrap();

    let target_id = *b"fedcba9876543210";
    let target = store.table(&schema(&target_id, &[(0, "w", "blob"), (0, "v", "blob")])).unwrap();
    let newer = row(20, 2, b"newer");
    target.write(&update(&partition("a"), &[(ROW, &clustering(1), &newer)]), 0).unwrap();
    assert_eq!(target.load(&taken).unwrap(), 3);
    let found = rows(&target, "a");
    assert_eq!(found[0], newer, "what is newer stays");
    let liveness_only = [&[1, 2][..], &10i64.to_le_bytes()].concat();
    assert_eq!(found[1], liveness_only, "a column that the table has not is left out");
    assert_eq!(found[2], row(10, 1, b"loaded"));
}

#[test]
fn loading_keeps_values_of_columns_that_are_hidden_on_either_side() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(&directory.path().join("store"));
    let (v, w) = ((0, "v", "blob"), (0, "w", "blob"));
    for (number, hidden_in_source, hidden_in_target) in [(1, true, false), (2, false, true), (3, true, true)] {
        let taken = directory.path().join(format!("snapshot {number}"));
        let source = store.table(&schema(&[number; 16], &[v, w])).unwrap();
        source.write(&update(&partition("a"), &[(ROW, &clustering(1), &row(10, 2, b"of w"))]), 0).unwrap();
        let target = store.table(&schema(&[number + 10; 16], &[w, v])).unwrap();
        if hidden_in_source {
            source.columns(&schema(&[number; 16], &[v])).unwrap();
        }
        if hidden_in_target {
            target.columns(&schema(&[number + 10; 16], &[v])).unwrap();
        }
        source.snapshot(&taken).unwrap();
        assert_eq!(target.load(&taken).unwrap(), 1);
        assert_eq!(rows(&target, "a"), [row(10, 1, b"of w")], "{number}");
    }
}

#[test]
fn damage_is_found() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(&directory.path().join("store"));
    let table = filled(&store);
    let taken = directory.path().join("snapshot");
    table.snapshot(&taken).unwrap();
    let file = std::fs::read_dir(&taken)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .find(|path| path.extension().is_some_and(|extension| extension == "sst"))
        .unwrap();
    assert!(std::fs::metadata(&file).unwrap().nlink() > 1, "a hard link");
    let bytes = std::fs::read(&file).unwrap();
    let replace = |bytes: &[u8]| {
        std::fs::remove_file(&file).unwrap();
        std::fs::write(&file, bytes).unwrap();
    };
    replace(&bytes[..bytes.len() - 1]);
    assert_eq!(table.load(&taken).unwrap_err().kind(), Kind::Corruption);
    let mut flipped = bytes.clone();
    flipped[100] ^= 1;
    replace(&flipped);
    assert_eq!(table.load(&taken).unwrap_err().kind(), Kind::Corruption);
    replace(&bytes);
    let manifest = manifest_in(&taken);
    let good = std::fs::read(&manifest).unwrap();
    let mut bad = good.clone();
    bad[20] ^= 1;
    std::fs::write(&manifest, &bad).unwrap();
    assert_eq!(table.load(&taken).unwrap_err().kind(), Kind::Corruption);
    std::fs::write(&manifest, &good).unwrap();
    table.load(&taken).unwrap();
    assert_eq!(table.load(&directory.path().join("nowhere")).unwrap_err().kind(), Kind::Invalid);
}

#[test]
fn an_empty_table_has_an_empty_snapshot() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(&directory.path().join("store"));
    let table = table(&store);
    let taken = directory.path().join("snapshot");
    table.snapshot(&taken).unwrap();
    assert_eq!(table.load(&taken).unwrap(), 0);
    assert_eq!(table.stats().unwrap()[5], 1, "still clean");
}

fn names(directory: &Path) -> BTreeSet<String> {
    std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

/// What a program does that has one folder for all snapshots of a table.
fn flatten(taken: &Path, into: &Path) {
    std::fs::create_dir_all(into).unwrap();
    for name in names(taken) {
        std::fs::copy(taken.join(&name), into.join(&name)).unwrap();
    }
}

#[test]
fn a_file_has_one_name_in_all_snapshots_and_no_other_file_has_it() {
    let directory = tempfile::tempdir().unwrap();
    let taken = |name: &str| directory.path().join("snapshots").join(name);
    let fill = |name: &str| {
        let store = open(&directory.path().join(name));
        let table = filled(&store);
        table.snapshot(&taken(name)).unwrap();
        (store, table)
    };
    let (store, table) = fill("one");
    let (_rebuilt, _same) = fill("two");
    assert!(names(&taken("one")).is_disjoint(&names(&taken("two"))), "another store has the same numbers");

    table.snapshot(&taken("again")).unwrap();
    assert_eq!(names(&taken("again")), names(&taken("one")), "nothing has changed");
    put(&table, "later", 1, 1, b"new");
    table.snapshot(&taken("later")).unwrap();
    let added: Vec<_> = names(&taken("later")).difference(&names(&taken("one"))).cloned().collect();
    assert_eq!(added.len(), 2, "one file and a manifest: {added:?}");
    store.close().unwrap();

    // A store that was rolled back takes the same numbers once more.
    let rolled_back = directory.path().join("rolled back");
    for folder in ["", "db"] {
        flatten_files(&directory.path().join("one").join(folder), &rolled_back.join(folder));
    }
    let written = |store: &Path, name: &str| {
        let store = open(store);
        let table = common::table(&store);
        put(&table, name, 1, 1, name.as_bytes());
        table.snapshot(&taken(name)).unwrap();
        store.close().unwrap();
        names(&taken(name)).difference(&names(&taken("later"))).cloned().collect::<BTreeSet<_>>()
    };
    let first = written(&directory.path().join("one"), "first");
    let second = written(&rolled_back, "second");
    assert!(first.is_disjoint(&second), "{first:?} {second:?}");
}

fn flatten_files(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap().map(Result::unwrap).filter(|entry| entry.path().is_file()) {
        std::fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
    }
}

#[test]
fn of_several_snapshots_in_a_folder_the_one_that_is_named_is_loaded() {
    let directory = tempfile::tempdir().unwrap();
    let flat = directory.path().join("flat");
    let mut manifests = Vec::new();
    for (name, rows) in [("one", 3), ("two", 5)] {
        let store = open(&directory.path().join(name));
        let table = table(&store);
        (0..rows).for_each(|at| put(&table, "a", at, 1, b"value"));
        let taken = directory.path().join(format!("taken {name}"));
        table.snapshot(&taken).unwrap();
        flatten(&taken, &flat);
        manifests.push((flat.join(manifest_in(&taken).file_name().unwrap()), rows));
    }
    let store = open(&directory.path().join("restored"));
    let table = table(&store);
    let refused = table.load(&flat).unwrap_err();
    assert!(refused.kind() == Kind::Invalid && refused.message().contains("holds 2 snapshots"), "{refused}");
    for (manifest, rows) in manifests {
        assert_eq!(table.load(&manifest).unwrap(), u64::from(rows));
        assert_eq!(common::rows(&table, "a").len(), rows as usize);
    }
}

#[test]
fn a_manifest_with_the_name_of_another_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(&directory.path().join("store"));
    let table = table(&store);
    let taken = ["one", "two"].map(|name| {
        put(&table, name, 1, 1, b"value");
        table.snapshot(&directory.path().join(name)).unwrap();
        directory.path().join(name)
    });
    std::fs::copy(manifest_in(&taken[0]), manifest_in(&taken[1])).unwrap();
    let refused = table.load(&taken[1]).unwrap_err();
    assert!(refused.kind() == Kind::Corruption && refused.message().contains("of another manifest"), "{refused}");
}

#[test]
fn a_folder_with_the_snapshot_in_it_is_refused_with_its_place() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(&directory.path().join("store"));
    let table = table(&store);
    put(&table, "a", 1, 1, b"value");
    let taken = directory.path().join("tag/.cassiterite");
    table.snapshot(&taken).unwrap();
    let refused = table.load(taken.parent().unwrap()).unwrap_err();
    assert!(refused.message().ends_with(&format!("; give {}", taken.display())), "{refused}");
}

/// Files were called by their number alone, and every manifest had one name.
#[test]
fn a_snapshot_of_the_layout_before_is_loaded() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path());
    let table = table(&store);
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/snapshot-v3");
    assert_eq!(table.load(&golden).unwrap(), 12);
    assert_eq!(rows(&table, "a").len(), 10);
    let found = read_all(&table, &read_request(POINTS, 0, &partition("b"), &[point(1)]), 1000);
    assert!(matches!(found[0], Entry::Header(_)), "{found:?}");
}

/// Rows under another key would make the table unreadable.
#[test]
fn a_snapshot_of_a_table_with_another_key_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let taken = directory.path().join("taken");
    let source = open(&directory.path().join("source"));
    let keyed = |store: &Store, id: u8, key: &str| {
        store.table(&schema_with_key(key, &[id; 16], &[(0, "v", "blob")], &[])).unwrap()
    };
    let table = keyed(&source, 1, "(text), int DESC");
    put(&table, "p", 1, 1, b"v");
    table.flush().unwrap();
    let emptied = source.table(&schema(&[1; 16], &[(0, "v", "blob")])).unwrap();
    emptied.snapshot(&taken).unwrap();
    assert!(report_manifests(&taken).unwrap().contains("\t(text), int DESC\t"), "the key is told once");

    let other = open(&directory.path().join("other"));
    let refused = keyed(&other, 2, "(text), int").load(&taken).unwrap_err();
    assert_eq!(refused.kind(), Kind::Invalid);
    assert!(refused.message().contains("whose key is (text), int DESC; the table's key is (text), int,"), "{refused}");
    assert_eq!(keyed(&other, 3, "(text), int DESC").load(&taken).unwrap(), 1);
    assert_eq!(keyed(&other, 4, "").load(&taken).unwrap(), 1, "nothing tells its key");
    assert_eq!(keyed(&other, 1, "(text), int").load(&taken).unwrap(), 1, "under one id a key stays the same");
    let truncated = keyed(&other, 2, "(text), int").truncate().unwrap();
    assert_eq!(truncated.load(&taken).unwrap_err().kind(), Kind::Invalid);
}

/// They keep the name of their birth, and tell their number here.
#[test]
fn files_that_came_from_elsewhere_are_found_by_their_names() {
    let directory = tempfile::tempdir().unwrap();
    let taken = directory.path().join("taken");
    let source = open(&directory.path().join("source"));
    let table = filled(&source);
    table.compact().unwrap();
    table.snapshot(&taken).unwrap();
    let birth = names(&taken).into_iter().find(|name| name.ends_with(".sst")).unwrap();
    let other = open(&directory.path().join("other"));
    let received = common::table(&other);
    (0..20).for_each(|_| other.table(&schema(&[9; 16], &[])).unwrap().flush().unwrap());
    put(&received, "earlier", 1, 1, b"value");
    received.flush().unwrap();
    received.set_automatic_compaction(false).unwrap();
    received.receive(&taken).unwrap();
    let again = directory.path().join("again");
    received.snapshot(&again).unwrap();
    for name in names(&again).into_iter().filter(|name| name.ends_with(".sst")) {
        let number = name.trim_end_matches(".sst").rsplit('-').next().unwrap().to_owned();
        let here = directory.path().join(format!("other/db/{number}.sst"));
        let inode = |path: &Path| std::fs::metadata(path).unwrap_or_else(|_| panic!("{}", path.display())).ino();
        assert_eq!(inode(&here), inode(&again.join(&name)), "{name}");
    }
    let birth = birth.trim_end_matches(".sst");
    assert!(names(&again).iter().any(|name| name.starts_with(birth)), "{birth} is not in {:?}", names(&again));
    let fresh = open(&directory.path().join("fresh"));
    assert_eq!(common::table(&fresh).load(&again).unwrap(), 503);
}

#[test]
fn a_report_of_manifests_tells_what_is_there_and_what_is_damaged() {
    let directory = tempfile::tempdir().unwrap();
    let taken = directory.path().join("snapshot");
    let store = open(&directory.path().join("store"));
    let table = filled(&store);
    table.snapshot(&taken).unwrap();
    let manifest = manifest_in(&taken);
    let name = manifest.file_name().unwrap().to_string_lossy().into_owned();
    let lines = |at: &Path| -> Vec<Vec<String>> {
        let report = report_manifests(at).unwrap();
        report.lines().skip(1).map(|line| line.split('\t').map(str::to_owned).collect()).collect()
    };
    let whole = lines(&taken);
    assert_eq!(whole.len(), 1);
    let ssts = std::fs::read_dir(&taken).unwrap().map(|entry| entry.unwrap().metadata().unwrap().len());
    let files: Vec<u64> = ssts.collect();
    let bytes = files.iter().sum::<u64>() - std::fs::metadata(&manifest).unwrap().len();
    let id = "30313233-3435-3637-3839-616263646566";
    let (count, bytes) = ((files.len() - 1).to_string(), bytes.to_string());
    assert_eq!(whole[0], [&name, "ks", "t", id, "0", "1", &count, &bytes, "", ""]);
    assert_eq!(lines(&manifest), whole, "by its own path");

    table.write(&update(&partition("p1"), &[(STATIC, b"", &row(5, 3, b"later"))]), 0).unwrap();
    let later = directory.path().join("later");
    table.snapshot(&later).unwrap();
    for entry in std::fs::read_dir(&later).unwrap().map(|entry| entry.unwrap()) {
        let target = taken.join(entry.file_name());
        if !target.exists() {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
    let both = lines(&taken);
    assert_eq!(both.len(), 3, "{both:?}");
    assert!(both[2][0].is_empty() && both[2][9].contains("holds 2 snapshots"), "{both:?}");
    std::fs::write(&manifest, b"spoilt").unwrap();
    let spoilt = lines(&taken);
    assert_eq!(spoilt.len(), 2, "one is damaged, and the other is told nevertheless: {spoilt:?}");
    let damaged = spoilt.iter().find(|line| line[0] == name).unwrap();
    assert!(damaged[1].is_empty() && damaged[9].contains(&name), "{damaged:?}");
    std::fs::remove_file(&manifest).unwrap();
    for file in std::fs::read_dir(&taken).unwrap().map(|entry| entry.unwrap().path()) {
        if file.extension().is_some_and(|end| end == "sst") {
            std::fs::remove_file(&file).unwrap(); // the store has it, too
            std::fs::write(&file, b"short").unwrap();
        }
    }
    let short = lines(&taken);
    assert!(short.len() == 1 && short[0][9].contains("copy it again"), "{short:?}");
    assert_eq!(report_manifests(directory.path()).unwrap_err().kind(), Kind::Invalid);
}
