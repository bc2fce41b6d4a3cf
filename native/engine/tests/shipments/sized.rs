// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Estimates of ranges, and cuts at their ends.

use crate::common::*;
use crate::tokens::*;
use cassiterite_engine::Table;
use std::path::Path;
use std::sync::Arc;

/// Partitions, bytes, bytes uncompressed.
fn sizes(table: &Table, list: &[(i64, i64)]) -> Vec<(i64, i64, i64)> {
    let answer = table.range_sizes(&ranges(list)).unwrap();
    let number = |bytes: &[u8]| i64::from_le_bytes(bytes.try_into().unwrap());
    answer.chunks_exact(24).map(|size| (number(&size[..8]), number(&size[8..16]), number(&size[16..]))).collect()
}

fn assert_near(estimate: i64, exact: i64, what: &str) {
    let (low, high) = (exact * 3 / 4, exact * 4 / 3 + 1);
    assert!((low..=high).contains(&estimate), "{what}: {estimate}, exactly {exact}");
}

fn check(table: &Arc<Table>, list: &[(i64, i64)], row_bytes: i64) {
    let found = content(table);
    for (range, (partitions, bytes, data_bytes)) in list.iter().zip(sizes(table, list)) {
        let rows: Vec<_> = found.iter().filter(|((token, _), _)| contains(&[*range], *token)).collect();
        assert_near(partitions, rows.len() as i64, "partitions");
        let exact: i64 = rows.iter().map(|(_, rows)| rows.len() as i64 * row_bytes).sum();
        assert_near(bytes, exact, "bytes");
        assert_near(data_bytes, exact, "bytes uncompressed");
        assert_eq!(partitions == 0, rows.is_empty());
    }
}

#[test]
fn estimates_are_near_the_truth() {
    let directory = tempfile::tempdir().unwrap();
    let store = small_files(&directory.path().join("store"));
    let table = table(&store);
    assert_eq!(sizes(&table, &[ALL]), [(0, 0, 0)]);
    fill(&table, 0..20_000, 1, 300);
    let (wide, narrow) = (ring(5), ring(1000));
    let some = [ALL, wide[0], wide[3], narrow[17], narrow[999], (5, 6)];
    check(&table, &some, 345);
    table.compact().unwrap();
    check(&table, &some, 345);
}

#[test]
fn one_partition_of_many_rows_is_one() {
    let directory = tempfile::tempdir().unwrap();
    let store = small_files(&directory.path().join("store"));
    let table = table(&store);
    for at in 0..5000 {
        put(&table, "wide", at, 1, &noise(u64::from(at), 100));
    }
    let found = sizes(&table, &[ALL, (token("wide"), i64::MAX), (token("wide") - 1, token("wide"))]);
    assert_eq!((found[0].0, found[1], found[2].0), (1, (0, 0, 0), 1));
    assert_near(found[0].1, 5000 * 145, "bytes");
}

#[test]
fn compressed_files_hold_more_than_their_bytes() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(&directory.path().join("store"));
    let table = table(&store);
    for number in 0..3000 {
        put(&table, &format!("p{number}"), 1, 1, &[7; 2000]);
    }
    table.compact().unwrap();
    let (partitions, bytes, data_bytes) = sizes(&table, &[ALL])[0];
    assert_near(partitions, 3000, "partitions");
    assert!(bytes < 3000 * 500, "{bytes}");
    assert_near(data_bytes, 3000 * 2045, "bytes uncompressed");
}

/// Which part of a table's bytes goes whole when each range is asked for by itself.
fn whole_share(table: &Table, ring: &[(i64, i64)], scratch: &Path) -> f64 {
    let mut bytes = [0u64; 2];
    for range in ring {
        let shipment = scratch.join("shipment");
        let answer = table.export(&ranges(&[*range]), &shipment).unwrap();
        for line in lines(&answer).iter().filter(|line| line.kind != "manifest") {
            bytes[usize::from(line.kind == "whole")] += line.bytes;
        }
        std::fs::remove_dir_all(shipment).unwrap();
    }
    bytes[1] as f64 / (bytes[0] + bytes[1]) as f64
}

#[test]
fn files_are_cut_where_ranges_end() {
    let directory = tempfile::tempdir().unwrap();
    let store = small_files(&directory.path().join("store"));
    let table = table(&store);
    let ring = ring(7);
    let whole_share = |table: &Table| whole_share(table, &ring, directory.path());
    fill(&table, 0..5000, 1, 300);
    table.compact().unwrap();
    assert!(whole_share(&table) < 0.95);
    store.set_ring(&boundaries(&ring.iter().rev().map(|range| range.1).collect::<Vec<_>>())).unwrap();
    table.compact().unwrap();
    let share = whole_share(&table);
    assert!(share > 0.98, "all but scraps that are smaller than what is cut: {share}");
    store.set_ring(&boundaries(&[])).unwrap();
    table.compact().unwrap();
    assert!(whole_share(&table) < 0.95, "live, both ways");
}

#[test]
fn the_last_rows_of_a_range_do_not_begin_a_file_of_the_next() {
    let directory = tempfile::tempdir().unwrap();
    let store = small_files(&directory.path().join("store"));
    let table = table(&store);
    fill(&table, 0..20_000, 1, 300);
    // Ranges of about two full files: in many a few rows are left over, fewer than are worth a file of their own.
    for count in [44, 46, 48] {
        let ring = ring(count);
        store.set_ring(&boundaries(&ring.iter().map(|range| range.1).collect::<Vec<_>>())).unwrap();
        table.compact().unwrap();
        let share = whole_share(&table, &ring, directory.path());
        assert!(share > 0.99, "{share} of {count}");
    }
}
