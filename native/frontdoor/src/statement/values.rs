// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The values of a row as a client gets them.

use super::judge::Judge;
use super::metadata::put_counted;
use super::recipe::{Encoder, Fetched};
use crate::reason::Reason;
use cassiterite_codec::row::{PathCell, RowReader};
use smallvec::SmallVec;

const NULL: i32 = -1;

/// What a row has of each fetched column.
#[derive(Debug)]
pub(super) struct Values<'a> {
    slots: SmallVec<[Slot<'a>; 16]>,
    multi_cells: SmallVec<[MultiCell<'a>; 2]>,
}

#[derive(Clone, Copy, Debug)]
enum Slot<'a> {
    Null,
    Bytes(&'a [u8]),
    Count(i64),
    /// One of the columns of many cells, by its number.
    MultiCell(usize),
}

/// A column of many cells, some of them live.
#[derive(Clone, Copy, Debug)]
pub(super) struct MultiCell<'a> {
    /// Where its cells begin.
    pub reader: RowReader<'a>,
    pub cells: u64,
    /// How many of the cells are live.
    pub live: u32,
    pub judge: Judge,
    pub encoder: Encoder,
}

impl<'a> Values<'a> {
    /// Nothing but nulls.
    pub(super) fn new(fetched: &Fetched) -> Self {
        Values { slots: SmallVec::from_elem(Slot::Null, fetched.columns.len()), multi_cells: SmallVec::new() }
    }

    /// Makes all of them null.
    #[inline]
    pub(super) fn clear(&mut self) {
        self.slots.fill(Slot::Null);
        self.multi_cells.clear();
    }

    #[inline]
    pub(super) fn set_bytes(&mut self, at: usize, bytes: &'a [u8]) {
        self.set(at, Slot::Bytes(bytes));
    }

    pub(super) fn set_count(&mut self, at: usize, count: i64) {
        self.set(at, Slot::Count(count));
    }

    pub(super) fn set_multi_cell(&mut self, at: usize, column: MultiCell<'a>) {
        self.set(at, Slot::MultiCell(self.multi_cells.len()));
        self.multi_cells.push(column);
    }

    #[inline]
    fn set(&mut self, at: usize, value: Slot<'a>) {
        if let Some(slot) = self.slots.get_mut(at) {
            *slot = value;
        }
    }

    /// Appends the value of a column.
    #[inline]
    pub(super) fn put(&self, at: usize, body: &mut Vec<u8>) -> Result<(), Reason> {
        match self.slots.get(at) {
            Some(Slot::Bytes(bytes)) => put_counted(bytes, body),
            Some(Slot::Null) | None => put_null(body),
            Some(Slot::Count(count)) => put_counted(&count.to_be_bytes(), body),
            Some(Slot::MultiCell(number)) => match self.multi_cells.get(*number) {
                Some(column) => return column.put(body),
                None => put_null(body),
            },
        }
        Ok(())
    }
}

impl MultiCell<'_> {
    /// Appends the value, after its length.
    fn put(&self, body: &mut Vec<u8>) -> Result<(), Reason> {
        body.extend_from_slice(&[0; 4]);
        let start = body.len();
        match self.encoder {
            Encoder::Udt { fields } => self.put_fields(fields, body)?,
            _ => {
                body.extend_from_slice(&self.live.to_be_bytes());
                self.put_elements(body)?;
            }
        }
        let length = u32::try_from(body.len() - start).map_err(|_| Reason::AnswerLength)?;
        if let Some(slot) = body.get_mut(start - 4..start) {
            slot.copy_from_slice(&length.to_be_bytes());
        }
        Ok(())
    }

    fn put_elements(&self, body: &mut Vec<u8>) -> Result<(), Reason> {
        self.each_live(|found| {
            if matches!(self.encoder, Encoder::Set | Encoder::Map) {
                put_counted(path(found), body);
            }
            if matches!(self.encoder, Encoder::List | Encoder::Map) {
                put_counted(found.cell.value, body);
            }
            Ok(())
        })
    }

    /// Fields by their numbers; those without a live cell are null.
    fn put_fields(&self, fields: u16, body: &mut Vec<u8>) -> Result<(), Reason> {
        let mut next = 0;
        self.each_live(|found| {
            let field = path(found).try_into().map(u16::from_be_bytes).map_err(|_| Reason::UnknownContent)?;
            if !(next..fields).contains(&field) {
                return Err(Reason::UnknownContent);
            }
            (next..field).for_each(|_| put_null(body));
            put_counted(found.cell.value, body);
            next = field + 1;
            Ok(())
        })?;
        (next..fields).for_each(|_| put_null(body));
        Ok(())
    }

    fn each_live(&self, mut each: impl FnMut(&PathCell<'_>) -> Result<(), Reason>) -> Result<(), Reason> {
        let mut reader = self.reader;
        for _ in 0..self.cells {
            let found = reader.path_cell()?;
            if self.judge.sees(&found.cell) {
                each(&found)?;
            }
        }
        Ok(())
    }
}

fn path<'a>(found: &PathCell<'a>) -> &'a [u8] {
    found.raw.unwrap_or(found.order)
}

#[inline]
pub(super) fn put_null(body: &mut Vec<u8>) {
    body.extend_from_slice(&NULL.to_be_bytes());
}
