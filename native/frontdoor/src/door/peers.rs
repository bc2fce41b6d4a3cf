// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! What the owner of a door says of the doors of other nodes.

use std::io;
use std::net::SocketAddr;
use std::sync::{mpsc, Arc};
use std::time::Duration;

use crate::client::ListenerId;
use crate::door::Door;
use crate::peer::cluster::QuorumReads;
use crate::peer::members::Members;

/// Much longer than a loop's turn.
const LOOP_WAIT: Duration = Duration::from_secs(10);

impl Door {
    /// Listens for doors of other nodes, once in its life: what it connects to sees it come from that address. Returns the
    /// address too, for port 0 names any.
    ///
    /// # Errors
    /// Where the address cannot be bound, or it listens already.
    pub fn listen_for_peers(&self, address: SocketAddr) -> io::Result<(ListenerId, SocketAddr)> {
        let cluster = &self.shared.cluster;
        if cluster.address.get().is_some_and(|known| *known != address.ip()) {
            return Err(io::Error::other("the door has another address for its peers"));
        }
        let listening = self.acceptor.listen_for_peers(address)?;
        // The same one, if there is one.
        let _ = cluster.address.set(address.ip());
        Ok(listening)
    }

    /// What other doors know this one by: SHA-256 of its public key, which it has made when it opened.
    pub fn fingerprint(&self) -> [u8; 32] {
        *self.shared.cluster.key.fingerprint()
    }

    /// Says what becomes of reads that need other replicas, and who these are: the bytes are in docs/internals/boundary.md
    /// ("Peers of a door"). False where they are not. Whoever is no member any more is served no longer, within a tenth of a
    /// second.
    #[must_use]
    pub fn set_peers(&self, mode: QuorumReads, bytes: &[u8]) -> bool {
        let Some(members) = Members::decode(bytes) else { return false };
        self.shared.cluster.members.store(Arc::new(members));
        self.shared.cluster.set_mode(mode);
        self.loops.iter().for_each(|event_loop| event_loop.members_changed());
        true
    }

    /// Waits for no other replica any more: what was acknowledged, and not by all of them, is told as missed, and behind it
    /// [`Notice::CopiesEnded`](crate::Notice::CopiesEnded). For a node that stops, once the door may answer nothing more;
    /// otherwise further writes follow.
    pub fn end_copies(&self) {
        let (ended, end) = mpsc::channel();
        self.loops.iter().for_each(|event_loop| event_loop.end_copies(ended.clone()));
        drop(ended);
        // Nothing comes any more once all have said so, or have ended.
        while end.recv_timeout(LOOP_WAIT).is_ok() {}
        self.shared.notices.copies_ended();
    }
}
