// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! What the owner of the door learns of a client.

use std::net::SocketAddr;
use std::os::fd::OwnedFd;

/// Names one listening socket of a door; never used again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ListenerId(pub u64);

/// A client that the door has accepted.
#[derive(Debug)]
pub struct Client {
    /// The number of the connection, which no other one of the door has had.
    pub connection: u64,
    /// Where it was accepted.
    pub listener: ListenerId,
    /// The client's own address.
    pub remote: SocketAddr,
    /// The address that it connected to.
    pub local: SocketAddr,
    /// What Cassandra gets.
    pub way: Way,
}

/// What a client and the door have agreed on, by the names that Java gives them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Secured {
    /// The version of TLS.
    pub protocol: &'static str,
    /// The cipher suite.
    pub suite: &'static str,
}

/// How Cassandra talks to a client.
#[derive(Debug)]
pub enum Way {
    /// Through the door: the far end of a pair of Unix sockets, non-blocking.
    Pair(OwnedFd),
    /// The same for a client that speaks TLS with the door: what passes through the pair is plain.
    Secured(OwnedFd, Secured),
    /// Without the door: the client's own TCP socket, of which no byte has been read, because it speaks TLS.
    Direct(OwnedFd),
}
