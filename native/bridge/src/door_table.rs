// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! A table of the engine, as the front door reads and writes it.

use std::sync::Arc;

use cassiterite_engine::{cursor_close, cursor_next, Table};
use cassiterite_frontdoor::{Entries, Reach, TableReader, TableWriter, Unread, Unwritten};
use jni::sys::jlong;

use crate::handles::TABLES;

/// Where the payload of an answer begins.
const HEAD_BYTES: usize = 12;
/// Room for a row behind the chunk that is wanted.
const ROW_BYTES: usize = 64 << 10;
/// The door answers with 1 MiB at most; what the engine answers may be somewhat longer.
const MAX_BYTES: usize = 2 << 20;

/// One table generation.
pub(crate) struct DoorTable(Arc<Table>);

impl DoorTable {
    /// That of a handle.
    pub(crate) fn of(table: jlong) -> cassiterite_engine::Result<Arc<DoorTable>> {
        Ok(Arc::new(DoorTable(Arc::clone(TABLES.get(table)?.value()?))))
    }
}

impl TableReader for DoorTable {
    fn read(&self, request: &[u8], chunk_bytes: usize, reach: Reach, answer: &mut Vec<u8>) -> Result<Entries, Unread> {
        let room = chunk_bytes.saturating_add(ROW_BYTES).min(MAX_BYTES);
        if answer.len() < room {
            answer.resize(room, 0);
        }
        let (end, is_all) = match reach {
            Reach::Memory => {
                let filled = self.0.read_in_memory(request, answer).map_err(|_| Unread::Failed)?;
                filled.ok_or(Unread::NotInMemory)?
            }
            Reach::Files => self.read_files(request, answer)?,
        };
        Ok(Entries { range: HEAD_BYTES..end, is_all })
    }
}

impl TableWriter for DoorTable {
    fn write_at_once(&self, request: &[u8]) -> Result<(), Unwritten> {
        match self.0.write_at_once(request) {
            Ok(true) => Ok(()),
            Ok(false) => Err(Unwritten::WouldWait),
            Err(_) => Err(Unwritten::Failed),
        }
    }
}

impl DoorTable {
    fn read_files(&self, request: &[u8], answer: &mut Vec<u8>) -> Result<(usize, bool), Unread> {
        let mut filled = self.0.read(request, answer).map_err(|_| Unread::Failed)?;
        let mut cursor = 0;
        loop {
            let bytes = filled.unsigned_abs() as usize;
            if filled >= 0 {
                cursor = answer.first_chunk().map_or(0, |bytes| i64::from_le_bytes(*bytes));
                if cursor == 0 || bytes > HEAD_BYTES {
                    close(cursor);
                    return Ok((bytes, cursor == 0));
                }
            } else if bytes > MAX_BYTES {
                close(cursor);
                return Err(Unread::TooLong);
            } else {
                answer.resize(bytes, 0);
            }
            filled = match cursor {
                0 => self.0.read(request, answer),
                _ => cursor_next(cursor, 0, answer), // an answer without an entry has one for a larger buffer
            }
            .map_err(|_| Unread::Failed)?;
        }
    }
}

/// Ends an answer that is not wanted whole.
fn close(cursor: i64) {
    if cursor != 0 {
        // A failure means that it has gone already.
        let _ = cursor_close(cursor);
    }
}
