// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! What other nodes ship is taken in beside the table's own data, read as one with them, and merged in.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic, clippy::expect_used)]

mod common;

use cassiterite_engine::{cursor_next, Kind, Store, Table};
use common::shipments::*;
use common::*;
use std::path::Path;
use std::sync::Arc;

const CLUSTERINGS: u32 = 8;

fn names() -> Vec<String> {
    (0..12).map(|number| format!("p{number}")).collect()
}

/// Three stores: one that sends, one that receives, one that is told everything.
struct World {
    folder: tempfile::TempDir,
    sender: Arc<Store>,
    receiver: Arc<Store>,
    oracle: Arc<Store>,
}

impl World {
    fn new() -> World {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| open(&folder.path().join(name));
        let (sender, receiver, oracle) = (at("sender"), at("receiver"), at("oracle"));
        std::fs::create_dir(folder.path().join("shipments")).unwrap();
        World { folder, sender, receiver, oracle }
    }

    fn path(&self, name: &str) -> std::path::PathBuf {
        self.folder.path().join(name)
    }

    fn tables(&self) -> (Arc<Table>, Arc<Table>, Arc<Table>) {
        (table(&self.sender), table(&self.receiver), table(&self.oracle))
    }

    fn ship(&self) -> std::path::PathBuf {
        common::shipments::ship(&table(&self.sender), &self.path("shipments"))
    }

    fn send(&self) {
        let shipment = self.ship();
        table(&self.receiver).receive(&shipment).unwrap();
        assert!(!shipment.exists(), "a shipment that has been received is gone");
    }

    fn reopen(&mut self) {
        self.receiver.close().unwrap();
        self.receiver = open(&self.path("receiver"));
    }

    fn compare(&self) {
        assert_same(&table(&self.receiver), &table(&self.oracle), &names(), CLUSTERINGS);
    }
}

/// Writes the same into several tables.
fn write(tables: &[&Arc<Table>], name: &str, entries: &[(u8, &[u8], &[u8])]) {
    for table in tables {
        table.write(&update(&partition(name), entries), 0).unwrap();
    }
}

/// Rows, statics and headers of `seed`, some in every partition; in part compacted to the bottom.
fn fill(tables: &[&Arc<Table>], seed: u32, of: impl Fn(u32) -> bool) {
    for (number, name) in names().iter().enumerate().filter(|(number, _)| of(*number as u32)) {
        for at in 0..CLUSTERINGS {
            let stamp = i64::from((seed * 7 + at * 3 + number as u32) % 11) + 10;
            let fragment = row(stamp, 1 + (seed + at) % 2, format!("{seed} {at}").as_bytes());
            if !(seed + at + number as u32).is_multiple_of(3) {
                write(tables, name, &[(ROW, &clustering(at), &fragment)]);
            }
        }
        write(tables, name, &[(STATIC, b"", &row(i64::from(seed), 3, &[seed as u8]))]);
        if (number as u32 + seed).is_multiple_of(4) {
            write(tables, name, &[(HEADER, b"", &partition_deletion(-i64::from(seed % 5)))]);
        }
        if number % 5 == 0 {
            tables.iter().for_each(|table| table.flush().unwrap());
        }
    }
}

fn everywhere(_: u32) -> bool {
    true
}

/// The receiver's one table in its report of tables.
fn side_family_bytes(report: &str) -> u64 {
    let mut lines = report.lines().map(|line| line.split('\t'));
    let (mut names, mut figures) = (lines.next().unwrap(), lines.next().unwrap());
    let index = names.position(|name| name == "side_family_bytes").unwrap();
    figures.nth(index).unwrap().parse().unwrap()
}

#[test]
fn what_is_not_merged_in_yet_is_reported() {
    let world = World::new();
    let (sender, receiver, oracle) = world.tables();
    fill(&[&sender, &oracle], 1, everywhere);
    world.send();
    let report = |world: &World| side_family_bytes(&world.receiver.report("tables").unwrap());
    assert!(report(&world) > 0);
    merge_in_all(&receiver);
    assert_eq!(report(&world), 0);
}

