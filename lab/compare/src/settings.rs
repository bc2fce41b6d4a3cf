// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The settings of a comparison; every report carries them.

use std::time::Duration;

use anyhow::{ensure, Context, Result};
use clap::ValueEnum;
use serde::Serialize;

use crate::own::OwnWorkload;
use crate::scenario::Scenario;
use lab_node::cluster::Engine;
use lab_node::cpus::{Cpus, Split};

/// Where a profile has the bytes of a value.
pub const VALUE_BYTES: &str = "@VALUE_BYTES@";
/// Rows of 1 KB, half of them written, keep a server's CPU busy for two fifths of the time.
const RATE_PER_CPU: f64 = 2_000.0;

/// Sizes that go together; single options still override them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Scale {
    /// To see it work: seconds, no meaning.
    Tiny,
    /// A laptop or a shared machine of two cores: 6 rounds, phases of 45 s, some 5 to 8 minutes for each engine and round. Two
    /// engines take 1 to 1.5 hours, three 1.5 to 2.5.
    Small,
    /// Datasets of many times the memtables: 6 rounds, phases of 240 s, some 50 minutes for each engine and round. Two engines
    /// take 10 hours.
    Full,
}

/// The settings of a comparison.
#[derive(Clone, Debug, Serialize)]
pub struct Settings {
    /// The scenario.
    pub scenario: Scenario,
    /// The workload of the scenario `profile`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub own: Option<OwnWorkload>,
    /// Sizes that were not given singly.
    pub scale: Scale,
    /// Rounds; each runs every engine once on a fresh cluster.
    pub rounds: usize,
    /// Length of each measured phase in seconds.
    pub seconds: u64,
    /// The warm-up ends by then even where the servers are not warm; the report then has a caveat.
    pub warmup_max_s: u64,
    /// Partitions of the table.
    pub rows: u64,
    /// Bytes of a value in the `rows` and `wide` tables.
    pub value_bytes: u64,
    /// Operations per second of phases with a fixed rate.
    pub rate_per_s: f64,
    /// Operations in flight: exactly in closed loops, at most in open ones.
    pub in_flight: usize,
    /// Threads of the client.
    pub threads: usize,
    /// Connections of the client to each node.
    pub connections: usize,
    /// Seconds for one attempt of a statement.
    pub request_timeout_s: f64,
    /// Who has which CPUs; `None`: client and servers share them all.
    pub cpus: Option<Split>,
    /// Nodes of each cluster.
    pub nodes: u32,
    /// Tokens of each node.
    pub vnodes: u32,
    /// Copies of each row.
    pub replication_factor: u32,
    /// Replacements of a node in each run of `stream`.
    pub samples: usize,
    /// MiB/s of the throttled move of `move`.
    pub throttle_mib_per_s: u32,
    /// Compaction class of the tables of stock engines; `None`: the engine's own.
    pub compaction: Option<String>,
    /// Heap of each node, as in -Xmx.
    pub heap: String,
    /// Engines whose nodes have a heap of another size: so that all have the same memory in total.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub heap_of: Vec<(Engine, String)>,
    /// cassandra.yaml keys for all engines alike.
    pub set: Vec<(String, String)>,
    /// First CQL port; storage and JMX come after it.
    pub port: u16,
    /// Test mode of the nodes: serial GC, no C2 compiler, small caches. Its numbers mean nothing.
    pub fast_nodes: bool,
    /// How long a server may take to become quiet after a phase.
    pub settle_max_s: u64,
}

