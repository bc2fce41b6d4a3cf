// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! A table of the engine, as the front door reads it.

use std::ops::Range;
use std::sync::Arc;

use cassiterite_engine::{cursor_close, Table};
use cassiterite_frontdoor::{Reach, TableReader, Unread};

/// Where the payload of an answer begins.
const HEAD_BYTES: usize = 12;
const FIRST_BYTES: usize = 64 << 10;
/// The door answers with 1 MiB at most; what the engine answers may be somewhat longer.
const MAX_BYTES: usize = 2 << 20;

/// One table generation.
pub(crate) struct DoorTable(pub Arc<Table>);

impl TableReader for DoorTable {
    fn read(&self, request: &[u8], reach: Reach, answer: &mut Vec<u8>) -> Result<Range<usize>, Unread> {
        if answer.len() < FIRST_BYTES {
            answer.resize(FIRST_BYTES, 0);
        }
        let filled = match reach {
            Reach::Memory => self.0.read_in_memory(request, answer).map_err(|_| Unread::Failed)?,
            Reach::Files => Some(self.read_files(request, answer)?),
        };
        let end = filled.and_then(|bytes| usize::try_from(bytes).ok()).ok_or(Unread::NotInMemory)?;
        Ok(HEAD_BYTES..end)
    }
}

impl DoorTable {
    fn read_files(&self, request: &[u8], answer: &mut Vec<u8>) -> Result<i32, Unread> {
        loop {
            let filled = self.0.read(request, answer).map_err(|_| Unread::Failed)?;
            let needed = filled.unsigned_abs() as usize;
            if filled < 0 {
                if needed > MAX_BYTES {
                    return Err(Unread::TooLong);
                }
                answer.resize(needed, 0);
                continue;
            }
            let cursor = answer.first_chunk().map_or(0, |bytes| i64::from_le_bytes(*bytes));
            if cursor == 0 {
                return Ok(filled);
            }
            // A failure means that it has gone already.
            let _ = cursor_close(cursor);
            if answer.len() >= MAX_BYTES {
                return Err(Unread::TooLong);
            }
            answer.resize((answer.len() * 4).min(MAX_BYTES), 0);
        }
    }
}
