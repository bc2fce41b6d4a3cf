// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! What of cassandra.yaml a cluster sets: the engine's keys, then the user's `--set KEY=VALUE`.
//!
//! `scripts/node` replaces top-level keys. A nested key (`memtable.configurations.trie.class_name`) is therefore put into
//! what the node would have had there, and the whole top-level key is handed on, as JSON, which is YAML.

use std::fs;
use std::path::Path;

use anyhow::{bail, ensure, Context, Result};
use serde_json::{Map, Value};

use super::{Engine, Home};

/// Keys that follow from the cluster itself, and what says them.
const OWNED: [(&str, &str); 13] = [
    ("cluster_name", "--name"),
    ("num_tokens", "--vnodes"),
    ("initial_token", "--vnodes"),
    ("auto_bootstrap", "add --without-streaming"),
    ("seed_provider", "--nodes"),
    ("listen_address", "--first-address"),
    ("rpc_address", "--first-address"),
    ("broadcast_address", "--first-address"),
    ("storage_port", "--storage-port"),
    ("native_transport_port", "--cql-port"),
    ("endpoint_snitch", "--racks"),
    ("data_file_directories", "--data-dir"),
    ("commitlog_directory", "--wal-dir"),
];

/// Splits `KEY=VALUE`; refuses a key that the cluster sets itself and a value that is not YAML.
pub(super) fn parse_set(text: &str) -> Result<(String, String)> {
    let Some((key, value)) = text.split_once('=') else { bail!("--set wants KEY=VALUE, not '{text}'") };
    check_set(key, value)?;
    Ok((key.to_owned(), value.to_owned()))
}

/// See [`parse_set`].
pub(super) fn check_set(key: &str, value: &str) -> Result<()> {
    ensure!(
        key.split('.').all(|part| !part.is_empty() && !part.contains(|c: char| c.is_whitespace() || c == ':')),
        "--set: '{key}' is not a key of cassandra.yaml"
    );
    let top = key.split('.').next().unwrap_or(key);
    if let Some((_, instead)) = OWNED.iter().find(|(owned, _)| *owned == top) {
        bail!("--set {top}: that follows from the cluster; say {instead}");
    }
    parse_value(value).with_context(|| format!("--set {key}: '{value}' is not YAML"))?;
    Ok(())
}

fn parse_value(text: &str) -> Result<Value> {
    Ok(serde_yaml_ng::from_str(text)?)
}

/// The lines `KEY: VALUE` for `scripts/node --yaml`, in the order in which keys were first named.
pub(super) fn lines(
    home: &Home,
    engine: Engine,
    engine_wal: Option<&Path>,
    set: &[(String, String)],
) -> Result<Vec<String>> {
    let mut keys: Map<String, Value> = engine.yaml().into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
    for (key, value) in set {
        check_set(key, value)?;
        let value = parse_value(value)?;
        match key.split_once('.') {
            None => drop(keys.insert(key.clone(), value)),
            Some((top, rest)) => {
                if !keys.contains_key(top) {
                    keys.insert(top.to_owned(), shipped(home, engine, engine_wal, top)?);
                }
                put(keys.entry(top).or_insert(Value::Null), rest, value)
                    .with_context(|| format!("--set {key}: no such place in '{top}'"))?;
            }
        }
    }
    Ok(keys.into_iter().map(|(key, value)| format!("{key}: {value}")).collect())
}

/// What the node's cassandra.yaml has at a top-level key before anything is set.
fn shipped(home: &Home, engine: Engine, engine_wal: Option<&Path>, key: &str) -> Result<Value> {
    let memtable = if engine.has_plugin() { "memtable.yaml" } else { "memtable-stock.yaml" };
    for file in ["cassandra.yaml", memtable] {
        let path = home.join("config/cassandra").join(file);
        let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        // The node's own words are filled in by the script; '@' may not begin a value in YAML.
        let whole: Value = serde_yaml_ng::from_str(&text.replace('@', ""))
            .with_context(|| format!("{} is not YAML", path.display()))?;
        if let Some(value) = whole.get(key) {
            let mut value = value.clone();
            if let (true, Some(wal)) = (key == "memtable" && engine.has_plugin(), engine_wal) {
                put(
                    &mut value,
                    "configurations.cassiterite.parameters.wal_directory",
                    wal.display().to_string().into(),
                )?;
            }
            return Ok(value);
        }
    }
    Ok(Value::Null)
}

/// Puts `value` at a dotted path, making maps on the way; a number goes into a list.
fn put(at: &mut Value, path: &str, value: Value) -> Result<()> {
    let (part, rest) = path.split_once('.').map_or((path, None), |(part, rest)| (part, Some(rest)));
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
    match rest {
        Some(rest) => put(next, rest, value),
        None => {
            *next = value;
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn home() -> Home {
        // Tests run in the package's folder.
        Home::find().unwrap()
    }

    fn set(words: &[&str]) -> Vec<(String, String)> {
        words.iter().map(|word| parse_set(word).unwrap()).collect()
    }

    #[test]
    fn values_are_yaml_and_the_last_one_counts() {
        let set =
            set(&["concurrent_reads=4", "concurrent_reads=8", "read_request_timeout=10s", "table_warn={a: [1, x]}"]);
        assert_eq!(
            lines(&home(), Engine::StockDefault, None, &set).unwrap(),
            ["concurrent_reads: 8", "read_request_timeout: \"10s\"", "table_warn: {\"a\":[1,\"x\"]}"]
        );
    }

    #[test]
    fn nested_keys_leave_their_neighbours_alone() {
        let set = set(&["memtable.configurations.cassiterite.parameters.block_cache_size=64MiB"]);
        let lines = lines(&home(), Engine::Cassiterite, Some(Path::new("/wal")), &set).unwrap();
        let value: Value = serde_yaml_ng::from_str(&lines[0]).unwrap();
        let ours = &value["memtable"]["configurations"]["cassiterite"];
        assert_eq!(ours["class_name"], "io.cassiterite.memtable.CassiteriteMemtable");
        assert_eq!(ours["parameters"]["block_cache_size"], "64MiB");
        assert_eq!(ours["parameters"]["wal_directory"], "/wal");
        assert_eq!(value["memtable"]["configurations"]["trie"]["class_name"], "TrieMemtable");
    }

    #[test]
    fn an_engine_can_be_changed_but_is_not_lost() {
        let set = set(&["sstable.format.bti.row_index_granularity=8KiB"]);
        let all = lines(&home(), Engine::Stock, None, &set).unwrap().join("\n");
        assert!(
            all.contains(r#"sstable: {"selected_format":"bti","format":{"bti":{"row_index_granularity":"8KiB"}}}"#),
            "{all}"
        );
        assert!(all.contains("storage_compatibility_mode: \"NONE\"") && all.contains("offheap_objects"));
    }

    #[test]
    fn what_cannot_be_set_is_refused_by_name() {
        for (text, told) in [
            ("num_tokens=4", "--vnodes"),
            ("seed_provider.0.class_name=x", "--nodes"),
            ("concurrent_reads", "KEY=VALUE"),
            ("=4", "not a key"),
            ("a..b=4", "not a key"),
            ("a={", "not YAML"),
        ] {
            let error = format!("{:#}", parse_set(text).unwrap_err());
            assert!(error.contains(told), "{text}: {error}");
        }
        let inside = lines(&home(), Engine::Stock, None, &set(&["authenticator.x=1"])).unwrap_err();
        assert!(format!("{inside:#}").contains("plain value"), "{inside:#}");
    }
}
