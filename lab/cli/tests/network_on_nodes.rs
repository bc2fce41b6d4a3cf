// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! A phase that parts and slows the network of real nodes: levels fail as they must, and a run that was killed is cleaned up.

#![allow(clippy::unwrap_used, clippy::panic)]

#[path = "common/plan.rs"]
mod plan;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use plan::{plan, said};
use serde_json::Value;

const PORT: u16 = 43_930;
const BEGUN_MAX: Duration = Duration::from_secs(900);

/// Writes wait for two nodes of three, reads for all. So few a second leave a node threads for those that do not wait in vain.
const PLAN: &str = "
plan: 1
name: parted
workload:
  ops: insert=1,get=1
  rows_per_node: 100
  profile:
    keyspace: parted
    keyspace_definition: \"CREATE KEYSPACE parted WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}\"
    table: t
    table_definition: CREATE TABLE t (k bigint PRIMARY KEY, v text)
    columnspec: [{name: v, size: fixed(40)}]
    queries: {get: {cql: 'SELECT * FROM t WHERE k = ?', fields: samerow}}
sla: ['p50<=20s', 'errors<=5%', 'unexplained<=0']
load: {launch: 15/s}
grid: {nodes: [3]}
fixed: {rf: 3, cl: {insert: QUORUM, get: ALL}, heap: 384m, engine: stock}
measure: {warmup: 1s, run: 4s..5s, capacity: none}
client: {cpus: 0, threads: 1}
phases:
  - {at: nodes=3, timeline: [steady 5s, partition 3, wait 20s, heal, wait 15s, delay 100ms, wait 15s, heal, steady 12s]}
";

fn run(file: &Path, out: &Path) -> Command {
    let mut command = plan(&["run", "--fast-nodes", "--port", &PORT.to_string()]);
    command.arg(file).arg("--out").arg(out);
    command
}

/// The filter's rules of the cluster.
fn rules() -> Vec<String> {
    let listed = Command::new("iptables").args(["-w", "-t", "mangle", "-S"]).output().unwrap();
    let own = format!("cassiterite-{}", PORT + 1);
    String::from_utf8_lossy(&listed.stdout).lines().filter(|line| line.contains(&own)).map(str::to_owned).collect()
}

/// The control groups of its nodes that are there.
fn groups() -> Vec<PathBuf> {
    let mounts = std::fs::read_to_string("/proc/self/mounts").unwrap();
    let unified = mounts.lines().find(|line| line.split(' ').nth(2) == Some("cgroup2")).unwrap();
    let root = Path::new(unified.split(' ').nth(1).unwrap()).join("cassiterite");
    let all = (1..=3).map(|node| root.join(format!("plan-{PORT}-node{node}")));
    all.filter(|folder| folder.exists()).collect()
}

/// Kills a run while its network is parted.
fn killed_while_parted(file: &Path, out: &Path) {
    let log = file.with_extension("log");
    let mut command = run(file, out);
    let mut killed = command.stdout(Stdio::null()).stderr(std::fs::File::create(&log).unwrap()).spawn().unwrap();
    let deadline = Instant::now() + BEGUN_MAX;
    while rules().is_empty() {
        let goes_on = Instant::now() < deadline && killed.try_wait().unwrap().is_none();
        assert!(goes_on, "the network was not parted: {}", std::fs::read_to_string(&log).unwrap());
        std::thread::sleep(Duration::from_millis(200));
    }
    killed.kill().unwrap();
    killed.wait().unwrap();
}

/// Where rights, programs and kernel do not allow it, it says so.
#[test]
#[ignore = "starts nodes for minutes: make test-cluster"]
fn a_node_that_is_parted_costs_the_level_that_needs_it_and_delays_add_up() {
    let folder = tempfile::tempdir().unwrap();
    let (file, out) = (folder.path().join("parted.yaml"), folder.path().join("out"));
    std::fs::write(&file, PLAN).unwrap();
    let checked = plan(&["check"]).arg(&file).output().unwrap();
    if said(&checked).contains("the network between nodes") {
        assert_eq!(checked.status.code(), Some(2));
        return println!("it is not tested here: {}", said(&checked));
    }
    killed_while_parted(&file, &out);
    assert!(!rules().is_empty() && groups().len() == 3, "a killed process cannot tidy up");
    let cleaned = plan(&["clean"]).arg(&out).output().unwrap();
    assert!(said(&cleaned).contains("what `heal` would have mended"), "{}", said(&cleaned));
    assert!(rules().is_empty() && groups().is_empty(), "{:?} {:?}", rules(), groups());

    let ran = run(&file, &out).output().unwrap();
    // A machine that is busy with other things may not be able to tell whether the cell meets; the phase has its figures.
    assert!(matches!(ran.status.code(), Some(0 | 2)) && out.join("plan.json").exists(), "{}", said(&ran));
    assert!(rules().is_empty() && groups().is_empty(), "{:?} {:?}", rules(), groups());
    let json: Value = serde_json::from_str(&std::fs::read_to_string(out.join("plan.json")).unwrap()).unwrap();
    let phase = &json["phases"][0];
    let effects = phase["effects"].as_array().unwrap();
    let steps: Vec<&str> = effects.iter().map(|effect| effect["step"].as_str().unwrap()).collect();
    assert_eq!(steps, ["partition 3", "heal", "delay 0.1s", "heal"], "{phase:#}");
    assert!(effects.iter().all(|effect| effect["failed"].is_null()), "{phase:#}");
    let unavailable_s = |effect: &Value, kind: &str| {
        let kinds = effect["unavailable_s"].as_array().unwrap();
        kinds.iter().find(|of| of[0] == kind).unwrap()[1].as_f64().unwrap()
    };
    assert!(unavailable_s(&effects[0], "get") >= 15.0, "ALL needs the third node: {phase:#}");
    assert!(unavailable_s(&effects[0], "insert") <= 3.0, "QUORUM does not: {phase:#}");
    // Of those that a client sends to the node that is parted, it answers none.
    let slowed = &phase["stretches"][3];
    assert_eq!((&slowed["after"], &slowed["errors"]), (&"delay 0.1s".into(), &0.into()), "{phase:#}");
    let p50_ms = slowed["p50_ms"].as_f64().unwrap();
    assert!((199.0..400.0).contains(&p50_ms), "a request and its answer are 100 ms late: {phase:#}");
    let read = &phase["read_back"];
    assert!(read["rows"].as_u64().unwrap() > 0, "{phase:#}");
    assert_eq!((&read["unexplained"], &read["errors"]), (&0.into(), &0.into()), "{phase:#}");
}
