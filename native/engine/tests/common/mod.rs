// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! What the tests share: requests, fragments, answers taken apart.
#![allow(dead_code, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

pub mod chunks;
pub mod shipments;

use cassiterite_codec::key::{encode_partition, murmur3_token, put_escaped};
use cassiterite_engine::{cursor_next, Store, Table};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

pub const HEADER: u8 = 0x10;
pub const STATIC: u8 = 0x20;
pub const ROW: u8 = 0x30;
pub const TABLE: [u8; 16] = *b"0123456789abcdef";

/// Read and scan flags.
pub const REVERSED: u8 = 1;
pub const WITH_STATIC: u8 = 2;
pub const POINTS: u8 = 4;
pub const KEYS_ONLY: u8 = 8;
pub const WHOLE: u8 = 16;

/// Longer than anything takes that comes by itself.
pub const TRY_MAX: Duration = Duration::from_secs(120);

/// Waits for what is to come by itself.
pub fn await_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let deadline = Instant::now() + TRY_MAX;
    while !is_so() {
        assert!(Instant::now() < deadline, "{what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

pub fn options(directory: &Path, more: &str) -> String {
    format!("directory={}\nblock_cache_size=32MiB\n{more}", directory.display())
}

pub fn open(directory: &Path) -> Arc<Store> {
    open_with(directory, "")
}

/// How files may be compacted, as options.
pub const STYLES: [&str; 2] = ["compaction_style=leveled", "compaction_style=universal"];

pub fn open_with(directory: &Path, more: &str) -> Arc<Store> {
    Store::open(&options(directory, more)).unwrap()
}

pub fn counted(out: &mut Vec<u8>, bytes: &[u8]) {
    out.extend_from_slice(&(bytes.len() as u32).to_le_bytes());
    out.extend_from_slice(bytes);
}

/// A table schema request; columns are kind, name, type.
pub fn schema(id: &[u8], columns: &[(u8, &str, &str)]) -> Vec<u8> {
    schema_with_drops(id, columns, &[])
}

/// The same with dropped columns: kind, name, milliseconds.
pub fn schema_with_drops(id: &[u8], columns: &[(u8, &str, &str)], dropped: &[(u8, &str, i64)]) -> Vec<u8> {
    schema_with_key("", id, columns, dropped)
}

/// The same with the types of the key.
pub fn schema_with_key(key: &str, id: &[u8], columns: &[(u8, &str, &str)], dropped: &[(u8, &str, i64)]) -> Vec<u8> {
    let mut out = vec![3, 0];
    counted(&mut out, id);
    counted(&mut out, b"ks");
    counted(&mut out, b"t");
    counted(&mut out, key.as_bytes());
    out.extend_from_slice(&(columns.len() as u32).to_le_bytes());
    for (kind, name, of) in columns {
        out.push(*kind);
        counted(&mut out, name.as_bytes());
        counted(&mut out, of.as_bytes());
    }
    out.extend_from_slice(&(dropped.len() as u32).to_le_bytes());
    for (kind, name, at_ms) in dropped {
        out.push(*kind);
        counted(&mut out, name.as_bytes());
        out.extend_from_slice(&at_ms.to_le_bytes());
    }
    out
}

pub fn table(store: &Store) -> Arc<Table> {
    store.table(&schema(&TABLE, &[(0, "v", "blob"), (0, "w", "blob"), (1, "s", "blob")])).unwrap()
}

pub fn token(name: &str) -> i64 {
    murmur3_token(name.as_bytes())
}

pub fn partition(name: &str) -> Vec<u8> {
    let mut out = Vec::new();
    encode_partition(token(name), name.as_bytes(), &mut out);
    out
}

/// The order bytes of a clustering of one int.
pub fn clustering(value: u32) -> Vec<u8> {
    let mut out = vec![0x40];
    out.extend_from_slice(&(value ^ 0x8000_0000).to_be_bytes());
    out.push(0x38);
    out
}

/// The partition of an index that has a text as value.
pub fn value_of(text: &str) -> Vec<u8> {
    let mut out = vec![0x41, 0x40];
    put_escaped(text.as_bytes(), &mut out);
    out.push(0x38);
    out
}

/// An index entry that does not expire.
pub fn entry(timestamp: i64) -> Vec<u8> {
    let mut out = vec![0x22];
    out.extend_from_slice(&timestamp.to_le_bytes());
    out
}

/// A bound before (`0x20`) or after (`0x60`) a clustering.
pub fn bound(value: u32, end: u8) -> Vec<u8> {
    let mut out = clustering(value);
    *out.last_mut().unwrap() = end;
    out
}

pub fn uvarint(mut value: u64, out: &mut Vec<u8>) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// A row fragment: liveness and one cell at a timestamp.
pub fn row(timestamp: i64, column: u32, value: &[u8]) -> Vec<u8> {
    let mut out = vec![1, 0x02];
    out.extend_from_slice(&timestamp.to_le_bytes());
    uvarint(u64::from(column), &mut out);
    if value.is_empty() {
        out.push(0x04 | 0x20);
    } else {
        out.push(0x04);
        uvarint(value.len() as u64, &mut out);
        out.extend_from_slice(value);
    }
    out
}

/// A header fragment that deletes the partition.
pub fn partition_deletion(timestamp: i64) -> Vec<u8> {
    let mut out = vec![1, 1];
    out.extend_from_slice(&timestamp.to_le_bytes());
    uvarint(1_700_000_000, &mut out);
    out
}

pub const EMPTY: &[u8] = &[1, 0];

/// Adds the entry of an index to a write request of a row: that a row of this clustering has the value.
pub fn with_entry(mut request: Vec<u8>, index: u32, value: &str, at: u32) -> Vec<u8> {
    request[0] = 2;
    request.extend_from_slice(&1_u32.to_le_bytes());
    request.extend_from_slice(&index.to_le_bytes());
    request.extend_from_slice(&1_i64.to_le_bytes());
    request.extend_from_slice(&1_u32.to_le_bytes());
    counted(&mut request, &value_of(value));
    counted(&mut request, &clustering(at));
    counted(&mut request, &entry(1));
    request
}

/// A write request.
pub fn update(partition: &[u8], entries: &[(u8, &[u8], &[u8])]) -> Vec<u8> {
    let mut out = vec![1];
    out.extend_from_slice(&1i64.to_le_bytes());
    counted(&mut out, partition);
    out.extend_from_slice(&(entries.len() as u32).to_le_bytes());
    for (kind, clustering, fragment) in entries {
        out.push(*kind);
        counted(&mut out, clustering);
        counted(&mut out, fragment);
    }
    out
}

/// A value of which every second byte is noise.
pub fn half_noise(seed: u64, length: usize) -> Vec<u8> {
    let mut state = seed | 1;
    (0..length)
        .map(|at| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            if at % 2 == 0 {
                (state >> 56) as u8
            } else {
                b'x'
            }
        })
        .collect()
}

pub fn put(table: &Table, partition_name: &str, at: u32, timestamp: i64, value: &[u8]) {
    let fragment = row(timestamp, 1, value);
    table.write(&update(&partition(partition_name), &[(ROW, &clustering(at), &fragment)]), 0).unwrap();
}

/// A read request of slices (start, end) or, with POINTS, of clusterings (the start counts).
pub fn read_request(flags: u8, chunk: u32, partition: &[u8], selection: &[(Vec<u8>, Vec<u8>)]) -> Vec<u8> {
    read_request_of_rows(flags, chunk, 0, partition, selection)
}

/// As [`read_request`], whose first chunk stops after so many rows.
pub fn read_request_of_rows(
    flags: u8,
    chunk: u32,
    rows: u32,
    partition: &[u8],
    selection: &[(Vec<u8>, Vec<u8>)],
) -> Vec<u8> {
    let mut out = vec![2, flags];
    out.extend_from_slice(&chunk.to_le_bytes());
    out.extend_from_slice(&rows.to_le_bytes());
    counted(&mut out, partition);
    select(&mut out, flags, selection);
    out
}

pub fn scan_request(flags: u8, chunk: u32, start: &[u8], end: &[u8], selection: &[(Vec<u8>, Vec<u8>)]) -> Vec<u8> {
    let mut out = vec![2, flags];
    out.extend_from_slice(&chunk.to_le_bytes());
    out.extend_from_slice(&0u32.to_le_bytes());
    counted(&mut out, start);
    counted(&mut out, end);
    select(&mut out, flags, selection);
    out
}

fn select(out: &mut Vec<u8>, flags: u8, selection: &[(Vec<u8>, Vec<u8>)]) {
    out.extend_from_slice(&(selection.len() as u32).to_le_bytes());
    for (start, end) in selection {
        counted(out, start);
        if flags & POINTS == 0 {
            counted(out, end);
        }
    }
}

pub fn everything() -> Vec<(Vec<u8>, Vec<u8>)> {
    vec![(vec![0x20], vec![0x60])]
}

pub fn point(at: u32) -> (Vec<u8>, Vec<u8>) {
    (clustering(at), clustering(at))
}

/// Token ranges, as requests name them.
pub fn ranges(list: &[(i64, i64)]) -> Vec<u8> {
    let mut out = (list.len() as u32).to_le_bytes().to_vec();
    for (left, right) in list {
        out.extend_from_slice(&left.to_le_bytes());
        out.extend_from_slice(&right.to_le_bytes());
    }
    out
}

/// An entry of an answer.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Entry {
    Header(Vec<u8>),
    Static(Vec<u8>),
    Row(Vec<u8>),
    Partition(i64, Vec<u8>),
    SliceEnd,
}