#[test]
fn an_empty_table_becomes_what_it_is_sent() {
    let mut world = World::new();
    let (sender, receiver, oracle) = world.tables();
    fill(&[&sender, &oracle], 1, everywhere);
    sender.compact().unwrap();
    fill(&[&sender, &oracle], 2, everywhere);
    world.send();
    world.compare();
    assert!(receiver.merge_in().unwrap() > 0, "the side column family becomes the base");
    world.compare();
    merge_in_all(&receiver);
    world.compare();
    assert_eq!(receiver.merge_in().unwrap(), 0);
    receiver.compact().unwrap();
    world.compare();
    drop((sender, receiver, oracle));
    world.reopen();
    world.compare();
    world.receiver.close().unwrap();
    assert_eq!(families(&world.path("receiver")).len(), 1);
}

#[test]
fn data_on_both_sides_is_one() {
    for (mine, theirs) in [(1, 2), (2, 1)] {
        let mut world = World::new();
        let (sender, receiver, oracle) = world.tables();
        fill(&[&receiver, &oracle], mine, everywhere);
        receiver.compact().unwrap();
        fill(&[&sender, &oracle], theirs, everywhere);
        sender.compact().unwrap();
        world.send();
        world.compare();
        fill(&[&receiver, &oracle], 5, everywhere);
        world.compare();
        drop(receiver);
        world.reopen();
        world.compare();
        let receiver = table(&world.receiver);
        receiver.compact().unwrap();
        world.compare();
        while receiver.merge_in().unwrap() > 0 {
            fill(&[&receiver, &oracle], 6, |number| number % 3 == 0);
            world.compare();
        }
        world.compare();
        receiver.compact().unwrap();
        world.compare();
    }
}

#[test]
fn shipments_that_do_not_overlap_share_a_side_family_and_others_are_bounded() {
    let mut world = World::new();
    let (sender, receiver, oracle) = world.tables();
    fill(&[&receiver, &oracle], 9, everywhere);
    // By token, so that the files of one lie beside those of the other.
    let mut by_token: Vec<u32> = (0..12).collect();
    by_token.sort_by_key(|number| partition(&format!("p{number}")));
    let (low, high) = by_token.split_at(6);
    let side_families = |world: &mut World| {
        world.receiver.close().unwrap();
        let count = families(&world.path("receiver")).len() - 1;
        world.receiver = open(&world.path("receiver"));
        count
    };
    drop(receiver);
    fill(&[&sender, &oracle], 1, |number| low.contains(&number));
    sender.compact().unwrap();
    world.send();
    assert_eq!(side_families(&mut world), 1);
    let emptied = sender.truncate().unwrap();
    sender.retire().unwrap();
    fill(&[&emptied, &oracle], 2, |number| high.contains(&number));
    emptied.compact().unwrap();
    world.send();
    assert_eq!(side_families(&mut world), 1, "beside the first");
    world.compare();
    for (seed, expected) in [(3, 2), (4, 2), (5, 2)] {
        fill(&[&emptied, &oracle], seed, everywhere);
        emptied.compact().unwrap();
        // What was sent before is sent again, which changes nothing.
        world.send();
        world.compare();
        assert_eq!(side_families(&mut world), expected, "{seed}");
        world.compare();
    }
    merge_in_all(&table(&world.receiver));
    world.compare();
    assert_eq!(side_families(&mut world), 0);
    world.compare();
}

#[test]
fn a_shipment_that_cannot_be_received_changes_nothing() {
    let world = World::new();
    let (sender, receiver, oracle) = world.tables();
    fill(&[&sender], 1, everywhere);
    fill(&[&receiver, &oracle], 2, everywhere);
    let shipment = world.ship();
    let sst = std::fs::read_dir(&shipment).unwrap().map(|entry| entry.unwrap().path());
    let sst = sst.into_iter().find(|path| path.extension().is_some_and(|end| end == "sst")).unwrap();
    let bytes = std::fs::read(&sst).unwrap();
    std::fs::remove_file(&sst).unwrap();
    assert_eq!(receiver.receive(&shipment).unwrap_err().kind(), Kind::Io);
    std::fs::write(&sst, &bytes[1..]).unwrap();
    assert_eq!(receiver.receive(&shipment).unwrap_err().kind(), Kind::Corruption);
    let mut flipped = bytes.clone();
    let at = flipped.len() - 30; // in the footer
    flipped[at] ^= 0x10;
    std::fs::write(&sst, &flipped).unwrap();
    receiver.receive(&shipment).unwrap_err();
    world.compare();
    std::fs::write(&sst, &bytes).unwrap();
    receiver.receive(&shipment).unwrap();
    fill(&[&oracle], 1, everywhere);
    world.compare();
    assert_eq!(receiver.receive(&shipment).unwrap_err().kind(), Kind::Invalid, "it is gone");
}

