// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Reads and scans answer what has been written, in order, in chunks of any size.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic)]

mod common;

use cassiterite_engine::{cursor_close, cursor_next, Kind};
use common::*;

const VALUE: &[u8] = b"value";

fn fragment(at: u32) -> Vec<u8> {
    row(i64::from(at) + 1, 1, VALUE)
}

fn ten_rows(table: &cassiterite_engine::Table, name: &str) {
    for at in 0..10 {
        put(table, name, at * 10, i64::from(at) * 10 + 1, VALUE);
    }
}

#[test]
fn a_point_finds_its_row_and_nothing_else() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path());
    let table = table(&store);
    ten_rows(&table, "a");
    for (at, found) in [(20, true), (25, false), (0, true), (90, true), (91, false)] {
        let request = read_request(POINTS, 0, &partition("a"), &[point(at)]);
        let mut expected = vec![Entry::SliceEnd];
        if found {
            expected.insert(0, Entry::Row(fragment(at)));
        }
        assert_eq!(read_all(&table, &request, 1 << 12), expected, "at {at}");
        assert_eq!(read_all(&table, &request, 0), expected, "at {at}, growing");
    }
    let absent = read_request(POINTS, 0, &partition("b"), &[point(20)]);
    assert_eq!(read_all(&table, &absent, 100), [Entry::SliceEnd]);
}

#[test]
fn points_come_with_header_and_static_row_as_of_one_pinned_view() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path());
    let table = table(&store);
    ten_rows(&table, "a");
    let fixed = row(5, 3, b"static");
    table.write(&update(&partition("a"), &[(STATIC, b"", &fixed)]), 0).unwrap();
    let points = [point(10), point(15), point(30)];
    let with_static = read_request(POINTS | WITH_STATIC, 0, &partition("a"), &points);
    let expected = [
        Entry::Static(fixed.clone()),
        Entry::Row(fragment(10)),
        Entry::SliceEnd,
        Entry::SliceEnd,
        Entry::Row(fragment(30)),
        Entry::SliceEnd,
    ];
    assert_eq!(read_all(&table, &with_static, 1 << 12), expected);
    assert_eq!(read_all(&table, &with_static, 13), expected, "through an iterator");

    let deletion = partition_deletion(3);
    table.write(&update(&partition("a"), &[(HEADER, b"", &deletion)]), 0).unwrap();
    let one = read_request(POINTS, 0, &partition("a"), &[point(10)]);
    let expected_one = [Entry::Header(deletion.clone()), Entry::Row(fragment(10)), Entry::SliceEnd];
    assert_eq!(read_all(&table, &one, 1 << 12), expected_one);
    let mut all = vec![Entry::Header(deletion)];
    all.extend(expected);
    assert_eq!(read_all(&table, &with_static, 1 << 12), all);
    assert_eq!(read_all(&table, &with_static, 13), all);

    let backwards = read_request(POINTS | REVERSED, 0, &partition("a"), &points);
    let expected_back = [
        all[0].clone(),
        Entry::Row(fragment(30)),
        Entry::SliceEnd,
        Entry::SliceEnd,
        Entry::Row(fragment(10)),
        Entry::SliceEnd,
    ];
    assert_eq!(read_all(&table, &backwards, 1 << 12), expected_back);
    assert_eq!(read_all(&table, &backwards, 13), expected_back);
}

