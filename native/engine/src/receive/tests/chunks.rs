// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Chunks: what a writer refuses, and what a crash or a failure leaves.

use super::common::chunks::*;
use super::common::shipments::*;
use super::common::*;
use super::images::{images, steps, Image};
use super::world::*;
use crate::disk_space::{pretend_free, FREE, RESERVE_BYTES};
use crate::faults::{Step, HOOK};
use crate::{ChunkWriter, EngineError, Kind, Missed, Table};
use std::sync::Arc;

/// Rows of all partitions, and deletions that are older than all of them.
fn outside() -> AllOutside {
    let mut all = AllOutside::new();
    for (number, name) in names().iter().enumerate() {
        let outside = all.entry(partition(name)).or_default();
        outside.rows = (0..CLUSTERINGS).map(|at| (at, row(i64::from(at), 1, b"moved"))).collect();
        outside.statics = Some(row(1, 3, b"static"));
        outside.headers = match number % 3 {
            0 => vec![partition_deletion(-3), range_tombstone(1, 3, -2)],
            _ => Vec::new(),
        };
    }
    all
}

/// The same in two chunks, of which the second begins within a partition.
fn two_chunks() -> [Vec<Piece>; 2] {
    let mut first = pieces(&outside(), 2);
    let is_within = |at: &usize| first[*at].partition == first[at - 1].partition;
    let second = first.split_off((first.len() / 2..first.len()).find(is_within).unwrap());
    [first, second]
}

/// Nothing of a chunk is there that was not received, and it can be received from each image on, also once more.
fn check(world: &World, images: &[Image], received: &[Step], partly: Option<usize>, pieces: &[Piece]) {
    for (at, image) in images.iter().enumerate() {
        let store = open(&image.path);
        let found = table(&store);
        let wanted = if received.contains(&image.step) { &world.after } else { &world.before };
        if partly != Some(at) {
            assert_same(&found, &table(wanted), &names(), CLUSTERINGS);
        }
        assert_eq!(std::fs::read_dir(image.path.join("staging")).map_or(0, Iterator::count), 0, "{:?}", image.step);
        for _ in 0..2 {
            chunk(&found, pieces).0.receive(true).unwrap();
            assert_same(&found, &table(&world.after), &names(), CLUSTERINGS);
        }
        merge_in_all(&found);
        assert_same(&found, &table(&world.after), &names(), CLUSTERINGS);
        drop(found);
        store.close().unwrap();
    }
}

#[test]
fn a_crash_between_any_two_steps() {
    for has_data in [false, true] {
        let world = World::empty();
        if has_data {
            world.fill_receiver(3..5);
        }
        let receiver = table(&world.receiver);
        for (number, pieces) in two_chunks().iter().enumerate() {
            write_pieces(&table(&world.after), pieces);
            let (writer, _) = chunk(&receiver, pieces);
            let into = world.path(&format!("images {number}"));
            let images = images(&world.path("receiver"), &into, || assert_eq!(writer.receive(true), Ok(0)));
            let named = [Step::FamilyRecorded, Step::Published];
            if number == 0 {
                let made = [Step::ContentsRecorded, Step::Imported, Step::RowsIngested];
                assert_eq!(steps(&images), [&made[..], &named].concat());
                check(&world, &images, &named, None, pieces);
            } else {
                assert_eq!(steps(&images), [Step::ContentsRecorded, Step::Ingested, Step::Ingested]);
                check(&world, &images, &[Step::Ingested], Some(1), pieces);
            }
            assert_same(&receiver, &table(&world.after), &names(), CLUSTERINGS);
            write_pieces(&table(&world.before), pieces);
        }
    }
}

#[test]
fn a_failure_at_any_step_can_be_repeated() {
    for fails_at in [Step::ContentsRecorded, Step::Imported, Step::RowsIngested, Step::FamilyRecorded, Step::Ingested] {
        let world = World::empty();
        world.fill_receiver(3..5);
        let receiver = table(&world.receiver);
        for pieces in two_chunks() {
            write_pieces(&table(&world.after), &pieces);
            let (writer, _) = chunk(&receiver, &pieces);
            HOOK.set(Some(Box::new(move |step| match step == fails_at {
                true => Err(EngineError::io("a test fails")),
                false => Ok(()),
            })));
            let failed = writer.receive(true);
            HOOK.set(None);
            if failed.is_err() {
                writer.receive(true).unwrap();
            }
            assert_same(&receiver, &table(&world.after), &names(), CLUSTERINGS);
        }
        drop(receiver);
        world.receiver.close().unwrap();
        let store = open(&world.path("receiver"));
        assert_same(&table(&store), &table(&world.after), &names(), CLUSTERINGS);
        merge_in_all(&table(&store));
        assert_same(&table(&store), &table(&world.after), &names(), CLUSTERINGS);
        store.close().unwrap();
        assert_eq!(families(&world.path("receiver")).len(), 1, "{fails_at:?}");
    }
}

fn staged(world: &World) -> usize {
    std::fs::read_dir(world.path("receiver").join("staging")).map_or(0, Iterator::count)
}

fn invalid(result: Result<u64, EngineError>) -> String {
    let error = result.unwrap_err();
    assert_eq!(error.kind(), Kind::Invalid, "{error}");
    error.to_string()
}

