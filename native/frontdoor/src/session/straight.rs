// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Responses that Cassandra's thread sends to the client itself, without the pair and the loop.

use std::io::{ErrorKind, IoSlice, Result, Write};

use super::Session;

impl Session {
    /// Whether responses may be sent straight, where all that Cassandra has sent before is read: nothing waits for the client,
    /// and the door wants to see none of them.
    pub(crate) fn may_send_straight(&mut self) -> bool {
        self.outbound.framing().is_some()
            && self.to_client.unsent_bytes() == 0
            && self.auditions.is_empty()
            && self.queries.is_empty()
            && !self.has_unseen_queries()
    }

    /// Sends what comes next of Cassandra's, with the answers that wait for a gap; how many bytes of it. The rest is to come
    /// by the pair. To be called where [`Session::may_send_straight`].
    ///
    /// # Errors
    /// Those of the socket; the connection is over then.
    pub(crate) fn send_straight(&mut self, client: &mut impl Write, parts: &[IoSlice<'_>]) -> Result<usize> {
        if self.held.is_empty() {
            self.send_at_once(client, parts)
        } else {
            self.send_by_units(client, parts)
        }
    }

    fn send_at_once(&mut self, client: &mut impl Write, parts: &[IoSlice<'_>]) -> Result<usize> {
        let sent = self.to_client.send_vectored(client, parts)?;
        let mut left = sent;
        for part in parts {
            let mut bytes = part.get(..left).unwrap_or(part);
            left -= bytes.len();
            while !bytes.is_empty() {
                let gone = self.outbound.advance(bytes, false, &mut |_| {});
                bytes = bytes.get(gone..).unwrap_or_default();
            }
        }
        Ok(sent)
    }

    /// Up to the first byte that has to wait for the client: the loop sends that one, and what is behind it.
    fn send_by_units(&mut self, client: &mut impl Write, parts: &[IoSlice<'_>]) -> Result<usize> {
        let mut sent = 0;
        for part in parts {
            let mut bytes = &part[..];
            while !bytes.is_empty() {
                let gone = self.outbound.advance(bytes, false, &mut |_| {});
                let (unit, rest) = bytes.split_at_checked(gone).ok_or(ErrorKind::InvalidData)?;
                self.to_client.send(client, unit)?;
                bytes = rest;
                sent += gone;
                if self.outbound.gap().is_some() {
                    let held = std::mem::take(&mut self.held);
                    self.to_client.send(client, &held)?;
                }
                if self.to_client.unsent_bytes() > 0 {
                    return Ok(sent);
                }
            }
        }
        Ok(sent)
    }
}
