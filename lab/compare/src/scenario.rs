// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Scenarios by name: their tables and engines.

use clap::ValueEnum;
use lab_node::cluster::Engine;
use serde::Serialize;

/// A scenario.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Scenario {
    /// Reads by key: hot, at a fixed rate, and with the page cache emptied as if the table were larger than memory.
    Reads,
    /// Requests over 1, 8 and 64 connections; reads beside as many writes; reads while the Java heap is collected.
    Requests,
    /// Sustained inserts and overwrites until compaction is in balance; then compact.
    Writes,
    /// Half reads, half writes at a fixed rate.
    Mixed,
    /// Rows of 6 KB: the highest read rate at P99 <= 2 ms; then the tail of half reads, half writes at a fixed rate.
    Emp,
    /// Features of users, insert=24,get=1: closed loop, and the highest rate at P95 <= 5 ms.
    Features,
    /// The whole table by token ranges, and slices of partitions.
    Scan,
    /// From the start after kill -9 to the first answer, and whether all acknowledged rows are there.
    Restart,
    /// Secondary indexes: writes with 0, 1 and 3 of them, queries of 1, 100 and 10,000 rows, builds, bytes, and a restart.
    Indexes,
    /// A filled table moves into the engine, and out of it, against `upgradesstables -a` of the same table in stock: CPU, speed
    /// and bytes alone; latencies of checked requests beside a throttled one.
    Move,
    /// Nodes of a cluster die and are replaced, over and over: streaming time, share of whole files, CPU and memory of both
    /// ends, against a plain copy; then once more under load.
    Stream,
    /// A profile of the user's.
    #[value(skip)]
    Profile,
}

impl Scenario {
    /// Its name on the command line.
    pub fn name(self) -> String {
        self.to_possible_value().map_or_else(|| "profile".to_owned(), |value| value.get_name().to_owned())
    }

    /// Whether any of its loads comes at the rate of the settings.
    pub fn has_rate(self) -> bool {
        !matches!(self, Self::Writes | Self::Scan | Self::Restart | Self::Indexes)
    }

    /// The cassandra-stress profile of its table.
    pub fn profile(self) -> &'static str {
        match self {
            Scenario::Reads
            | Scenario::Writes
            | Scenario::Mixed
            | Scenario::Requests
            | Scenario::Restart
            | Scenario::Move => {
                include_str!("profiles/rows.yaml")
            }
            Scenario::Emp => include_str!("profiles/emp.yaml"),
            Scenario::Features => include_str!("profiles/features.yaml"),
            Scenario::Scan => include_str!("profiles/wide.yaml"),
            Scenario::Indexes => include_str!("profiles/indexed.yaml"),
            Scenario::Stream => include_str!("profiles/stream.yaml"),
            // Its settings have it.
            Scenario::Profile => "",
        }
    }

    /// The engines that it compares unless told.
    pub fn engines(self) -> Vec<Engine> {
        match self {
            Scenario::Indexes => vec![Engine::StockSai, Engine::Stock, Engine::Cassiterite],
            Scenario::Move => vec![Engine::Stock, Engine::Cassiterite],
            _ => vec![Engine::Stock, Engine::StockDefault, Engine::Cassiterite],
        }
    }
}
