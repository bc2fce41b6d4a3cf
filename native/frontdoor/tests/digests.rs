// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! M3: replicas that have the same writes give the same digests, whatever came first, was flushed, compacted or purged.

#![allow(clippy::unwrap_used, missing_docs)]

use cassiterite_codec::header::{self, Position, Range};
use cassiterite_codec::key::{encode_partition, murmur3_token};
use cassiterite_codec::row::{Cell, ComplexWriter, Head, Liveness, PathCell, RowWriter};
use cassiterite_codec::DeletionTime;
use cassiterite_engine::{cursor_close, Store, Table};
use cassiterite_frontdoor::{digest_of_table, Entries, Reach, TableReader, Unread};
use proptest::prelude::*;
use proptest::sample::Index;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

/// The time of the server and of all reads.
const NOW_S: i64 = 1_700_000_000;
const GC_GRACE_S: i64 = 3600;
const ROWS: u32 = 6;
const INT: u8 = 9;
/// The columns v, w and m of rows, and the static s.
const COLUMNS: [(u32, u8, &str, &str); 4] =
    [(1, 0, "v", "blob"), (2, 0, "w", "blob"), (3, 0, "m", "map<blob, blob>"), (4, 1, "s", "blob")];

/// When something was deleted: before gc_grace, or since.
#[derive(Clone, Copy, Debug)]
enum Age {
    Old,
    New,
}

impl Age {
    fn deletion(self, timestamp: i64) -> DeletionTime {
        let ago_s = match self {
            Age::Old => 2 * GC_GRACE_S,
            Age::New => 600,
        };
        DeletionTime::new(timestamp, NOW_S - ago_s)
    }
}

/// What a cell is, in time.
#[derive(Clone, Copy, Debug)]
enum Life {
    For(u8),
    Expires,
    /// Has expired, and counts as deleted since then or before.
    Expired(Age),
    /// Expired after gc_grace began, deleted before it: compactions date the deletion back by the ttl.
    ExpiredOfLong,
    Deleted(Age),
}

impl Life {
    fn cell(self, timestamp: i64, value: &[u8]) -> Cell<'_> {
        let expiring =
            |ttl_s, expires_s| Cell { ttl_s, local_deletion_time_s: expires_s, ..Cell::live(timestamp, value) };
        match self {
            Life::For(_) => Cell::live(timestamp, value),
            Life::Expires => expiring(9000, NOW_S + 5000),
            Life::Expired(age) => expiring(60, age.deletion(0).local_deletion_time_s),
            Life::ExpiredOfLong => expiring(9000, NOW_S - 600),
            Life::Deleted(age) => Cell::tombstone(timestamp, age.deletion(0).local_deletion_time_s),
        }
    }

    fn value(self) -> [u8; 2] {
        match self {
            Life::For(value) => [value, 7],
            _ => [1, 1],
        }
    }
}

#[derive(Clone, Debug)]
enum What {
    Row { row: u32, has_liveness: bool, v: Option<Life>, w: Option<Life> },
    Expiring { row: u32, is_over: bool },
    Map { row: u32, deleted: Option<Age>, cells: Vec<(u8, Life)> },
    DeletedRow { row: u32, age: Age },
    DeletedRange { from: u32, to: u32, age: Age },
    DeletedPartition { age: Age },
    Static(Life),
}

#[derive(Clone, Debug)]
struct Write {
    what: What,
    timestamp: i64,
}

fn age() -> impl Strategy<Value = Age> {
    prop_oneof![Just(Age::New), Just(Age::Old)]
}

fn life() -> impl Strategy<Value = Life> {
    prop_oneof![
        4 => (0..3u8).prop_map(Life::For),
        1 => Just(Life::Expires),
        1 => age().prop_map(Life::Expired),
        1 => Just(Life::ExpiredOfLong),
        2 => age().prop_map(Life::Deleted),
    ]
}

