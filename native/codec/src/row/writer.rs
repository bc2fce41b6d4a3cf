// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Writing a row fragment in its canonical form.

use crate::deletion::DeletionTime;
use crate::row::cell::{Cell, Context};
use crate::row::head::{put_deletion, Head, BASE};
use crate::row::reader::{PathCell, COMPLEX, COMPLEX_DELETION};
use crate::wire::{put_prefixed, put_uvarint, uvarint_len};

const BASE_BYTES: usize = 8;
const FLAGS_AT: usize = 1;

/// Writes one row fragment: columns by ascending id, cells of a complex column by ascending path order. Keeping that
/// order is the caller's part; everything else about the canonical form is the writer's.
#[derive(Debug)]
pub struct RowWriter<'o> {
    out: &'o mut Vec<u8>,
    context: Context,
    /// Where the base timestamp goes, if there is no liveness to give it.
    base_at: Option<usize>,
    has_columns: bool,
}

impl<'o> RowWriter<'o> {
    /// Starts a fragment in `out`, which is cleared.
    #[inline]
    pub fn new(head: &Head<'_>, out: &'o mut Vec<u8>) -> Self {
        out.clear();
        head.write(out);
        let base_at = head.liveness.is_none().then_some(out.len());
        if base_at.is_some() {
            out.extend_from_slice(&[0; BASE_BYTES]);
        }
        RowWriter { out, context: Context::of(&head.liveness), base_at, has_columns: false }
    }

    /// Writes a simple column.
    #[inline]
    pub fn simple(&mut self, id: u32, cell: &Cell<'_>) {
        put_uvarint(self.out, u64::from(id));
        self.has_columns = true;
        let flags = self.flags(cell);
        self.out.push(flags);
        cell.write(flags, self.out);
    }

    /// Writes a complex column of at most `cells_max` cells, which `write` writes; none at all where there would be
    /// neither deletion nor cells.
    #[inline]
    pub fn complex<E>(
        &mut self,
        id: u32,
        deletion: &DeletionTime,
        cells_max: u64,
        write: impl FnOnce(&mut ComplexWriter<'_, 'o>) -> Result<(), E>,
    ) -> Result<(), E> {
        let start = self.out.len();
        put_uvarint(self.out, u64::from(id));
        if deletion.is_live() {
            self.out.push(COMPLEX);
        } else {
            self.out.push(COMPLEX | COMPLEX_DELETION);
            put_deletion(self.out, deletion);
        }
        let count_at = self.out.len();
        let count_bytes = uvarint_len(cells_max);
        self.out.resize(count_at + count_bytes, 0);
        let mut cells = ComplexWriter { row: self, count: 0 };
        write(&mut cells)?;
        let count = cells.count;
        if count == 0 && deletion.is_live() {
            self.out.truncate(start);
        } else {
            self.has_columns = true;
            self.put_count(count, count_at, count_bytes);
        }
        Ok(())
    }

    fn put_count(&mut self, count: u64, at: usize, reserved: usize) {
        if let (1, Some(slot)) = (reserved, self.out.get_mut(at)) {
            *slot = count as u8;
            return;
        }
        // Behind the cells first, then into its place.
        let end = self.out.len();
        put_uvarint(self.out, count);
        let count_bytes = self.out.len() - end;
        self.out.copy_within(end.., at);
        self.out.truncate(end);
        self.out.drain(at + count_bytes..at + reserved);
    }

    /// Ends the fragment; whether it has a column.
    #[inline]
    pub fn finish(self) -> bool {
        if let Some(at) = self.base_at {
            self.out.drain(at..at + BASE_BYTES);
        }
        self.has_columns
    }

    #[inline]
    fn flags(&mut self, cell: &Cell<'_>) -> u8 {
        if let Some(at) = self.base_at.take() {
            self.set_base(at, cell.timestamp);
        }
        cell.flags(&self.context)
    }

    fn set_base(&mut self, at: usize, timestamp: i64) {
        self.context.timestamp = timestamp;
        if let Some(slot) = self.out.get_mut(at..at + BASE_BYTES) {
            slot.copy_from_slice(&timestamp.to_le_bytes());
        }
        if let Some(flags) = self.out.get_mut(FLAGS_AT) {
            *flags |= BASE;
        }
    }
}

/// Writes the cells of one complex column.
#[derive(Debug)]
pub struct ComplexWriter<'w, 'o> {
    row: &'w mut RowWriter<'o>,
    count: u64,
}

impl ComplexWriter<'_, '_> {
    /// Writes one cell.
    #[inline]
    pub fn cell(&mut self, found: &PathCell<'_>) {
        let flags = self.row.flags(&found.cell);
        let out = &mut *self.row.out;
        out.push(flags);
        put_prefixed(out, found.order);
        match found.raw {
            Some(raw) if raw != found.order => {
                put_uvarint(out, raw.len() as u64 + 1);
                out.extend_from_slice(raw);
            }
            _ => out.push(0),
        }
        found.cell.write(flags, out);
        self.count += 1;
    }
}
