// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! A client's socket under TLS: its bytes in plain, as a socket would give and take them.

use std::io::{self, ErrorKind, IoSlice, Read, Write};

use mio::net::TcpStream;
use rustls::server::ServerConnection;
use rustls::ProtocolVersion;

use super::ends::{send, Source, Target};
use super::suites::name;
use crate::client::Secured;

/// The most that one call reads of the socket: records without content are no reason to go on for ever.
const MAX_READ_BYTES: usize = 256 << 10;

/// The socket, and what TLS has in hand. Nothing here waits.
#[derive(Debug)]
pub(crate) struct TlsStream {
    socket: TcpStream,
    tls: Box<ServerConnection>,
    /// The client sends nothing more, or nothing that can be understood.
    has_ended: bool,
    /// Whether the last call has left bytes in the socket, of which no event tells.
    is_left: bool,
    has_failed: bool,
    /// Whether TLS has refused bytes for the client.
    has_refused: bool,
}

/// What reading the socket has come to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Received {
    /// Nothing, or an end.
    Nothing,
    /// All bytes that were there; an end may be behind them, of which no further event tells.
    Drained,
    /// There may be more.
    More,
}

impl TlsStream {
    /// * `tls` whose handshake is over
    pub(crate) fn new(socket: TcpStream, tls: Box<ServerConnection>) -> TlsStream {
        TlsStream { socket, tls, has_ended: false, is_left: false, has_failed: false, has_refused: false }
    }

    /// What the handshake has agreed on.
    pub(crate) fn secured(&self) -> Option<Secured> {
        let protocol = match self.tls.protocol_version()? {
            ProtocolVersion::TLSv1_2 => "TLSv1.2",
            ProtocolVersion::TLSv1_3 => "TLSv1.3",
            _ => return None,
        };
        Some(Secured { protocol, suite: name(self.tls.negotiated_cipher_suite()?.suite())? })
    }

    pub(crate) fn socket(&mut self) -> &mut TcpStream {
        &mut self.socket
    }

    /// Whether there is more to read though no event will tell.
    pub(crate) fn is_left(&self) -> bool {
        self.is_left
    }

    /// Whether the client has said that it sends no more.
    pub(crate) fn has_ended(&self) -> bool {
        self.has_ended
    }

    /// Whether bytes wait for the socket.
    pub(crate) fn wants_write(&self) -> bool {
        !self.has_failed && self.tls.wants_write()
    }

    /// Whether the connection has ended because TLS takes no more bytes for the client.
    pub(crate) fn has_refused(&self) -> bool {
        self.has_refused
    }

    /// Reads what the socket has, as far as TLS takes it at once.
    fn receive(&mut self, left_bytes: &mut usize) -> io::Result<Received> {
        let mut source = Source::new(&mut self.socket);
        match self.tls.read_tls(&mut source) {
            Ok(0) => self.has_ended = true,
            Ok(count) => *left_bytes = left_bytes.saturating_sub(count),
            Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(Received::Nothing),
            Err(error) if error.kind() == ErrorKind::Interrupted => return Ok(Received::More),
            Err(error) => return Err(error),
        }
        let is_drained = source.is_drained();
        match self.tls.process_new_packets() {
            Ok(state) => self.has_ended |= state.peer_has_closed(),
            Err(error) => {
                // The alert tells the client why, if it can be sent.
                let _ = self.tls.write_tls(&mut self.socket);
                self.has_failed = true;
                return Err(io::Error::new(ErrorKind::InvalidData, error));
            }
        }
        Ok(match is_drained {
            _ if self.has_ended => Received::Nothing,
            true => Received::Drained,
            false => Received::More,
        })
    }

    /// What is decrypted already.
    fn take(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        match self.tls.reader().read(bytes) {
            Ok(count) => Ok(count),
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::UnexpectedEof) => Ok(0),
            Err(error) => Err(error),
        }
    }

    /// Sends what waits; false where the socket takes no more.
    fn send(&mut self) -> io::Result<bool> {
        send(&mut self.tls, &mut self.socket)
    }

    fn write_with(&mut self, write: impl FnOnce(&mut rustls::Writer<'_>) -> io::Result<usize>) -> io::Result<usize> {
        if self.has_failed {
            return Err(ErrorKind::BrokenPipe.into());
        }
        // One part at a time waits here; whoever has more waits with it.
        if !self.send()? {
            return Err(ErrorKind::WouldBlock.into());
        }
        let taken = write(&mut self.tls.writer())?;
        let mut target = Target::new(&mut self.socket);
        let sent = send(&mut self.tls, &mut target);
        // The library may answer that it has taken them, and have nothing but an alert for the client.
        if taken > 0 && !target.begins_with_content() {
            (self.has_failed, self.has_refused) = (true, true);
            return Err(io::Error::other("TLS takes no more bytes for this client"));
        }
        sent?;
        Ok(taken)
    }
}

impl Read for TlsStream {
    /// Fills `bytes` as far as the client has sent something: a short read means that its socket is empty, unless
    /// [`TlsStream::is_left`] says otherwise.
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        self.is_left = false;
        let mut left_bytes = MAX_READ_BYTES;
        let mut filled = self.take(bytes)?;
        while filled < bytes.len() && !self.has_ended {
            if left_bytes == 0 {
                self.is_left = true;
                break;
            }
            let received = self.receive(&mut left_bytes)?;
            filled += self.take(bytes.get_mut(filled..).unwrap_or_default())?;
            // Where nothing is decrypted the caller does not read again.
            if received == Received::Nothing || received == Received::Drained && filled > 0 {
                break;
            }
        }
        match filled {
            0 if self.has_ended => Ok(0),
            0 => Err(ErrorKind::WouldBlock.into()),
            filled => Ok(filled),
        }
    }
}

impl Write for TlsStream {
    /// Takes a part that is sent at once, or as soon as the socket takes it: [`TlsStream::wants_write`] says whether
    /// [`Write::flush`] is due.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write_with(|writer| writer.write(bytes))
    }

    fn write_vectored(&mut self, parts: &[IoSlice<'_>]) -> io::Result<usize> {
        self.write_with(|writer| writer.write_vectored(parts))
    }

    fn flush(&mut self) -> io::Result<()> {
        if !self.has_failed {
            self.send()?;
        }
        Ok(())
    }
}

impl Drop for TlsStream {
    /// Tells the client that nothing is missing, if it can be told at once.
    fn drop(&mut self) {
        if !self.has_failed {
            self.tls.send_close_notify();
            let _ = self.send();
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing)]
pub(crate) mod tests;
