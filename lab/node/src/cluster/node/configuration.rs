// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The cassandra.yaml of a node: what config/cassandra ships, then what the node adds.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{bail, Context, Result};
use serde_json::{json, Map, Value};

use super::{text, NodeSpec};
use crate::cluster::Home;

const NOTE: &str = "# `cassiterite node` writes this file anew at each start.\n";

/// The keys of a cassandra.yaml.
#[derive(Clone, Debug, Default, PartialEq)]
pub(in crate::cluster) struct Configuration(Map<String, Value>);

impl Configuration {
    /// The configuration of this node. Later keys replace earlier ones.
    pub fn of_node(node: &NodeSpec, home: &Home) -> Result<Self> {
        let mut yaml = Self::default();
        let memtable = if node.plugin.is_some() { "memtable.yaml" } else { "memtable-stock.yaml" };
        yaml.add_file(&home.configuration("cassandra.yaml"))?;
        yaml.add_file(&home.configuration(memtable))?;
        yaml.add_identity(node)?;
        yaml.add_folders(node)?;
        if node.fast {
            yaml.add_file(&home.configuration("fast.yaml"))?;
        }
        yaml.add_ring(node)?;
        for (key, value) in &node.settings {
            yaml.set(key, value.clone())?;
        }
        Ok(yaml)
    }

    /// The file's text.
    pub fn text(&self) -> Result<String> {
        Ok(NOTE.to_owned() + &serde_yaml_ng::to_string(&self.0)?)
    }

    /// Puts a value at a key, at a nested one with dots: `memtable.configurations.trie.class_name`.
    pub fn set(&mut self, key: &str, value: Value) -> Result<()> {
        // Cassandra refuses the period with another mode than `periodic`.
        if key == "commitlog_sync" && value != "periodic" {
            self.0.shift_remove("commitlog_sync_period");
        }
        let (top, rest) = split(key);
        let place = self.0.entry(top).or_insert(Value::Null);
        put(place, rest, value).with_context(|| format!("{key}: no such place in '{top}'"))
    }

    fn add_file(&mut self, file: &Path) -> Result<()> {
        let text = fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
        let keys: Map<String, Value> =
            serde_yaml_ng::from_str(&text).with_context(|| format!("{} is no configuration", file.display()))?;
        self.0.extend(keys);
        Ok(())
    }

    fn add_identity(&mut self, node: &NodeSpec) -> Result<()> {
        let seeds = node.seeds.clone().unwrap_or_else(|| format!("{}:{}", node.address, node.storage_port));
        let seeds =
            json!({"class_name": "org.apache.cassandra.locator.SimpleSeedProvider", "parameters": [{"seeds": seeds}]});
        self.set("cluster_name", json!(node.cluster))?;
        self.set("seed_provider", json!([seeds]))?;
        for address in ["listen_address", "rpc_address"] {
            self.set(address, json!(node.address))?;
        }
        self.set("storage_port", json!(node.storage_port))?;
        self.set("native_transport_port", json!(node.cql_port))?;
        if node.location.is_some() {
            self.set("endpoint_snitch", json!("GossipingPropertyFileSnitch"))?;
        }
        Ok(())
    }

    fn add_folders(&mut self, node: &NodeSpec) -> Result<()> {
        let under_base = [node.base.join("data")];
        let data_dirs: &[PathBuf] = if node.data_dirs.is_empty() { &under_base } else { &node.data_dirs };
        let data_dirs = data_dirs.iter().map(|dir| text(dir)).collect::<Result<Vec<_>>>()?;
        self.set("data_file_directories", json!(data_dirs))?;
        for (key, folder) in [
            ("commitlog_directory", node.wal_dir.as_ref().unwrap_or(&node.base).join("commitlog")),
            ("hints_directory", node.base.join("hints")),
            ("saved_caches_directory", node.base.join("saved_caches")),
            ("cdc_raw_directory", node.base.join("cdc_raw")),
        ] {
            self.set(key, json!(text(&folder)?))?;
        }
        if let (Some(dir), Some(_)) = (&node.wal_dir, &node.plugin) {
            let engine_wal = dir.join("engine-wal");
            self.set("memtable.configurations.cassiterite.parameters.wal_directory", json!(text(&engine_wal)?))?;
        }
        Ok(())
    }