#[test]
fn slices_answer_their_rows_in_both_directions() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path());
    let table = table(&store);
    ten_rows(&table, "a");
    ten_rows(&table, "b");
    table.write(&update(&partition("a"), &[(STATIC, b"", &row(5, 3, b"s"))]), 0).unwrap();
    table.write(&update(&partition("a"), &[(HEADER, b"", &partition_deletion(1))]), 0).unwrap();
    let slices = [
        (vec![0x20], bound(20, 0x20)),
        (bound(30, 0x20), bound(50, 0x60)),
        (bound(51, 0x20), bound(52, 0x60)),
        (bound(80, 0x60), vec![0x60]),
    ];
    let groups: [&[u32]; 4] = [&[0, 10], &[30, 40, 50], &[], &[90]];
    for flush in [false, true] {
        if flush {
            table.flush().unwrap();
        }
        for reversed in [false, true] {
            let mut expected = vec![Entry::Header(partition_deletion(1))];
            let mut ordered = groups.to_vec();
            if reversed {
                ordered.reverse();
            }
            for group in ordered {
                let mut found: Vec<Entry> = group.iter().map(|at| Entry::Row(fragment(*at))).collect();
                if reversed {
                    found.reverse();
                }
                expected.extend(found);
                expected.push(Entry::SliceEnd);
            }
            for (chunk, buffer) in [(1 << 20, 1 << 20), (1, 1 << 20), (0, 0), (30, 64)] {
                let request = read_request(u8::from(reversed), chunk, &partition("a"), &slices);
                assert_eq!(read_all(&table, &request, buffer), expected, "reversed {reversed} chunk {chunk} {buffer}");
            }
        }
    }
}

#[test]
fn a_first_chunk_stops_at_the_rows_wanted() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path());
    let table = table(&store);
    ten_rows(&table, "a");
    let mut buffer = vec![0; 1 << 16];
    for (wanted, rows, is_all) in [(1, 1, false), (3, 3, false), (9, 9, false), (10, 10, true), (0, 10, true)] {
        for flags in [0, REVERSED] {
            let request = read_request_of_rows(flags, 1 << 20, wanted, &partition("a"), &everything());
            let filled = table.read(&request, &mut buffer).unwrap();
            let (cursor, first) = parse(&buffer[..filled as usize]);
            let found = first.iter().filter(|entry| matches!(entry, Entry::Row(_))).count();
            assert_eq!((found, cursor == 0), (rows, is_all), "{wanted} wanted");
            assert_eq!(read_all(&table, &request, 1 << 16).len(), 11, "{wanted} wanted");
            cursor_close(cursor).unwrap();
        }
    }
}

#[test]
fn a_first_chunk_stops_at_the_bytes_wanted() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path());
    let table = table(&store);
    ten_rows(&table, "a");
    let mut buffer = vec![0; 1 << 12];
    let request = read_request(0, 1, &partition("a"), &everything());
    let filled = table.read(&request, &mut buffer).unwrap();
    let (cursor, first) = parse(&buffer[..filled as usize]);
    assert_eq!(first, [Entry::Row(fragment(0))]);
    put(&table, "a", 15, 99, b"later");
    let filled = cursor_next(cursor, 0, &mut buffer).unwrap();
    let (end, rest) = parse(&buffer[..filled as usize]);
    assert_eq!((end, rest.len()), (0, 10), "the cursor has the view of the first call");
    assert_eq!(cursor_next(cursor, 0, &mut buffer).unwrap_err().kind(), Kind::Closed);
    cursor_close(cursor).unwrap();
}

