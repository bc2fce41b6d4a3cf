// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! A TLS handshake over a socket that nobody waits for.

use std::io::{self, ErrorKind};
use std::sync::Arc;

use mio::net::TcpStream;
use rustls::server::{ServerConfig, ServerConnection};

use super::stream::TlsStream;

/// Much more than a client sends before the end of its handshake: it has no certificate to show.
const MAX_BYTES: usize = 64 << 10;

/// One handshake.
#[derive(Debug)]
pub(crate) struct Handshake {
    tls: Box<ServerConnection>,
    read_bytes: usize,
}

/// What a step has come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Progress {
    /// An event of the socket is needed.
    Waits,
    /// It is over: [`Handshake::into_stream`].
    Agreed,
}

impl Handshake {
    /// # Errors
    /// Where the library refuses the configuration.
    pub(crate) fn new(config: Arc<ServerConfig>) -> io::Result<Handshake> {
        let tls = Box::new(ServerConnection::new(config).map_err(io::Error::other)?);
        Ok(Handshake { tls, read_bytes: 0 })
    }

    /// Goes on as far as the socket lets it.
    ///
    /// # Errors
    /// The client has gone, or does not speak TLS as it should; it has been told, if it could be.
    pub(crate) fn step(&mut self, socket: &mut TcpStream) -> io::Result<Progress> {
        loop {
            while self.tls.wants_write() {
                match self.tls.write_tls(socket) {
                    Ok(0) => return Err(ErrorKind::WriteZero.into()),
                    Ok(_) => {}
                    Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(Progress::Waits),
                    Err(error) if error.kind() == ErrorKind::Interrupted => {}
                    Err(error) => return Err(error),
                }
            }
            if !self.tls.is_handshaking() {
                return Ok(Progress::Agreed);
            }
            match self.tls.read_tls(socket) {
                Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
                Ok(count) => self.read_bytes += count,
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(Progress::Waits),
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            }
            if self.read_bytes > MAX_BYTES {
                return Err(io::Error::new(ErrorKind::InvalidData, "too many bytes for a handshake"));
            }
            if let Err(error) = self.tls.process_new_packets() {
                // The alert tells the client why, if it can be sent.
                let _ = self.tls.write_tls(socket);
                return Err(io::Error::new(ErrorKind::InvalidData, error));
            }
        }
    }

    /// The client's bytes from now on. What it has sent behind its handshake may have been read already.
    pub(crate) fn into_stream(self, socket: TcpStream) -> TlsStream {
        TlsStream::new(socket, self.tls)
    }
}
