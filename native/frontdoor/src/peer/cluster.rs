// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! What all loops of a door know of the other nodes.

use std::io;
use std::net::IpAddr;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, OnceLock};

use arc_swap::ArcSwap;
use rustls::ServerConfig;

use super::members::Members;
use super::node_key::NodeKey;
/// What becomes of reads that need other replicas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum QuorumReads {
    /// Cassandra has them all.
    Off = 0,
    /// Replicas are asked, and Cassandra answers: what both say is compared.
    Compare = 1,
    /// The door answers where the replicas agree.
    On = 2,
}

impl QuorumReads {
    /// The mode with that number.
    pub fn of(number: u8) -> Option<QuorumReads> {
        [QuorumReads::Off, QuorumReads::Compare, QuorumReads::On].into_iter().find(|mode| *mode as u8 == number)
    }
}

/// This node among the others.
#[derive(Debug)]
pub(crate) struct Cluster {
    pub key: NodeKey,
    pub members: Arc<ArcSwap<Members>>,
    /// For the connections of those who ask.
    pub serving: Arc<ServerConfig>,
    mode: AtomicU8,
    /// Where this node listens for the others, and connects from.
    pub address: OnceLock<IpAddr>,
}

impl Cluster {
    /// One of which nobody knows yet.
    ///
    /// # Errors
    /// Where the system has no randomness.
    pub(crate) fn new() -> io::Result<Cluster> {
        let key = NodeKey::new()?;
        let members = Arc::new(ArcSwap::default());
        let serving = key.server_config(Arc::clone(&members))?;
        Ok(Cluster { key, members, serving, mode: AtomicU8::new(0), address: OnceLock::new() })
    }
    pub(crate) fn mode(&self) -> QuorumReads {
        QuorumReads::of(self.mode.load(Ordering::Acquire)).unwrap_or(QuorumReads::Off)
    }

    pub(crate) fn set_mode(&self, mode: QuorumReads) {
        self.mode.store(mode as u8, Ordering::Release);
    }
}