#[test]
fn scans_name_partitions_in_token_order() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path());
    let table = table(&store);
    let mut names: Vec<String> = (0..40).map(|number| format!("p{number}")).collect();
    for name in &names {
        put(&table, name, 1, 2, VALUE);
        put(&table, name, 7, 8, VALUE);
    }
    names.sort_by_key(|name| partition(name));
    let whole: Vec<Entry> = names
        .iter()
        .flat_map(|name| {
            let token = cassiterite_codec::key::token(&partition(name)).unwrap();
            [Entry::Partition(token, name.clone().into_bytes()), Entry::Row(fragment(1)), Entry::Row(fragment(7))]
        })
        .collect();
    let only = |kind: fn(&Entry) -> bool| whole.iter().filter(|entry| kind(entry)).cloned().collect::<Vec<_>>();
    let keys = only(|entry| matches!(entry, Entry::Partition(..)));
    for buffer in [1 << 20, 200, 0] {
        assert_eq!(scan_all(&table, &scan_request(WHOLE, 100, b"", b"", &[]), buffer), whole);
        assert_eq!(scan_all(&table, &scan_request(KEYS_ONLY, 100, b"", b"", &[]), buffer), keys);
        let bounded = scan_request(WHOLE, 100, &partition(&names[3]), &partition(&names[5]), &[]);
        assert_eq!(scan_all(&table, &bounded, buffer), whole[9..15]);
        let sliced = scan_request(0, 100, b"", b"", &[(vec![0x20], bound(0, 0x60)), (bound(5, 0x20), vec![0x60])]);
        let expected: Vec<Entry> =
            whole.chunks(3).flat_map(|p| [p[0].clone(), Entry::SliceEnd, p[2].clone(), Entry::SliceEnd]).collect();
        assert_eq!(scan_all(&table, &sliced, buffer), expected);
        let points = scan_request(POINTS, 100, b"", b"", &[point(7)]);
        let expected: Vec<Entry> =
            whole.chunks(3).flat_map(|p| [p[0].clone(), p[2].clone(), Entry::SliceEnd]).collect();
        assert_eq!(scan_all(&table, &points, buffer), expected);
        assert_eq!(scan_all(&table, &scan_request(POINTS, 100, b"", b"", &[point(3)]), buffer), []);
    }
}

#[test]
fn skip_drops_the_rest_of_the_partition_and_only_that() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path());
    let table = table(&store);
    for name in ["a", "b", "c"] {
        ten_rows(&table, name);
    }
    for (chunk, skipped_rows) in [(1u32, 10), (60, 9), (1000, 0)] {
        let mut buffer = vec![0; 1 << 16];
        let filled = table.scan(&scan_request(WHOLE, chunk, b"", b"", &[]), &mut buffer).unwrap();
        let (cursor, mut entries) = parse(&buffer[..filled as usize]);
        if cursor == 0 {
            assert_eq!(entries.len(), 33);
            continue;
        }
        let filled = cursor_next(cursor, 1, &mut buffer).unwrap();
        let (end, rest) = parse(&buffer[..filled as usize]);
        entries.extend(rest);
        assert_eq!(end, 0);
        let partitions = entries.iter().filter(|entry| matches!(entry, Entry::Partition(..))).count();
        assert_eq!(partitions, 3, "chunk {chunk}");
        if chunk < 1000 {
            assert!(entries.len() < 33, "chunk {chunk} skipped {skipped_rows}");
        }
    }
}

#[test]
fn empty_fragments_are_absent() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path());
    let table = table(&store);
    table
        .write(&update(&partition("a"), &[(ROW, &clustering(1), EMPTY), (STATIC, b"", EMPTY), (HEADER, b"", EMPTY)]), 0)
        .unwrap();
    put(&table, "b", 1, 2, VALUE);
    let request = read_request(POINTS | WITH_STATIC, 0, &partition("a"), &[point(1)]);
    assert_eq!(read_all(&table, &request, 100), [Entry::SliceEnd]);
    assert_eq!(rows(&table, "a"), Vec::<Vec<u8>>::new());
    for flags in [WHOLE, KEYS_ONLY] {
        let found = scan_all(&table, &scan_request(flags, 100, b"", b"", &[]), 1000);
        assert!(matches!(&found[0], Entry::Partition(_, name) if name == b"b"));
    }
}