impl Settings {
    /// Everything at the scale's value, for servers on one CPU.
    pub fn new(scenario: Scenario, scale: Scale) -> Self {
        let (rounds, seconds, warmup_max_s, partitions) = match scale {
            Scale::Tiny => (1, 5, 5, 2_000),
            Scale::Small => (6, 45, 240, 200_000),
            Scale::Full => (6, 240, 300, 4_000_000),
        };
        let (divisor, value_bytes, rate_per_s) = match scenario {
            Scenario::Emp => (6, 6000, 500.0),
            Scenario::Indexes => (1, 200, RATE_PER_CPU),
            Scenario::Scan => (100, 200, RATE_PER_CPU),
            Scenario::Move => (1, 200, RATE_PER_CPU),
            // 4,000,000 are 6.3 GiB, of which each of 3 nodes has two thirds.
            Scenario::Stream => (6, 1000, 400.0),
            _ => (1, 1000, RATE_PER_CPU),
        };
        let stream = scenario == Scenario::Stream;
        // As large as a move has to be to tell something: 220 MiB, 4.3 GiB.
        let partitions = if scenario == Scenario::Move { 5 * partitions } else { partitions };
        Self {
            scenario,
            own: None,
            scale,
            rounds,
            seconds,
            warmup_max_s,
            // Beyond the caches of every engine: reads are also to come from disk.
            rows: if (scenario, scale) == (Scenario::Reads, Scale::Small) { 2_000_000 } else { partitions / divisor },
            value_bytes,
            rate_per_s: if scale == Scale::Tiny { 500.0 } else { rate_per_s },
            in_flight: 32,
            threads: 1,
            connections: 1,
            request_timeout_s: 12.0,
            cpus: None,
            nodes: if stream { 3 } else { 1 },
            vnodes: 16,
            replication_factor: if stream { 2 } else { 1 },
            samples: if scale == Scale::Tiny { 2 } else { 4 },
            throttle_mib_per_s: 64,
            compaction: None,
            heap: if scale == Scale::Tiny { "768m" } else { "2g" }.to_owned(),
            heap_of: Vec::new(),
            set: if stream { unthrottled() } else { Vec::new() },
            port: 29042,
            fast_nodes: false,
            settle_max_s: 600,
        }
    }

    /// The same on a machine with these CPUs, of which the client keeps so many: rates that suit what is left for the servers,
    /// and a thread of the client for each CPU of its own.
    pub fn on(self, all: &Cpus, client_cpus: usize) -> Result<Self> {
        let cpus = Split::of(all, client_cpus).context("--client-cpus")?;
        // Servers that share with the client get about as much as if it had its usual part.
        let servers = cpus.as_ref().map_or(all.len() - Split::usual(all), |split| split.servers.len());
        // Tiny rates are to see it work; streams load all nodes of one machine.
        let grows = self.scale != Scale::Tiny && self.scenario != Scenario::Stream;
        let rate_per_s = if grows { self.rate_per_s * servers as f64 } else { self.rate_per_s };
        Ok(Self { rate_per_s, threads: client_cpus.max(1), cpus, ..self })
    }

    /// Refuses what cannot be measured, by name.
    pub fn validate(&self) -> Result<()> {
        ensure!(self.rounds > 0, "--rounds 0: there is nothing to compare");
        ensure!(self.seconds > 0, "--seconds 0: there is nothing to measure");
        ensure!(self.rows > 0, "--rows 0: an empty table cannot be read");
        ensure!(self.value_bytes > 0, "--value-bytes 0: a row needs a value");
        ensure!(
            self.rate_per_s > 0.0 && self.rate_per_s.is_finite(),
            "--rate {}: a number of operations per second is expected",
            self.rate_per_s
        );
        ensure!(
            self.in_flight > 0 && self.threads > 0 && self.connections > 0,
            "--in-flight, --threads and --connections are at least 1"
        );
        ensure!(
            self.request_timeout_s > 0.0 && self.request_timeout_s < 1e6,
            "--request-timeout {}: seconds above 0 are expected",
            self.request_timeout_s
        );
        ensure!(
            (1..=self.nodes).contains(&self.replication_factor),
            "--replication-factor {}: 1 to the number of nodes is expected",
            self.replication_factor
        );
        if self.scenario == Scenario::Stream {
            ensure!(self.samples > 0, "--samples 0: no node would be replaced");
            ensure!(
                self.nodes > 1 && self.replication_factor > 1,
                "a node is replaced out of the other replicas: give at least --nodes 2 and --replication-factor 2"
            );
        }
        if self.scenario == Scenario::Move {
            ensure!(self.nodes == 1, "--nodes {}: move runs on one node", self.nodes);
            ensure!(self.throttle_mib_per_s > 0, "--throttle 0: Cassandra takes this for no throttle at all");
        }
        ensure!(self.port <= u16::MAX - 100, "--port {}: there is no room for the ports after it", self.port);
        Ok(())
    }

