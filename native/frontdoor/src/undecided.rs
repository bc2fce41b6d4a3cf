// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Clients of a port that takes both plain CQL and TLS, until their first byte tells which one they speak.

use std::io::{self, ErrorKind};
use std::net::SocketAddr;

use mio::net::TcpStream;
use mio::{Interest, Registry, Token};
use slab::Slab;

use crate::acceptor::ListenerId;

/// The types of TLS records (RFC 8446, 5.1); no version of CQL is one of them.
const TLS_RECORDS: std::ops::RangeInclusive<u8> = 20..=23;
/// Silent clients that are kept.
const MOST: usize = 4096;

/// A client that was accepted, and nothing else.
#[derive(Debug)]
pub(crate) struct FirstByte {
    pub listener: ListenerId,
    pub client: TcpStream,
    pub remote: SocketAddr,
    pub local: SocketAddr,
}

/// Those that wait.
#[derive(Default)]
pub(crate) struct Undecided {
    clients: Slab<FirstByte>,
}

impl Undecided {
    /// The client and whether it speaks TLS, if that is known; otherwise it waits here. Too many who wait are dropped.
    pub(crate) fn wait_for(&mut self, mut client: FirstByte, registry: &Registry) -> Option<(FirstByte, bool)> {
        match first_byte(&client.client) {
            Ok(Some(is_tls)) => Some((client, is_tls)),
            Ok(None) if self.clients.len() < MOST => {
                let entry = self.clients.vacant_entry();
                let token = Token(entry.key() * 2 + 1);
                if registry.register(&mut client.client, token, Interest::READABLE).is_ok() {
                    entry.insert(client);
                }
                None
            }
            Ok(None) | Err(_) => None,
        }
    }

    /// The same after an event of a client that waits here.
    pub(crate) fn decide(&mut self, slot: usize, registry: &Registry) -> Option<(FirstByte, bool)> {
        let is_tls = match first_byte(&self.clients.get(slot)?.client) {
            Ok(None) => return None,
            Ok(Some(is_tls)) => Some(is_tls),
            Err(_) => None,
        };
        let mut client = self.clients.remove(slot);
        registry.deregister(&mut client.client).ok()?;
        is_tls.map(|is_tls| (client, is_tls))
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
