// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Shipments of token ranges, with whole files of several levels and with rows, received beside writes.

use crate::common::shipments::{families, merge_in_all};
use crate::common::*;
use crate::tokens::*;
use cassiterite_engine::{Store, Table};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;

const PARTITIONS: u32 = 2000;

/// A node with files at the bottom, files above them, and a memtable; the oracle is told what lies in `owned`.
fn sender(path: &Path, owned: &[(i64, i64)], oracle: &Arc<Table>, seed: i64) -> (Arc<Store>, Arc<Table>) {
    let store = small_files(path);
    let table = table(&store);
    let bounds: Vec<i64> = ring(16).iter().map(|range| range.1).collect();
    store.set_ring(&boundaries(&bounds)).unwrap();
    fill(&table, 0..PARTITIONS, seed, 500);
    table.compact().unwrap();
    fill(&table, 500..900, seed + 10, 200);
    table.flush().unwrap();
    fill(&table, 700..800, seed + 20, 100);
    for number in (0..PARTITIONS).step_by(100) {
        let header = update(&partition(&format!("p{number}")), &[(HEADER, b"", &partition_deletion(-seed))]);
        table.write(&header, 0).unwrap();
    }
    for (mine, stamp, bytes) in [(0..PARTITIONS, seed, 500), (500..900, seed + 10, 200), (700..800, seed + 20, 100)] {
        for number in mine.filter(|number| contains(owned, token(&format!("p{number}")))) {
            put(oracle, &format!("p{number}"), 1, stamp, &noise(u64::from(number) + 1, bytes));
        }
    }
    for number in (0..PARTITIONS).step_by(100).filter(|number| contains(owned, token(&format!("p{number}")))) {
        let header = update(&partition(&format!("p{number}")), &[(HEADER, b"", &partition_deletion(-seed))]);
        oracle.write(&header, 0).unwrap();
    }
    (store, table)
}

#[test]
fn a_node_takes_vnodes_from_two_others_while_it_is_written_to() {
    let directory = tempfile::tempdir().unwrap();
    let oracle_store = open(&directory.path().join("oracle"));
    let oracle = table(&oracle_store);
    let (even, odd): (Vec<_>, Vec<_>) = ring(16).into_iter().enumerate().partition(|(at, _)| at % 2 == 0);
    let path = directory.path().join("receiver");
    let receiver_store = small_files(&path);
    let receiver = table(&receiver_store);
    let done = AtomicBool::new(false);
    let mut answers = Vec::new();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for stamp in 1..30_000 {
                if done.load(Ordering::Acquire) {
                    break;
                }
                for table in [&receiver, &oracle] {
                    put(table, &format!("p{}", (stamp * 7) % i64::from(PARTITIONS)), 1, 100 + stamp, b"meanwhile");
                }
                std::thread::sleep(std::time::Duration::from_millis(1));
            }
        });
        for (number, owned) in [even, odd].into_iter().enumerate() {
            let owned: Vec<(i64, i64)> = owned.into_iter().map(|(_, range)| range).collect();
            let name = format!("sender {number}");
            let (_store, sent) = sender(&directory.path().join(&name), &owned, &oracle, number as i64 + 1);
            let shipment = path.join(format!("staging/{number}"));
            answers.push(sent.export(&ranges(&owned), &shipment).unwrap());
            receiver.receive(&shipment).unwrap();
        }
        done.store(true, Ordering::Release);
    });
    for lines in answers.iter().map(|answer| lines(answer)) {
        let bytes = |kind: &str| lines.iter().filter(|line| line.kind == kind).map(|line| line.bytes).sum::<u64>();
        assert!(bytes("whole") > 0 && bytes("rows") > 0, "{lines:?}");
    }
    assert!(content(&receiver) == content(&oracle));
    drop(receiver);
    receiver_store.close().unwrap();
    assert_eq!(families(&path).len(), 2, "the files of the second lie beside those of the first");
    let receiver_store = small_files(&path);
    let receiver = table(&receiver_store);
    assert!(content(&receiver) == content(&oracle));
    let steps = merge_in_all(&receiver);
    assert!(steps <= 3, "the small side is rewritten: {steps} steps");
    assert!(content(&receiver) == content(&oracle));
    receiver.compact().unwrap();
    assert!(content(&receiver) == content(&oracle));
}