    fn add_ring(&mut self, node: &NodeSpec) -> Result<()> {
        if let Some(vnodes) = node.vnodes {
            self.set("num_tokens", json!(vnodes))?;
        }
        if !node.tokens.is_empty() {
            let tokens: Vec<String> = node.tokens.iter().map(i64::to_string).collect();
            self.set("initial_token", json!(tokens.join(",")))?;
        }
        if let Some(bootstrap) = node.bootstrap {
            self.set("auto_bootstrap", json!(bootstrap))?;
        }
        Ok(())
    }
}

fn split(key: &str) -> (&str, Option<&str>) {
    key.split_once('.').map_or((key, None), |(first, rest)| (first, Some(rest)))
}

/// Replaces `at` itself, or what a dotted path below names there; makes maps on the way; a number goes into a list.
fn put(at: &mut Value, path: Option<&str>, value: Value) -> Result<()> {
    let Some(path) = path else {
        *at = value;
        return Ok(());
    };
    let (part, rest) = split(path);
    if at.is_null() {
        *at = Value::Object(Map::new());
    }
    let next = match at {
        Value::Object(map) => map.entry(part).or_insert(Value::Null),
        Value::Array(list) => {
            let length = list.len();
            match part.parse::<usize>().ok().and_then(|index| list.get_mut(index)) {
                Some(next) => next,
                None => bail!("'{part}' is none of its {length} entries, which count from 0"),
            }
        }
        _ => bail!("'{part}' would be inside a plain value"),
    };
    put(next, rest, value)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn of_node(node: impl FnOnce(&mut NodeSpec)) -> Result<Map<String, Value>> {
        let home = Home::find().unwrap();
        let mut spec = NodeSpec::new(&home, "/n".into());
        node(&mut spec);
        let text = Configuration::of_node(&spec, &home)?.text()?;
        Ok(serde_yaml_ng::from_str(&text)?)
    }

    fn set(key: &str, value: Value) -> Vec<(String, Value)> {
        vec![(key.to_owned(), value)]
    }

    #[test]
    fn nested_keys_leave_their_neighbours_alone() {
        let yaml = of_node(|node| {
            node.wal_dir = Some("/wal".into());
            node.settings = set("memtable.configurations.cassiterite.parameters.block_cache_size", json!("64MiB"));
        });
        let configurations = &yaml.unwrap()["memtable"]["configurations"];
        let ours = &configurations["cassiterite"];
        assert_eq!(ours["class_name"], "io.cassiterite.memtable.CassiteriteMemtable");
        assert_eq!(ours["parameters"], json!({"wal_directory": "/wal/engine-wal", "block_cache_size": "64MiB"}));
        assert_eq!(configurations["trie"]["class_name"], "TrieMemtable");
    }

    #[test]
    fn the_last_value_of_a_key_counts() {
        let yaml = of_node(|node| {
            node.fast = true;
            node.vnodes = Some(3);
            node.settings = [set("num_tokens", json!(5)), set("num_tokens", json!(7))].concat();
        });
        assert_eq!(yaml.unwrap()["num_tokens"], 7);
    }

    #[test]
    fn the_sync_period_goes_with_the_periodic_mode() {
        let period = |mode: &str| {
            let yaml = of_node(|node| node.settings = set("commitlog_sync", json!(mode))).unwrap();
            yaml.get("commitlog_sync_period").cloned()
        };
        assert_eq!(period("periodic"), Some(json!("10000ms")));
        assert_eq!(period("batch"), None);
    }

    #[test]
    fn strings_stay_strings() {
        let yaml = of_node(|node| {
            node.base = "/a b: #c".into();
            node.cluster = "1e3".to_owned();
            node.tokens = vec![-5];
        });
        let yaml = yaml.unwrap();
        assert_eq!((&yaml["cluster_name"], &yaml["initial_token"]), (&json!("1e3"), &json!("-5")));
        assert_eq!(yaml["data_file_directories"], json!(["/a b: #c/data"]));
    }

    #[test]
    fn a_place_that_is_not_there_is_named() {
        for (key, told) in [("authenticator.x", "plain value"), ("seed_provider.1.class_name", "none of its 1")] {
            let error = format!("{:#}", of_node(|node| node.settings = set(key, json!(1))).unwrap_err());
            assert!(error.contains(key) && error.contains(told), "{error}");
        }
    }
}
