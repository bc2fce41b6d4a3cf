// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! How a run reaches its cluster, and which faults the levels of its operations explain there.

use std::collections::BTreeSet;

use anyhow::{Context, Result};
use scylla::client::session::Session;
use scylla::cluster::metadata::Strategy;

use super::settings::Settings;
use super::task::Task;
use crate::check::{Levels, Replication};
use crate::load::{Target, TlsFiles};

/// The cluster.
pub(super) fn target(settings: &Settings) -> Result<Target> {
    let connection = &settings.connection;
    let (username, password) = connection.credentials.clone().unzip();
    let tls = match (&connection.trusted, &connection.identity) {
        (None, None) => None,
        (trusted, identity) => Some(TlsFiles {
            ca: trusted.clone().context("-transport: truststore= is missing")?,
            certificate: identity.clone(),
            key: identity.clone(),
            check_hostname: false,
        }),
    };
    let usual = Target::default();
    Ok(Target {
        contact_points: connection.contact_points.clone(),
        username,
        password,
        tls,
        consistency: settings.work.consistency,
        serial_consistency: settings.work.serial_consistency,
        local_datacenter: connection.datacenter.clone(),
        compression: connection.compression,
        connections_per_node: connection.connections_per_node,
        request_timeout: connection.request_timeout.unwrap_or(usual.request_timeout),
        connect_timeout: connection.connect_timeout.unwrap_or(usual.connect_timeout),
        translation: connection.translation.clone(),
    })
}

/// The faults that the consistency level can explain, given the keyspace's replication.
pub(super) fn levels(settings: &Settings, task: &Task, session: &Session) -> Levels {
    let level = settings.work.consistency;
    let state = session.get_cluster_state();
    // Without a word of where the client is, each operation may be at home in another datacenter.
    let datacenters: BTreeSet<_> = state.get_nodes_info().iter().filter_map(|node| node.datacenter.as_ref()).collect();
    let only = || datacenters.first().filter(|_| datacenters.len() == 1).map(|name| (*name).clone());
    let here = settings.connection.datacenter.clone().or_else(only);
    let replication = match state.get_keyspace(&task.profile.keyspace).map(|keyspace| &keyspace.strategy) {
        Some(Strategy::SimpleStrategy { replication_factor }) => {
            Replication::one_datacenter(*replication_factor as u32)
        }
        Some(Strategy::NetworkTopologyStrategy { datacenter_repfactors }) => {
            let is_here = |name: &str| here.as_deref() == Some(name);
            let factor = |wanted: bool| {
                datacenter_repfactors.iter().filter(move |(name, _)| is_here(name) == wanted).map(|(_, n)| *n as u32)
            };
            Replication { local: factor(true).sum(), others: factor(false).collect() }
        }
        _ => Replication::one_datacenter(1),
    };
    let mut writes = task.write_levels().map(|own| own.unwrap_or(level));
    let first = writes.next().unwrap_or(level);
    writes.fold(Levels::new(level, first, replication), Levels::and_writes_at)
}
