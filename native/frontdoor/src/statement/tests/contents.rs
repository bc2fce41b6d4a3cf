// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! What replicas must have alike, and what they need not.

use super::support::*;
use crate::reason::Reason;
use crate::statement::contents::{digest, Digest, Layout, PeerRead, PeerSpec};
use crate::statement::recipe::Recipe;
use crate::statement::response::Answer;
use cassiterite_codec::header::{self, Position, Range};
use cassiterite_codec::row::{Cell, Liveness};
use cassiterite_codec::DeletionTime;
use proptest::prelude::*;
use proptest::sample::Index;
use std::sync::Arc;

const GOLDEN: &str = include_str!("../../../tests/golden/peer-reads.txt");
const LIVE: DeletionTime = DeletionTime::LIVE;
const GC_BEFORE_S: i64 = NOW_S - 1000;

fn text(text: &str) -> Vec<u8> {
    [&(text.len() as u16).to_be_bytes()[..], text.as_bytes()].concat()
}

/// One int as partition key, one as clustering, the columns 1 to 3 of rows, and the static column 4.
fn layout() -> Vec<u8> {
    let column = |id: u32, kind: u8| [&id.to_be_bytes()[..], &[kind], &text(&format!("c{id}")), &text("blob")].concat();
    let columns = [column(1, 0), column(2, 0), column(3, 0), column(4, 1)].concat();
    [&[1, 0, 1][..], &text("int"), &[0, 1, INT], &[0, 4], &columns].concat()
}

/// Columns, and whether they are selected.
type Columns<'c> = &'c [(u32, bool)];

fn spec_bytes(regulars: Columns<'_>, statics: Columns<'_>) -> Vec<u8> {
    let layout = layout();
    let columns = |columns: Columns<'_>| {
        let each = columns.iter().map(|(id, is_selected)| [&id.to_be_bytes()[..], &[u8::from(*is_selected)]].concat());
        [&(columns.len() as u16).to_be_bytes()[..], &each.collect::<Vec<_>>().concat()].concat()
    };
    [&[1][..], &TABLE, &counted(&layout), &columns(regulars), &columns(statics)].concat()
}

fn little(bytes: &[u8]) -> Vec<u8> {
    [&(bytes.len() as u32).to_le_bytes()[..], bytes].concat()
}

fn order(row: i32, end: u8) -> Vec<u8> {
    [&[0x40][..], &(row as u32 ^ 0x8000_0000).to_be_bytes(), &[end]].concat()
}

/// A read of slices between rows, from before the first up to behind the second.
fn read_bytes(slices: &[(i32, i32)], is_reversed: bool, rows_max: u32) -> Vec<u8> {
    let partition = [&[0x40, 0x80, 0, 0, 0, 0, 0, 0, 5, 0x40][..], b"key", &[0, 0x38]].concat();
    let places: Vec<_> =
        slices.iter().flat_map(|(from, to)| [little(&order(*from, 0x20)), little(&order(*to, 0x60))]).collect();
    let request = [
        &[2, u8::from(is_reversed)][..],
        &4096u32.to_le_bytes(),
        &0u32.to_le_bytes(),
        &little(&partition),
        &(slices.len() as u32).to_le_bytes(),
        &places.concat(),
    ];
    let times = [&NOW_S.to_be_bytes()[..], &GC_BEFORE_S.to_be_bytes(), &rows_max.to_be_bytes()];
    [&[1][..], &[9; 16], &times.concat(), &request.concat()].concat()
}

fn digest_of(spec: &[u8], read: &[u8], entries: &[Vec<u8>]) -> Result<Digest, Reason> {
    let (spec, read) = (PeerSpec::decode(spec).unwrap(), PeerRead::decode(read).unwrap());
    let digested = digest(&spec, &read, Answer { entries: &entries.concat(), is_complete: true }, 1000);
    digested.map(|digested| digested.digest)
}

/// Column 1 is selected, column 2 only fetched.
fn contents(entries: &[Vec<u8>]) -> Digest {
    digest_of(&spec_bytes(&[(1, true), (2, false)], &[(4, true)]), &read_bytes(&[(0, 100)], false, 100), entries)
        .unwrap()
}

fn at(timestamp: i64) -> Liveness {
    Liveness::without_ttl(timestamp)
}

