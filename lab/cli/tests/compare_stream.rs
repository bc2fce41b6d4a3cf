// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! `compare stream` on real clusters, as small as it goes. Needs `make build`; `make test-cluster` runs it.

#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::process::Command;

use serde_json::Value;

/// Its clusters are kept where every comparison's are, of which one runs at a time; the ports are its own.
fn compared(engines: &str) -> Value {
    let folder = tempfile::tempdir().unwrap();
    let json = folder.path().join("compared.json");
    let mut command = Command::new(env!("CARGO_BIN_EXE_cassiterite"));
    command.args(["compare", "stream", "--scale", "tiny", "--samples", "1", "--rate", "50", "--fast-nodes"]);
    command.args(["--engines", engines, "--port", "43600", "--json"]).arg(&json);
    let output = command.output().unwrap();
    let message = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    let text = std::fs::read_to_string(&json).unwrap();
    assert!(!text.is_empty(), "{message}");
    serde_json::from_str(&text).unwrap()
}

fn figure(run: &Value, name: &str) -> Option<f64> {
    let figures = run["figures"].as_array().unwrap();
    figures.iter().find(|figure| figure["name"] == name).and_then(|figure| figure["value"].as_f64())
}

#[test]
#[ignore = "replaces nodes for minutes: make test-cluster"]
fn a_node_is_replaced_on_each_engine_and_everything_about_it_is_told() {
    let compared = compared("stock,cassiterite");
    let runs = compared["runs"].as_array().unwrap();
    assert_eq!(runs.len(), 2);
    for run in runs {
        let replacement = &run["replacements"].as_array().unwrap()[0];
        for number in ["streaming_s", "bytes", "joining_s", "copy_s"] {
            assert!(replacement[number].as_f64().unwrap() > 0.0, "{number}: {run:#}");
        }
        // Two thirds of 333 partitions of 10 rows of 1 KB, more or less compressed.
        let bytes = replacement["bytes"].as_u64().unwrap();
        assert!((1_000_000..5_000_000).contains(&bytes), "{bytes}: {run:#}");
        for end in ["senders", "receiver"] {
            assert!(replacement[end]["cpu_s"].is_f64() && replacement[end]["anonymous_bytes"].is_u64(), "{run:#}");
        }
        assert!(figure(run, "read back: rows checked").unwrap() > 0.0, "{run:#}");
        assert_eq!(figure(run, "read back: wrong rows"), Some(0.0), "{run:#}");
        assert!(figure(run, "during streaming: read P99").is_some() || figure(run, "loaded: streaming time").is_some());
    }
}