/// Cursor and entries of a filled answer.
pub fn parse(answer: &[u8]) -> (i64, Vec<Entry>) {
    let cursor = i64::from_le_bytes(answer[..8].try_into().unwrap());
    let payload = u32::from_le_bytes(answer[8..12].try_into().unwrap()) as usize;
    assert_eq!(payload + 12, answer.len());
    let mut rest = &answer[12..];
    let mut entries = Vec::new();
    while !rest.is_empty() {
        let length = u32::from_le_bytes(rest[1..5].try_into().unwrap()) as usize;
        let body = rest[5..5 + length].to_vec();
        entries.push(match rest[0] {
            1 => Entry::Header(body),
            2 => Entry::Static(body),
            3 => Entry::Row(body),
            4 => Entry::Partition(i64::from_le_bytes(body[..8].try_into().unwrap()), body[8..].to_vec()),
            5 => Entry::SliceEnd,
            kind => panic!("entry kind {kind}"),
        });
        rest = &rest[5 + length..];
    }
    (cursor, entries)
}

/// Calls until complete, growing the buffer where that is asked for; all entries.
pub fn drain(mut buffer_bytes: usize, mut call: impl FnMut(Option<i64>, &mut [u8]) -> i32) -> Vec<Entry> {
    let mut entries = Vec::new();
    let mut cursor = None;
    loop {
        let mut buffer = vec![0; buffer_bytes];
        let filled = call(cursor, &mut buffer);
        if filled < 0 {
            assert!(filled.unsigned_abs() as usize > buffer_bytes, "asks for {filled}, has {buffer_bytes}");
            buffer_bytes = filled.unsigned_abs() as usize;
            continue;
        }
        let (next, found) = parse(&buffer[..filled as usize]);
        entries.extend(found);
        if next == 0 {
            return entries;
        }
        cursor = Some(next);
    }
}

