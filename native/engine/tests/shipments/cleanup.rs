// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Cleanup leaves nothing of what it removes, and all of what the table owns.

use crate::common::*;
use crate::tokens::*;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

/// Every value holds this, in its token's half of the ring.
const MARKS: [&[u8]; 2] = [b"lower half of the ring", b"upper half of the ring"];
const LOWER: (i64, i64) = (i64::MIN, 0);

fn fill_marked(table: &cassiterite_engine::Table, timestamp: i64) {
    for number in 0..3000u64 {
        let name = format!("p{number}");
        let mark = MARKS[usize::from(token(&name) > 0)];
        put(table, &name, 1, timestamp, &[mark, &noise(number + 1, 100)].concat());
    }
}

/// How often the mark is in any table file of the store, also in one that RocksDB has yet to delete.
fn marks(store: &Path, mark: &[u8]) -> usize {
    std::fs::read_dir(store.join("db"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "sst"))
        .filter_map(|path| std::fs::read(path).ok())
        .map(|bytes| bytes.windows(mark.len()).filter(|window| *window == mark).count())
        .sum()
}

/// Waits until the mark is in no table file.
fn await_no_marks(store: &Path, mark: &[u8], what: &str) {
    await_until(&format!("marks are left: {what}"), || marks(store, mark) == 0);
}

#[test]
fn what_is_not_owned_leaves_no_trace() {
    STYLES.into_iter().for_each(removal_leaves_no_trace);
}

fn removal_leaves_no_trace(style: &str) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("store");
    let store = small_files_of(style, &path);
    let table = table(&store);
    fill_marked(&table, 1);
    table.compact().unwrap();
    fill_marked(&table, 2); // above what is there: several versions, on several levels, and in the memtable
    let before = content(&table);
    let owned = [(i64::MIN, -4_000_000_000_000_000_000), (-3_000_000_000_000_000_000, 0)];
    table.cleanup(&ranges(&owned)).unwrap();
    assert!(content(&table) == within(&before, &owned));
    await_no_marks(&path, MARKS[1], style);
    let left = marks(&path, MARKS[0]);
    let expected = within(&before, &owned).len();
    assert!((expected..expected * 2 + 1).contains(&left), "{left} of {expected}");

    fill_marked(&table, 3);
    assert!(content(&table).len() == before.len(), "what is written afterwards stays");
    table.cleanup(&ranges(&[LOWER])).unwrap();
    await_no_marks(&path, MARKS[1], style);
    store.close().unwrap();
    let store = small_files_of(style, &path);
    assert!(content(&crate::common::table(&store)).keys().all(|(token, _)| *token <= 0));
}

#[test]
fn owning_nothing_empties_and_owning_all_changes_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("store");
    let store = small_files(&path);
    let table = table(&store);
    table.cleanup(&ranges(&[LOWER])).unwrap();
    fill_marked(&table, 1);
    let before = content(&table);
    table.cleanup(&ranges(&[ALL])).unwrap();
    assert!(content(&table) == before);
    table.cleanup(&ranges(&[])).unwrap();
    assert!(content(&table).is_empty());
    MARKS.iter().for_each(|mark| await_no_marks(&path, mark, "of nothing that is owned"));
}

#[test]
fn headers_and_statics_go_with_their_partition() {
    let directory = tempfile::tempdir().unwrap();
    let store = small_files(&directory.path().join("store"));
    let table = table(&store);
    for number in 0..300 {
        let name = format!("p{number}");
        let header = partition_deletion(5);
        let (fixed, at_one) = (row(6, 3, b"static"), row(7, 1, b"row"));
        let entries: [(u8, &[u8], &[u8]); 3] =
            [(HEADER, b"", &header), (STATIC, b"", &fixed), (ROW, &clustering(1), &at_one)];
        table.write(&update(&partition(&name), &entries), 0).unwrap();
    }
    let before = content(&table);
    table.cleanup(&ranges(&[LOWER])).unwrap();
    assert!(content(&table) == within(&before, &[LOWER]));
}

/// The folder of the store that the process to be killed cleans up.
const VICTIM: &str = "CASSITERITE_TEST_KEEPS_IN";
const OWNED: [(i64, i64); 2] = [(i64::MIN, -6_000_000_000_000_000_000), (-1_000_000_000_000_000_000, 0)];

#[test]
#[ignore = "the process that the next test kills"]
fn cleans_up_until_killed() {
    let Some(path) = std::env::var_os(VICTIM) else { return };
    let store = small_files(Path::new(&path));
    let table = table(&store);
    println!("cleaning up");
    table.cleanup(&ranges(&OWNED)).unwrap();
    store.close().unwrap();
}

#[test]
fn a_cleanup_that_is_killed_loses_nothing_that_is_owned_and_can_be_done_again() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("store");
    let mut killed = 0;
    for run in 0..8 {
        let store = small_files(&path);
        let before = {
            let table = table(&store);
            fill_marked(&table, run + 1);
            content(&table)
        };
        store.close().unwrap();
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "cleanup::cleans_up_until_killed", "--ignored", "--nocapture", "--test-threads=1"])
            .env(VICTIM, &path)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
        assert!(lines.any(|line| line.contains("cleaning up")), "it has begun");
        std::thread::sleep(Duration::from_millis(run as u64 * 4));
        child.kill().unwrap();
        killed += u32::from(!child.wait().unwrap().success());

        let store = small_files(&path);
        let table = table(&store);
        let after = content(&table);
        assert!(within(&after, &OWNED) == within(&before, &OWNED), "run {run}");
        table.cleanup(&ranges(&OWNED)).unwrap();
        assert!(content(&table) == within(&before, &OWNED), "run {run}");
        await_no_marks(&path, MARKS[1], &format!("run {run}"));
        store.close().unwrap();
    }
    assert!(killed > 2, "{killed} were killed before they had finished");
}
