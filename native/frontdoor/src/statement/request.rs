// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The engine's read request for an EXECUTE (docs/internals/boundary.md, Read request).

use super::execute::Execute;
use super::limits::{ANSWER_BYTES_MAX, KEY_BYTES_MAX};
use super::paging::Page;
use super::places::Places;
use super::recipe::Recipe;
use crate::reason::Reason;
use cassiterite_codec::key::{encode_partition, murmur3_token};
use smallvec::SmallVec;

const VERSION: u8 = 2;
const REVERSED: u8 = 1;
const STATIC: u8 = 2;
const POINTS: u8 = 4;

type Key = SmallVec<[u8; 256]>;

impl Recipe {
    /// Writes the read request for `execute` into `request`, which is cleared; the partition's token.
    pub(crate) fn read_request(&self, execute: &Execute<'_>, request: &mut Vec<u8>) -> Result<i64, Reason> {
        if execute.values() != self.binds {
            return Err(Reason::ValueCount);
        }
        let page = Page::of(self, execute)?;
        let mut buffer = Key::new();
        let key = self.partition_key(execute, &mut buffer)?;
        let places = Places::of(self, execute, page.after.as_ref())?;
        let flag = |flag, is_set| if is_set { flag } else { 0 };
        // Where nothing is left to read, the static row is not returned either.
        let reads_static = self.reads_static && !places.is_empty();
        let are_points = places.are_points && !places.is_empty();
        request.clear();
        request.push(VERSION);
        request.push(flag(REVERSED, self.reversed) | flag(STATIC, reads_static) | flag(POINTS, are_points));
        put_u32(if are_points { ANSWER_BYTES_MAX } else { self.row_size.chunk_bytes(page.rows_max) }, request);
        put_u32(0, request);
        let token = murmur3_token(key);
        put_counted(request, |request| encode_partition(token, key, request));
        put_u32(places.len(), request);
        for (start, end) in places.iter() {
            put_counted(request, |request| request.extend_from_slice(start));
            if !are_points {
                put_counted(request, |request| request.extend_from_slice(end));
            }
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
}

fn put_u32(number: usize, out: &mut Vec<u8>) {
    out.extend_from_slice(&(number as u32).to_le_bytes());
}

/// Appends what `put` appends, after its length.
fn put_counted(out: &mut Vec<u8>, put: impl FnOnce(&mut Vec<u8>)) {
    put_u32(0, out);
    let start = out.len();
    put(out);
    let length = (out.len() - start) as u32;
    if let Some(slot) = out.get_mut(start - 4..start) {
        slot.copy_from_slice(&length.to_le_bytes());
    }
}
