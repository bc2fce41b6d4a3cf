// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! A client's socket, which gives and takes plain bytes whether it speaks TLS or not.

use std::io::{IoSlice, Read, Result, Write};

use mio::net::TcpStream;

use crate::tls::stream::TlsStream;

/// With TLS or without.
#[derive(Debug)]
pub(crate) enum ClientSocket {
    Plain(TcpStream),
    Tls(Box<TlsStream>),
}

impl ClientSocket {
    /// Whose events tell of it.
    pub(crate) fn source(&mut self) -> &mut TcpStream {
        match self {
            ClientSocket::Plain(socket) => socket,
            ClientSocket::Tls(stream) => stream.socket(),
        }
    }

    pub(crate) fn is_tls(&self) -> bool {
        matches!(self, ClientSocket::Tls(_))
    }

    /// Whether there is more to read though no event will tell.
    pub(crate) fn is_left(&self) -> bool {
        matches!(self, ClientSocket::Tls(stream) if stream.is_left())
    }

    /// Whether the client has said that it sends no more, of which no event tells.
    pub(crate) fn has_ended(&self) -> bool {
        matches!(self, ClientSocket::Tls(stream) if stream.has_ended())
    }

    /// Whether TLS takes no more bytes for the client, whose connection is over then.
    pub(crate) fn has_refused(&self) -> bool {
        matches!(self, ClientSocket::Tls(stream) if stream.has_refused())
    }

    /// Whether bytes that it took wait for [`ClientSocket::send`].
    pub(crate) fn wants_write(&self) -> bool {
        matches!(self, ClientSocket::Tls(stream) if stream.wants_write())
    }

    /// Sends bytes that it took and that wait.
    ///
    /// # Errors
    /// Those of the socket; the connection is over then.
    pub(crate) fn send(&mut self) -> Result<()> {
        match self {
            ClientSocket::Plain(_) => Ok(()),
            ClientSocket::Tls(stream) => stream.flush(),
        }
    }
}

impl Read for ClientSocket {
    fn read(&mut self, bytes: &mut [u8]) -> Result<usize> {
        match self {
            ClientSocket::Plain(socket) => socket.read(bytes),
            ClientSocket::Tls(stream) => stream.read(bytes),
        }
    }
}

impl Write for ClientSocket {
    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        match self {
            ClientSocket::Plain(socket) => socket.write(bytes),
            ClientSocket::Tls(stream) => stream.write(bytes),
        }
    }

    fn write_vectored(&mut self, parts: &[IoSlice<'_>]) -> Result<usize> {
        match self {
            ClientSocket::Plain(socket) => socket.write_vectored(parts),
            ClientSocket::Tls(stream) => stream.write_vectored(parts),
        }
    }

    fn flush(&mut self) -> Result<()> {
        self.send()
    }
}
