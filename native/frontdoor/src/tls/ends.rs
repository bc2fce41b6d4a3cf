// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! A socket as TLS reads and writes it, and what is seen of its bytes on the way.

use std::io::{ErrorKind, IoSlice, Read, Result, Write};

use rustls::server::ServerConnection;

/// The type of records with what the two sides have to say (RFC 8446, 5.1). TLS 1.3 gives it to all that are encrypted.
const CONTENT_RECORD: u8 = 23;

/// Reads, and notes whether that has emptied the socket.
pub(crate) struct Source<'a, S> {
    socket: &'a mut S,
    is_drained: bool,
}

/// Writes records, and notes of which type the first is.
pub(crate) struct Target<'a, S> {
    socket: &'a mut S,
    first: Option<u8>,
}

impl<'a, S> Source<'a, S> {
    pub(crate) fn new(socket: &'a mut S) -> Self {
        Source { socket, is_drained: false }
    }

    pub(crate) fn is_drained(&self) -> bool {
        self.is_drained
    }
}

impl<S: Read> Read for Source<'_, S> {
    fn read(&mut self, bytes: &mut [u8]) -> Result<usize> {
        let read = self.socket.read(bytes);
        // epoll(7): a short read of a stream socket has emptied it, and later bytes are a new edge
        self.is_drained = !matches!(read, Ok(count) if count == bytes.len());
        read
    }
}

impl<'a, S> Target<'a, S> {
    /// * `socket` whose next byte is the first of a record
    pub(crate) fn new(socket: &'a mut S) -> Self {
        Target { socket, first: None }
    }

    /// Whether what was to be written begins with content, such as no alert does of TLS 1.2.
    pub(crate) fn begins_with_content(&self) -> bool {
        self.first == Some(CONTENT_RECORD)
    }
}

impl<S: Write> Write for Target<'_, S> {
    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        self.first = self.first.or(bytes.first().copied());
        self.socket.write(bytes)
    }

    fn write_vectored(&mut self, parts: &[IoSlice<'_>]) -> Result<usize> {
        self.first = self.first.or(parts.iter().find_map(|part| part.first().copied()));
        self.socket.write_vectored(parts)
    }

    fn flush(&mut self) -> Result<()> {
        self.socket.flush()
    }
}

/// Sends what waits; false where the target takes no more.
///
/// # Errors
/// Those of the target.
pub(crate) fn send(tls: &mut ServerConnection, target: &mut impl Write) -> Result<bool> {
    while tls.wants_write() {
        match tls.write_tls(target) {
            Ok(0) => return Err(ErrorKind::WriteZero.into()),
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(false),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(true)
}