    /// The text of the profile, with `@VALUE_BYTES@` for the bytes of a value.
    pub fn profile(&self) -> &str {
        self.own.as_ref().map_or_else(|| self.scenario.profile(), |own| &own.text)
    }

    /// The heap of this engine's nodes, as in -Xmx.
    pub fn heap_of(&self, engine: Engine) -> &str {
        self.heap_of.iter().rev().find(|(of, _)| *of == engine).map_or(&self.heap, |(_, heap)| heap)
    }

    /// Length of each measured phase.
    pub fn length(&self) -> Duration {
        Duration::from_secs(self.seconds)
    }
}

/// Streams as fast as they go, whole files and others; `--set` overrides it.
fn unthrottled() -> Vec<(String, String)> {
    ["stream_throughput_outbound", "entire_sstable_stream_throughput_outbound"]
        .map(|key| (key.to_owned(), "0MiB/s".to_owned()))
        .to_vec()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn every_scale_of_every_scenario_is_valid() {
        for scenario in Scenario::value_variants() {
            for scale in Scale::value_variants() {
                Settings::new(*scenario, *scale).validate().unwrap();
            }
        }
    }

    #[test]
    fn a_comparison_has_six_rounds_and_takes_about_as_long_as_it_took_with_five() {
        for (scale, five_of_s) in [(Scale::Small, 60), (Scale::Full, 300)] {
            let settings = Settings::new(Scenario::Mixed, scale);
            assert_eq!(settings.rounds, 6, "{scale:?}: Student's t is 2.57, not 2.78");
            assert!(settings.rounds as u64 * settings.seconds <= 5 * five_of_s, "{scale:?}");
        }
    }

    #[test]
    fn rates_suit_what_the_client_leaves() {
        let on = |cpus: &str, client| Settings::new(Scenario::Mixed, Scale::Small).on(&cpus.parse().unwrap(), client);
        let (two, four) = (on("0-1", 1).unwrap(), on("0-3", 1).unwrap());
        assert_eq!((two.rate_per_s, four.rate_per_s), (2_000.0, 6_000.0));
        assert_eq!((on("0-1", 0).unwrap().cpus, on("0-1", 0).unwrap().rate_per_s), (None, 2_000.0));
        assert_eq!(on("0-15", 4).unwrap().threads, 4);
        let refusal = format!("{:#}", on("0-1", 2).unwrap_err());
        assert!(refusal.contains("--client-cpus"), "{refusal}");
    }

    #[test]
    fn what_cannot_be_measured_is_refused_by_name() {
        let good = Settings::new(Scenario::Reads, Scale::Tiny);
        let refusal = |settings: Settings| settings.validate().unwrap_err().to_string();
        assert!(refusal(Settings { rounds: 0, ..good.clone() }).contains("--rounds"));
        assert!(refusal(Settings { rate_per_s: f64::NAN, ..good.clone() }).contains("--rate"));
        assert!(refusal(Settings { replication_factor: 2, ..good.clone() }).contains("--replication-factor"));
        assert!(refusal(Settings { port: 65_500, ..good }).contains("--port"));
        let stream = Settings::new(Scenario::Stream, Scale::Tiny);
        assert!(refusal(Settings { replication_factor: 1, ..stream.clone() }).contains("replicas"));
        assert!(refusal(Settings { samples: 0, ..stream }).contains("--samples"));
        let moves = Settings::new(Scenario::Move, Scale::Tiny);
        assert!(refusal(Settings { nodes: 2, ..moves.clone() }).contains("--nodes"));
        assert!(refusal(Settings { throttle_mib_per_s: 0, ..moves }).contains("--throttle"));
    }
}
