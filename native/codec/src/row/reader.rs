// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Reading a row fragment forward, column by column, cell by cell.

use crate::deletion::DeletionTime;
use crate::error::CodecError;
use crate::row::cell::{Cell, Context};
use crate::row::head::{read_deletion, Head};
use crate::wire::Reader;

pub(crate) const COMPLEX: u8 = 0x40;
pub(crate) const COMPLEX_DELETION: u8 = 0x80;

/// Reads the columns of one row fragment. After [`RowReader::next_column`] the column's data must be read to its end.
#[derive(Debug, Clone, Copy)]
pub struct RowReader<'a> {
    reader: Reader<'a>,
    context: Context,
    last_id: u32,
}

/// How a column begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ColumnStart {
    /// The column's id.
    pub id: u32,
    pub(crate) flags: u8,
}

impl ColumnStart {
    /// Whether the column has many cells, under paths.
    #[inline]
    pub fn is_complex(&self) -> bool {
        self.flags & COMPLEX != 0
    }
}

/// How a complex column begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ComplexStart {
    /// The deletion of the whole column.
    pub deletion: DeletionTime,
    /// How many cells follow.
    pub cells: u64,
}

/// A cell of a complex column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PathCell<'a> {
    /// Bytes that sort as the path does.
    pub order: &'a [u8],
    /// The path itself, where it is not those very bytes.
    pub raw: Option<&'a [u8]>,
    /// The cell.
    pub cell: Cell<'a>,
}

impl<'a> RowReader<'a> {
    /// Reads the head of `fragment`.
    #[inline]
    pub fn new(fragment: &'a [u8]) -> Result<(Head<'a>, Self), CodecError> {
        let mut reader = Reader::new(fragment);
        let (head, context) = Head::read(&mut reader)?;
        Ok((head, RowReader { reader, context, last_id: 0 }))
    }

    /// Offset in bytes of what is read next.
    pub fn offset(&self) -> usize {
        self.reader.offset()
    }

    /// Whether there is no further column.
    #[inline]
    pub fn is_done(&self) -> bool {
        self.reader.is_done()
    }

    /// The next column, if there is one.
    #[inline]
    pub fn next_column(&mut self) -> Result<Option<ColumnStart>, CodecError> {
        if self.reader.is_done() {
            return Ok(None);
        }
        let id = self.reader.bounded(u64::from(u32::MAX), "column id")? as u32;
        if id <= self.last_id {
            return Err(self.reader.fail("column order"));
        }
        self.last_id = id;
        Ok(Some(ColumnStart { id, flags: self.reader.u8("column flags")? }))
    }

    /// The cell of a simple column.
    #[inline]
    pub fn cell(&mut self, start: ColumnStart) -> Result<Cell<'a>, CodecError> {
        Cell::read(&mut self.reader, start.flags, &self.context)
    }

    /// Deletion and size of a complex column.
    #[inline]
    pub fn complex(&mut self, start: ColumnStart) -> Result<ComplexStart, CodecError> {
        if start.flags & !(COMPLEX | COMPLEX_DELETION) != 0 || start.flags & COMPLEX == 0 {
            return Err(self.reader.fail("complex column flags"));
        }
        let deletion = match start.flags & COMPLEX_DELETION {
            0 => DeletionTime::LIVE,
            _ => read_deletion(&mut self.reader)?,
        };
        let cells = self.reader.uvarint("cell count")?;
        Ok(ComplexStart { deletion, cells })
    }

    /// The next cell of a complex column.
    #[inline]
    pub fn path_cell(&mut self) -> Result<PathCell<'a>, CodecError> {
        self.path_cell_and_flags().map(|(_, found)| found)
    }

    #[inline(always)]
    pub(crate) fn path_cell_and_flags(&mut self) -> Result<(u8, PathCell<'a>), CodecError> {
        let flags = self.reader.u8("cell flags")?;
        let order = self.reader.prefixed("path order")?;
        let raw = match self.reader.uvarint("path")? {
            0 => None,
            length => Some(self.reader.take(length - 1, "path")?),
        };
        let cell = Cell::read(&mut self.reader, flags, &self.context)?;
        if cell.is_counter {
            return Err(self.reader.fail("counter in a complex column"));
        }
        Ok((flags, PathCell { order, raw, cell }))
    }

    /// Whether there is a timestamp that cells may refer to.
    pub(crate) fn has_base(&self) -> bool {
        self.context.timestamp != i64::MIN
    }

    /// Checks that a cell has the flags under which it is written; the first one of a row without liveness gives the
    /// base.
    pub(crate) fn check_canonical(
        &self,
        cell: &Cell<'_>,
        flags: u8,
        gives_base: bool,
        offset: usize,
    ) -> Result<(), CodecError> {
        if flags != cell.flags(&self.context) || (gives_base && cell.timestamp != self.context.timestamp) {
            return Err(CodecError::malformed("cell, whose encoding is not canonical", offset));
        }
        Ok(())
    }

    /// Reads the cells of a complex column in order; `each` gets every one.
    #[inline]
    pub fn each_path_cell(
        &mut self,
        cells: u64,
        mut each: impl FnMut(&PathCell<'a>) -> Result<(), CodecError>,
    ) -> Result<(), CodecError> {
        let mut last: Option<&[u8]> = None;
        for _ in 0..cells {
            let found = self.path_cell()?;
            self.check_order(last, found.order)?;
            last = Some(found.order);
            each(&found)?;
        }
        Ok(())
    }

    #[inline]
    pub(crate) fn check_order(&self, last: Option<&[u8]>, order: &[u8]) -> Result<(), CodecError> {
        match last {
            Some(last) if last >= order => Err(self.reader.fail("path order")),
            _ => Ok(()),
        }
    }

    /// Reads over the data of a column.
    #[inline]
    pub fn skip(&mut self, start: ColumnStart) -> Result<(), CodecError> {
        if start.is_complex() {
            let complex = self.complex(start)?;
            self.each_path_cell(complex.cells, |_| Ok(()))
        } else {
            self.cell(start).map(|_| ())
        }
    }
}