fn deleted(timestamp: i64, ago_s: i64) -> DeletionTime {
    DeletionTime::new(timestamp, NOW_S - ago_s)
}

fn row_at(number: i32, liveness: Liveness, deletion: DeletionTime, columns: &[(u32, Cell<'_>)]) -> Vec<u8> {
    entry(ROW, &fragment(Some(&raw_int(number)), liveness, deletion, columns))
}

fn row(liveness: Liveness, deletion: DeletionTime, columns: &[(u32, Cell<'_>)]) -> Vec<u8> {
    row_at(5, liveness, deletion, columns)
}

fn cells(columns: &[(u32, Cell<'_>)]) -> Vec<u8> {
    row(Liveness::NONE, LIVE, columns)
}

fn expiring(timestamp: i64, ttl_s: u32, expires_s: i64) -> Cell<'static> {
    Cell { ttl_s, local_deletion_time_s: expires_s, ..Cell::live(timestamp, b"v") }
}

fn header_of(partition: DeletionTime, ranges: &[(i32, i32, DeletionTime)]) -> Vec<u8> {
    let mut out = Vec::new();
    let orders: Vec<_> = ranges.iter().map(|(from, to, _)| (order(*from, 0x20), order(*to, 0x60))).collect();
    let raws: Vec<_> = ranges.iter().map(|(from, to, _)| (raw_int(*from), raw_int(*to))).collect();
    let ranges: Vec<_> = ranges
        .iter()
        .zip(orders.iter().zip(&raws))
        .map(|((.., deletion), ((start, end), (start_raw, end_raw)))| Range {
            start: Position { order: start, raw: start_raw },
            end: Position { order: end, raw: end_raw },
            deletion: *deletion,
        })
        .collect();
    header::write(&partition, &ranges, &mut out);
    entry(HEADER, &out)
}

#[test]
fn replicas_need_not_have_alike_what_no_client_can_see() {
    let nothing = contents(&[]);
    let value = (1, Cell::live(T, b"v"));
    for (what, one, other) in [
        ("a row without cells that are fetched", vec![cells(&[(3, Cell::live(T, b"x"))])], vec![]),
        ("a column that is not fetched", vec![cells(&[value, (3, Cell::live(T, b"x"))])], vec![cells(&[value])]),
        ("an older deletion", vec![row(Liveness::NONE, deleted(T, 1001), &[])], vec![]),
        ("an older tombstone", vec![cells(&[(1, Cell::tombstone(T, GC_BEFORE_S - 1))])], vec![]),
        ("what has expired of old", vec![cells(&[(1, expiring(T, 600, NOW_S - 500))])], vec![]),
        ("an older partition deletion", vec![header_of(deleted(T, 1001), &[])], vec![]),
        ("an older range", vec![header_of(LIVE, &[(1, 9, deleted(T, 1001))])], vec![]),
        (
            "when something was deleted here",
            vec![row(Liveness::NONE, deleted(T, 10), &[(1, Cell::tombstone(T + 1, NOW_S - 3))])],
            vec![row(Liveness::NONE, deleted(T, 20), &[(1, Cell::tombstone(T + 1, NOW_S - 4))])],
        ),
        (
            "a cell that its row's deletion covers",
            vec![row(Liveness::NONE, deleted(T, 10), &[value])],
            vec![row(Liveness::NONE, deleted(T, 10), &[])],
        ),
        (
            "a row that the partition's deletion covers",
            vec![header_of(deleted(T, 10), &[]), row(at(T), deleted(T - 1, 10), &[value])],
            vec![header_of(deleted(T, 10), &[])],
        ),
        (
            "a row that a range covers, itself gone by now",
            vec![header_of(LIVE, &[(5, 5, deleted(T, 1001))]), row(at(T), LIVE, &[value])],
            vec![],
        ),
        (
            "that a cell has expired",
            vec![cells(&[(1, expiring(T, 60, NOW_S))])],
            vec![cells(&[(1, Cell::tombstone(T, NOW_S - 60))])],
        ),
        (
            "when a cell expires",
            vec![cells(&[(1, expiring(T, 60, NOW_S + 1))])],
            vec![cells(&[(1, expiring(T, 60, NOW_S + 2))])],
        ),
        ("an unselected value", vec![cells(&[(2, Cell::live(T, b"x"))])], vec![cells(&[(2, Cell::live(T, b"y"))])]),
        (
            "an unselected cell older than the liveness",
            vec![row(at(T), LIVE, &[(2, Cell::live(T - 1, b"x"))])],
            vec![row(at(T), LIVE, &[])],
        ),
    ] {
        assert_eq!(contents(&one), contents(&other), "{what}");
        assert!(other.is_empty() == (contents(&other) == nothing), "{what}");
    }
}

#[test]
fn replicas_must_have_alike_what_clients_may_see_or_merges_need() {
    let value = (1, Cell::live(T, b"v"));
    let entries = [
        vec![],
        vec![cells(&[value])],
        vec![cells(&[(1, Cell::live(T + 1, b"v"))])],
        vec![cells(&[(1, Cell::live(T, b"w"))])],
        vec![cells(&[(1, Cell::live(T, b""))])],
        vec![cells(&[(1, Cell::tombstone(T, NOW_S))])],
        vec![cells(&[(1, expiring(T, 60, NOW_S + 1))])],
        vec![cells(&[(1, expiring(T, 61, NOW_S + 1))])],
        vec![cells(&[(2, Cell::live(T, b""))])],
        vec![cells(&[(2, Cell::live(T + 1, b""))])],
        vec![cells(&[(2, Cell::tombstone(T, NOW_S))])],
        vec![cells(&[value, (2, Cell::live(T, b""))])],
        vec![row(at(T), LIVE, &[value])],
        vec![row(at(T + 1), LIVE, &[value])],
        vec![row(at(T), LIVE, &[])],
        vec![row(Liveness { timestamp: T, ttl_s: 60, local_expiration_time_s: NOW_S + 9 }, LIVE, &[])],
        vec![row(Liveness { timestamp: T, ttl_s: 60, local_expiration_time_s: NOW_S + 8 }, LIVE, &[])],
        vec![row(Liveness::NONE, deleted(T, 10), &[])],
        vec![row(Liveness::NONE, deleted(T + 1, 10), &[])],
        vec![row_at(6, Liveness::NONE, LIVE, &[value])],
        vec![row_at(5, Liveness::NONE, LIVE, &[value]), row_at(6, Liveness::NONE, LIVE, &[value])],
        vec![entry(STATIC, &fragment(None, Liveness::NONE, LIVE, &[(4, Cell::live(T, b"v"))]))],
        vec![header_of(deleted(T, 10), &[])],
        vec![header_of(deleted(T + 1, 10), &[])],
        vec![header_of(LIVE, &[(1, 9, deleted(T, 10))])],
        vec![header_of(LIVE, &[(1, 9, deleted(T + 1, 10))])],
        vec![header_of(LIVE, &[(1, 8, deleted(T, 10))])],
        vec![header_of(LIVE, &[(2, 9, deleted(T, 10))])],
        vec![header_of(LIVE, &[(1, 2, deleted(T, 10)), (4, 9, deleted(T, 10))])],
        vec![entry(ROW, &many_cells(LIVE, LIVE, &[(b"a", Cell::live(T, b"v"))]))],
        vec![entry(ROW, &many_cells(LIVE, LIVE, &[(b"b", Cell::live(T, b"v"))]))],
        vec![entry(ROW, &many_cells(LIVE, deleted(T - 1, 10), &[(b"a", Cell::live(T, b"v"))]))],
        vec![entry(ROW, &many_cells(LIVE, deleted(T - 1, 10), &[]))],
    ];
    let digests: Vec<Digest> = entries.iter().map(|entries| contents(entries)).collect();
    for (at, one) in digests.iter().enumerate() {
        for (behind, other) in digests.iter().enumerate().skip(at + 1) {
            assert_ne!(one, other, "{at} and {behind}");
        }
    }
}

/// What follows the last row that counts is of no read, on either side.
#[test]
fn a_read_stops_with_its_last_row() {
    let spec = spec_bytes(&[(1, true)], &[]);
    let rows =
        |numbers: &[i32]| -> Vec<Vec<u8>> { numbers.iter().map(|number| row_at(*number, at(T), LIVE, &[])).collect() };
    for (is_reversed, one, longer) in [(false, vec![3, 4], vec![3, 4, 5]), (true, vec![4, 3], vec![4, 3, 2])] {
        let read = read_bytes(&[(0, 100)], is_reversed, 2);
        let of = |entries: &[Vec<u8>]| digest_of(&spec, &read, entries).unwrap();
        assert_eq!(of(&rows(&one)), of(&rows(&longer)));
        assert_ne!(of(&rows(&one)), of(&rows(&longer[1..])));
        let cut = |range: (i32, i32)| {
            let header = header_of(LIVE, &[(range.0, range.1, deleted(T - 1, 10))]);
            of(&[vec![header], rows(&one)].concat())
        };
        let (same, other) = if is_reversed { ([(3, 9), (2, 9)], (4, 9)) } else { ([(1, 4), (1, 7)], (1, 3)) };
        assert_eq!(cut(same[0]), cut(same[1]));
        assert_ne!(cut(same[0]), cut(other));
    }
    let all = digest_of(&spec, &read_bytes(&[(0, 100)], false, 3), &rows(&[3, 4])).unwrap();
    assert_eq!(all, digest_of(&spec, &read_bytes(&[(0, 100)], false, 9), &rows(&[3, 4])).unwrap());
}

#[test]
fn ranges_are_cut_to_the_slices() {
    let spec = spec_bytes(&[(1, true)], &[]);
    let read = read_bytes(&[(10, 20), (30, 40)], false, 9);
    let of = |from, to| digest_of(&spec, &read, &[header_of(LIVE, &[(from, to, deleted(T, 10))])]).unwrap();
    let nothing = digest_of(&spec, &read, &[]).unwrap();
    assert_eq!([of(1, 9), of(21, 29), of(41, 50)], [nothing; 3]);
    assert_eq!([of(5, 50), of(10, 40)], [of(1, 60); 2]);
    assert_eq!(of(1, 25), of(10, 20));
    assert!(![of(1, 25), of(25, 50), of(11, 25)].contains(&of(1, 50)));
    assert_ne!(of(1, 25), of(11, 25));
}

#[test]
fn what_is_not_digested_is_an_error() {
    let (spec, read) = (spec_bytes(&[(1, true)], &[]), read_bytes(&[(0, 9)], false, 9));
    let of = |entries: &[Vec<u8>]| digest_of(&spec, &read, entries);
    let counter = Cell { is_counter: true, ..Cell::live(T, b"\0\0") };
    assert_eq!(of(&[cells(&[(1, counter)])]), Err(Reason::UnknownContent));
    assert_eq!(of(&[header_of(LIVE, &[]), header_of(LIVE, &[])]), Err(Reason::UnknownContent));
    let tombstones: Vec<_> = (0..1001).map(|number| row_at(number, Liveness::NONE, deleted(T, 10), &[])).collect();
    assert_eq!(of(&tombstones), Err(Reason::Tombstones));
    assert!(of(&tombstones[1..]).is_ok());
    let (spec, read) = (PeerSpec::decode(&spec).unwrap(), PeerRead::decode(&read).unwrap());
    let unfinished = digest(&spec, &read, Answer { entries: &[], is_complete: false }, 1000);
    assert_eq!(unfinished, Err(Reason::Unfinished));
}

/// Another key is another digest: who writes rows cannot know which contents have the same.
#[test]
fn a_digest_depends_on_its_key() {
    let spec = spec_bytes(&[(1, true)], &[]);
    let (mut read, entries) = (read_bytes(&[(0, 9)], false, 9), [cells(&[(1, Cell::live(T, b"v"))])]);
    let before = digest_of(&spec, &read, &entries).unwrap();
    read[1] ^= 1;
    assert_ne!(digest_of(&spec, &read, &entries).unwrap(), before);
}

#[test]
fn a_spec_is_of_recipes_whose_columns_the_layout_has() {
    let layout = Arc::new(Layout::decode(&layout()).unwrap());
    let of = |recipe: &Recipe| PeerSpec::of(recipe, &layout).map(|spec| spec.encode());
    let fitting = RecipeBytes { statics: vec![4], flags: 2, ..RecipeBytes::default() };
    assert_eq!(of(&fitting.recipe()), Some(spec_bytes(&[(1, true), (2, false)], &[(4, false)])));
    for recipe in [
        RecipeBytes { regulars: vec![1, 9], ..RecipeBytes::default() },
        RecipeBytes { regulars: vec![1, 4], ..RecipeBytes::default() },
        RecipeBytes { clustering: vec![INT | 0x80], ..RecipeBytes::default() },
        RecipeBytes { columns: vec![regular(1, &[5])], ..RecipeBytes::default() },
    ] {
        assert_eq!(of(&recipe.recipe()), None);
    }
}

#[test]
fn bytes_that_are_cut_off_or_too_long_are_nothing() {
    let (spec, read) = (spec_bytes(&[(1, true)], &[(4, true)]), read_bytes(&[(0, 9)], false, 9));
    assert_eq!(PeerSpec::decode(&spec).unwrap().encode(), spec);
    assert_eq!(PeerRead::decode(&read).unwrap().encode(), read);
    for length in 0..spec.len() {
        assert!(PeerSpec::decode(&spec[..length]).is_none(), "{length}");
    }
    for length in 0..read.len() {
        assert!(PeerRead::decode(&read[..length]).is_none(), "{length}");
    }
    assert!(PeerSpec::decode(&[&spec[..], &[0]].concat()).is_none());
    assert!(PeerRead::decode(&[&read[..], &[0]].concat()).is_none());
    assert!(PeerSpec::decode(&spec_bytes(&[(2, true), (1, true)], &[])).is_none());
    assert!(PeerSpec::decode(&spec_bytes(&[(4, true)], &[])).is_none());
}

/// The bytes between nodes are what they were: another version of them gets another number.
#[test]
fn the_golden_file_has_not_changed() {
    let all = [
        row_at(1, at(T), LIVE, &[(1, Cell::live(T, b"value")), (2, Cell::live(T + 1, b"other"))]),
        row_at(2, Liveness { timestamp: T, ttl_s: 60, local_expiration_time_s: NOW_S + 9 }, deleted(T - 5, 10), &[]),
        entry(
            ROW,
            &many_cells(LIVE, deleted(T - 1, 10), &[(b"a", Cell::live(T, b"v")), (b"b", expiring(T, 60, NOW_S))]),
        ),
        row_at(6, Liveness::NONE, LIVE, &[(1, Cell::tombstone(T, NOW_S - 1)), (2, expiring(T, 60, NOW_S + 5))]),
    ];
    let statics = entry(STATIC, &fragment(None, Liveness::NONE, LIVE, &[(4, Cell::live(T, b"static"))]));
    let header = header_of(deleted(T - 9, 10), &[(3, 4, deleted(T - 2, 10)), (7, 200, deleted(T - 3, 10))]);
    let spec = spec_bytes(&[(1, true), (2, false)], &[(4, true)]);
    let mut lines = Vec::new();
    for (read, entries) in [
        (read_bytes(&[(0, 100)], false, 9), vec![]),
        (read_bytes(&[(0, 100)], false, 9), all.to_vec()),
        (read_bytes(&[(0, 3), (5, 100)], true, 3), [vec![header, statics], all.to_vec()].concat()),
    ] {
        let digest = digest_of(&spec, &read, &entries).unwrap();
        let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        lines.push(format!("{} {} {} {}\n", hex(&spec), hex(&read), hex(&entries.concat()), hex(&digest)));
    }
    assert_eq!(lines.concat(), GOLDEN);
}

proptest! {
    #[test]
    fn spoilt_bytes_are_refused_or_read(
        of in 0..3usize,
        changes in prop::collection::vec((any::<Index>(), any::<u8>()), 1..4),
    ) {
        let mut parts = [
            spec_bytes(&[(1, true), (2, false)], &[(4, true)]),
            read_bytes(&[(0, 3), (5, 100)], true, 3),
            [
                header_of(deleted(T - 9, 10), &[(3, 4, deleted(T - 2, 10))]),
                row_at(6, at(T), LIVE, &[(1, Cell::tombstone(T, NOW_S - 1)), (2, expiring(T, 60, NOW_S + 5))]),
                entry(ROW, &many_cells(LIVE, LIVE, &[(b"a", Cell::live(T, b"v"))])),
            ].concat(),
        ];
        for (at, byte) in changes {
            let at = at.index(parts[of].len());
            parts[of][at] = byte;
        }
        let [spec, read, entries] = parts;
        if let (Some(spec), Some(read)) = (PeerSpec::decode(&spec), PeerRead::decode(&read)) {
            let _ = digest(&spec, &read, Answer { entries: &entries, is_complete: true }, 1000);
        }
    }
}