fn what() -> impl Strategy<Value = What> {
    let row = 0..ROWS;
    prop_oneof![
        6 => (row.clone(), any::<bool>(), prop::option::of(life()), prop::option::of(life()))
            .prop_map(|(row, has_liveness, v, w)| {
                let is_empty = v.is_none() && w.is_none();
                What::Row { row, has_liveness: has_liveness || is_empty, v, w }
            }),
        1 => (row.clone(), any::<bool>()).prop_map(|(row, is_over)| What::Expiring { row, is_over }),
        3 => (row.clone(), prop::option::of(age()), prop::collection::btree_map(0..4u8, life(), 0..3))
            .prop_map(|(row, deleted, cells)| {
                let deleted = deleted.or(cells.is_empty().then_some(Age::New));
                What::Map { row, deleted, cells: cells.into_iter().collect() }
            }),
        2 => (row.clone(), age()).prop_map(|(row, age)| What::DeletedRow { row, age }),
        2 => (row.clone(), row, age()).prop_map(|(one, two, age)| {
            What::DeletedRange { from: one.min(two), to: one.max(two) + 1, age }
        }),
        1 => age().prop_map(|age| What::DeletedPartition { age }),
        1 => life().prop_map(What::Static),
    ]
}

fn write() -> impl Strategy<Value = Write> {
    (what(), 1..24i64).prop_map(|(what, timestamp)| Write { what, timestamp })
}

fn raw(row: u32) -> Vec<u8> {
    let mut out = vec![5];
    out.extend(row.to_be_bytes());
    out
}

fn order(row: u32, end: u8) -> Vec<u8> {
    let mut out = vec![0x40];
    out.extend((row ^ 0x8000_0000).to_be_bytes());
    out.push(end);
    out
}

fn counted(out: &mut Vec<u8>, bytes: &[u8]) {
    out.extend((bytes.len() as u32).to_le_bytes());
    out.extend(bytes);
}

fn partition() -> Vec<u8> {
    let mut out = Vec::new();
    encode_partition(murmur3_token(b"key"), b"key", &mut out);
    out
}

impl Write {
    /// The write request of the engine.
    fn request(&self) -> Vec<u8> {
        let (kind, clustering, fragment) = match &self.what {
            What::DeletedRange { .. } | What::DeletedPartition { .. } => (0x10, vec![], self.header()),
            What::Static(life) => {
                let (mut out, value) = (Vec::new(), life.value());
                let mut writer = RowWriter::new(&Head::NOTHING, &mut out);
                writer.simple(4, &life.cell(self.timestamp, &value));
                writer.finish();
                (0x20, vec![], out)
            }
            What::Row { row, .. }
            | What::Expiring { row, .. }
            | What::Map { row, .. }
            | What::DeletedRow { row, .. } => (0x30, order(*row, 0x38), self.row(*row)),
        };
        let mut out = vec![1];
        out.extend(self.timestamp.to_le_bytes());
        counted(&mut out, &partition());
        out.extend(1u32.to_le_bytes());
        out.push(kind);
        counted(&mut out, &clustering);
        counted(&mut out, &fragment);
        out
    }

    fn header(&self) -> Vec<u8> {
        let mut out = Vec::new();
        match &self.what {
            What::DeletedRange { from, to, age } => {
                let (start, end) = (order(*from, 0x20), order(*to, 0x20));
                let (start_raw, end_raw) = (raw(*from), raw(*to));
                let range = Range {
                    start: Position { order: &start, raw: &start_raw },
                    end: Position { order: &end, raw: &end_raw },
                    deletion: age.deletion(self.timestamp),
                };
                header::write(&DeletionTime::LIVE, &[range], &mut out);
            }
            What::DeletedPartition { age } => header::write(&age.deletion(self.timestamp), &[], &mut out),
            _ => {}
        }
        out
    }

