// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Rows as sstables have them, in the order of keys, to be taken in chunk by chunk.

use super::*;
use cassiterite_codec::header::{write, Position, Range};
use cassiterite_codec::DeletionTime;
use cassiterite_engine::{ChunkFigures, ChunkWriter};
use std::collections::BTreeMap;

/// What a partition has outside of the engine.
#[derive(Clone, Debug, Default)]
pub struct Outside {
    pub headers: Vec<Vec<u8>>,
    pub statics: Option<Vec<u8>>,
    pub rows: BTreeMap<u32, Vec<u8>>,
}

/// All that there is outside, by partition key as the engine has it.
pub type AllOutside = BTreeMap<Vec<u8>, Outside>;

/// A write request that is a part of one partition.
pub struct Piece {
    pub partition: Vec<u8>,
    pub entries: Vec<(u8, Vec<u8>, Vec<u8>)>,
}

impl Piece {
    pub fn request(&self) -> Vec<u8> {
        let entries: Vec<(u8, &[u8], &[u8])> =
            self.entries.iter().map(|(kind, at, fragment)| (*kind, at.as_slice(), fragment.as_slice())).collect();
        update(&self.partition, &entries)
    }
}

/// In the order of keys, partitions in several pieces, headers last.
pub fn pieces(all: &AllOutside, rows_per_piece: usize) -> Vec<Piece> {
    let mut pieces = Vec::new();
    for (partition, outside) in all {
        let piece = |entries| Piece { partition: partition.clone(), entries };
        let mut rows = Vec::new();
        rows.extend(outside.statics.iter().map(|fragment| (STATIC, Vec::new(), fragment.clone())));
        rows.extend(outside.rows.iter().map(|(at, fragment)| (ROW, clustering(*at), fragment.clone())));
        pieces.extend(rows.chunks(rows_per_piece).map(|some| piece(some.to_vec())));
        pieces.extend(outside.headers.iter().map(|header| piece(vec![(HEADER, Vec::new(), header.clone())])));
    }
    pieces
}

/// Writes a chunk, to be received.
pub fn chunk(table: &Arc<Table>, pieces: &[Piece]) -> (ChunkWriter, ChunkFigures) {
    let writer = ChunkWriter::begin(table).unwrap();
    for piece in pieces {
        writer.append(&piece.request()).unwrap();
    }
    let figures = writer.finish().unwrap();
    (writer, figures)
}

/// Writes the same the ordinary way.
pub fn write_pieces(table: &Table, pieces: &[Piece]) {
    pieces.iter().for_each(|piece| table.write(&piece.request(), 0).unwrap());
}

/// The deletion of a whole row.
pub fn row_deletion(timestamp: i64) -> Vec<u8> {
    let mut out = vec![1, 0x08];
    out.extend_from_slice(&timestamp.to_le_bytes());
    uvarint(1_700_000_000, &mut out);
    out
}

/// Deletes the rows from one clustering to another.
pub fn range_tombstone(from: u32, to: u32, timestamp: i64) -> Vec<u8> {
    let raw = |at: u32| [&[5][..], &at.to_be_bytes()].concat();
    let (start, end, raw_start, raw_end) = (bound(from, 0x20), bound(to, 0x60), raw(from), raw(to));
    let range = Range {
        start: Position { order: &start, raw: &raw_start },
        end: Position { order: &end, raw: &raw_end },
        deletion: DeletionTime::new(timestamp, 1_700_000_000),
    };
    let mut out = Vec::new();
    write(&DeletionTime::LIVE, &[range], &mut out);
    out
}
