// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Whatever the bytes of a request or of a shipment: a result or an error that does not poison the table, never a
//! panic.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic)]

mod common;

use cassiterite_engine::{cursor_close, Kind, Result, Store, Table};
use cassiterite_testkit::spoilt::spoilt;
use common::shipments::{ship_ranges, EVERYWHERE};
use common::*;
use proptest::prelude::*;
use std::fs;
use std::path::PathBuf;
use std::sync::{Arc, LazyLock};

/// One store for all cases: it must live on after each.
struct Fixture {
    store: Arc<Store>,
    table: Arc<Table>,
    shipment: PathBuf,
    folder: tempfile::TempDir,
}

const MANIFEST: &str = "cassiterite.manifest";

static FIXTURE: LazyLock<Fixture> = LazyLock::new(|| {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let table = table(&store);
    (0..20).for_each(|at| put(&table, "a", at, 5, b"value"));
    let shipment = ship_ranges(&table, &[EVERYWHERE], folder.path());
    Fixture { store, table, shipment, folder }
});

/// A refusal, of whatever kind, is good; that something inside broke is not.
fn checked<T>(result: Result<T>) -> std::result::Result<Option<T>, TestCaseError> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(error) if error.kind() == Kind::Internal => Err(TestCaseError::fail(error.to_string())),
        Err(_) => Ok(None),
    }
}

fn writes() -> Vec<Vec<u8>> {
    let (key, fragment) = (partition("a"), row(7, 1, b"other"));
    vec![
        update(&key, &[(ROW, &clustering(3), &fragment), (STATIC, &[], &row(7, 3, b"static"))]),
        update(&key, &[(HEADER, &[], &partition_deletion(2))]),
    ]
}

fn reads() -> Vec<Vec<u8>> {
    let key = partition("a");
    vec![
        read_request(WITH_STATIC, 64, &key, &everything()),
        read_request(REVERSED, 4096, &key, &everything()),
        read_request(POINTS, 4096, &key, &[point(1), point(2), point(90)]),
    ]
}

fn scans() -> Vec<Vec<u8>> {
    let key = partition("a");
    vec![
        scan_request(WHOLE, 64, &[], &[], &[]),
        scan_request(KEYS_ONLY, 64, &key, &[], &[]),
        scan_request(POINTS | WITH_STATIC, 64, &[], &key, &[point(1)]),
        scan_request(0, 64, &[], &[], &everything()),
    ]
}

/// Ends what an answer left open.
fn close(answer: &[u8], filled: i32) -> Result<()> {
    match answer.first_chunk::<8>().map(|handle| i64::from_le_bytes(*handle)) {
        Some(handle) if filled > 0 && handle != 0 => cursor_close(handle),
        _ => Ok(()),
    }
}

proptest! {
    #[test]
    fn writes_never_panic(request in spoilt(writes()), flags in 0u32..3) {
        checked(FIXTURE.table.write(&request, flags))?;
    }

    #[test]
    fn reads_never_panic(request in spoilt(reads()), capacity in 0usize..5000) {
        let mut answer = vec![0; capacity];
        if let Some(filled) = checked(FIXTURE.table.read(&request, &mut answer))? {
            checked(close(&answer, filled))?;
        }
    }

    #[test]
    fn scans_never_panic(request in spoilt(scans()), capacity in 0usize..5000) {
        let mut answer = vec![0; capacity];
        if let Some(filled) = checked(FIXTURE.table.scan(&request, &mut answer))? {
            checked(close(&answer, filled))?;
        }
    }

    #[test]
    fn token_ranges_never_panic(list in spoilt(vec![ranges(&[(i64::MIN, 3), (5, 9), (8, i64::MAX)])])) {
        checked(FIXTURE.table.range_sizes(&list))?;
        checked(FIXTURE.store.set_ring(&list))?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn shipments_never_panic(manifest in spoilt(vec![fs::read(FIXTURE.shipment.join(MANIFEST)).unwrap()])) {
        for body in [&manifest[..], &sealed(&manifest)] {
            let folder = tempfile::tempdir_in(FIXTURE.folder.path()).unwrap();
            for entry in fs::read_dir(&FIXTURE.shipment).unwrap() {
                let file = entry.unwrap().path();
                fs::hard_link(&file, folder.path().join(file.file_name().unwrap())).unwrap();
            }
            fs::remove_file(folder.path().join(MANIFEST)).unwrap();
            fs::write(folder.path().join(MANIFEST), body).unwrap();
            checked(FIXTURE.table.load(folder.path()))?;
            checked(FIXTURE.table.receive(folder.path()))?;
        }
    }
}

/// With a seal that fits, in place of the one that it had.
fn sealed(manifest: &[u8]) -> Vec<u8> {
    let body = &manifest[..manifest.len().saturating_sub(4)];
    let seal = crc32c::crc32c_append(crc32c::crc32c(MANIFEST.as_bytes()), body);
    [body, &seal.to_le_bytes()].concat()
}
