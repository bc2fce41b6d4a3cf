// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Token ranges, and a table with many files.

use crate::common::*;
use cassiterite_codec::header::Coverage;
use cassiterite_codec::{shadow, Outcome};
use cassiterite_engine::{Store, Table};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

pub const ALL: (i64, i64) = (i64::MIN, i64::MAX);

/// Small files, so that a small table has many.
pub const SMALL_FILES: &str = "target_file_size=64KiB\nwrite_buffer_size=256KiB\ncompression=none\n\
                               bottommost_compression=none\ncompaction_rate_limit=0B/s\n";

pub fn boundaries(tokens: &[i64]) -> Vec<u8> {
    let mut out = (tokens.len() as u32).to_le_bytes().to_vec();
    tokens.iter().for_each(|token| out.extend_from_slice(&token.to_le_bytes()));
    out
}

pub fn contains(list: &[(i64, i64)], token: i64) -> bool {
    list.iter().any(|&(left, right)| token > left && token <= right)
}

/// The ring in so many equal ranges.
pub fn ring(count: i64) -> Vec<(i64, i64)> {
    let width = (i128::from(i64::MAX) - i128::from(i64::MIN)) / i128::from(count);
    let at = |number: i64| (i128::from(i64::MIN) + width * i128::from(number)) as i64;
    (0..count).map(|number| (at(number), if number + 1 == count { i64::MAX } else { at(number + 1) })).collect()
}

/// The same bytes for the same seed, which no compression makes small.
pub fn noise(seed: u64, length: usize) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut out = Vec::with_capacity(length + 8);
    while out.len() < length {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        out.extend_from_slice(&state.to_le_bytes());
    }
    out.truncate(length);
    out
}

pub fn small_files(directory: &Path) -> Arc<Store> {
    open_with(directory, SMALL_FILES)
}

pub fn small_files_of(style: &str, directory: &Path) -> Arc<Store> {
    open_with(directory, &format!("{SMALL_FILES}\n{style}"))
}

/// Writes one row to each of so many partitions.
pub fn fill(table: &Table, partitions: std::ops::Range<u32>, timestamp: i64, bytes: usize) {
    for number in partitions {
        put(table, &format!("p{number}"), 1, timestamp, &noise(u64::from(number) + 1, bytes));
    }
}

/// What can be seen of a table: without what deletions of whole partitions hide, which a compaction may have dropped or
/// not.
pub fn visible(table: &Arc<Table>) -> BTreeMap<(i64, Vec<u8>), Vec<Entry>> {
    let mut found = content(table);
    for entries in found.values_mut() {
        let mut coverage = Coverage::default();
        for entry in &*entries {
            if let Entry::Header(header) = entry {
                coverage.add(header).unwrap();
            }
        }
        let deletion = coverage.partition_deletion();
        let seen = |fragment: Vec<u8>, entry: fn(Vec<u8>) -> Entry| {
            let mut left = Vec::new();
            match shadow(&fragment, deletion, &mut left).unwrap() {
                Outcome::Unchanged => Some(entry(fragment)),
                Outcome::Changed => Some(entry(left)),
                Outcome::Empty => None,
            }
        };
        *entries = std::mem::take(entries)
            .into_iter()
            .filter_map(|entry| match entry {
                Entry::Row(fragment) => seen(fragment, Entry::Row),
                Entry::Static(fragment) => seen(fragment, Entry::Static),
                other => Some(other),
            })
            .collect();
    }
    found.retain(|_, entries| !entries.is_empty());
    found
}

/// What a table holds by token and partition key.
pub fn content(table: &Arc<Table>) -> BTreeMap<(i64, Vec<u8>), Vec<Entry>> {
    let mut found: BTreeMap<(i64, Vec<u8>), Vec<Entry>> = BTreeMap::new();
    let mut partition = None;
    for entry in scan_all(table, &scan_request(WHOLE | WITH_STATIC, 1 << 20, b"", b"", &[]), 1 << 20) {
        match entry {
            Entry::Partition(token, name) => partition = Some((token, name)),
            Entry::SliceEnd => {}
            other => found.entry(partition.clone().unwrap()).or_default().push(other),
        }
    }
    found
}

pub fn within(
    content: &BTreeMap<(i64, Vec<u8>), Vec<Entry>>,
    list: &[(i64, i64)],
) -> BTreeMap<(i64, Vec<u8>), Vec<Entry>> {
    content
        .iter()
        .filter(|((token, _), _)| contains(list, *token))
        .map(|(key, rows)| (key.clone(), rows.clone()))
        .collect()
}

/// A line of an export's answer.
#[derive(Debug)]
pub struct Line {
    pub name: String,
    pub kind: String,
    pub bytes: u64,
    pub level: i32,
    pub keys: u64,
    pub checksum: Option<u32>,
    pub reason: String,
}

pub fn lines(answer: &str) -> Vec<Line> {
    let mut lines = answer.lines();
    assert_eq!(lines.next(), Some("file_name\tkind\tbytes\tlevel\tkeys\tchecksum\treason"));
    lines
        .map(|line| {
            let fields: Vec<&str> = line.split('\t').collect();
            assert_eq!(fields.len(), 7, "{line}");
            Line {
                name: fields[0].to_owned(),
                kind: fields[1].to_owned(),
                bytes: fields[2].parse().unwrap(),
                level: fields[3].parse().unwrap(),
                keys: fields[4].parse().unwrap(),
                checksum: u32::from_str_radix(fields[5], 16).ok(),
                reason: fields[6].to_owned(),
            }
        })
        .collect()
}

/// What a shipment holds, found by loading it into an empty store beside it.
pub fn shipped(shipment: &Path, scratch: &Path) -> BTreeMap<(i64, Vec<u8>), Vec<Entry>> {
    let store = open(scratch);
    let table = table(&store);
    table.load(shipment).unwrap();
    let found = visible(&table);
    store.close().unwrap();
    std::fs::remove_dir_all(scratch).unwrap();
    found
}
