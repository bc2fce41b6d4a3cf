// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! From another node's read to its digest, through all gates of this node.

use std::panic::{catch_unwind, AssertUnwindSafe};
use std::time::Instant;

use super::{chunk, set_chunk, Answering, MAX_CHUNK_BYTES, MIN_CHUNK_BYTES};
use crate::reason::Reason;
use crate::refusal::Refusal;
use crate::rights::routes::Routes;
use crate::rights::table_reader::{Reach, TableReader, Unread};
use crate::statement::{self, Digest, Digested, PeerRead, PeerSpec};

/// Why there is no digest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoDigest {
    /// The read would have to wait.
    NotInMemory,
    /// The node that asks has Cassandra answer.
    Refused(Refusal),
}

/// What a table digests of another node's read (docs/internals/formats.md), without a look at any gate; `None` where it is
/// refused. For tests against Cassandra's own digests.
pub fn digest_of_table(reader: &dyn TableReader, spec: &[u8], read: &[u8]) -> Option<Digest> {
    let (spec, read) = (PeerSpec::decode(spec)?, PeerRead::decode(read)?);
    let digested = Answering::default().read_digest(&spec, (reader, u32::MAX), &read, Reach::Files);
    digested.ok().map(|digested| digested.digest)
}

impl Answering {
    /// Digests what this node has of another one's read, or says why not.
    pub(crate) fn digest(
        &mut self,
        routes: &Routes,
        spec: &PeerSpec,
        read: &[u8],
        reach: Reach,
    ) -> Result<Digested, NoDigest> {
        let tried = catch_unwind(AssertUnwindSafe(|| self.try_digest(routes, spec, read, reach)));
        tried.unwrap_or_else(|_| {
            *self = Answering::default();
            Err(NoDigest::Refused(Refusal::Panic))
        })
    }

    fn try_digest(
        &mut self,
        routes: &Routes,
        spec: &PeerSpec,
        read: &[u8],
        reach: Reach,
    ) -> Result<Digested, NoDigest> {
        let refused = NoDigest::Refused;
        let view = routes.view();
        if !routes.is_leased(Instant::now()) {
            return Err(refused(Refusal::NodeGate));
        }
        let table = view.snapshot.tables.get(spec.table_id()).ok_or(refused(Refusal::TableGate))?;
        let compared = table.compared.as_ref().ok_or(refused(Refusal::TableGate))?;
        if compared.layout != *spec.layout() {
            return Err(refused(Refusal::Spec));
        }
        let read = PeerRead::decode(read).ok_or(refused(Refusal::Malformed))?;
        if !table.has(read.request.token()) {
            return Err(refused(Refusal::NotReplica));
        }
        let digested = self.read_digest(spec, (&*table.reader, table.tombstones_max), &read, reach)?;
        match routes.holds(&view, Instant::now()) {
            true => Ok(digested),
            false => Err(refused(Refusal::RightsMoved)),
        }
    }

    /// Reads as much as the digest needs: more, where that turns out to be longer than thought.
    fn read_digest(
        &mut self,
        spec: &PeerSpec,
        (reader, tombstones_max): (&dyn TableReader, u32),
        read: &PeerRead<'_>,
        reach: Reach,
    ) -> Result<Digested, NoDigest> {
        self.request.clear();
        self.request.extend_from_slice(read.request.bytes());
        loop {
            let chunk_bytes = chunk(&self.request).min(MAX_CHUNK_BYTES);
            set_chunk(&mut self.request, chunk_bytes);
            let found = reader.read(&self.request, chunk_bytes, reach, &mut self.entries);
            let found = found.map_err(|unread| match unread {
                Unread::NotInMemory => NoDigest::NotInMemory,
                Unread::TooLong => NoDigest::Refused(Refusal::TooLong),
                Unread::Failed => NoDigest::Refused(Refusal::EngineFailure),
            })?;
            let entries = self.entries.get(found.range).unwrap_or_default();
            let answer = statement::Answer { entries, is_complete: found.is_all };
            match statement::digest(spec, read, answer, tombstones_max) {
                Ok(digested) => return Ok(digested),
                Err(Reason::Unfinished) if chunk_bytes < MAX_CHUNK_BYTES => {
                    set_chunk(&mut self.request, (chunk_bytes * 4).clamp(MIN_CHUNK_BYTES, MAX_CHUNK_BYTES));
                }
                Err(reason) => return Err(NoDigest::Refused(reason.into())),
            }
        }
    }
}