pub fn read_all(table: &Arc<Table>, request: &[u8], buffer_bytes: usize) -> Vec<Entry> {
    drain(buffer_bytes, |cursor, buffer| match cursor {
        None => table.read(request, buffer).unwrap(),
        Some(cursor) => cursor_next(cursor, 0, buffer).unwrap(),
    })
}

pub fn scan_all(table: &Arc<Table>, request: &[u8], buffer_bytes: usize) -> Vec<Entry> {
    drain(buffer_bytes, |cursor, buffer| match cursor {
        None => table.scan(request, buffer).unwrap(),
        Some(cursor) => cursor_next(cursor, 0, buffer).unwrap(),
    })
}

pub fn rows(table: &Arc<Table>, partition_name: &str) -> Vec<Vec<u8>> {
    rows_of(table, &partition(partition_name))
}

/// The rows of a partition, or the entries of a value.
pub fn rows_of(table: &Arc<Table>, partition: &[u8]) -> Vec<Vec<u8>> {
    let request = read_request(0, 1 << 20, partition, &everything());
    read_all(table, &request, 1 << 20)
        .into_iter()
        .filter_map(|entry| match entry {
            Entry::Row(fragment) => Some(fragment),
            _ => None,
        })
        .collect()
}

/// A number of a report: of the line that begins with `name`, in this column.
pub fn number(store: &Store, topic: &str, name: &str, column: usize) -> u64 {
    let report = store.report(topic).unwrap();
    let line = report.lines().find(|line| line.starts_with(&format!("{name}\t"))).unwrap();
    line.split('\t').nth(column).unwrap().parse().unwrap()
}

/// The manifest of the snapshot in a directory.
pub fn manifest_in(directory: &Path) -> PathBuf {
    let paths = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    let manifests: Vec<_> = paths.filter(|path| path.to_string_lossy().ends_with("cassiterite.manifest")).collect();
    assert_eq!(manifests.len(), 1, "{manifests:?}");
    manifests[0].clone()
}
