// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Reads that other nodes have to agree with.

use smallvec::SmallVec;

pub(crate) use crate::statement::Digest;

/// A node's id: its UUID, more significant half first.
pub(crate) type HostId = [u8; 16];

/// What an answer still needs before it may be sent: that other replicas have the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Quorum {
    /// The other natural replicas of the local data center.
    pub replicas: SmallVec<[HostId; 4]>,
    /// How many of them must have the same digest; at least one.
    pub needed: usize,
    /// The digest of this node's own contents.
    pub digest: Digest,
    /// What they are to digest: a read of a peer.
    pub read: Vec<u8>,
    /// Of the rights under which the answer was made.
    pub epoch: u64,
}
