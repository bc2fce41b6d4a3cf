// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! A read allocates nothing for a cell, however many a row has and however many fragments it is merged from. What is
//! counted are the allocations of Rust on the thread that reads: RocksDB itself knows no cells.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic)]

mod common;

use cassiterite_codec::row::{Cell, ComplexWriter, Head, Liveness, PathCell, RowWriter};
use cassiterite_codec::DeletionTime;
use cassiterite_engine::{Store, Table};
use common::shipments::ship;
use common::*;
use std::sync::Arc;

const BUFFER_BYTES: usize = 4 << 20;
const FEW: u32 = 2;
const MANY: u32 = 200;
/// More than a merge takes without allocating.
const FRAGMENTS: u32 = 12;
const NAME: &str = "a";
/// The measured numbers, so that no change adds to them unnoticed.
const MERGE_MAX: u64 = 24;
const SLICE_MAX: u64 = 16;
const DOUBLINGS_MAX: u64 = 16;

/// What a fragment's columns are.
#[derive(Clone, Copy, Debug)]
enum Of {
    Values,
    Counters,
    /// One collection with the cells.
    Collection,
    /// As many collections as there are cells.
    Collections,
}

const ALL: [Of; 4] = [Of::Values, Of::Counters, Of::Collection, Of::Collections];

/// The fragment of a row that write number `write` made.
fn fragment(of: Of, cells: u32, write: u32) -> Vec<u8> {
    let timestamp = 1_000 + i64::from(write);
    let mut out = Vec::new();
    let head = Head { liveness: Liveness::without_ttl(timestamp), ..Head::NOTHING };
    let mut writer = RowWriter::new(&head, &mut out);
    match of {
        Of::Values => (1..=cells).for_each(|id| writer.simple(id, &Cell::live(timestamp, &[7; 20]))),
        Of::Counters => {
            let context = counter(write);
            let cell = Cell { is_counter: true, ..Cell::live(timestamp, &context) };
            (1..=cells).for_each(|id| writer.simple(id, &cell));
        }
        Of::Collection => collection(&mut writer, 1, cells, timestamp),
        Of::Collections => (1..=cells).for_each(|id| collection(&mut writer, id, 2, timestamp)),
    }
    writer.finish();
    out
}

fn collection(writer: &mut RowWriter<'_>, id: u32, cells: u32, timestamp: i64) {
    let write = |out: &mut ComplexWriter<'_, '_>| {
        for at in 0..cells {
            out.cell(&PathCell { order: &at.to_be_bytes(), raw: None, cell: Cell::live(timestamp, &[7; 20]) });
        }
        Ok::<(), ()>(())
    };
    writer.complex(id, &DeletionTime::LIVE, u64::from(cells), write).unwrap();
}

/// A context of three global shards, the last of them this write's own.
fn counter(write: u32) -> Vec<u8> {
    let mut out = vec![0, 3, 0x80, 0, 0x80, 1, 0x80, 2];
    for shard in [1, 2, 100 + write as u8] {
        out.extend_from_slice(&[shard; 16]);
        out.extend_from_slice(&i64::from(write).to_be_bytes());
        out.extend_from_slice(&5i64.to_be_bytes());
    }
    out
}

fn write(table: &Table, of: Of, cells: u32, rows: u32, fragments: u32) {
    for number in 0..fragments {
        let fragment = fragment(of, cells, number);
        for at in 0..rows {
            table.write(&update(&partition(NAME), &[(ROW, &clustering(at), &fragment)]), 0).unwrap();
        }
    }
}

/// Allocations of an answer by a table that has answered the same before.
fn allocations(table: &Arc<Table>, request: &[u8]) -> u64 {
    let mut buffer = vec![0; BUFFER_BYTES];
    let mut answer = || {
        let filled = table.read(request, &mut buffer).unwrap();
        assert!(filled > 0 && buffer[..8] == [0; 8], "one answer is all");
    };
    answer();
    answer();
    allocation_counter::measure(answer).count_total
}

