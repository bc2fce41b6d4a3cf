// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The cluster to which a load connects.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use scylla::statement::{Consistency, SerialConsistency};

/// A cluster, stock or not, and how to speak to it.
#[derive(Clone, Debug)]
pub struct Target {
    /// `host:port` each; the port is 9042 unless given.
    pub contact_points: Vec<String>,
    /// User, when the cluster wants one.
    pub username: Option<String>,
    /// Its password.
    pub password: Option<String>,
    /// TLS; `None` speaks in the clear.
    pub tls: Option<TlsFiles>,
    /// Consistency level of statements that set none.
    pub consistency: Consistency,
    /// Consistency level of the Paxos part of conditional statements that set none.
    pub serial_consistency: SerialConsistency,
    /// Data centre whose nodes are asked first; `None`: all alike.
    pub local_datacenter: Option<String>,
    /// Connections to each node.
    pub connections_per_node: usize,
    /// Compresses frames with LZ4.
    pub compression: bool,
    /// Time for one attempt of a statement.
    pub request_timeout: Duration,
    /// Time for one connection to be there.
    pub connect_timeout: Duration,
    /// Addresses that nodes name, and those at which they are reached from here.
    pub translation: HashMap<SocketAddr, SocketAddr>,
}

impl Target {
    /// These contact points, and defaults for the rest.
    pub fn new(contact_points: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self { contact_points: contact_points.into_iter().map(Into::into).collect(), ..Self::default() }
    }
}

impl Default for Target {
    fn default() -> Self {
        Self {
            contact_points: vec!["127.0.0.1:9042".to_owned()],
            username: None,
            password: None,
            tls: None,
            consistency: Consistency::LocalOne,
            serial_consistency: SerialConsistency::Serial,
            local_datacenter: None,
            connections_per_node: 1,
            compression: false,
            request_timeout: Duration::from_secs(12),
            connect_timeout: Duration::from_secs(5),
            translation: HashMap::new(),
        }
    }
}

/// PEM files for TLS.
#[derive(Clone, Debug)]
pub struct TlsFiles {
    /// Certificates of the authorities to trust.
    pub ca: PathBuf,
    /// The client's certificate chain, where the cluster wants one; needs `key`.
    pub certificate: Option<PathBuf>,
    /// The client's private key; needs `certificate`.
    pub key: Option<PathBuf>,
    /// Whether the node's certificate must name the node's address.
    pub check_hostname: bool,
}
