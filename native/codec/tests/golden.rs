// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Bytes pinned for good: see golden/README.md.

#![allow(clippy::unwrap_used, clippy::panic)]

use cassiterite_codec::entry::{self, Entry};
use cassiterite_codec::header::{self, Position, Range};
use cassiterite_codec::key::{self, Kind};
use cassiterite_codec::row::{counter_total, Cell, Head, Liveness, PathCell, RowReader, RowWriter};
use cassiterite_codec::{merge, validate, DeletionTime};

const T: i64 = 1_700_000_000_000_000;
const S: i64 = 1_700_000_000;
const CLUSTERING: &[u8] = &[5, 0, 0, 0, 5];

/// Columns as written down here: simple ones, or complex ones with their deletion.
enum Column<'a> {
    Simple(Cell<'a>),
    Complex(DeletionTime, Vec<PathCell<'a>>),
}

fn written(head: &Head<'_>, columns: &[(u32, Column<'_>)]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut writer = RowWriter::new(head, &mut out);
    for (id, column) in columns {
        match column {
            Column::Simple(cell) => writer.simple(*id, cell),
            Column::Complex(deletion, cells) => {
                let each = |out: &mut cassiterite_codec::row::ComplexWriter<'_, '_>| {
                    cells.iter().for_each(|cell| out.cell(cell));
                    Ok::<(), ()>(())
                };
                writer.complex(*id, deletion, cells.len() as u64, each).unwrap();
            }
        }
    }
    writer.finish();
    out
}

fn check_row(golden: &[u8], head: Head<'_>, columns: &[(u32, Column<'_>)]) {
    assert_eq!(written(&head, columns), golden);
    assert_eq!(validate(Kind::Row, golden), Ok(()));
    let (read, mut reader) = RowReader::new(golden).unwrap();
    assert_eq!(read, head);
    for (id, column) in columns {
        let start = reader.next_column().unwrap().unwrap();
        assert_eq!(start.id, *id);
        match column {
            Column::Simple(cell) => assert_eq!(reader.cell(start).unwrap(), *cell),
            Column::Complex(deletion, cells) => {
                let complex = reader.complex(start).unwrap();
                assert_eq!((complex.deletion, complex.cells), (*deletion, cells.len() as u64));
                cells.iter().for_each(|cell| assert_eq!(reader.path_cell().unwrap(), *cell));
            }
        }
    }
    assert_eq!(reader.next_column().unwrap(), None);
    let mut merged = Vec::new();
    merge(Kind::Row, &[golden, golden, &[1, 0]], &mut merged).unwrap();
    assert_eq!(merged, golden);
}

fn with_clustering() -> Head<'static> {
    Head { clustering: Some(CLUSTERING), ..Head::NOTHING }
}

fn expiring(ttl_s: u32, value: &[u8]) -> Cell<'_> {
    Cell { ttl_s, local_deletion_time_s: S + i64::from(ttl_s), ..Cell::live(T, value) }
}

#[test]
fn key() {
    let golden = include_bytes!("golden/key-row.bin");
    let mut out = Vec::new();
    key::encode_partition(1, &[0x00, 0x41], &mut out);
    let partition = out.len();
    out.push(Kind::Row.into());
    out.extend([0x40, 0x80, 0, 0, 5, 0x38]);
    assert_eq!(out, golden);
    let parts = key::split(golden).unwrap();
    assert_eq!(parts.partition.len(), partition);
    assert_eq!((parts.kind, parts.clustering), (Kind::Row, &golden[partition + 1..]));
}

#[test]
fn key_of_an_index() {
    let golden = include_bytes!("golden/key-entry.bin");
    let (value, row) = (&golden[..7], &golden[8..golden.len() - 1]);
    let mut out = Vec::new();
    key::put_entry(value, row, &mut out);
    assert_eq!(out, golden);
    assert_eq!(key::split(golden).unwrap(), key::KeyParts { partition: value, kind: Kind::Entry, clustering: row });
}

#[test]
fn index_entries() {
    let exact = Entry { names: None, live: Liveness::without_ttl(T), deletion: DeletionTime::LIVE };
    let rounded = Entry { live: Liveness::without_ttl((T / entry::TICK + 1) * entry::TICK), ..exact };
    let full = Entry {
        names: Some(CLUSTERING),
        live: Liveness { timestamp: T, ttl_s: 3600, local_expiration_time_s: S + 3600 },
        deletion: DeletionTime::new(T - 1, S),
    };
    for (golden, entry) in [
        (&include_bytes!("golden/entry-exact.bin")[..], exact),
        (include_bytes!("golden/entry-rounded.bin"), rounded),
        (include_bytes!("golden/entry-full.bin"), full),
    ] {
        assert_eq!(Entry::read(golden).unwrap(), entry);
        let mut out = Vec::new();
        entry.write(&mut out);
        assert_eq!(out, golden);
        merge(Kind::Entry, &[golden, golden, &[1, 0]], &mut out).unwrap();
        assert_eq!(out, golden);
    }
}

