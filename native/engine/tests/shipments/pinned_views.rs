// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! A shipment is one view of the table, whatever is written, flushed, compacted and purged meanwhile.

use crate::common::*;
use crate::tokens::*;
use cassiterite_engine::Table;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::Arc;
use std::time::{Duration, Instant};

const PARTITIONS: i64 = 300;
const RUNS: u64 = 6;

/// Update number `n` (from 1) writes one row with timestamp `n`, so that the contents of a view tell when it was taken.
fn write_number(table: &Table, number: i64) {
    let (name, at) = place(number);
    let length = 50 + (number as usize * 37) % 900;
    put(table, &name, at, number, &noise(number as u64, length));
}

fn place(number: i64) -> (String, u32) {
    let mixed = (number as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 33;
    (format!("p{}", mixed as i64 % PARTITIONS), (mixed >> 12) as u32 % 5)
}

/// The timestamps of the rows after so many updates, in the ranges.
fn state(updates: i64, wanted: &[(i64, i64)]) -> BTreeMap<(String, u32), i64> {
    (1..=updates).map(|number| (place(number), number)).filter(|((name, _), _)| contains(wanted, token(name))).collect()
}

/// The timestamps of the rows of a shipment.
fn found(shipment: &std::path::Path, scratch: &std::path::Path) -> BTreeMap<(String, u32), i64> {
    let rows = shipped(shipment, scratch);
    let mut found = BTreeMap::new();
    for ((_, name), entries) in rows {
        for entry in entries {
            let Entry::Row(fragment) = entry else { panic!("{entry:?}") };
            let number = i64::from_le_bytes(fragment[2..10].try_into().unwrap());
            let (expected_name, at) = place(number);
            assert_eq!(expected_name.as_bytes(), name);
            assert!(found.insert((expected_name, at), number).is_none());
        }
    }
    found
}

#[test]
fn a_shipment_is_one_pinned_view_under_writes_flushes_and_compactions() {
    let directory = tempfile::tempdir().unwrap();
    let store = small_files(&directory.path().join("store"));
    let table = table(&store);
    let ring = ring(6);
    store.set_ring(&boundaries(&ring.iter().map(|range| range.1).collect::<Vec<_>>())).unwrap();
    let wanted = [ring[0], ring[2], ring[3], (ring[5].0, ring[5].0 / 2 + i64::MAX / 2)];
    let (written, stop) = (Arc::new(AtomicI64::new(0)), Arc::new(AtomicBool::new(false)));
    let writer = std::thread::spawn({
        let (table, written, stop) = (Arc::clone(&table), Arc::clone(&written), Arc::clone(&stop));
        move || {
            for number in 1.. {
                if stop.load(Ordering::SeqCst) {
                    return;
                }
                write_number(&table, number);
                written.store(number, Ordering::SeqCst);
                if number > 3000 && number % 4 == 0 {
                    std::thread::sleep(Duration::from_micros(300));
                }
            }
        }
    });
    let shaker = std::thread::spawn({
        let (table, stop) = (Arc::clone(&table), Arc::clone(&stop));
        move || {
            while !stop.load(Ordering::SeqCst) {
                table.flush().unwrap();
                table.compact().unwrap();
            }
        }
    });
    while written.load(Ordering::SeqCst) < 3000 {
        std::thread::sleep(Duration::from_millis(5));
    }
    let (mut run, mut whole, started) = (0, 0, Instant::now());
    while run < RUNS || (whole == 0 && started.elapsed() < TRY_MAX) {
        let before = written.load(Ordering::SeqCst);
        let shipment = directory.path().join(format!("shipment{run}"));
        let answer = table.export(&ranges(&wanted), &shipment).unwrap();
        let after = written.load(Ordering::SeqCst) + 1;
        whole += lines(&answer).iter().filter(|line| line.kind == "whole").count();
        let rows = found(&shipment, &directory.path().join("other"));
        let latest = rows.values().copied().max().unwrap();
        assert!(rows == state(latest, &wanted), "run {run}: not what was there after {latest} updates");
        assert!(latest <= after, "run {run}: update {latest} of {after}");
        let missing = ((latest + 1)..=before).find(|number| contains(&wanted, token(&place(*number).0)));
        assert_eq!(missing, None, "run {run}: written before the shipment was begun");
        std::fs::remove_dir_all(&shipment).unwrap();
        run += 1;
    }
    stop.store(true, Ordering::SeqCst);
    writer.join().unwrap();
    shaker.join().unwrap();
    assert!(whole > 0, "whole files were among them, after {:?}", started.elapsed());
}

/// Deletions that are purged at once, together with what they hide: a shipment with the hidden rows of one view and the
/// deletions of a later one would bring rows back.
#[test]
fn nothing_comes_back_where_deletions_are_purged_meanwhile() {
    let directory = tempfile::tempdir().unwrap();
    let store = small_files(&directory.path().join("store"));
    let table = table(&store);
    table.set_purge(0, i64::MAX, 0).unwrap();
    let stop = Arc::new(AtomicBool::new(false));
    for number in 0..400 {
        put(&table, &format!("p{number}"), 1, 1, &noise(number, 600));
    }
    table.compact().unwrap();
    let writer = std::thread::spawn({
        let (table, stop) = (Arc::clone(&table), Arc::clone(&stop));
        move || {
            for round in 1i64.. {
                for number in 0..400 {
                    if stop.load(Ordering::SeqCst) {
                        return;
                    }
                    // In one update: the old row goes, a new one with a later timestamp comes.
                    let name = format!("p{number}");
                    let header = partition_deletion(round * 10);
                    let fragment = row(round * 10 + 1, 1, &noise(number, 600));
                    let entries: [(u8, &[u8], &[u8]); 2] =
                        [(HEADER, b"", &header), (ROW, &clustering(round as u32), &fragment)];
                    table.write(&update(&partition(&name), &entries), 0).unwrap();
                }
                table.flush().unwrap();
                table.compact().unwrap();
            }
        }
    });
    for run in 0..RUNS {
        let shipment = directory.path().join(format!("shipment{run}"));
        table.export(&ranges(&[ALL]), &shipment).unwrap();
        let rows = shipped(&shipment, &directory.path().join("other"));
        assert_eq!(rows.len(), 400);
        for ((_, name), entries) in rows {
            let deleted = entries.iter().find_map(|entry| match entry {
                Entry::Header(header) => Some(i64::from_le_bytes(header[2..10].try_into().unwrap())),
                _ => None,
            });
            let live = entries.iter().filter(|entry| match entry {
                Entry::Row(fragment) => {
                    deleted.is_none_or(|at| i64::from_le_bytes(fragment[2..10].try_into().unwrap()) > at)
                }
                _ => false,
            });
            assert_eq!(live.count(), 1, "{}", String::from_utf8_lossy(&name));
        }
        std::fs::remove_dir_all(&shipment).unwrap();
    }
    stop.store(true, Ordering::SeqCst);
    writer.join().unwrap();
}
