// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! What Cassandra sends: passed on, with the door's answers between its responses.

use std::io::{ErrorKind, Read, Result, Write};

use super::{Session, Turn, Work, TURN_BYTES};
use crate::protocol::{unpack, without_extras, Response, ResponseHeader, COMPRESSED};
use crate::request::{Answerer, Audition, Identity};

/// The kind of a RESULT that tells of another keyspace of the connection.
const SET_KEYSPACE: [u8; 4] = [0, 0, 0, 3];
/// A kind, and a name.
const MAX_UNPACKED_BYTES: usize = 4 + 2 + u16::MAX as usize;

impl Session {
    /// Passes on what Cassandra sends, with the door's answers between its responses.
    ///
    /// # Errors
    /// Those of the sockets; the connection is over then.
    pub(crate) fn cassandra_turn(
        &mut self,
        cassandra: &mut impl Read,
        client: &mut impl Write,
        to_end: bool,
        work: &mut Work,
        answerer: &mut impl Answerer,
    ) -> Result<Turn> {
        let mut read_bytes = 0;
        loop {
            self.is_cassandra_left = !self.to_client.flush(client)?;
            if self.is_cassandra_left {
                return Ok(Turn::Blocked);
            }
            if read_bytes >= TURN_BYTES {
                return Ok(Turn::More);
            }
            let count = match cassandra.read(&mut work.read) {
                Ok(0) => return Ok(Turn::Ended),
                Ok(count) => count,
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(Turn::Drained),
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            read_bytes += count;
            self.pass_responses(work.read.get(..count).unwrap_or_default(), client, answerer)?;
            if count < work.read.len() && !to_end {
                let is_blocked = self.to_client.unsent_bytes() > 0;
                return Ok(if is_blocked { Turn::Blocked } else { Turn::Drained });
            }
        }
    }

    fn pass_responses(&mut self, bytes: &[u8], client: &mut impl Write, answerer: &mut impl Answerer) -> Result<()> {
        let (mut from, mut at) = (0, 0);
        let has_unseen_queries = self.has_unseen_queries();
        while let Some(rest) = bytes.get(at..).filter(|rest| !rest.is_empty()) {
            let (auditions, queries, identity) = (&mut self.auditions, &mut self.queries, &mut self.identity);
            let wants = has_unseen_queries || !auditions.is_empty() || !queries.is_empty();
            at += self.outbound.advance(rest, wants, &mut |response| {
                judge(auditions, identity, &response, answerer);
                let may_be_use = is_of_query(queries, &response) || has_unseen_queries;
                if may_be_use && is_set_keyspace(&response) {
                    // It was admitted with the former keyspace.
                    identity.login = None;
                }
            });
            if !self.held.is_empty() && self.outbound.gap().is_some() {
                self.to_client.send(client, bytes.get(from..at).unwrap_or_default())?;
                let held = std::mem::take(&mut self.held);
                self.to_client.send(client, &held)?;
                from = at;
            }
        }
        self.to_client.send(client, bytes.get(from..at).unwrap_or_default())
    }
}

/// Compares the response with the audition of its stream, if there is one.
fn judge(auditions: &mut Vec<Audition>, identity: &Identity, response: &Response<'_>, answerer: &mut impl Answerer) {
    let (header, body) = match *response {
        Response::Whole(header, body) => (header, Some(body)),
        Response::Large(header) => (header, None),
    };
    if let Some(at) = auditions.iter().position(|audition| audition.header.stream == header.stream) {
        let audition = auditions.swap_remove(at);
        answerer.judge(identity, audition, header.flags, header.opcode, body);
    }
}

/// Whether this is the response to one of the queries, which is taken off them.
fn is_of_query(queries: &mut Vec<[u8; 2]>, response: &Response<'_>) -> bool {
    let (Response::Whole(header, _) | Response::Large(header)) = response;
    let at = queries.iter().position(|stream| *stream == header.stream);
    at.map(|at| queries.swap_remove(at)).is_some()
}

/// Whether this is the result of a USE.
fn is_set_keyspace(response: &Response<'_>) -> bool {
    let Response::Whole(header, body) = response else { return false };
    if header.opcode != ResponseHeader::RESULT {
        return false;
    }
    let has_extras = header.flags & !COMPRESSED != 0;
    let mut unpacked = Vec::new();
    let body = match header.flags & COMPRESSED {
        0 => *body,
        _ if unpack(body, MAX_UNPACKED_BYTES, &mut unpacked) => &unpacked,
        // A longer one is none, but for its warnings. Who is admitted anew loses nothing.
        _ => return has_extras,
    };
    without_extras(header.flags, body).map_or(has_extras, |result| result.starts_with(&SET_KEYSPACE))
}