#[test]
fn another_tables_shipment_is_refused() {
    let world = World::new();
    fill(&[&table(&world.sender)], 1, everywhere);
    let other = world.receiver.table(&schema(b"another table id", &[(0, "v", "blob")])).unwrap();
    let error = other.receive(&world.ship()).unwrap_err();
    assert_eq!(error.kind(), Kind::Invalid);
}

#[test]
fn an_empty_shipment_leaves_the_table_empty() {
    let world = World::new();
    let (_sender, receiver, _oracle) = world.tables();
    world.send();
    assert_eq!(receiver.stats().unwrap()[5], 1, "never written");
    assert_eq!(receiver.merge_in().unwrap(), 0);
}

#[test]
fn truncating_and_dropping_take_side_families_along() {
    let mut world = World::new();
    let (sender, receiver, _oracle) = world.tables();
    fill(&[&sender, &receiver], 1, everywhere);
    world.send();
    let before = whole(&receiver);
    let emptied = receiver.truncate().unwrap();
    assert!(whole(&emptied).is_empty());
    assert!(whole(&receiver) == before, "the old generation stays readable");
    assert_eq!(receiver.merge_in().unwrap(), 0, "and is not merged in any more");
    let late = world.ship();
    assert_eq!(receiver.receive(&late).unwrap_err().kind(), Kind::Closed);
    receiver.retire().unwrap();
    emptied.receive(&late).unwrap();
    assert!(!whole(&emptied).is_empty());
    drop((receiver, emptied));
    world.reopen();
    assert!(!whole(&table(&world.receiver)).is_empty());
    world.receiver.drop_table(&TABLE).unwrap();
    world.receiver.close().unwrap();
    assert!(families(&world.path("receiver")).is_empty());
}

#[test]
fn a_read_that_has_begun_is_not_disturbed() {
    let world = World::new();
    let (sender, receiver, oracle) = world.tables();
    fill(&[&sender, &oracle], 1, everywhere);
    fill(&[&receiver, &oracle], 2, everywhere);
    world.send();
    let expected = whole(&oracle);
    let mut buffer = vec![0; 200];
    let filled = receiver.scan(&scan_request(WHOLE | WITH_STATIC, 1, b"", b"", &[]), &mut buffer).unwrap();
    let (mut cursor, mut found) = parse(&buffer[..filled as usize]);
    merge_in_all(&receiver);
    receiver.compact().unwrap();
    while cursor != 0 {
        let filled = cursor_next(cursor, 0, &mut buffer).unwrap();
        let (next, entries) = parse(&buffer[..filled as usize]);
        found.extend(entries);
        cursor = next;
    }
    assert_eq!(found, expected);
}

#[test]
fn nothing_is_purged_while_older_data_may_be_in_a_side_family() {
    let world = World::new();
    let (sender, receiver, _oracle) = world.tables();
    put(&sender, "a", 1, 10, b"old");
    sender.compact().unwrap();
    receiver.write(&update(&partition("a"), &[(HEADER, b"", &partition_deletion(20))]), 0).unwrap();
    receiver.set_purge(0, i64::MAX, 0).unwrap();
    world.send();
    receiver.compact().unwrap();
    let header = |table: &Arc<Table>| {
        let found = read_all(table, &read_request(0, 1 << 20, &partition("a"), &everything()), 1000);
        found.iter().any(|entry| matches!(entry, Entry::Header(_)))
    };
    assert!(header(&receiver), "it hides a row of the side column family");
    merge_in_all(&receiver);
    assert!(header(&receiver));
    receiver.compact().unwrap();
    receiver.compact().unwrap();
    assert!(whole(&receiver).is_empty(), "both go together");
}