#[test]
fn a_repair_brings_rows_and_files_over_what_is_there() {
    let directory = tempfile::tempdir().unwrap();
    let oracle_store = open(&directory.path().join("oracle"));
    let oracle = table(&oracle_store);
    let path = directory.path().join("receiver");
    let (receiver_store, receiver) = sender(&path, &[ALL], &oracle, 5);
    let ring = ring(16);
    // All of three nodes: the third finds no place for another side column family.
    for (number, owned) in [vec![ring[3], ring[4]], vec![ring[4], ring[5]], vec![ring[3], ring[5]]].iter().enumerate() {
        let name = format!("sender {number}");
        let (_store, sent) = sender(&directory.path().join(&name), owned, &oracle, 20 - number as i64 * 10);
        let shipment = path.join(format!("staging/{number}"));
        sent.export(&ranges(owned), &shipment).unwrap();
        receiver.receive(&shipment).unwrap();
        assert!(content(&receiver) == content(&oracle), "{number}");
    }
    // What it sends on has the side column families in it.
    let forwarded = path.join("export/on");
    receiver.export(&ranges(&ring[2..6]), &forwarded).unwrap();
    assert!(shipped(&forwarded, &directory.path().join("other")) == within(&content(&oracle), &ring[2..6]));
    let sizes = receiver.range_sizes(&ranges(&[ring[4]])).unwrap();
    let partitions = i64::from_le_bytes(sizes[..8].try_into().unwrap());
    let wanted = within(&content(&oracle), &[ring[4]]).len() as i64;
    assert!((partitions - wanted).abs() < wanted / 3, "{partitions} for {wanted}");
    // Cleanup reaches into them, and the merge-in brings nothing back.
    receiver.cleanup(&ranges(&ring[4..])).unwrap();
    let expected = within(&content(&oracle), &ring[4..]);
    assert!(content(&receiver) == expected);
    merge_in_all(&receiver);
    assert!(content(&receiver) == expected);
    drop(receiver);
    receiver_store.close().unwrap();
    assert_eq!(families(&path).len(), 1);
    assert!(content(&table(&small_files(&path))) == expected);
}

/// A store with tens of megabytes in a memtable.
fn in_memory(path: &Path) -> Arc<Store> {
    Store::open(&format!("directory={}\nblock_cache_size=256MiB\n", path.display())).unwrap()
}

#[test]
fn rows_go_over_what_is_there() {
    let directory = tempfile::tempdir().unwrap();
    let (source_store, receiver_store) =
        (in_memory(&directory.path().join("source")), small_files(&directory.path().join("receiver")));
    let (source, receiver) = (table(&source_store), table(&receiver_store));
    fill(&source, 0..2600, 1, 20_000); // in the memtable: all of it goes as rows
    fill(&receiver, 0..1000, 2, 10);
    receiver.compact().unwrap();
    let shipment = directory.path().join("receiver/staging/rows");
    let lines = lines(&source.export(&ranges(&ring(16)), &shipment).unwrap());
    assert!(lines.iter().filter(|line| line.kind == "rows").count() >= 1, "{lines:?}");
    receiver.receive(&shipment).unwrap();
    let mut expected = content(&source);
    expected.extend(content(&receiver).into_iter().filter(|(key, _)| !expected.contains_key(key)).collect::<Vec<_>>());
    assert_eq!(content(&receiver).len(), 2600);
    merge_in_all(&receiver);
    let found = content(&receiver);
    assert_eq!(found.len(), 2600);
    let mine = (token("p7"), b"p7".to_vec());
    assert_eq!(found[&mine], [Entry::Row(row(2, 1, &noise(8, 10)))], "the later one");
    let theirs = (token("p2000"), b"p2000".to_vec());
    assert_eq!(found[&theirs], expected[&theirs]);
}

#[test]
fn a_snapshot_of_several_families_is_loaded_and_received() {
    let directory = tempfile::tempdir().unwrap();
    let oracle_store = open(&directory.path().join("oracle"));
    let oracle = table(&oracle_store);
    let path = directory.path().join("receiver");
    let (_store, receiver) = sender(&path, &[ALL], &oracle, 5);
    let (_sender_store, sent) = sender(&directory.path().join("sender"), &[ALL], &oracle, 20);
    let shipment = path.join("staging/one");
    sent.export(&ranges(&[ALL]), &shipment).unwrap();
    receiver.receive(&shipment).unwrap();
    for (name, load) in [("loaded", true), ("received", false)] {
        for when in ["with side column families", "merged in"] {
            if when == "merged in" {
                merge_in_all(&receiver);
            }
            let taken = directory.path().join(format!("{name} {when}"));
            receiver.snapshot(&taken).unwrap();
            let other = open(&directory.path().join(format!("other {name} {when}")));
            let restored = table(&other);
            put(&restored, "p1", 1, 0, b"older");
            if load {
                restored.load(&taken).unwrap();
            } else {
                restored.receive(&taken).unwrap();
            }
            assert!(content(&restored) == content(&oracle), "{name} {when}");
            merge_in_all(&restored);
            assert!(content(&restored) == content(&oracle), "{name} {when}");
        }
    }
}
