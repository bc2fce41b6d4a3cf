// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The engine's read request for an EXECUTE (docs/internals/boundary.md, Read request).

use super::execute::Execute;
use super::plan::{Plan, Selection};
use super::response::ANSWER_BYTES_MAX;
use super::value::Value;
use crate::reason::Reason;
use cassiterite_codec::key::{encode_partition, murmur3_token};
use smallvec::SmallVec;

const VERSION: u8 = 1;
const REVERSED: u8 = 1;
const STATIC: u8 = 2;
const POINTS: u8 = 4;
/// The end of a clustering.
const CLUSTERING: u8 = 0x38;
/// The longest partition key.
const KEY_BYTES_MAX: usize = u16::MAX as usize;

type Key = SmallVec<[u8; 256]>;

impl Plan {
    /// Writes the read request for `execute` into `request`, which is cleared; the partition's token.
    pub(crate) fn read_request(&self, execute: &Execute<'_>, request: &mut Vec<u8>) -> Result<i64, Reason> {
        if execute.values() != self.binds {
            return Err(Reason::ValueCount);
        }
        self.rows_max(execute)?;
        if execute.paging_state.is_some() {
            return Err(Reason::PagingState);
        }
        if execute.page_size == Some(1) {
            return Err(Reason::PageSize);
        }
        let reversed = if self.reversed { REVERSED } else { 0 };
        let with_static = if self.reads_static { STATIC } else { 0 };
        request.clear();
        request.extend_from_slice(&[VERSION, reversed | with_static | POINTS]);
        put_u32(ANSWER_BYTES_MAX, request);
        let mut buffer = Key::new();
        let key = self.partition_key(execute, &mut buffer)?;
        let token = murmur3_token(key);
        put_counted(request, |request| {
            encode_partition(token, key, request);
            Ok(())
        })?;
        let Selection::Rows(rows) = &self.selection;
        put_u32(rows.len(), request);
        for row in rows {
            put_counted(request, |request| self.put_clustering(row, execute, request))?;
        }
        Ok(token)
    }

    /// The partition's key; in `buffer`, if it has several components.
    fn partition_key<'k>(&'k self, execute: &'k Execute<'_>, buffer: &'k mut Key) -> Result<&'k [u8], Reason> {
        let key = match &*self.partition {
            [only] => only.checked(execute)?,
            several => {
                for component in several {
                    let bytes = component.checked(execute)?;
                    let length = u16::try_from(bytes.len()).map_err(|_| Reason::KeyLength)?;
                    buffer.extend_from_slice(&length.to_be_bytes());
                    buffer.extend_from_slice(bytes);
                    buffer.push(0);
                }
                buffer
            }
        };
        if key.is_empty() || key.len() > KEY_BYTES_MAX {
            return Err(Reason::KeyLength);
        }
        Ok(key)
    }

    fn put_clustering(&self, values: &[Value], execute: &Execute<'_>, out: &mut Vec<u8>) -> Result<(), Reason> {
        for (column, value) in self.clustering.iter().zip(values) {
            column.put_component(Some(value.checked(execute)?), out)?;
        }
        out.push(CLUSTERING);
        Ok(())
    }
}

fn put_u32(number: usize, out: &mut Vec<u8>) {
    out.extend_from_slice(&(number as u32).to_le_bytes());
}

/// Appends what `put` appends, after its length.
fn put_counted(out: &mut Vec<u8>, put: impl FnOnce(&mut Vec<u8>) -> Result<(), Reason>) -> Result<(), Reason> {
    put_u32(0, out);
    let start = out.len();
    put(out)?;
    let length = (out.len() - start) as u32;
    if let Some(slot) = out.get_mut(start - 4..start) {
        slot.copy_from_slice(&length.to_le_bytes());
    }
    Ok(())
}