#[test]
fn figures_and_snapshots_have_side_families_in_them() {
    let world = World::new();
    let (sender, receiver, oracle) = world.tables();
    fill(&[&sender, &oracle], 1, everywhere);
    fill(&[&receiver, &oracle], 2, everywhere);
    let before = receiver.stats().unwrap();
    world.send();
    let after = receiver.stats().unwrap();
    assert!(after[1] > before[1], "keys");
    assert!(after[11] > before[11], "files");
    assert!(after[4] <= before[4], "the smallest timestamp");
    let in_levels = || {
        let levels = world.receiver.report("levels").unwrap();
        levels.lines().skip(1).map(|line| line.split('\t').nth(4).unwrap().parse::<i64>().unwrap()).sum::<i64>()
    };
    // A compaction may end between the two.
    assert!((0..100).any(|_| in_levels() == receiver.stats().unwrap()[11]));
    merge_in_all(&receiver);
    let taken = world.path("taken");
    receiver.snapshot(&taken).unwrap();
    let restored_store = open(&world.path("restored"));
    let restored = table(&restored_store);
    restored.load(&taken).unwrap();
    assert_same(&restored, &oracle, &names(), CLUSTERINGS);
}

const MORE: [(u8, &str, &str); 3] = [(0, "w", "blob"), (0, "v", "blob"), (1, "s", "blob")];

fn ids(table: &Table) -> Vec<(u32, String)> {
    let answer = table.column_ids().unwrap();
    let mut rest = &answer[4..];
    let mut found = Vec::new();
    let take = |rest: &mut &[u8]| {
        let length = u32::from_le_bytes(rest[..4].try_into().unwrap()) as usize;
        let text = String::from_utf8(rest[4..4 + length].to_vec()).unwrap();
        *rest = &rest[4 + length..];
        text
    };
    while !rest.is_empty() {
        let id = u32::from_le_bytes(rest[..4].try_into().unwrap());
        rest = &rest[5..];
        let name = take(&mut rest);
        take(&mut rest);
        found.push((id, name));
    }
    found.sort();
    found
}

#[test]
fn columns_with_other_ids_are_rewritten() {
    let folder = tempfile::tempdir().unwrap();
    let (sending, receiving) = (open(&folder.path().join("sender")), open(&folder.path().join("receiver")));
    let sender = sending.table(&schema(&TABLE, &MORE)).unwrap();
    let receiver = table(&receiving);
    put(&receiver, "a", 1, 10, b"mine");
    for (at, id) in [(1, 1), (2, 2)] {
        sender.write(&update(&partition("a"), &[(ROW, &clustering(at), &row(20, id, b"theirs"))]), 0).unwrap();
    }
    sender.write(&update(&partition("a"), &[(HEADER, b"", &partition_deletion(2))]), 0).unwrap();
    receiver.receive(&ship(&sender, folder.path())).unwrap();
    let found = rows(&receiver, "a");
    assert_eq!(found[1], row(20, 1, b"theirs"), "v is 2 there and 1 here");
    let mut expected = Vec::new();
    let operands = [row(10, 1, b"mine"), row(20, 2, b"theirs")];
    let operands: Vec<&[u8]> = operands.iter().map(Vec::as_slice).collect();
    cassiterite_codec::merge(cassiterite_codec::key::Kind::Row, &operands, &mut expected).unwrap();
    assert_eq!(found[0], expected);
    assert_eq!(receiver.merge_in().unwrap(), 0, "few rows go into the base");
    let header = read_all(&receiver, &read_request(0, 100, &partition("a"), &everything()), 1000);
    assert!(matches!(header[0], Entry::Header(_)));
}

#[test]
fn an_empty_table_adopts_ids_until_a_caller_knows_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let sending = open(&folder.path().join("sender"));
    let sender = sending.table(&schema(&TABLE, &MORE)).unwrap();
    put(&sender, "a", 1, 10, b"theirs");
    for known in [false, true] {
        let path = folder.path().join(format!("receiver {known}"));
        let receiving = open(&path);
        let receiver = table(&receiving);
        if known {
            assert_eq!(ids(&receiver), [(1, "v".into()), (2, "w".into()), (3, "s".into())]);
        }
        let rewritten_bytes = receiver.receive(&ship(&sender, folder.path())).unwrap();
        assert_eq!(rewritten_bytes > 0, known);
        let expected = if known { row(10, 2, b"theirs") } else { row(10, 1, b"theirs") };
        assert_eq!(rows(&receiver, "a"), std::slice::from_ref(&expected));
        receiving.close().unwrap();
        let receiving = open(&path);
        let receiver = table(&receiving);
        assert_eq!(rows(&receiver, "a"), [expected]);
        let w = ids(&receiver).into_iter().find(|(_, name)| name == "w").unwrap().0;
        assert_eq!(w, if known { 2 } else { 1 });
    }
}

