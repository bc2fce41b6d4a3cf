// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! A row that is longer than the caller's buffer is read and merged once.
#![allow(clippy::unwrap_used)]

use crate::common::*;
use crate::compaction::MERGES;

#[test]
fn a_row_longer_than_the_buffer_is_merged_once() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path());
    let table = table(&store);
    table.set_automatic_compaction(false).unwrap();
    for at in 0..3 {
        put(&table, "a", at, 1, &half_noise(at.into(), 1 << 20));
        table.flush().unwrap();
        // Another column of the same row, in another file.
        let fragment = row(2, 2, &half_noise(at.into(), 1 << 20));
        table.write(&update(&partition("a"), &[(ROW, &clustering(at), &fragment)]), 0).unwrap();
    }
    let requests = [
        (read_request(POINTS, 0, &partition("a"), &[point(1)]), 1, 1),
        (read_request(POINTS, 0, &partition("a"), &[point(0), point(2)]), 2, 2),
        (read_request(POINTS | WITH_STATIC, 0, &partition("a"), &[point(1)]), 1, 1),
        (read_request(POINTS | REVERSED, 0, &partition("a"), &[point(0), point(2)]), 2, 2),
        (read_request(0, 0, &partition("a"), &everything()), 3, 3),
        (read_request(REVERSED, 0, &partition("a"), &everything()), 3, 3),
    ];
    for (number, (request, rows, merges)) in requests.into_iter().enumerate() {
        let wanted = read_all(&table, &request, 16 << 20);
        MERGES.set(0);
        let found = read_all(&table, &request, 1 << 20);
        assert_eq!(MERGES.get(), merges, "of request {number}");
        assert!(found == wanted, "of request {number}");
        assert_eq!(found.iter().filter(|entry| matches!(entry, Entry::Row(_))).count(), rows, "of request {number}");
    }
}
