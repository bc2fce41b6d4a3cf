// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! What a shipment holds, file by file.

use crate::common::*;
use crate::tokens::*;
use cassiterite_engine::Kind;
use std::os::unix::fs::MetadataExt;

#[test]
fn whole_files_and_rows_are_the_table_within_the_ranges() {
    STYLES.into_iter().for_each(shipments_are_the_table_within_the_ranges);
}

fn shipments_are_the_table_within_the_ranges(style: &str) {
    let directory = tempfile::tempdir().unwrap();
    let store = small_files_of(style, &directory.path().join("store"));
    let table = table(&store);
    let ring = ring(12);
    store.set_ring(&boundaries(&ring.iter().map(|range| range.1).collect::<Vec<_>>())).unwrap();
    fill(&table, 0..4000, 10, 500);
    table.compact().unwrap();
    fill(&table, 0..200, 20, 100);
    table.flush().unwrap();
    fill(&table, 100..150, 30, 100);
    table.write(&update(&partition("p7"), &[(HEADER, b"", &partition_deletion(25))]), 0).unwrap();

    let wanted = [ring[1], ring[2], ring[7]];
    let shipment = directory.path().join("store/export/one");
    let lines = lines(&table.export(&ranges(&wanted), &shipment).unwrap());
    let of = |kind: &str| lines.iter().filter(|line| line.kind == kind).collect::<Vec<_>>();
    assert!(of("whole").len() >= 6, "{lines:?}");
    assert_eq!(of("manifest").len(), 1);
    let rows = of("rows");
    assert_eq!(rows.len(), 1, "little is one file: {lines:?}");
    assert!(rows[0].reason.contains("memtable") && rows[0].reason.contains("level 0: 0"), "{}", rows[0].reason);
    let bytes = |kind| of(kind).iter().map(|line| line.bytes).sum::<u64>();
    assert!(bytes("whole") > bytes("rows") * 10, "{lines:?}");
    for line in &lines {
        let found = std::fs::metadata(shipment.join(&line.name)).unwrap();
        assert_eq!(found.len(), line.bytes, "{}", line.name);
        assert_eq!(found.nlink() > 1, line.kind == "whole", "{}", line.name);
        assert!(line.level > 0 || line.kind != "whole");
        assert_eq!(line.reason.is_empty(), line.kind != "rows");
    }
    assert_eq!(std::fs::read_dir(&shipment).unwrap().count(), lines.len());
    assert!(lines.iter().all(|line| (line.keys > 0) == (line.kind != "manifest")));
    assert!(shipped(&shipment, &directory.path().join("other")) == within(&visible(&table), &wanted));
}

#[test]
fn a_whole_file_has_one_name_wherever_it_is_sent_from() {
    let directory = tempfile::tempdir().unwrap();
    let store = small_files(&directory.path().join("store"));
    let table = table(&store);
    fill(&table, 0..500, 10, 500);
    table.compact().unwrap();
    let names = |shipment: &str| {
        let answer = table.export(&ranges(&[ALL]), &directory.path().join(shipment)).unwrap();
        let mut names: Vec<String> =
            lines(&answer).into_iter().filter(|line| line.kind == "whole").map(|line| line.name).collect();
        names.sort();
        names
    };
    let first = names("one");
    assert!(
        first.len() > 1 && first.iter().all(|name| name.len() == "QKIM5RQA0NMJ0AHYEYN8-000012.sst".len()),
        "{first:?}"
    );
    assert_eq!(first, names("two"));
}

#[test]
fn a_whole_file_keeps_the_checksum_of_what_was_written() {
    let directory = tempfile::tempdir().unwrap();
    let store = small_files(&directory.path().join("store"));
    let table = table(&store);
    fill(&table, 0..500, 10, 500);
    table.compact().unwrap();
    let ship = |shipment: &str| {
        let shipment = directory.path().join(shipment);
        let answer = table.export(&ranges(&[ALL]), &shipment).unwrap();
        let whole = lines(&answer).into_iter().find(|line| line.kind == "whole").unwrap();
        (shipment.join(&whole.name), whole.checksum)
    };
    let (path, checksum) = ship("one");
    let mut bytes = std::fs::read(&path).unwrap();
    assert_eq!(checksum, Some(crc32c::crc32c(&bytes)));

    bytes[100] ^= 1;
    std::fs::write(&path, &bytes).unwrap(); // a link: the store's own file
    let (path, after) = ship("two");
    assert_eq!(std::fs::read(&path).unwrap(), bytes);
    assert_eq!(after, checksum, "it is not the sum of what the disk has made of it");
}

#[test]
fn nothing_makes_an_empty_shipment() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(&directory.path().join("store"));
    let table = table(&store);
    let shipment = directory.path().join("a/b/shipment");
    let answer = table.export(&ranges(&[ALL]), &shipment).unwrap();
    assert_eq!(lines(&answer).len(), 1, "the manifest");
    assert_eq!(table.load(&shipment).unwrap(), 0);
    fill(&table, 0..10, 1, 10);
    assert_eq!(lines(&table.export(&ranges(&[]), &directory.path().join("none")).unwrap()).len(), 1);
}

#[test]
fn what_cannot_be_is_refused_and_leaves_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(&directory.path().join("store"));
    let table = table(&store);
    fill(&table, 0..10, 1, 10);
    let shipment = directory.path().join("shipment");
    assert_eq!(table.export(&ranges(&[(5, 5)]), &shipment).unwrap_err().kind(), Kind::Invalid);
    assert_eq!(table.export(&[1, 0, 0, 0], &shipment).unwrap_err().kind(), Kind::Invalid);
    std::fs::create_dir(&shipment).unwrap();
    assert_eq!(table.export(&ranges(&[ALL]), &shipment).unwrap_err().kind(), Kind::Invalid);
    assert!(shipment.exists(), "what was there stays");
    let emptied = table.truncate().unwrap();
    let _ = emptied;
    table.retire().unwrap();
    let other = directory.path().join("other");
    assert_eq!(table.export(&ranges(&[ALL]), &other).unwrap_err().kind(), Kind::Closed);
    assert!(!other.exists());
}

#[test]
fn what_a_crash_leaves_of_shipments_is_swept_at_the_start() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("store");
    let store = open(&path);
    let table = table(&store);
    fill(&table, 0..10, 1, 10);
    table.export(&ranges(&[ALL]), &path.join("export/plan/table")).unwrap();
    std::fs::create_dir_all(path.join("staging/stream-plan")).unwrap();
    store.close().unwrap();
    let store = open(&path);
    assert!(!path.join("export").exists() && !path.join("staging").exists());
    store.close().unwrap();
}

#[test]
fn a_store_can_be_closed_while_a_shipment_is_written() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(&directory.path().join("store"));
    let table = table(&store);
    fill(&table, 0..30_000, 1, 200);
    let shipment = directory.path().join("shipment");
    let export = std::thread::spawn({
        let (table, shipment) = (std::sync::Arc::clone(&table), shipment.clone());
        move || table.export(&ranges(&[ALL]), &shipment)
    });
    while !shipment.join("rows-000001.sst").exists() && !export.is_finished() {
        std::thread::yield_now();
    }
    store.close().unwrap();
    match export.join().unwrap() {
        Ok(_) => {} // it was quicker
        Err(error) => {
            assert_eq!(error.kind(), Kind::Closed);
            assert!(!shipment.exists(), "half a shipment goes");
        }
    }
}