    fn row(&self, row: u32) -> Vec<u8> {
        let (clustering, mut out) = (raw(row), Vec::new());
        let mut head = Head { clustering: Some(&clustering), ..Head::NOTHING };
        match &self.what {
            What::Row { has_liveness: true, .. } => head.liveness = Liveness::without_ttl(self.timestamp),
            What::Expiring { is_over, .. } => {
                let expires_s = if *is_over { NOW_S - 600 } else { NOW_S + 5000 };
                head.liveness = Liveness { timestamp: self.timestamp, ttl_s: 60, local_expiration_time_s: expires_s };
            }
            What::DeletedRow { age, .. } => head.deletion = age.deletion(self.timestamp),
            _ => {}
        }
        let mut writer = RowWriter::new(&head, &mut out);
        match &self.what {
            What::Row { v, w, .. } => {
                for (id, life) in [(1, v), (2, w)] {
                    if let Some(life) = life {
                        writer.simple(id, &life.cell(self.timestamp, &life.value()));
                    }
                }
            }
            What::Map { deleted, cells, .. } => {
                // Cassandra writes the deletion of what a collection was before one microsecond earlier.
                let deletion = deleted.map_or(DeletionTime::LIVE, |age| age.deletion(self.timestamp - 1));
                let each = |out: &mut ComplexWriter<'_, '_>| {
                    for (path, life) in cells {
                        let (path, value) = ([*path], life.value());
                        out.cell(&PathCell { order: &path, raw: None, cell: life.cell(self.timestamp, &value) });
                    }
                    Ok::<(), ()>(())
                };
                writer.complex(3, &deletion, cells.len() as u64, each).unwrap();
            }
            _ => {}
        }
        writer.finish();
        out
    }
}

struct Reader(Arc<Table>);

impl TableReader for Reader {
    fn read(&self, request: &[u8], _: usize, _: Reach, answer: &mut Vec<u8>) -> Result<Entries, Unread> {
        answer.resize(1 << 20, 0);
        let bytes = self.0.read(request, answer).map_err(|_| Unread::Failed)?;
        let cursor = i64::from_le_bytes(*answer.first_chunk().unwrap());
        if cursor != 0 {
            cursor_close(cursor).unwrap();
        }
        Ok(Entries { range: 12..usize::try_from(bytes).unwrap(), is_all: cursor == 0 })
    }
}

fn schema(id: u64) -> Vec<u8> {
    let mut out = vec![3, 0];
    counted(&mut out, &u128::from(id).to_be_bytes());
    counted(&mut out, b"ks");
    counted(&mut out, b"t");
    counted(&mut out, b"");
    out.extend((COLUMNS.len() as u32).to_le_bytes());
    for (_, kind, name, of) in COLUMNS {
        out.push(kind);
        counted(&mut out, name.as_bytes());
        counted(&mut out, of.as_bytes());
    }
    out.extend(0u32.to_le_bytes());
    out
}

fn text(out: &mut Vec<u8>, text: &str) {
    out.extend((text.len() as u16).to_be_bytes());
    out.extend(text.as_bytes());
}

fn layout() -> Vec<u8> {
    let mut out = vec![1, 0, 1];
    text(&mut out, "blob");
    out.extend([0, 1, INT, 0, COLUMNS.len() as u8]);
    for (id, kind, name, of) in COLUMNS {
        out.extend(id.to_be_bytes());
        out.push(kind);
        text(&mut out, name);
        text(&mut out, of);
    }
    out
}

/// A spec that fetches these columns, and selects some of them.
fn spec(regulars: &[(u32, bool)], statics: &[(u32, bool)]) -> Vec<u8> {
    let (layout, mut out) = (layout(), vec![1]);
    out.extend([7; 16]);
    out.extend((layout.len() as u32).to_be_bytes());
    out.extend(layout);
    for columns in [regulars, statics] {
        out.extend((columns.len() as u16).to_be_bytes());
        for (id, is_selected) in columns {
            out.extend(id.to_be_bytes());
            out.push(u8::from(*is_selected));
        }
    }
    out
}

#[derive(Clone, Debug, PartialEq)]
struct Read {
    slices: Vec<(Vec<u8>, Vec<u8>)>,
    points: Vec<u32>,
    is_reversed: bool,
    has_static: bool,
    rows_max: u32,
}

impl Read {
    fn bytes(&self) -> Vec<u8> {
        let mut out = vec![1];
        out.extend([9; 16]);
        out.extend(NOW_S.to_be_bytes());
        out.extend((NOW_S - GC_GRACE_S).to_be_bytes());
        out.extend(self.rows_max.to_be_bytes());
        let are_points = !self.points.is_empty();
        out.push(2);
        out.push(u8::from(self.is_reversed) | u8::from(self.has_static) << 1 | u8::from(are_points) << 2);
        out.extend((1u32 << 20).to_le_bytes());
        out.extend(0u32.to_le_bytes());
        counted(&mut out, &partition());
        if are_points {
            out.extend((self.points.len() as u32).to_le_bytes());
            self.points.iter().for_each(|row| counted(&mut out, &order(*row, 0x38)));
        } else {
            out.extend((self.slices.len() as u32).to_le_bytes());
            for (start, end) in &self.slices {
                counted(&mut out, start);
                counted(&mut out, end);
            }
        }
        out
    }
}

