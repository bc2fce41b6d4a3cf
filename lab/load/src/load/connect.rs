// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Opens a session.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{bail, Context, Result};
use scylla::client::execution_profile::ExecutionProfile;
use scylla::client::session::Session;
use scylla::client::session_builder::SessionBuilder;
use scylla::client::{Compression, PoolSize};
use scylla::errors::NewSessionError;
use scylla::policies::retry::FallthroughRetryPolicy;
use scylla::policies::timestamp_generator::MonotonicTimestampGenerator;
use tokio::runtime::{Builder, Runtime};

use crate::load::connect_error::explain;
use crate::load::cost::THREAD_NAME;
use crate::load::priority;
use crate::load::target::Target;
use crate::load::tls;
use crate::load::translation::Translation;

/// The steps of opening a session: TCP, TLS and protocol, user, the cluster's nodes and schema; each may take
/// [`Target::connect_timeout`].
const SETUP_STEPS: u32 = 4;

/// The runtime of a load: `threads` threads that speak to the cluster and start operations.
pub fn runtime(threads: usize) -> Result<Runtime> {
    // Epoll is asked seldom by default, which is late for an operation that is due.
    let runtime = Builder::new_multi_thread()
        .worker_threads(threads.max(1))
        .event_interval(31)
        .thread_name(THREAD_NAME)
        .on_thread_start(priority::raise)
        .on_thread_unpark(priority::follow)
        .enable_all()
        .build();
    runtime.context("the client's threads cannot be started")
}

/// Connects, token-aware, with timestamps of this client (so that a later write wins) and without retries of the driver (the
/// load retries, and counts it). An error is one line that says what is wrong with which contact points.
///
/// Call it in the runtime in which the session will be used.
pub async fn connect(target: &Target) -> Result<Session> {
    if target.contact_points.is_empty() {
        bail!("no contact point was given");
    }
    let profile = ExecutionProfile::builder()
        .consistency(target.consistency)
        .serial_consistency(Some(target.serial_consistency))
        .request_timeout(Some(target.request_timeout))
        .retry_policy(Arc::new(FallthroughRetryPolicy::new()))
        .load_balancing_policy(balancing(target))
        .build();
    let connections = NonZeroUsize::new(target.connections_per_node).context("at least 1 connection to each node")?;
    let mut builder = SessionBuilder::new()
        .known_nodes(&target.contact_points)
        .default_execution_profile_handle(profile.into_handle())
        .timestamp_generator(Arc::new(MonotonicTimestampGenerator::new()))
        .pool_size(PoolSize::PerHost(connections))
        .connection_timeout(target.connect_timeout)
        .compression(target.compression.then_some(Compression::Lz4));
    if !target.translation.is_empty() {
        builder = builder.address_translator(Arc::new(Translation(target.translation.clone())));
    }
    match (&target.username, &target.password) {
        (Some(username), Some(password)) => builder = builder.user(username, password),
        (None, None) => {}
        (Some(_), None) => bail!("a user needs a password"),
        (None, Some(_)) => bail!("a password needs a user"),
    }
    if let Some(files) = &target.tls {
        builder = builder.tls_context(Some(Arc::new(tls::client(files)?)));
    }
    // The driver's own limit ends with the TCP connection: a node that accepts and then says nothing would hold it forever.
    let limit = target.connect_timeout * SETUP_STEPS;
    match tokio::time::timeout(limit, build(&builder, target.connect_timeout)).await {
        Ok(built) => built.map_err(|error| explain(&error, target)),
        Err(_) => {
            bail!("cannot connect to {}: no answer within {} s", target.contact_points.join(", "), limit.as_secs_f64())
        }
    }
}

/// Builds a session, and another one if the first takes longer than `patience`; the one that ends first counts.
///
/// A node that closes a connection just when the driver hands over its first request may leave the driver waiting for ever.
async fn build(builder: &SessionBuilder, patience: Duration) -> Result<Session, NewSessionError> {
    let second = async {
        tokio::time::sleep(patience).await;
        builder.build().await
    };
    tokio::select! {
        session = builder.build() => session,
        session = second => session,
    }
}

fn balancing(target: &Target) -> Arc<dyn scylla::policies::load_balancing::LoadBalancingPolicy> {
    let policy = scylla::policies::load_balancing::DefaultPolicy::builder().token_aware(true);
    match &target.local_datacenter {
        Some(datacenter) => policy.prefer_datacenter(datacenter.clone()).permit_dc_failover(false).build(),
        None => policy.build(),
    }
}

#[cfg(test)]
mod tests;
