// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! From the body of an EXECUTE that writes to the engine, through all gates.

use std::panic::{catch_unwind, AssertUnwindSafe};
use std::time::Instant;

use crate::reason::Reason;
use crate::rights::open_table::TableId;
use crate::rights::routes::{Routes, Snapshot};
use crate::rights::sections::Writer;
use crate::rights::table_writer::Unwritten;
use crate::rights::written_table::WrittenTable;
use crate::statement::{Execute, Id, Modification, Scratch};

/// The body of a RESULT without rows.
const VOID: [u8; 4] = [0, 0, 0, 1];

/// One thread that writes, with its buffers.
#[derive(Debug)]
pub(crate) struct Writing {
    writer: Writer,
    scratch: Scratch,
    request: Vec<u8>,
}

/// A write that is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Written {
    pub id: Id,
    pub table: TableId,
    pub level: u16,
}

/// Why Cassandra does a write. What the engine has of it already counts once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NotWritten {
    /// Cassandra answers.
    Passed(Reason),
    /// Cassandra answers, and the owner of the door should know that this was asked.
    Wanted(Reason, Id),
}

impl Writing {
    pub(crate) fn new(routes: &Routes) -> Self {
        Writing { writer: routes.sections.join(), scratch: Scratch::default(), request: Vec::new() }
    }

    /// Writes what an EXECUTE says, and appends the body of its answer to `out`; or says why not. `None` where the statement is
    /// not known as one that writes.
    pub(crate) fn write(
        &mut self,
        routes: &Routes,
        login: Option<u32>,
        (version, flags, body): (u8, u8, &[u8]),
        out: &mut Vec<u8>,
    ) -> Option<Result<Written, NotWritten>> {
        let id = Execute::statement_id(body)?;
        if !routes.view().snapshot.modifications.contains_key(id) {
            return None;
        }
        let Writing { writer, scratch, request } = self;
        // Whoever ends a right from here on waits for the end of this.
        let _section = writer.enter();
        let view = routes.view();
        let modification = view.snapshot.modifications.get(id)?;
        let put = Put { routes, snapshot: &view.snapshot, modification };
        let written = put.run(login, (version, flags, body), (scratch, request));
        if written.is_ok() {
            out.extend_from_slice(&VOID);
        }
        Some(written)
    }
}

/// One write, within its section.
struct Put<'p> {
    routes: &'p Routes,
    snapshot: &'p Snapshot,
    modification: &'p Modification,
}

impl Put<'_> {
    fn run(
        &self,
        login: Option<u32>,
        (version, flags, body): (u8, u8, &[u8]),
        buffers: (&mut Scratch, &mut Vec<u8>),
    ) -> Result<Written, NotWritten> {
        let passed = NotWritten::Passed;
        let id = *self.modification.id();
        if flags != 0 {
            return Err(passed(Reason::HeaderFlags));
        }
        if self.modification.has_failed() {
            return Err(passed(Reason::AuditionFailed));
        }
        if !self.routes.is_leased(Instant::now()) {
            return Err(passed(Reason::NodeGate));
        }
        let login = login.ok_or(NotWritten::Wanted(Reason::NotAdmitted, id))?;
        if !self.snapshot.grants.contains(&(login, id)) {
            return Err(NotWritten::Wanted(Reason::NotGranted, id));
        }
        let table = self.snapshot.written.get(self.modification.table_id()).ok_or(passed(Reason::TableGate))?;
        let execute = Execute::parse(version, body).map_err(passed)?;
        // Cassandra writes the same again after a panic, at the same time of writing: once or twice is one.
        let written = catch_unwind(AssertUnwindSafe(|| self.put(table, &execute, buffers))).unwrap_or_else(|_| {
            self.modification.panicked();
            Err(Reason::Panic)
        });
        written.map_err(passed)?;
        Ok(Written { id, table: table.id, level: execute.consistency })
    }

    fn put(
        &self,
        table: &WrittenTable,
        execute: &Execute<'_>,
        (scratch, request): (&mut Scratch, &mut Vec<u8>),
    ) -> Result<(), Reason> {
        if !table.takes_at(execute.consistency) {
            return Err(Reason::Consistency);
        }
        let token = self.modification.write_request(execute, execute.now_s(), scratch, request)?;
        if execute.timestamp.is_none_or(|timestamp| !table.knows(timestamp)) {
            return Err(Reason::OldTimestamp);
        }
        if !table.has(token) {
            return Err(Reason::NotReplica);
        }
        if !self.routes.are_records_safe() {
            return Err(Reason::UnsafeRecords);
        }
        table.writer.write_at_once(request).map_err(|unwritten| match unwritten {
            Unwritten::WouldWait => Reason::WriteWaits,
            Unwritten::Failed => Reason::EngineFailure,
        })
    }
}

#[cfg(test)]
mod tests;
