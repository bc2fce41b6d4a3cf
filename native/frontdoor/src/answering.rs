// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! From the body of an EXECUTE to the body of its answer, through all gates.

use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::Arc;
use std::time::Instant;

mod digesting;

use crate::reason::Reason;
use crate::rights::digest::Quorum;
use crate::rights::open_table::{Compared, OpenTable, TableId};
use crate::rights::prepared::{Prepared, Standing};
use crate::rights::routes::Routes;
use crate::rights::table_reader::{Reach, Unread};
use crate::statement::{self, wall_clock_s, Digest, DigestKey, Execute, Id, PeerRead, PeerSpec, ReadRequest, Served};

pub use digesting::digest_of_table;
pub(crate) use digesting::NoDigest;

/// Where a read request names the bytes of the first chunk (docs/internals/boundary.md).
const CHUNK_FIELD: std::ops::Range<usize> = 2..6;
/// The least that another try asks for, and the most.
const MIN_CHUNK_BYTES: usize = 4 << 10;
const MAX_CHUNK_BYTES: usize = 1 << 20;

/// Buffers of one thread that answers.
#[derive(Debug, Default)]
pub(crate) struct Answering {
    request: Vec<u8>,
    entries: Vec<u8>,
}

/// An answer, of which the body is in the caller's buffer.
#[derive(Debug)]
pub(crate) struct Answer {
    pub id: Id,
    pub table: TableId,
    pub level: u16,
    pub read: Served,
    pub prepared: Arc<Prepared>,
    /// What other replicas have to agree with before it is sent; `None` where this node alone may answer.
    pub quorum: Option<Box<Quorum>>,
}

/// Why there is no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unanswered {
    /// The read would have to wait.
    NotInMemory,
    /// Cassandra answers.
    Passed(Reason),
    /// Cassandra answers, and the owner of the door should know that this was asked.
    Wanted(Reason, Id),
}

impl Answering {
    /// Answers an EXECUTE, or says why not. What it appends to `out` is to be sent only where the statement serves.
    ///
    /// * `login` as what the connection was admitted
    /// * `flags` of the request's header; `body` not compressed
    pub(crate) fn answer(
        &mut self,
        routes: &Routes,
        login: Option<u32>,
        (version, flags, body): (u8, u8, &[u8]),
        reach: Reach,
        out: &mut Vec<u8>,
    ) -> Result<Answer, Unanswered> {
        let before = out.len();
        // Nothing was sent yet: after a panic Cassandra can still answer.
        let tried =
            catch_unwind(AssertUnwindSafe(|| self.try_answer(routes, login, (version, flags, body), reach, out)));
        let answer = tried.unwrap_or_else(|_| {
            *self = Answering::default();
            note_panic(routes, body);
            Err(Unanswered::Passed(Reason::Panic))
        });
        if answer.is_err() {
            out.truncate(before);
        }
        answer
    }

    fn try_answer(
        &mut self,
        routes: &Routes,
        login: Option<u32>,
        (version, flags, body): (u8, u8, &[u8]),
        reach: Reach,
        out: &mut Vec<u8>,
    ) -> Result<Answer, Unanswered> {
        let passed = Unanswered::Passed;
        if flags != 0 {
            return Err(passed(Reason::HeaderFlags));
        }
        let view = routes.view();
        let routed = &view.snapshot;
        let id = *Execute::statement_id(body).ok_or(passed(Reason::Malformed))?;
        // Before the gates: what is never answered keeps no connection at the door until they open.
        let prepared = routed.statements.get(&id);
        if prepared.is_none() && routed.refused.contains(&id) {
            return Err(passed(Reason::RecipeRefused));
        }
        if prepared.is_some_and(|prepared| prepared.standing() == Standing::Failed) {
            return Err(passed(Reason::AuditionFailed));
        }
        if !routes.is_leased(Instant::now()) {
            return Err(passed(Reason::NodeGate));
        }
        let Some(prepared) = prepared else { return Err(Unanswered::Wanted(Reason::NoRecipe, id)) };
        let login = login.ok_or(Unanswered::Wanted(Reason::NotAdmitted, id))?;
        if !routed.grants.contains(&(login, id)) {
            return Err(Unanswered::Wanted(Reason::NotGranted, id));
        }
        let recipe = &prepared.recipe;
        let table = routed.tables.get(recipe.table_id()).ok_or(passed(Reason::TableGate))?;
        let execute = Execute::parse(version, body).map_err(passed)?;
        let comparison = match table.answers_at(execute.consistency) {
            true => None,
            false => Some(Comparison::of(routes, table, prepared, execute.consistency).map_err(passed)?),
        };
        let token = recipe.read_request(&execute, &mut self.request).map_err(passed)?;
        if !table.has(token) {
            return Err(passed(Reason::NotReplica));
        }
        let mut quorum = match &comparison {
            None => None,
            Some(comparison) => Some(comparison.begin(token, view.epoch()).map_err(passed)?),
        };
        let agreeing = comparison.as_ref().zip(quorum.as_deref_mut());
        let read = self.read(prepared, table, &execute, agreeing, reach, out)?;
        if !routes.holds(&view, Instant::now()) {
            return Err(passed(Reason::RightsMoved));
        }
        Ok(Answer {
            id: *execute.statement_id,
            table: table.id,
            level: execute.consistency,
            read,
            prepared: Arc::clone(prepared),
            quorum,
        })
    }
}

