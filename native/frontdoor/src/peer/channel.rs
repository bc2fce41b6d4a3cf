// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! One connection between two doors: messages over TLS over a socket that nobody waits for.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use mio::net::TcpStream;
use mio::{Interest, Registry, Token};
use rustix::io::Errno;
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, ClientConnection, Connection, ServerConfig, ServerConnection};
use socket2::{Domain, Protocol, SockRef, Socket, TcpKeepalive, Type};

use super::members::Fingerprint;
use super::message::Message;
use super::node_key::fingerprint;

/// So much is encrypted at a time.
const PART_BYTES: usize = 64 << 10;
/// A silent connection is probed so often.
const PROBE: Duration = Duration::from_secs(10);

/// What reading has come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Received {
    /// All that there is.
    Drained,
    /// There may be more.
    More,
    /// The other side has ended.
    Ended,
}

/// Whether there is more to do with a connection, once others have had their turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Left {
    Nothing,
    More,
}

/// A connection.
#[derive(Debug)]
pub(crate) struct Channel {
    socket: TcpStream,
    tls: Connection,
    received: Vec<u8>,
    /// What is not encrypted yet.
    unsent: Vec<u8>,
}

impl Channel {
    /// Begins a connection; its events carry `token`.
    ///
    /// * `from` this node's address for other nodes
    ///
    /// # Errors
    /// Those of the socket.
    pub(crate) fn connect(
        to: SocketAddr,
        from: Option<IpAddr>,
        config: Arc<ClientConfig>,
        token: Token,
        registry: &Registry,
    ) -> io::Result<Channel> {
        let socket = Socket::new(Domain::for_address(to), Type::STREAM, Some(Protocol::TCP))?;
        socket.set_nonblocking(true)?;
        // The other side looks at where it comes from.
        if let Some(from) = from.filter(|from| from.is_ipv4() == to.is_ipv4()) {
            socket.bind(&SocketAddr::new(from, 0).into())?;
        }
        match socket.connect(&to.into()) {
            Err(error) if error.raw_os_error() != Some(Errno::INPROGRESS.raw_os_error()) => return Err(error),
            _ => {}
        }
        let tls = ClientConnection::new(config, ServerName::from(to.ip())).map_err(io::Error::other)?;
        Channel::new(TcpStream::from_std(socket.into()), tls.into(), token, registry)
    }

    /// Takes a connection that has come.
    ///
    /// # Errors
    /// Those of the socket.
    pub(crate) fn accepted(
        socket: TcpStream,
        config: Arc<ServerConfig>,
        token: Token,
        registry: &Registry,
    ) -> io::Result<Channel> {
        let tls = ServerConnection::new(config).map_err(io::Error::other)?;
        Channel::new(socket, tls.into(), token, registry)
    }

    fn new(mut socket: TcpStream, tls: Connection, token: Token, registry: &Registry) -> io::Result<Channel> {
        let options = SockRef::from(&socket);
        options.set_tcp_nodelay(true)?;
        // One that has gone without a word would keep its place.
        options.set_tcp_keepalive(&TcpKeepalive::new().with_time(PROBE).with_interval(PROBE))?;
        // Writability of a TCP socket is an event only after it was full.
        registry.register(&mut socket, token, Interest::READABLE | Interest::WRITABLE)?;
        Ok(Channel { socket, tls, received: Vec::new(), unsent: Vec::new() })
    }

    /// The fingerprint of the other side's key, once that is proved.
    pub(crate) fn peer(&self) -> Option<Fingerprint> {
        let shown = self.tls.peer_certificates().filter(|_| !self.tls.is_handshaking())?;
        shown.first().map(|key| fingerprint(key))
    }

    /// Reads what has come, up to about `bytes_max`.
    ///
    /// # Errors
    /// Where the connection is of no use any more.
    pub(crate) fn receive(&mut self, bytes_max: usize) -> io::Result<Received> {
        let mut bytes = 0;
        while bytes < bytes_max {
            match self.tls.read_tls(&mut self.socket) {
                Ok(0) => return Ok(Received::Ended),
                Ok(count) => bytes += count,
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(Received::Drained),
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            }
            let state = match self.tls.process_new_packets() {
                Ok(state) => state,
                Err(error) => {
                    // The alert tells the other side why, if it can be sent.
                    let _ = self.tls.write_tls(&mut self.socket);
                    return Err(io::Error::new(ErrorKind::InvalidData, error));
                }
            };
            let start = self.received.len();
            self.received.resize(start + state.plaintext_bytes_to_read(), 0);
            self.tls.reader().read_exact(self.received.get_mut(start..).unwrap_or_default())?;
            if state.peer_has_closed() {
                return Ok(Received::Ended);
            }
        }
        Ok(Received::More)
    }

    /// What was received and not dealt with; [`Channel::keep`] follows.
    pub(crate) fn take(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.received)
    }

    /// Keeps what is behind `from` for another time.
    pub(crate) fn keep(&mut self, mut received: Vec<u8>, from: usize) {
        received.drain(..from.min(received.len()));
        self.received = received;
    }

    /// Adds a message, which goes with the next [`Channel::flush`].
    pub(crate) fn send(&mut self, message: &Message<'_>) {
        message.put(&mut self.unsent);
    }

    /// Adds bytes that may be no message.
    #[cfg(test)]
    pub(crate) fn send_bytes(&mut self, bytes: &[u8]) {
        self.unsent.extend_from_slice(bytes);
    }

    /// How much waits for the other side, about.
    pub(crate) fn unsent_bytes(&self) -> usize {
        self.unsent.len()
    }

    /// Sends what the socket takes.
    ///
    /// # Errors
    /// Those of the socket.
    pub(crate) fn flush(&mut self) -> io::Result<()> {
        let mut sent = 0;
        loop {
            while self.tls.wants_write() {
                match self.tls.write_tls(&mut self.socket) {
                    Ok(0) => return Err(ErrorKind::WriteZero.into()),
                    Ok(_) => {}
                    Err(error) if error.kind() == ErrorKind::Interrupted => {}
                    Err(error) if error.kind() == ErrorKind::WouldBlock => {
                        self.unsent.drain(..sent);
                        return Ok(());
                    }
                    Err(error) => return Err(error),
                }
            }
            let rest = self.unsent.get(sent..).unwrap_or_default();
            if rest.is_empty() || self.tls.is_handshaking() {
                self.unsent.drain(..sent);
                return Ok(());
            }
            sent += self.tls.writer().write(rest.get(..PART_BYTES).unwrap_or(rest))?;
        }
    }
}