#[test]
fn simple_row() {
    let head = Head { liveness: Liveness::without_ttl(T), ..with_clustering() };
    let columns = [(1, Column::Simple(Cell::live(T, b"hello"))), (2, Column::Simple(Cell::live(T, b"")))];
    check_row(include_bytes!("golden/row-simple.bin"), head, &columns);
}

#[test]
fn update() {
    let long = Cell::live(T + 1, &[b'x'; 130]);
    let columns = [(1, Column::Simple(Cell::tombstone(T, S))), (300, Column::Simple(long))];
    check_row(include_bytes!("golden/row-update.bin"), with_clustering(), &columns);
}

#[test]
fn expiring_row() {
    let liveness = Liveness { timestamp: T, ttl_s: 3600, local_expiration_time_s: S + 3600 };
    let columns = [(1, Column::Simple(expiring(3600, b"a"))), (2, Column::Simple(expiring(60, b"b")))];
    check_row(include_bytes!("golden/row-expiring.bin"), Head { liveness, ..with_clustering() }, &columns);
}

#[test]
fn deleted_row() {
    let head = Head { deletion: DeletionTime::new(T, S), ..with_clustering() };
    check_row(include_bytes!("golden/row-deleted.bin"), head, &[]);
}

#[test]
fn complex_row() {
    let entry = |order, raw, value| PathCell { order, raw, cell: Cell::live(T, value) };
    let map = vec![
        entry(&[0x80, 0, 0, 1], Some(&[0, 0, 0, 1][..]), b"one"),
        entry(&[0x80, 0, 0, 2], Some(&[0, 0, 0, 2][..]), b"two"),
    ];
    let set = vec![entry(b"k", None, b"")];
    let columns =
        [(3, Column::Complex(DeletionTime::new(T - 1, S), map)), (4, Column::Complex(DeletionTime::LIVE, set))];
    check_row(include_bytes!("golden/row-complex.bin"), Head::NOTHING, &columns);
}

#[test]
fn counter_row() {
    let mut context = vec![0, 1, 0x80, 0];
    context.extend(0..16);
    context.extend(2i64.to_be_bytes());
    context.extend(42i64.to_be_bytes());
    let counter = Cell { is_counter: true, ..Cell::live(T, &context) };
    check_row(include_bytes!("golden/row-counter.bin"), with_clustering(), &[(7, Column::Simple(counter))]);
}

#[test]
fn header() {
    let golden = include_bytes!("golden/header.bin");
    let before = |order, raw| Position { order, raw };
    let five = before(&[0x40, 0x80, 0, 0, 5, 0x20], &[5, 0, 0, 0, 5]);
    let seven = before(&[0x40, 0x80, 0, 0, 7, 0x20], &[5, 0, 0, 0, 7]);
    let after_seven = before(&[0x40, 0x80, 0, 0, 7, 0x60], &[5, 0, 0, 0, 7]);
    let ranges = vec![
        Range { start: five, end: seven, deletion: DeletionTime::new(T + 1, S + 1) },
        Range { start: after_seven, end: before(&[0x60], &[]), deletion: DeletionTime::new(T + 2, S + 2) },
    ];
    let partition = DeletionTime::new(T, S);
    let mut out = Vec::new();
    header::write(&partition, &ranges, &mut out);
    assert_eq!(out, golden);
    assert_eq!(validate(Kind::Header, golden), Ok(()));
    assert_eq!(header::read(golden).unwrap(), (partition, ranges));
}

fn hex(text: &str) -> Vec<u8> {
    (0..text.len() / 2).map(|at| u8::from_str_radix(&text[2 * at..2 * at + 2], 16).unwrap()).collect()
}

#[test]
fn counters_merge_as_cassandra_merged_them() {
    let row = |context: &[u8]| {
        written(&Head::NOTHING, &[(1, Column::Simple(Cell { is_counter: true, ..Cell::live(T, context) }))])
    };
    for line in include_str!("golden/counter-merges.txt").lines().filter(|line| !line.starts_with('#')) {
        let contexts: Vec<Vec<u8>> = line.split(' ').map(hex).collect();
        let rows: Vec<Vec<u8>> = contexts.iter().map(|context| row(context)).collect();
        for pair in [[&rows[0][..], &rows[1]], [&rows[1], &rows[0]]] {
            let mut out = Vec::new();
            merge(Kind::Row, &pair, &mut out).unwrap();
            assert_eq!(out, rows[2], "{line}");
        }
    }
}

#[test]
fn counters_total_as_cassandra_adds_them_up() {
    for line in include_str!("golden/counter-totals.txt").lines().filter(|line| !line.starts_with('#')) {
        let (context, total) = line.split_once(' ').unwrap();
        assert_eq!(counter_total(&hex(context)), total.parse().ok(), "{line}");
    }
    assert_eq!(counter_total(&[]), None);
}
