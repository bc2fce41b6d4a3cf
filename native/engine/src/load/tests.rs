// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Loading a snapshot that does not fit ends with an error, and does not fill the device.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use super::BATCH_BYTES;
use crate::common::{half_noise, open, put, table};
use crate::disk_space::{pretend_free, FREE, RESERVE_BYTES};
use crate::Kind;

const ROWS: u32 = 40;

#[test]
fn a_snapshot_for_which_there_is_no_space_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(&folder.path().join("store"));
    let (table, snapshot) = (table(&store), folder.path().join("snapshot"));
    (0..ROWS).for_each(|at| put(&table, "p", at, 1, &half_noise(at.into(), BATCH_BYTES / 8)));
    table.snapshot(&snapshot).unwrap();

    let checks = pretend_free(0, 0, RESERVE_BYTES);
    assert_eq!(table.load(&snapshot).unwrap_err().kind(), Kind::NoSpace);
    assert_eq!(checks.get(), 1, "before anything is written");
    let checks = pretend_free(3, u64::MAX, RESERVE_BYTES - 1);
    let full = table.load(&snapshot).unwrap_err();
    assert!(full.kind() == Kind::NoSpace && full.message().contains("256 MiB are to stay free"), "{full}");
    assert_eq!(checks.get(), 4, "it had begun");
    FREE.set(None);
    assert_eq!(std::fs::read_dir(folder.path().join("store/staging")).unwrap().count(), 0);
    assert_eq!(table.load(&snapshot).unwrap(), u64::from(ROWS));
}