fn one_row() -> Vec<u8> {
    read_request(POINTS, BUFFER_BYTES as u32, &partition(NAME), &[point(0)])
}

fn slice() -> Vec<u8> {
    read_request(0, BUFFER_BYTES as u32, &partition(NAME), &everything())
}

/// A store with one table.
struct Fixture {
    _folder: tempfile::TempDir,
    store: Arc<Store>,
    table: Arc<Table>,
}

impl Fixture {
    fn new() -> Fixture {
        let folder = tempfile::tempdir().unwrap();
        let store = open(folder.path());
        let table = table(&store);
        Fixture { _folder: folder, store, table }
    }

    fn with(of: Of, cells: u32, rows: u32, fragments: u32) -> Fixture {
        let fixture = Fixture::new();
        write(&fixture.table, of, cells, rows, fragments);
        fixture
    }
}

impl Drop for Fixture {
    fn drop(&mut self) {
        self.store.close().unwrap();
    }
}

#[test]
fn a_row_that_is_whole_is_read_without_allocating() {
    for of in ALL {
        for cells in [FEW, MANY] {
            let Fixture { table, .. } = &Fixture::with(of, cells, 1, 1);
            assert_eq!(allocations(table, &one_row()), 0, "{cells} cells of {of:?} in memory");
            table.compact().unwrap();
            assert_eq!(allocations(table, &one_row()), 0, "{cells} cells of {of:?} in a file");
        }
    }
}

#[test]
fn a_merged_row_costs_the_same_however_many_cells_it_has() {
    for of in ALL {
        for fragments in [3, FRAGMENTS] {
            let cost = |cells| allocations(&Fixture::with(of, cells, 1, fragments).table, &one_row());
            let (few, many) = (cost(FEW), cost(MANY));
            // The buffer for the cells of one collection doubles until they fit.
            let doublings = if matches!(of, Of::Collection) { DOUBLINGS_MAX } else { 0 };
            assert!(
                many <= few + doublings && few <= MERGE_MAX,
                "{of:?} of {fragments} fragments: {few} for few, {many} for many"
            );
        }
    }
}

#[test]
fn rows_of_a_slice_cost_nothing_until_they_are_merged_and_then_the_same_for_any_cells() {
    let cost = |cells, rows, fragments| {
        let fixture = Fixture::with(Of::Values, cells, rows, fragments);
        allocations(&fixture.table, &slice())
    };
    let slice_alone = cost(FEW, 10, 1);
    assert!(slice_alone <= SLICE_MAX, "{slice_alone} for ten rows");
    assert_eq!(cost(FEW, 100, 1), slice_alone, "whole rows");
    assert_eq!(cost(MANY, 100, 1), slice_alone, "whole rows of many cells");
    let merged = cost(FEW, 100, 3);
    assert!(merged <= slice_alone + 100 * MERGE_MAX, "{merged} for a hundred merged rows");
    assert_eq!(cost(MANY, 100, 3), merged, "merged rows of many cells");
}

#[test]
fn other_ways_to_read_cost_the_same_however_many_cells_a_row_has() {
    let costs = |cells| {
        let sender = Fixture::with(Of::Values, cells, 1, 2);
        let receiver = Fixture::with(Of::Values, cells, 1, 3);
        let shipments = tempfile::tempdir().unwrap();
        receiver.table.receive(&ship(&sender.table, shipments.path())).unwrap();
        let merged = [allocations(&receiver.table, &one_row()), allocations(&receiver.table, &slice())];
        let headed = Fixture::with(Of::Values, cells, 1, 3);
        headed.table.write(&update(&partition(NAME), &[(HEADER, &[], &partition_deletion(1))]), 0).unwrap();
        let headed = [allocations(&headed.table, &one_row()), allocations(&headed.table, &slice())];
        (merged, headed)
    };
    assert_eq!(costs(FEW), costs(MANY), "with a side column family, under a header");
}
