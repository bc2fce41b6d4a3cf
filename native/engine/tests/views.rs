// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Who frees the memtable that a reader was the last one to see. The test is alone in its process: it keeps busy all the
//! threads of RocksDB that flush.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic)]

mod common;

use cassiterite_engine::{cursor_close, Store};
use common::*;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

const MIB: u64 = 1 << 20;
const ROWS: u32 = 64;
const ROW_BYTES: usize = 128 << 10;
/// One thread flushes, and as fast as the limit lets it.
const SETTINGS: &str = "background_jobs=1\nwrite_buffers_total=24MiB";
const OTHER: [u8; 16] = *b"fedcba9876543210";

fn memtable_bytes(store: &Store) -> u64 {
    number(store, "caches", "write_buffers", 1)
}

fn files(directory: &Path) -> BTreeSet<PathBuf> {
    let paths = std::fs::read_dir(directory.join("db")).unwrap().map(|entry| entry.unwrap().path());
    paths.filter(|path| path.extension().is_some_and(|of| of == "sst")).collect()
}

/// Lets flushes be as fast as they can again, also where the test fails.
struct Unlimited<'a>(&'a Store);

impl Drop for Unlimited<'_> {
    fn drop(&mut self) {
        let _ = self.0.set("compaction_rate_limit=0B/s");
    }
}

#[test]
fn a_reader_frees_no_memtable() {
    let directory = tempfile::tempdir().unwrap();
    let store = open_with(directory.path(), SETTINGS);
    let read = table(&store);
    let other = store.table(&schema(&OTHER, &[(0, "v", "blob")])).unwrap();
    (0..ROWS).for_each(|row| put(&read, "a", row, 1, &half_noise(u64::from(row), ROW_BYTES)));
    let mut buffer = vec![0; 1 << 20];
    let filled = read.read(&read_request(0, 1, &partition("a"), &everything()), &mut buffer).unwrap();
    let (cursor, _) = parse(&buffer[..filled as usize]);
    assert_ne!(cursor, 0, "the read goes on");
    read.flush().unwrap();
    (0..4).for_each(|row| put(&other, "b", row, 1, &half_noise(u64::from(row), 1 << 20)));
    let before = files(directory.path());
    store.set("compaction_rate_limit=64KiB/s").unwrap();
    std::thread::scope(|scope| {
        let _unlimited = Unlimited(&store);
        scope.spawn(|| other.flush().unwrap());
        // The catalog's files may be compacted away meanwhile.
        await_until("the flush has begun", || !files(directory.path()).is_subset(&before));
        let seen = memtable_bytes(&store);
        assert!(seen >= 8 * MIB, "the read sees {seen} bytes");
        cursor_close(cursor).unwrap();
        let after = memtable_bytes(&store);
        assert_eq!(after, seen, "the thread that ended the read has freed {} bytes", seen - after);
    });
    await_until("the memtable is still there", || memtable_bytes(&store) < 8 * MIB);
}
