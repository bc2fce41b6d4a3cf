// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The engine's read request for an EXECUTE (docs/internals/boundary.md, Read request).

use super::execute::Execute;
use super::le_bytes::{put_counted, put_u32};
use super::limits::ANSWER_BYTES_MAX;
use super::paging::Page;
use super::partition_key::{partition_key, Key};
use super::places::Places;
use super::recipe::Recipe;
use crate::reason::Reason;
use cassiterite_codec::key::{encode_partition, murmur3_token};

const VERSION: u8 = 2;
const REVERSED: u8 = 1;
const STATIC: u8 = 2;
const POINTS: u8 = 4;

impl Recipe {
    /// Writes the read request for `execute` into `request`, which is cleared; the partition's token.
    pub(crate) fn read_request(&self, execute: &Execute<'_>, request: &mut Vec<u8>) -> Result<i64, Reason> {
        if execute.values() != self.binds {
            return Err(Reason::ValueCount);
        }
        let page = Page::of(self, execute)?;
        let mut buffer = Key::new();
        let key = partition_key(&self.partition, execute, &mut buffer)?;
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
}
