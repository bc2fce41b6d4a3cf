// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Clients of a port that takes both plain CQL and TLS, until their first byte tells which one they speak.

use std::collections::BTreeMap;
use std::io::{self, ErrorKind};
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use mio::net::TcpStream;
use mio::{Interest, Registry, Token};

use crate::client::ListenerId;

/// The types of TLS records (RFC 8446, 5.1); no version of CQL is one of them.
const TLS_RECORDS: std::ops::RangeInclusive<u8> = 20..=23;
/// Silent clients that are kept.
const MOST: usize = 4096;
/// How long a client may be silent. Drivers say something at once.
const PATIENCE: Duration = Duration::from_secs(10);

/// A client that was accepted, and nothing else.
#[derive(Debug)]
pub(crate) struct FirstByte {
    pub listener: ListenerId,
    pub client: TcpStream,
    pub remote: SocketAddr,
    pub local: SocketAddr,
}

/// Those that wait. Who is silent for too long, or the longest of too many, has to leave: silent clients of one host
/// must not keep others out.
pub(crate) struct Undecided {
    most: usize,
    patience: Duration,
    /// By numbers that rise, of which none is used twice; with the moment until which each may be silent.
    clients: BTreeMap<usize, (FirstByte, Instant)>,
    next: usize,
}

impl Default for Undecided {
    fn default() -> Self {
        Undecided::new(MOST, PATIENCE)
    }
}

impl Undecided {
    /// * `most` the silent clients that are kept
    /// * `patience` how long each may be silent
    pub(crate) fn new(most: usize, patience: Duration) -> Self {
        Undecided { most, patience, clients: BTreeMap::new(), next: 0 }
    }

    /// The client and whether it speaks TLS, if that is known; otherwise it waits here.
    pub(crate) fn wait_for(
        &mut self,
        mut client: FirstByte,
        now: Instant,
        registry: &Registry,
    ) -> Option<(FirstByte, bool)> {
        match first_byte(&client.client) {
            Ok(Some(is_tls)) => Some((client, is_tls)),
            Ok(None) => {
                let token = Token(self.next * 2 + 1);
                if registry.register(&mut client.client, token, Interest::READABLE).is_ok() {
                    self.clients.insert(self.next, (client, now + self.patience));
                    self.next += 1;
                }
                None
            }
            Err(_) => None,
        }
    }

    /// The same after an event of a client that waits here.
    pub(crate) fn decide(&mut self, number: usize, registry: &Registry) -> Option<(FirstByte, bool)> {
        match first_byte(&self.clients.get(&number)?.0.client) {
            Ok(None) => None,
            Ok(Some(_)) | Err(_) => self.end(number, registry),
        }
    }

    /// The same for a client that has to leave: if nothing is known of it even now, it is closed.
    pub(crate) fn end(&mut self, number: usize, registry: &Registry) -> Option<(FirstByte, bool)> {
        let (mut client, _) = self.clients.remove(&number)?;
        registry.deregister(&mut client.client).ok()?;
        let is_tls = first_byte(&client.client).ok()??;
        Some((client, is_tls))
    }

    /// Who has to leave before another one can wait.
    pub(crate) fn in_the_way(&self) -> Option<usize> {
        let (number, _) = self.clients.first_key_value()?;
        (self.clients.len() >= self.most).then_some(*number)
    }

    /// Who has been silent for too long.
    pub(crate) fn overdue(&self, now: Instant) -> Option<usize> {
        let (number, (_, until)) = self.clients.first_key_value()?;
        (*until <= now).then_some(*number)
    }

    /// How long it is until somebody is [`Undecided::overdue`].
    pub(crate) fn until_overdue(&self, now: Instant) -> Option<Duration> {
        let (_, (_, until)) = self.clients.first_key_value()?;
        Some(until.saturating_duration_since(now))
    }
}

/// Whether the first byte is TLS; `None` while it has not come.
fn first_byte(client: &TcpStream) -> io::Result<Option<bool>> {
    let mut byte = [0];
    match client.peek(&mut byte) {
        Ok(0) => Err(ErrorKind::UnexpectedEof.into()),
        Ok(_) => Ok(Some(TLS_RECORDS.contains(&byte[0]))),
        Err(error) if error.kind() == ErrorKind::WouldBlock => Ok(None),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests;
