// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The cells of a row in one buffer: two allocations, however many columns there are.

use scylla::serialize::row::{RowSerializationContext, SerializeRow};
use scylla::serialize::writers::RowWriter;
use scylla::serialize::SerializationError;

/// Values in the protocol's form, by their place; a value may be null.
#[derive(Clone, Debug, Default)]
pub struct Cells {
    bytes: Vec<u8>,
    /// Start and end of each, `NULL` for none.
    places: Vec<(u32, u32)>,
}

const NULL: (u32, u32) = (u32::MAX, u32::MAX);

impl Cells {
    /// No cells yet.
    pub fn with_capacity(cells: usize) -> Self {
        Self { bytes: Vec::new(), places: Vec::with_capacity(cells) }
    }

    /// Appends a cell that `make` writes; it is null if `make` says false.
    pub fn push_with(&mut self, make: impl FnOnce(&mut Vec<u8>) -> bool) {
        let start = self.bytes.len();
        if make(&mut self.bytes) {
            self.places.push((start as u32, self.bytes.len() as u32));
        } else {
            self.bytes.truncate(start);
            self.places.push(NULL);
        }
    }

    /// Appends a copy of a cell.
    pub fn push(&mut self, cell: Option<&[u8]>) {
        self.push_with(|bytes| {
            bytes.extend_from_slice(cell.unwrap_or_default());
            cell.is_some()
        });
    }

    /// The cell at a place; `None` is null.
    pub fn get(&self, place: usize) -> Option<&[u8]> {
        let &(start, end) = self.places.get(place)?;
        self.bytes.get(start as usize..end as usize)
    }

    /// How many cells there are.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// Bytes of all values.
    pub fn value_bytes(&self) -> u64 {
        self.bytes.len() as u64
    }

    /// All cells in turn.
    pub fn iter(&self) -> impl Iterator<Item = Option<&[u8]>> {
        (0..self.len()).map(|place| self.get(place))
    }
}

impl SerializeRow for Cells {
    fn serialize(&self, _: &RowSerializationContext<'_>, writer: &mut RowWriter<'_>) -> Result<(), SerializationError> {
        self.iter().try_for_each(|cell| write(cell, writer))
    }

    fn is_empty(&self) -> bool {
        Cells::is_empty(self)
    }
}

/// Writes one value of a row.
pub fn write(cell: Option<&[u8]>, writer: &mut RowWriter<'_>) -> Result<(), SerializationError> {
    let writer = writer.make_cell_writer();
    match cell {
        Some(bytes) => writer.set_value(bytes).map(|_| ()).map_err(SerializationError::new),
        None => {
            writer.set_null();
            Ok(())
        }
    }
}
