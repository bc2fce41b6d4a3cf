// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The keys of cassandra.yaml that a cluster sets: the engine's, then the user's `--set KEY=VALUE`.

use anyhow::{bail, ensure, Context, Result};
use serde_json::Value;

use super::Engine;

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

/// The engine's keys, then the user's; nested ones have dots.
pub(super) fn settings(engine: Engine, set: &[(String, String)]) -> Result<Vec<(String, Value)>> {
    let mut settings: Vec<_> = engine.yaml().into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
    for (key, value) in set {
        check_set(key, value)?;
        settings.push((key.clone(), parse_value(value)?));
    }
    Ok(settings)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn the_users_keys_follow_those_of_the_engine() {
        let set = ["sstable.format.bti.row_index_granularity=8KiB", "concurrent_reads=4"];
        let set: Vec<_> = set.iter().map(|word| parse_set(word).unwrap()).collect();
        let settings = settings(Engine::Stock, &set).unwrap();
        let (engine, user) = settings.split_at(settings.len() - 2);
        assert!(engine.iter().any(|(key, value)| key == "sstable" && value["selected_format"] == "bti"));
        assert_eq!(user[0], ("sstable.format.bti.row_index_granularity".to_owned(), "8KiB".into()));
        assert_eq!(user[1], ("concurrent_reads".to_owned(), 4.into()));
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
    }
}