#[test]
fn what_is_out_of_order_is_refused_and_nothing_else_is_lost() {
    let world = World::empty();
    let receiver = table(&world.receiver);
    let [pieces, _] = two_chunks();
    let writer = ChunkWriter::begin(&receiver).unwrap();
    let mut latest: Option<&Piece> = None;
    for piece in &pieces {
        writer.append(&piece.request()).unwrap();
        if let Some(before) = latest.filter(|before| before.partition != piece.partition) {
            assert!(invalid(writer.append(&before.request())).contains("partition"));
        }
        if piece.entries[0].0 != HEADER {
            assert!(invalid(writer.append(&piece.request())).contains("row"));
        }
        let mut swapped = piece.entries.clone();
        swapped.reverse();
        let beyond = partition(names().iter().max_by_key(|name| token(name)).unwrap());
        if swapped.len() > 1 && piece.partition < beyond {
            invalid(writer.append(&Piece { partition: beyond, entries: swapped }.request()));
        }
        latest = Some(piece);
    }
    let last = pieces.last().unwrap().partition.clone();
    let malformed = Piece { partition: last.clone(), entries: vec![(ROW, clustering(90), vec![9, 9])] };
    invalid(writer.append(&malformed.request()));
    let mut longer = Piece { partition: last, entries: vec![(ROW, clustering(91), row(1, 1, b"x"))] }.request();
    longer.push(0);
    invalid(writer.append(&longer));
    longer[0] = 2;
    assert!(invalid(writer.append(&longer)).contains("indexes"));
    assert!(invalid(writer.receive(true)).contains("not finished"));
    let figures = writer.finish().unwrap();
    assert_eq!(writer.finish().unwrap(), figures);
    assert!(invalid(writer.append(&pieces[0].request())).contains("finished"));
    writer.receive(true).unwrap();
    assert!(invalid(writer.receive(true)).contains("received"));
    write_pieces(&table(&world.after), &pieces);
    assert_same(&receiver, &table(&world.after), &names(), CLUSTERINGS);
    assert_eq!(staged(&world), 0);
}

#[test]
fn a_chunk_that_is_given_up_leaves_nothing() {
    let world = World::empty();
    let receiver = table(&world.receiver);
    let [pieces, _] = two_chunks();
    let writer = ChunkWriter::begin(&receiver).unwrap();
    writer.append(&pieces[0].request()).unwrap();
    assert_eq!(staged(&world), 1);
    writer.abort().unwrap();
    assert_eq!(staged(&world), 0);
    writer.abort().unwrap();
    assert!(invalid(writer.append(&pieces[1].request())).contains("given up"));
    drop(chunk(&receiver, &pieces));
    assert_eq!(staged(&world), 0);
    let (writer, figures) = chunk(&receiver, &[]);
    assert_eq!((figures, writer.receive(true)), (crate::ChunkFigures::default(), Ok(0)));
    assert!(whole(&receiver).is_empty());
}

#[test]
fn headers_alone_are_a_chunk() {
    let world = World::empty();
    let receiver = table(&world.receiver);
    let mut all = outside();
    all.values_mut().for_each(|outside| (outside.rows, outside.statics) = Default::default());
    let [_, rows] = two_chunks();
    for pieces in [pieces(&all, 1), rows, pieces(&all, 1)] {
        chunk(&receiver, &pieces).0.receive(true).unwrap();
        write_pieces(&table(&world.after), &pieces);
        assert_same(&receiver, &table(&world.after), &names(), CLUSTERINGS);
    }
}

#[test]
fn rows_that_the_table_had_leave_its_indexes_complete() {
    let world = World::empty();
    let receiver = table(&world.receiver);
    let number = receiver.create_index("i").unwrap().number;
    assert!(receiver.complete_index(number, Missed::default()).unwrap());
    for (had_rows, pieces) in [true, false].into_iter().zip(two_chunks()) {
        chunk(&receiver, &pieces).0.receive(had_rows).unwrap();
        let state = receiver.index_state("i").unwrap();
        assert_eq!((state.complete, state.missed.bulk_loads), (had_rows, u64::from(!had_rows)));
    }
}

#[test]
fn a_chunk_spares_the_reserve_of_the_device() {
    let world = World::empty();
    let receiver = table(&world.receiver);
    let [pieces, _] = two_chunks();
    pretend_free(0, 0, RESERVE_BYTES - 1);
    assert_eq!(ChunkWriter::begin(&receiver).map(drop).unwrap_err().kind(), Kind::NoSpace);
    pretend_free(1, RESERVE_BYTES, RESERVE_BYTES - 1);
    let writer = ChunkWriter::begin(&receiver).unwrap();
    assert_eq!(writer.append(&pieces[0].request()).unwrap_err().kind(), Kind::NoSpace);
    FREE.set(None);
    assert!(invalid(writer.append(&pieces[0].request())).contains("failed"));
    assert!(invalid(writer.finish().map(|figures| figures.files)).contains("failed"));
    assert_eq!(staged(&world), 0);
}

#[test]
fn a_chunk_does_not_outlive_its_generation() {
    let world = World::empty();
    let receiver = table(&world.receiver);
    let [pieces, others] = two_chunks();
    let (writer, _) = chunk(&receiver, &pieces);
    let closed = |result: Result<u64, EngineError>| assert_eq!(result.unwrap_err().kind(), Kind::Closed);
    let emptied: Arc<Table> = receiver.truncate().unwrap();
    closed(writer.receive(true));
    assert!(whole(&emptied).is_empty());
    let (writer, _) = chunk(&emptied, &others);
    world.receiver.close().unwrap();
    closed(writer.receive(true));
}
