// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Merging the row fragments of one key (Row.Merger of Cassandra).

use crate::deletion::DeletionTime;
use crate::error::CodecError;
use crate::row::complex;
use crate::row::counter::Tally;
use crate::row::few::Few;
use crate::row::head::Head;
use crate::row::reader::{ColumnStart, PathCell, RowReader};
use crate::row::winner::Winner;
use crate::row::writer::RowWriter;

/// One operand, standing before the data of its current column.
#[derive(Debug)]
pub(crate) struct Cursor<'a> {
    pub(crate) reader: RowReader<'a>,
    pub(crate) column: ColumnStart,
}

/// What a merge needs besides its operands and its output.
pub(crate) struct Merge<'a, 'o> {
    pub(crate) writer: RowWriter<'o>,
    /// The merged row deletion: what it deletes does not come through.
    pub(crate) deletion: DeletionTime,
    /// Those of the cursors whose current column is being merged.
    current: Few<usize>,
    cursors: Few<Cursor<'a>>,
    buffers: Buffers<'a>,
}

/// Buffers for one column, used again for the next: a row of many columns allocates no more than one of few.
#[derive(Default)]
struct Buffers<'a> {
    contexts: Few<&'a [u8]>,
    tally: Tally,
    parts: Few<complex::Part<'a>>,
    cells: Vec<PathCell<'a>>,
}

/// Merges two or more row fragments into `out`, which is cleared.
pub(crate) fn merge(operands: &[&[u8]], out: &mut Vec<u8>) -> Result<(), CodecError> {
    let mut head = Head::NOTHING;
    let mut cursors = Few::new();
    let mut bytes = 0;
    for operand in operands {
        let (other, mut reader) = RowReader::new(operand)?;
        head.unite(&other);
        if let Some(column) = reader.next_column()? {
            cursors.push(Cursor { reader, column });
        }
        bytes += operand.len();
    }
    if head.deletion.deletes(head.liveness.timestamp) {
        head.liveness = crate::row::liveness::Liveness::NONE;
    }
    out.clear();
    out.reserve(bytes + operands.len() * 8);
    let writer = RowWriter::new(&head, out);
    let mut merge =
        Merge { writer, deletion: head.deletion, current: Few::new(), cursors, buffers: Buffers::default() };
    while merge.column()? {}
    merge.writer.finish();
    Ok(())
}

impl<'a> Merge<'a, '_> {
    /// Merges the column with the lowest id; false when there is none left.
    fn column(&mut self) -> Result<bool, CodecError> {
        let Some(start) = self.cursors.iter().map(|cursor| cursor.column).min_by_key(|column| column.id) else {
            return Ok(false);
        };
        self.current.clear();
        for (at, cursor) in self.cursors.iter().enumerate() {
            if cursor.column.id == start.id {
                if cursor.column.is_complex() != start.is_complex() {
                    return Err(CodecError::Conflict { what: "one cell here, many there", column: start.id });
                }
                self.current.push(at);
            }
        }
        if start.is_complex() {
            self.complex_column(start.id)?;
        } else {
            self.simple_column(start.id)?;
        }
        self.advance()
    }

    fn simple_column(&mut self, id: u32) -> Result<(), CodecError> {
        let mut winner = Winner::new(&mut self.buffers.contexts);
        for &at in &self.current {
            let Some(cursor) = self.cursors.get_mut(at) else { continue };
            let cell = cursor.reader.cell(cursor.column)?;
            if !self.deletion.deletes(cell.timestamp) {
                winner.add(cell, id)?;
            }
        }
        let writer = &mut self.writer;
        winner.finish(id, &mut self.buffers.tally, |cell| writer.simple(id, cell))
    }

    fn complex_column(&mut self, id: u32) -> Result<(), CodecError> {
        let mut deletion = DeletionTime::LIVE;
        let Buffers { parts, cells, .. } = &mut self.buffers;
        parts.clear();
        for &at in &self.current {
            let Some(cursor) = self.cursors.get_mut(at) else { continue };
            let start = cursor.reader.complex(cursor.column)?;
            deletion = deletion.max(start.deletion);
            parts.push(complex::Part { reader: cursor.reader, cells: start.cells });
        }
        let own = if deletion.supersedes(&self.deletion) { deletion } else { DeletionTime::LIVE };
        complex::merge(&mut self.writer, id, &own, &deletion.max(self.deletion), parts, cells)?;
        for (&at, part) in self.current.iter().zip(parts.iter()) {
            if let Some(cursor) = self.cursors.get_mut(at) {
                cursor.reader = part.reader;
            }
        }
        Ok(())
    }

    /// Takes the cursors of the merged column to their next one, and removes those at their end.
    fn advance(&mut self) -> Result<bool, CodecError> {
        for &at in self.current.iter().rev() {
            let Some(cursor) = self.cursors.get_mut(at) else { continue };
            match cursor.reader.next_column()? {
                Some(column) => cursor.column = column,
                None => {
                    self.cursors.swap_remove(at);
                }
            }
        }
        Ok(true)
    }
}