#[test]
fn a_row_larger_than_any_buffer_asks_for_its_size() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path());
    let table = table(&store);
    let large = vec![7; 20 << 20];
    put(&table, "a", 1, 2, &large);
    put(&table, "a", 2, 2, VALUE);
    let mut buffer = vec![0; 100];
    let filled = table.read(&read_request(POINTS, 0, &partition("a"), &[point(1)]), &mut buffer).unwrap();
    let (cursor, entries) = parse(&buffer[..filled as usize]);
    assert_eq!(entries, []);
    let needed = cursor_next(cursor, 0, &mut buffer).unwrap();
    assert!(needed < -(20 << 20));
    cursor_close(cursor).unwrap();
    for request in [
        read_request(POINTS, 0, &partition("a"), &[point(1)]),
        read_request(0, 0, &partition("a"), &everything()),
        read_request(REVERSED, 0, &partition("a"), &everything()),
    ] {
        let found = read_all(&table, &request, 100);
        assert!(found.contains(&Entry::Row(row(2, 1, &large))));
    }
}

#[test]
fn malformed_requests_are_refused() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path());
    let table = table(&store);
    let mut buffer = vec![0; 1000];
    let good = read_request(0, 0, &partition("a"), &everything());
    for length in 0..good.len() {
        assert_eq!(table.read(&good[..length], &mut buffer).unwrap_err().kind(), Kind::Invalid, "{length}");
    }
    let write = update(&partition("a"), &[(ROW, &clustering(1), &row(1, 1, VALUE))]);
    for length in 0..write.len() {
        assert_eq!(table.write(&write[..length], 0).unwrap_err().kind(), Kind::Invalid, "{length}");
    }
    let unordered =
        read_request(0, 0, &partition("a"), &[(bound(5, 0x20), bound(6, 0x20)), (bound(1, 0x20), bound(2, 0x20))]);
    assert_eq!(table.read(&unordered, &mut buffer).unwrap_err().kind(), Kind::Invalid);
    let broken = update(&partition("a"), &[(ROW, &clustering(1), b"\x01\x02")]);
    assert_eq!(table.write(&broken, 0).unwrap_err().kind(), Kind::Invalid);
}

#[test]
fn a_scan_that_finds_little_answers_in_between() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path());
    let table = table(&store);
    for at in 0..3000 {
        put(&table, &format!("p{at}"), 1, 2, VALUE);
    }
    put(&table, "p77", 5, 6, VALUE);
    let late = [(bound(5, 0x20), bound(6, 0x60))];
    let many: Vec<_> = (2..50).map(point).collect();
    for (flags, wanted, ends, calls_min) in [(0, &late[..], 1, 3), (POINTS, &many[..], 48, 100)] {
        let request = scan_request(flags, 1 << 20, b"", b"", wanted);
        let mut calls = 0;
        let found = drain(1 << 20, |cursor, buffer| {
            calls += 1;
            match cursor {
                None => table.scan(&request, buffer).unwrap(),
                Some(cursor) => cursor_next(cursor, 0, buffer).unwrap(),
            }
        });
        assert_eq!(found.iter().filter(|entry| matches!(entry, Entry::Partition(..))).count(), 1);
        assert_eq!(found.iter().filter(|entry| **entry == Entry::Row(fragment(5))).count(), 1);
        assert_eq!(found.len(), 2 + ends);
        assert!(calls >= calls_min, "{calls} calls");
    }
}

#[test]
fn empty_rows_do_not_delay_a_call() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path());
    let table = table(&store);
    for at in 1..3000 {
        table.write(&update(&partition("a"), &[(ROW, &clustering(at), EMPTY)]), 0).unwrap();
    }
    put(&table, "a", 0, 1, VALUE);
    put(&table, "a", 3000, 3001, VALUE);
    let forth = vec![Entry::Row(fragment(0)), Entry::Row(fragment(3000)), Entry::SliceEnd];
    let back = vec![Entry::Row(fragment(3000)), Entry::Row(fragment(0)), Entry::SliceEnd];
    for (flags, expected) in [(0, forth.clone()), (REVERSED, back)] {
        let request = read_request(flags, 1 << 20, &partition("a"), &everything());
        assert_eq!(read_all(&table, &request, 1 << 20), expected);
        let mut buffer = vec![0; 1 << 20];
        let filled = table.read(&request, &mut buffer).unwrap() as usize;
        let (cursor, entries) = parse(&buffer[..filled]);
        assert_eq!(entries, expected[..1], "the first call goes as far as there is something");
        cursor_close(cursor).unwrap();
    }
    for flags in [WHOLE, 0] {
        let wanted = if flags == 0 { everything() } else { Vec::new() };
        let request = scan_request(flags, 1 << 20, b"", b"", &wanted);
        let found = scan_all(&table, &request, 1 << 20);
        assert_eq!(found[1..3], forth[..2]);
        let mut buffer = vec![0; 1 << 20];
        let filled = table.scan(&request, &mut buffer).unwrap() as usize;
        let (cursor, entries) = parse(&buffer[..filled]);
        assert_eq!(entries.len(), 2);
        let filled = cursor_next(cursor, 1, &mut buffer).unwrap() as usize;
        assert_eq!(parse(&buffer[..filled]), (0, vec![]), "the rest of the partition is skipped");
    }
}

