// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! An export that would fill the device gives up, and leaves nothing.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use crate::common::shipments::EVERYWHERE;
use crate::common::{open, put, ranges, table};
use crate::disk_space::{pretend_free, FREE, RESERVE_BYTES};
use crate::Kind;

#[test]
fn rows_spare_the_reserve_of_the_device() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(&folder.path().join("store"));
    let table = table(&store);
    (0..2000).for_each(|at| put(&table, "p", at, 1, b"value"));
    let shipment = folder.path().join("store/export/one");

    // The first checks find enough.
    let checks = pretend_free(3, RESERVE_BYTES, RESERVE_BYTES - 1);
    let full = table.export(&ranges(&[EVERYWHERE]), &shipment).unwrap_err();
    assert_eq!(full.kind(), Kind::NoSpace);
    assert!(full.message().contains("255 MiB free") && full.message().contains("256 MiB are to stay free"), "{full}");
    assert_eq!(checks.get(), 4, "it went on");
    assert!(!shipment.exists(), "what was written is still there");

    FREE.set(None);
    put(&table, "p", 0, 2, b"with free space it takes writes, and sends them");
    table.export(&ranges(&[EVERYWHERE]), &shipment).unwrap();
}

#[test]
fn whole_files_take_no_space() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(&folder.path().join("store"));
    let table = table(&store);
    (0..2000).for_each(|at| put(&table, "p", at, 1, b"value"));
    table.compact().unwrap();
    FREE.set(Some(Box::new(|| 0)));
    let sent = table.export(&ranges(&[EVERYWHERE]), &folder.path().join("store/export/one")).unwrap();
    assert!(sent.contains("\twhole\t") && !sent.contains("\trows\t"), "{sent}");
    FREE.set(None);
}
