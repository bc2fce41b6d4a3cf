// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The engines that can be compared, and how a node and a table are told which one.

use std::fmt::{self, Display};
use std::str::FromStr;

use clap::ValueEnum;
use serde::{Deserialize, Serialize};
use serde_json::{json, Value};

/// The storage engine of a cluster's tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum Engine {
    /// Tuned stock Cassandra: trie memtable off heap, BTI sstables, unified compaction.
    Stock,
    /// The same, where CREATE INDEX makes a storage-attached index in place of a legacy one.
    StockSai,
    /// Tuned stock Cassandra of the next major version, as it was last published.
    #[serde(rename = "stock-6")]
    #[value(name = "stock-6")]
    Stock6,
    /// Stock Cassandra as its cassandra.yaml comes: skip-list memtable on heap, BIG sstables, size-tiered compaction.
    StockDefault,
    /// Cassandra with the plug-in; tables say `memtable = 'cassiterite'`.
    Cassiterite,
    /// The same with the front door.
    CassiteriteDoor,
}

impl Engine {
    /// All of them.
    pub const ALL: [Engine; 6] = [
        Engine::Stock,
        Engine::StockSai,
        Engine::Stock6,
        Engine::StockDefault,
        Engine::Cassiterite,
        Engine::CassiteriteDoor,
    ];

    /// The name on the command line and in reports.
    pub fn name(self) -> &'static str {
        match self {
            Engine::Stock => "stock",
            Engine::StockSai => "stock-sai",
            Engine::Stock6 => "stock-6",
            Engine::StockDefault => "stock-default",
            Engine::Cassiterite => "cassiterite",
            Engine::CassiteriteDoor => "cassiterite-door",
        }
    }

    /// One line for people.
    pub fn about(self) -> &'static str {
        match self {
            Engine::Stock => "trie memtable off heap, BTI sstables, unified compaction",
            Engine::StockSai => "the same as stock, with storage-attached indexes",
            Engine::Stock6 => "the same as stock, of Apache Cassandra 6.0-alpha2",
            Engine::StockDefault => {
                "what cassandra.yaml gives: skip-list memtable on heap, BIG sstables, size-tiered compaction"
            }
            Engine::Cassiterite => "the plug-in, all parameters at their defaults",
            Engine::CassiteriteDoor => "the plug-in, with front_door: reads, and quorum reads and writes on",
        }
    }

    /// What follows `WITH` in CREATE TABLE; empty: no options.
    pub fn table_options(&self) -> &'static str {
        match self {
            Engine::Stock | Engine::StockSai | Engine::Stock6 => "compaction = {'class': 'UnifiedCompactionStrategy'}",
            Engine::StockDefault => "",
            Engine::Cassiterite | Engine::CassiteriteDoor => "memtable = 'cassiterite'",
        }
    }

    /// The Apache Cassandra that it is, where that is another one than the checkout's.
    pub fn cassandra_version(self) -> Option<&'static str> {
        match self {
            Engine::Stock6 => Some("6.0-alpha2"),
            _ => None,
        }
    }

    /// Whether the node has the plug-in.
    pub fn has_plugin(self) -> bool {
        matches!(self, Engine::Cassiterite | Engine::CassiteriteDoor)
    }

    /// Top-level keys of cassandra.yaml that make the engine what it is.
    pub(super) fn yaml(self) -> Vec<(&'static str, Value)> {
        match self {
            Engine::Stock | Engine::Stock6 => tuned_stock(),
            Engine::StockSai => [tuned_stock(), vec![("default_secondary_index", json!("sai"))]].concat(),
            Engine::StockDefault | Engine::Cassiterite => Vec::new(),
            Engine::CassiteriteDoor => vec![
                ("memtable.configurations.cassiterite.parameters.front_door", json!("reads")),
                ("memtable.configurations.cassiterite.parameters.front_door_quorum_reads", json!("on")),
                ("memtable.configurations.cassiterite.parameters.front_door_writes", json!("replicated")),
            ],
        }
    }
}

fn tuned_stock() -> Vec<(&'static str, Value)> {
    vec![
        ("storage_compatibility_mode", json!("NONE")),
        ("memtable_allocation_type", json!("offheap_objects")),
        ("sstable", json!({"selected_format": "bti"})),
        (
            "memtable",
            json!({"configurations": {
                    "skiplist": {"class_name": "SkipListMemtable"},
                    "trie": {"class_name": "TrieMemtable"},
                    "default": {"inherits": "trie"}}}),
        ),
    ]
}

impl Display for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Engine {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Engine::ALL.into_iter().find(|engine| engine.name() == text).ok_or_else(|| {
            anyhow::anyhow!("engine '{text}' is not known: say {}", Engine::ALL.map(Engine::name).join(", "))
        })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn names_go_both_ways() {
        for engine in Engine::ALL {
            assert_eq!(engine, engine.to_string().parse().unwrap());
            assert_eq!(serde_json::to_value(engine).unwrap(), json!(engine.name()));
            assert_eq!(engine.to_possible_value().unwrap().get_name(), engine.name());
        }
        assert!("rocks".parse::<Engine>().unwrap_err().to_string().contains("stock-default"));
    }
}