/// What a read that must not wait answers; `None` where it would have to.
fn in_memory(table: &cassiterite_engine::Table, request: &[u8]) -> Option<Vec<Entry>> {
    let mut buffer = vec![0; 4096];
    let (bytes, is_all) = table.read_in_memory(request, &mut buffer).unwrap()?;
    let (cursor, entries) = parse(&buffer[..bytes]);
    assert_eq!((cursor, is_all), (0, true));
    Some(entries)
}

/// The same, once RocksDB's own threads let it have its view.
fn in_memory_soon(table: &cassiterite_engine::Table, request: &[u8]) -> Vec<Entry> {
    let mut found = None;
    await_until("no answer", || {
        found = in_memory(table, request);
        found.is_some()
    });
    found.unwrap()
}

#[test]
fn a_read_in_memory_answers_without_a_file_or_not_at_all() {
    let directory = tempfile::tempdir().unwrap();
    let requests = [
        read_request(POINTS, 4096, &partition("a"), &[point(20)]),
        read_request(POINTS | WITH_STATIC, 4096, &partition("a"), &[point(10), point(20)]),
        read_request(0, 4096, &partition("a"), &everything()),
        read_request(REVERSED, 4096, &partition("a"), &everything()),
    ];
    let of_memtables: Vec<_> = {
        let store = open(directory.path());
        let table = table(&store);
        ten_rows(&table, "a");
        let answers: Vec<_> = requests.iter().map(|request| in_memory_soon(&table, request)).collect();
        for (request, answer) in requests.iter().zip(&answers) {
            assert_eq!(*answer, read_all(&table, request, 1 << 12));
            assert_eq!(table.read_in_memory(request, &mut [0; 30]).unwrap(), None, "not even one entry");
        }
        table.flush().unwrap();
        answers
    };
    for (request, expected) in requests.iter().zip(&of_memtables) {
        let store = open(directory.path());
        let table = table(&store);
        assert_eq!(in_memory(&table, request), None, "the files have not been read yet");
        assert_eq!(read_all(&table, request, 1 << 12), *expected);
        assert_eq!(in_memory_soon(&table, request), *expected);
    }
}

#[test]
fn a_read_in_memory_stops_after_the_bytes_wanted() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path());
    let table = table(&store);
    ten_rows(&table, "a");
    let all = read_all(&table, &read_request(0, 0, &partition("a"), &everything()), 1 << 12);
    for (chunk, count, is_all) in [(1, 1, false), (60, 3, false), (4000, 11, true)] {
        let mut buffer = vec![0; 4096];
        let request = read_request(0, chunk, &partition("a"), &everything());
        in_memory_soon(&table, &read_request(0, 4000, &partition("a"), &everything()));
        let answered = table.read_in_memory(&request, &mut buffer).unwrap().unwrap();
        let (cursor, entries) = parse(&buffer[..answered.0]);
        assert_eq!((cursor, answered.1), (0, is_all), "chunks of {chunk}");
        assert_eq!(entries, all[..count]);
    }
}