/// With what an answer is compared that other replicas have to agree with.
struct Comparison<'r> {
    compared: &'r Compared,
    spec: &'r PeerSpec,
    key: &'r DigestKey,
    needed: usize,
}

impl<'r> Comparison<'r> {
    fn of(routes: &'r Routes, table: &'r OpenTable, prepared: &'r Prepared, level: u16) -> Result<Self, Reason> {
        let compared = table.compared.as_ref().ok_or(Reason::Consistency)?;
        let needed = compared.replicas.needed(level).ok_or(Reason::Consistency)?;
        // The recipe may be of the schema before or after the one that the table was opened with.
        let spec = prepared.spec_for(&compared.layout).ok_or(Reason::TableGate)?;
        let key = routes.digest_key().ok_or(Reason::Consistency)?;
        Ok(Comparison { compared, spec, key, needed })
    }

    /// What the other replicas of a token are to be asked, but for the read and its digest.
    fn begin(&self, token: i64, epoch: u64) -> Result<Box<Quorum>, Reason> {
        let replicas = self.compared.replicas.of(token);
        if replicas.len() < self.needed {
            return Err(Reason::Consistency);
        }
        Ok(Box::new(Quorum { replicas, needed: self.needed, digest: Digest::default(), read: Vec::new(), epoch }))
    }

    /// Digests this node's own contents, which the answer was made of.
    fn digest(
        &self,
        request: &[u8],
        answer: statement::Answer<'_>,
        (now_s, rows_max, tombstones_max): (i64, u32, u32),
        quorum: &mut Quorum,
    ) -> Result<(), Reason> {
        let request = ReadRequest::decode(request).ok_or(Reason::Malformed)?;
        let gc_before_s = now_s.saturating_sub(i64::from(self.compared.gc_grace_s));
        let read = PeerRead { key: self.key, now_s, gc_before_s, rows_max, request };
        quorum.digest = statement::digest(self.spec, &read, answer, tombstones_max)?.digest;
        quorum.read = read.encode();
        Ok(())
    }
}

impl Answering {
    /// Reads as much as the answer needs: more, where the rows turn out to be longer than thought.
    fn read(
        &mut self,
        prepared: &Prepared,
        table: &OpenTable,
        execute: &Execute<'_>,
        mut agreeing: Option<(&Comparison<'_>, &mut Quorum)>,
        reach: Reach,
        out: &mut Vec<u8>,
    ) -> Result<Served, Unanswered> {
        loop {
            let chunk_bytes = chunk(&self.request);
            // Before the view of the read: a cell that is renewed in time must not look expired.
            let now_s = wall_clock_s();
            let read = table.reader.read(&self.request, chunk_bytes, reach, &mut self.entries);
            let found = read.map_err(|unread| match unread {
                Unread::NotInMemory => Unanswered::NotInMemory,
                Unread::TooLong => Unanswered::Passed(Reason::AnswerLength),
                Unread::Failed => Unanswered::Passed(Reason::EngineFailure),
            })?;
            let entries = self.entries.get(found.range).unwrap_or_default();
            let answer = statement::Answer { entries, is_complete: found.is_all };
            match prepared.recipe.rows(execute, answer, now_s, table.tombstones_max, out) {
                Ok(served) => {
                    if let Some((comparison, quorum)) = &mut agreeing {
                        let rows_max = prepared.recipe.rows_max(execute).map_err(Unanswered::Passed)?;
                        let limits = (execute.now_in_seconds.unwrap_or(now_s), rows_max, table.tombstones_max);
                        comparison.digest(&self.request, answer, limits, quorum).map_err(Unanswered::Passed)?;
                    }
                    return Ok(served);
                }
                Err(Reason::Unfinished) if chunk_bytes < MAX_CHUNK_BYTES => {
                    set_chunk(&mut self.request, (chunk_bytes * 4).clamp(MIN_CHUNK_BYTES, MAX_CHUNK_BYTES));
                }
                Err(reason) => return Err(Unanswered::Passed(reason)),
            }
        }
    }
}

fn note_panic(routes: &Routes, body: &[u8]) {
    let view = routes.view();
    if let Some(prepared) = Execute::statement_id(body).and_then(|id| view.snapshot.statements.get(id)) {
        prepared.panicked();
    }
}

fn chunk(request: &[u8]) -> usize {
    let field = request.get(CHUNK_FIELD).and_then(|field| field.first_chunk());
    field.map_or(MAX_CHUNK_BYTES, |bytes| u32::from_le_bytes(*bytes) as usize)
}

fn set_chunk(request: &mut [u8], bytes: usize) {
    if let Some(field) = request.get_mut(CHUNK_FIELD) {
        field.copy_from_slice(&(bytes as u32).to_le_bytes());
    }
}

#[cfg(test)]
mod tests;
