// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! From the body of an EXECUTE that writes to the engine, through all gates; and from what another node has written.

use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::Arc;
use std::time::{Instant, SystemTime};

use smallvec::SmallVec;

pub(crate) use copy::Copy;

use crate::reason::Reason;
use crate::rights::digest::HostId;
use crate::rights::open_table::TableId;
use crate::rights::routes::{Routes, Snapshot};
use crate::rights::sections::Writer;
use crate::rights::table_writer::Unwritten;
use crate::rights::written_table::WrittenTable;
use crate::statement::{Execute, Id, Modification, Scratch};

/// The body of a RESULT without rows.
pub(crate) const VOID: [u8; 4] = [0, 0, 0, 1];

/// One thread that writes, with its buffers.
#[derive(Debug)]
pub(crate) struct Writing {
    writer: Writer,
    scratch: Scratch,
    request: Vec<u8>,
}

/// A write that is done here.
#[derive(Clone, Debug)]
pub(crate) struct Written {
    pub id: Id,
    pub table: TableId,
    pub level: u16,
    /// The others that are to have it, too: [`Writing::request`] is for them.
    pub copies: Option<Copies>,
}

/// Who else is to have a write.
#[derive(Clone, Debug)]
pub(crate) struct Copies {
    pub table: Arc<WrittenTable>,
    /// All other replicas.
    pub hosts: Hosts,
    /// So many of them before it is acknowledged.
    pub needed: usize,
    /// When it began, in milliseconds since the epoch: before the engine had it, so that a TRUNCATE between the two drops a
    /// hint of it, too (danger F37).
    pub began_ms: i64,
    /// Of the rights under which it was done.
    pub epoch: u64,
}

pub(crate) type Hosts = SmallVec<[HostId; 4]>;

/// The ways to other replicas.
pub(crate) trait Ways {
    /// How many of these can be sent a write of so many bytes now. The others are known to be down.
    ///
    /// * `needed` so many have to acknowledge it first
    ///
    /// # Errors
    /// One is up, and cannot be sent it; or too many wait.
    fn ready(&self, hosts: &[HostId], needed: usize, bytes: usize) -> Result<usize, Reason>;
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

    /// The write request of the last write.
    pub(crate) fn request(&self) -> &[u8] {
        &self.request
    }

    /// Writes what an EXECUTE says, or says why not. `None` where the statement is not known as one that writes.
    pub(crate) fn write(
        &mut self,
        routes: &Routes,
        login: Option<u32>,
        (version, flags, body): (u8, u8, &[u8]),
        ways: &dyn Ways,
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
        let put = Put { routes, snapshot: &view.snapshot, epoch: view.epoch(), modification, ways };
        Some(put.run(login, (version, flags, body), (scratch, request)))
    }
}

/// One write, within its section.
struct Put<'p> {
    routes: &'p Routes,
    snapshot: &'p Snapshot,
    epoch: u64,
    modification: &'p Modification,
    ways: &'p dyn Ways,
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
        let execute = Execute::parse_write(version, body).map_err(passed)?;
        // Cassandra refuses one that it does not understand, also with a write.
        if execute.paging_state.is_some() {
            return Err(passed(Reason::PagingState));
        }
        // Cassandra writes the same again after a panic, at the same time of writing: once or twice is one.
        let written = catch_unwind(AssertUnwindSafe(|| self.put(table, &execute, buffers))).unwrap_or_else(|_| {
            self.modification.panicked();
            Err(Reason::Panic)
        });
        let copies = written.map_err(passed)?;
        Ok(Written { id, table: table.id, level: execute.consistency, copies })
    }

    fn put(
        &self,
        table: &Arc<WrittenTable>,
        execute: &Execute<'_>,
        (scratch, request): (&mut Scratch, &mut Vec<u8>),
    ) -> Result<Option<Copies>, Reason> {
        let needed = table.acknowledging(execute.consistency).ok_or(Reason::Consistency)?;
        // A hint is made of the same time.
        let began_ms = now_ms();
        let now_s = execute.now_in_seconds.unwrap_or(began_ms.div_euclid(1000));
        let token = self.modification.write_request(execute, now_s, scratch, request)?;
        if execute.timestamp.is_none_or(|timestamp| !table.knows(timestamp)) {
            return Err(Reason::OldTimestamp);
        }
        if !table.has(token) {
            return Err(Reason::NotReplica);
        }
        let copies = table.copied.as_ref().map(|copied| Copies {
            table: Arc::clone(table),
            hosts: copied.replicas.of(token),
            needed,
            began_ms,
            epoch: self.epoch,
        });
        if let Some(copies) = &copies {
            if self.ways.ready(&copies.hosts, needed, request.len())? < needed {
                return Err(Reason::Replicas);
            }
        }
        if !self.routes.are_records_safe() {
            return Err(Reason::UnsafeRecords);
        }
        table.writer.write_at_once(request).map_err(|unwritten| match unwritten {
            Unwritten::WouldWait => Reason::WriteWaits,
            Unwritten::Failed => Reason::EngineFailure,
        })?;
        Ok(copies)
    }
}

/// The wall clock, in milliseconds since the epoch.
fn now_ms() -> i64 {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    i64::try_from(now.as_millis()).unwrap_or(i64::MAX)
}

mod copy;
#[cfg(test)]
mod tests;
