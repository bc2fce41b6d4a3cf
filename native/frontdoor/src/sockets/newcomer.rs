// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! A client that a loop is to serve, and the pair that is its way to Cassandra.

use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream as StdUnixStream;

use mio::net::UnixStream;

use super::client_socket::ClientSocket;
use crate::protocol::Negotiated;

/// A client with its way to Cassandra, on its way to a loop.
pub(crate) struct Newcomer {
    pub number: u64,
    pub client: ClientSocket,
    pub cassandra: UnixStream,
    /// Of a client that comes back to the door.
    pub negotiated: Option<Negotiated>,
}

/// The two ends of a client's way to Cassandra: the loop's, and the far one.
pub(crate) fn new_pair() -> io::Result<(UnixStream, OwnedFd)> {
    let (near, far) = StdUnixStream::pair()?;
    near.set_nonblocking(true)?;
    far.set_nonblocking(true)?;
    Ok((UnixStream::from_std(near), far.into()))
}