/// Reads of all of the partition, of parts of it, of rows, forward and back, whole and with limits.
fn reads() -> Vec<Read> {
    let all = vec![(vec![0x20], vec![0x60])];
    let parts = vec![(order(0, 0x60), order(2, 0x20)), (order(3, 0x20), order(4, 0x60))];
    let mut reads = Vec::new();
    for (slices, points) in [(all, vec![]), (parts, vec![]), (vec![], vec![1, 2, 4])] {
        for is_reversed in [false, true] {
            for rows_max in [1, 2, u32::MAX] {
                let has_static = rows_max != 2;
                reads.push(Read { slices: slices.clone(), points: points.clone(), is_reversed, has_static, rows_max });
            }
        }
    }
    reads
}

static NEXT: AtomicU64 = AtomicU64::new(1);

/// One replica: a table of its own.
fn replica(store: &Store) -> Arc<Table> {
    let table = store.table(&schema(NEXT.fetch_add(1, Ordering::Relaxed))).unwrap();
    // Until the end: what is late must meet what deletes it, as within gc_grace.
    table.set_purge(GC_GRACE_S, i64::MIN, server_offset_s()).unwrap();
    table
}

fn digests(table: &Arc<Table>) -> Vec<[u8; 16]> {
    let reader = Reader(Arc::clone(table));
    let specs = [
        spec(&[(1, true), (2, true), (3, true)], &[(4, true)]),
        spec(&[(1, true), (2, false), (3, false)], &[]),
        spec(&[(1, false), (3, true)], &[(4, false)]),
    ];
    let each = |spec: &Vec<u8>| {
        let read = |read: &Read| digest_of_table(&reader, spec, &read.bytes()).unwrap();
        reads().iter().map(read).collect::<Vec<_>>()
    };
    specs.iter().flat_map(each).collect()
}

/// The first read with other digests, and the number of its spec.
fn differing(one: &[[u8; 16]], other: &[[u8; 16]]) -> Option<(usize, Read)> {
    let at = one.iter().zip(other).position(|(one, other)| one != other)?;
    let reads = reads();
    Some((at / reads.len(), reads[at % reads.len()].clone()))
}

fn server_offset_s() -> i64 {
    NOW_S - SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs() as i64
}

fn config() -> ProptestConfig {
    let cases = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(12);
    ProptestConfig { cases, failure_persistence: None, max_shrink_iters: 60, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn replicas_with_the_same_writes_agree(
        writes in prop::collection::vec(write(), 1..30),
        orders in prop::collection::vec(prop::collection::vec(any::<Index>(), 30), 2),
        flushes in prop::collection::vec(any::<u8>(), 90),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&format!("directory={}\nblock_cache_size=32MiB\n", folder.path().display())).unwrap();
        let [plain, first, second] = [(); 3].map(|()| replica(&store));
        writes.iter().for_each(|write| plain.write(&write.request(), 0).unwrap());
        let expected = digests(&plain);
        for (number, (table, order)) in [first, second].iter().zip(&orders).enumerate() {
            let mut left = writes.clone();
            for at in order {
                if left.is_empty() {
                    break;
                }
                table.write(&left.remove(at.index(left.len())).request(), 0).unwrap();
                match flushes.get(number * 30 + left.len()) {
                    Some(0..40) => table.flush().unwrap(),
                    Some(40..50) => table.compact().unwrap(),
                    _ => {}
                }
            }
            prop_assert_eq!(differing(&digests(table), &expected), None, "replica {}", number);
            table.set_purge(GC_GRACE_S, i64::MAX, server_offset_s()).unwrap();
            table.compact().unwrap();
            prop_assert_eq!(differing(&digests(table), &expected), None, "replica {}, purged", number);
        }
        store.close().unwrap();
    }
}
