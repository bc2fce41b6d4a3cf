// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! What a course sees of a cluster, and may do to it.

use anyhow::Result;
use async_trait::async_trait;

use super::bound::Latency;
use super::home::Home;
use super::ring::Place;

/// What a node says at one time.
#[derive(Clone, Debug)]
pub struct Look {
    /// Of the table.
    pub home: Home,
    /// Of the tables of its keyspace.
    pub latencies: Vec<Latency>,
}

/// The nodes of a cluster. Each call ends within a bound of its own.
#[async_trait(?Send)]
pub trait Fleet {
    /// The nodes of the ring, in any order; the same each time.
    fn places(&self) -> &[Place];

    /// What each node says, in the order of the places; an error is of a node that did not answer.
    async fn look(&self) -> Vec<Result<Look>>;

    /// Tells each of these nodes a direction: in, out or hold; results in their order.
    async fn direct(&self, nodes: &[Place], direction: &str) -> Vec<Result<()>>;

    /// Waits until the next look; whether it is to end instead.
    async fn wait(&self) -> bool;
}