#[test]
fn ids_of_columns_dropped_elsewhere_are_not_used_here() {
    let folder = tempfile::tempdir().unwrap();
    let (sending, receiving) = (open(&folder.path().join("sender")), open(&folder.path().join("receiver")));
    let (v, w, gone) = ((0, "v", "blob"), (0, "w", "blob"), (0, "gone", "blob"));
    let sender = sending.table(&schema(&TABLE, &[v, w, gone])).unwrap();
    sender.write(&update(&partition("a"), &[(ROW, &clustering(1), &row(10, 3, b"dropped"))]), 0).unwrap();
    sender.columns(&schema_with_drops(&TABLE, &[v, w], &[(0, "gone", 5)])).unwrap();
    let receiver = receiving.table(&schema(&TABLE, &[v, w])).unwrap();
    put(&receiver, "b", 1, 10, b"mine");
    receiver.receive(&ship(&sender, folder.path())).unwrap();
    receiver.columns(&schema(&TABLE, &[v, w, (0, "new", "blob")])).unwrap();
    assert_eq!(ids(&receiver), [(1, "v".into()), (2, "w".into()), (4, "new".into())]);
    let unknown = sending.table(&schema(&TABLE, &[v, w, (0, "later", "int")])).unwrap();
    let error = receiver.receive(&ship(&unknown, folder.path())).unwrap_err();
    assert_eq!(error.kind(), Kind::Invalid);
    assert!(error.message().contains("later"), "{error}");
}

#[test]
fn values_of_hidden_columns_travel_and_stay_hidden() {
    let folder = tempfile::tempdir().unwrap();
    let (v, w, hidden) = ((0, "v", "blob"), (0, "w", "blob"), (0, "hidden", "blob"));
    for (number, mine) in [vec![v, w], vec![w, v], vec![v, hidden, w]].into_iter().enumerate() {
        let (sending, receiving) =
            (folder.path().join(format!("sender {number}")), folder.path().join(format!("{number}")));
        let (sending, receiving) = (open(&sending), open(&receiving));
        let sender = sending.table(&schema(&TABLE, &[v, w, hidden])).unwrap();
        sender.write(&update(&partition("a"), &[(ROW, &clustering(1), &row(10, 3, b"hidden"))]), 0).unwrap();
        sender.columns(&schema(&TABLE, &[v, w])).unwrap();
        let receiver = receiving.table(&schema(&TABLE, &mine)).unwrap();
        receiver.columns(&schema(&TABLE, &[v, w])).unwrap();
        put(&receiver, "b", 1, 10, b"mine");
        receiver.receive(&ship(&sender, folder.path())).unwrap();
        assert_eq!(ids(&receiver).len(), 2, "hidden here too");
        merge_in_all(&receiver);
        receiver.compact().unwrap();
        receiver.columns(&schema(&TABLE, &[v, w, hidden])).unwrap();
        let id = ids(&receiver).into_iter().find(|(_, name)| name == "hidden").unwrap().0;
        assert_eq!(rows(&receiver, "a"), [row(10, id, b"hidden")], "{mine:?}");
    }
}

#[test]
fn closing_does_not_wait_for_merge_in_to_end() {
    let world = World::new();
    let (sender, receiver, _oracle) = world.tables();
    fill(&[&sender, &receiver], 1, everywhere);
    world.send();
    let merging = Arc::clone(&receiver);
    let thread = std::thread::spawn(move || while merging.merge_in().is_ok_and(|left| left > 0) {});
    world.receiver.close().unwrap();
    thread.join().unwrap();
    assert_eq!(receiver.merge_in().unwrap_err().kind(), Kind::Closed);
    assert_eq!(receiver.receive(Path::new("/nowhere")).unwrap_err().kind(), Kind::Closed);
}
