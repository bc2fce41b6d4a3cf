// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Raw clusterings: the values of a clustering or bound, as they were written.

use crate::error::CodecError;
use crate::wire::{put_uvarint, Reader};

/// The components of a raw clustering, in order; `None` for null. Ends after the first error.
#[derive(Debug, Clone)]
pub struct Components<'a> {
    reader: Reader<'a>,
}

impl<'a> Components<'a> {
    /// The components in `bytes`.
    pub fn new(bytes: &'a [u8]) -> Self {
        Components { reader: Reader::new(bytes) }
    }

    fn read(&mut self) -> Result<Option<&'a [u8]>, CodecError> {
        match self.reader.uvarint("clustering component")? {
            0 => Ok(None),
            length => self.reader.take(length - 1, "clustering component").map(Some),
        }
    }
}

impl<'a> Iterator for Components<'a> {
    type Item = Result<Option<&'a [u8]>, CodecError>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if self.reader.is_done() {
            return None;
        }
        let component = self.read();
        if component.is_err() {
            self.reader = Reader::new(&[]);
        }
        Some(component)
    }
}

/// Appends a component that is not null.
pub fn put_raw_component(value: &[u8], out: &mut Vec<u8>) {
    put_uvarint(out, value.len() as u64 + 1);
    out.extend_from_slice(value);
}

/// Checks that the bytes are components, one after the other.
pub(crate) fn validate_raw_clustering(bytes: &[u8]) -> Result<(), CodecError> {
    Components::new(bytes).try_for_each(|component| component.map(|_| ()))
}
