// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Clients of a port that takes TLS, until their first bytes tell what they speak, and whether the door does.

use std::collections::BTreeMap;
use std::io::{self, ErrorKind};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use mio::net::TcpStream;
use mio::{Interest, Registry, Token};
use rustls::ServerConfig;

use crate::client::ListenerId;
use crate::tls::hello::{First, MAX_HELLO_BYTES};
use crate::tls::terms::Terms;

/// Silent clients that are kept.
const MOST: usize = 4096;
/// How long a client may be silent. Drivers say something at once.
const PATIENCE: Duration = Duration::from_secs(10);

/// A client that was accepted, and nothing else.
#[derive(Debug)]
pub(crate) struct FirstByte {
    pub client: TcpStream,
    pub endpoints: Endpoints,
    /// Whether the port takes no plain CQL.
    pub is_tls_only: bool,
}

/// Both ends of a client's socket.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Endpoints {
    pub listener: ListenerId,
    pub remote: SocketAddr,
    pub local: SocketAddr,
}

/// What a client speaks.
#[derive(Clone, Debug)]
pub(crate) enum Speaks {
    Plain,
    /// TLS, with Cassandra.
    Tls,
    /// TLS, with the door.
    TlsOfDoor(Arc<ServerConfig>),
}

/// Those that wait. Who is silent for too long, or the longest of too many, has to leave: silent clients of one host
/// must not keep others out.
pub(crate) struct Undecided {
    most: usize,
    patience: Duration,
    /// By numbers that rise, of which none is used twice; with the moment until which each may be silent.
    clients: BTreeMap<usize, (FirstByte, Instant)>,
    next: usize,
    /// For a look at what a client has sent.
    peeked: Vec<u8>,
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
        Undecided { most, patience, clients: BTreeMap::new(), next: 0, peeked: vec![0; MAX_HELLO_BYTES] }
    }

    /// The client and what it speaks, if that is known; otherwise it waits here.
    ///
    /// * `terms` of the door with clients that speak TLS, if it does
    pub(crate) fn wait_for(
        &mut self,
        mut client: FirstByte,
        now: Instant,
        terms: Option<&Terms>,
        registry: &Registry,
    ) -> Option<(FirstByte, Speaks)> {
        match self.look(&client.client, terms) {
            Ok(Some(speaks)) => Some((client, speaks)),
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
    pub(crate) fn decide(
        &mut self,
        number: usize,
        terms: Option<&Terms>,
        registry: &Registry,
    ) -> Option<(FirstByte, Speaks)> {
        let (waiting, _) = self.clients.get(&number)?;
        let speaks = look(&waiting.client, &mut self.peeked, terms);
        if matches!(speaks, Ok(None)) {
            return None;
        }
        let client = self.take(number, registry)?;
        Some((client, speaks.ok()??))
    }

    fn look(&mut self, client: &TcpStream, terms: Option<&Terms>) -> io::Result<Option<Speaks>> {
        look(client, &mut self.peeked, terms)
    }

    fn take(&mut self, number: usize, registry: &Registry) -> Option<FirstByte> {
        let (mut client, _) = self.clients.remove(&number)?;
        registry.deregister(&mut client.client).ok()?;
        Some(client)
    }

    /// The same for a client that has to leave: if it has said nothing even now, it is closed. Who has said too little is
    /// left to Cassandra.
    pub(crate) fn end(&mut self, number: usize, registry: &Registry) -> Option<(FirstByte, Speaks)> {
        let client = self.take(number, registry)?;
        let speaks = self.look(&client.client, None).ok()??;
        Some((client, speaks))
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

/// What a client speaks, as far as its bytes tell, which stay in its socket; `None` while too few have come.
fn look(client: &TcpStream, peeked: &mut [u8], terms: Option<&Terms>) -> io::Result<Option<Speaks>> {
    let count = match client.peek(peeked) {
        Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
        Ok(count) => count,
        Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(None),
        Err(error) => return Err(error),
    };
    Ok(match (First::of(peeked.get(..count).unwrap_or_default()), terms) {
        (First::Plain, _) => Some(Speaks::Plain),
        (First::Incomplete, Some(_)) => None,
        (First::Hello(hello), Some(terms)) => Some(terms.agree(&hello).map_or(Speaks::Tls, Speaks::TlsOfDoor)),
        (First::Incomplete | First::Unknown | First::Hello(_), _) => Some(Speaks::Tls),
    })
}

#[cfg(test)]
mod tests;
