// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! A small plan on a real cluster: it is killed after its first trial, goes on, answers, and leaves nothing behind.

#![allow(clippy::unwrap_used, clippy::panic)]

#[path = "common/plan.rs"]
mod plan;

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use plan::{plan, said};
use serde_json::Value;

const PORT: &str = "43900";
const TRIAL_MAX: Duration = Duration::from_secs(300);

/// The limit is generous, for the machine that runs the tests may be as busy as it likes.
const PLAN: &str = "
plan: 1
name: small
workload:
  ops: insert=3,get=1
  rows_per_node: 300
  profile:
    keyspace: small
    keyspace_definition: \"CREATE KEYSPACE small WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}\"
    table: t
    table_definition: CREATE TABLE t (k bigint PRIMARY KEY, v text)
    columnspec: [{name: v, size: fixed(40)}]
    queries: {get: {cql: 'SELECT * FROM t WHERE k = ?', fields: samerow}}
sla: ['p50<=20s', 'errors<=5%', 'unexplained<=0']
load: {launch: 50/s}
fixed: {nodes: 1, cl: {insert: ONE, get: QUORUM}, heap: 512m, engine: stock}
sweeps: [{closed: [2], run: 1s}]
measure: {warmup: 1s, run: 3s..4s, capacity: none}
client: {cpus: 0, threads: 1}
cost: {node: 0.5/h}
";

fn run(file: &Path, out: &Path) -> Command {
    let mut command = plan(&["run", "--port", PORT, "--fast-nodes"]);
    command.arg(file).arg("--out").arg(out);
    command
}

fn ended_trials(out: &Path) -> usize {
    let text = std::fs::read_to_string(out.join("journal.jsonl")).unwrap_or_default();
    text.lines().filter(|line| line.contains("\"record\":\"trial-ended\"")).count()
}

/// Nodes name their folder on their command line.
fn nodes_of(out: &Path) -> usize {
    let folder = out.to_str().unwrap();
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    let lines = processes.filter_map(|entry| std::fs::read(entry.path().join("cmdline")).ok());
    lines.filter(|line| String::from_utf8_lossy(line).contains(&format!("-Dcassandra.storagedir={folder}"))).count()
}

fn await_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let deadline = Instant::now() + TRIAL_MAX;
    while !is_so() {
        assert!(Instant::now() < deadline, "{what}");
        std::thread::sleep(Duration::from_millis(200));
    }
}

#[test]
#[ignore = "starts nodes for minutes: make test-cluster"]
fn a_plan_that_was_killed_goes_on_and_answers() {
    let folder = tempfile::tempdir().unwrap();
    let (file, out) = (folder.path().join("small.yaml"), folder.path().join("out"));
    std::fs::write(&file, PLAN).unwrap();
    let checked = plan(&["check"]).arg(&file).output().unwrap();
    assert!(checked.status.success() && said(&checked).contains("1 cells"), "{}", said(&checked));

    let mut killed = run(&file, &out).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    await_until("the first trial", || ended_trials(&out) == 1 || killed.try_wait().unwrap().is_some());
    killed.kill().unwrap();
    killed.wait().unwrap();
    await_until("the nodes end with the process that started them", || nodes_of(&out) == 0);
    assert!(out.join("cluster").exists(), "a killed process cannot tidy up");

    let went_on = run(&file, &out).output().unwrap();
    assert_eq!(went_on.status.code(), Some(0), "{}", said(&went_on));
    assert!(said(&went_on).contains("Yes: the only cell meets the SLA"), "{}", said(&went_on));
    assert_eq!((ended_trials(&out), nodes_of(&out)), (3, 0));
    assert!(!out.join("cluster").exists());

    let json: Value = serde_json::from_str(&std::fs::read_to_string(out.join("plan.json")).unwrap()).unwrap();
    assert_eq!((&json["format"], &json["version"]), (&"cassiterite-plan".into(), &1.into()));
    assert_eq!(json["answer"]["cells"][0]["basis"], "confirmed");
    for trial in json["trials"].as_array().unwrap() {
        assert!(trial["read_back"]["rows"].as_u64().unwrap() > 0, "{trial:#}");
        assert!(trial["loads"][0]["rows_checked"].as_u64().unwrap() > 0, "{trial:#}");
    }
    let rows = std::fs::read_to_string(out.join("cells.csv")).unwrap();
    assert_eq!(rows.lines().count(), 1 + 3 * 3 + 1, "{rows}");

    let reported = plan(&["report"]).arg(&out).output().unwrap();
    assert_eq!(reported.stdout, went_on.stdout);
    let cleaned = plan(&["clean"]).arg(&out).output().unwrap();
    assert!(said(&cleaned).contains("nothing was left behind"), "{}", said(&cleaned));
}

/// Whether rights, kernel and packages allow a plan; says where they do not.
fn can_run(file: &Path) -> bool {
    let checked = plan(&["check"]).arg(file).output().unwrap();
    if !checked.status.success() {
        println!("it is not tested here: {}", said(&checked));
    }
    checked.status.success()
}

/// Devices and mounts of a folder that the kernel still has.
fn volumes_of(out: &Path) -> Vec<String> {
    let folder = out.canonicalize().unwrap();
    let folder = folder.to_str().unwrap();
    let mounts = std::fs::read_to_string("/proc/self/mounts").unwrap();
    let blocks = std::fs::read_dir("/sys/block").unwrap().flatten();
    let images = blocks.filter_map(|block| std::fs::read_to_string(block.path().join("loop/backing_file")).ok());
    mounts.lines().map(String::from).chain(images).filter(|line| line.contains(folder)).collect()
}

#[test]
#[ignore = "starts nodes for minutes: make test-cluster"]
fn clean_takes_away_what_a_killed_run_has_left() {
    let folder = tempfile::tempdir().unwrap();
    let (file, out) = (folder.path().join("small.yaml"), folder.path().join("out"));
    let text = PLAN.replace("engine: stock}", "engine: cassiterite, data: two, commitlog: two}")
        + "volumes: {two: {driver: mirror, size: 512MiB, copies: 2, limits: {write: 64MiB/s}}}\n";
    std::fs::write(&file, text).unwrap();
    if !can_run(&file) {
        return;
    }
    let mut killed = run(&file, &out).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    await_until("the first trial", || ended_trials(&out) == 1 || killed.try_wait().unwrap().is_some());
    killed.kill().unwrap();
    killed.wait().unwrap();
    assert!(out.join("cluster").exists() && volumes_of(&out).len() >= 3, "{:?}", volumes_of(&out));

    let cleaned = plan(&["clean"]).arg(&out).output().unwrap();
    assert!(cleaned.status.success(), "{}", said(&cleaned));
    for gone in ["the cluster in ", "the volumes in "] {
        assert!(said(&cleaned).contains(gone), "{}", said(&cleaned));
    }
    assert_eq!((nodes_of(&out), volumes_of(&out)), (0, Vec::<String>::new()));
    assert!(!out.join("cluster").exists() && !out.join("volumes").exists());
    let again = plan(&["clean"]).arg(&out).output().unwrap();
    assert!(said(&again).contains("nothing was left behind"), "{}", said(&again));
}

#[test]
#[ignore = "starts nodes for minutes: make test-cluster"]
fn a_fill_is_bounded_and_ends_with_ctrl_c() {
    let folder = tempfile::tempdir().unwrap();
    let (file, out) = (folder.path().join("small.yaml"), folder.path().join("out"));
    let endless = PLAN.replace("rows_per_node: 300", "rows_per_node: 3M");
    std::fs::write(&file, endless.replace("measure: {", "measure: {fill: 2s, ")).unwrap();
    let bounded = run(&file, &out).output().unwrap();
    assert_eq!(bounded.status.code(), Some(2), "{}", said(&bounded));
    assert!(said(&bounded).contains("of 3000000 partitions were written in 2s"), "{}", said(&bounded));
    assert_eq!((ended_trials(&out), nodes_of(&out)), (1, 0));

    std::fs::write(&file, endless).unwrap();
    let (out, log) = (folder.path().join("other"), folder.path().join("log"));
    let to_log = std::fs::File::create(&log).unwrap();
    let mut filling = run(&file, &out).stdout(Stdio::null()).stderr(to_log).spawn().unwrap();
    let begun = || std::fs::read_to_string(out.join("journal.jsonl")).unwrap_or_default().contains("trial-begun");
    await_until("the nodes", || begun() && nodes_of(&out) == 1);
    await_until("the fill", || std::fs::read_to_string(&log).unwrap().contains("partitions are written"));
    let process = rustix::process::Pid::from_child(&filling);
    rustix::process::kill_process(process, rustix::process::Signal::INT).unwrap();
    await_until("its end", || filling.try_wait().unwrap().is_some());
    assert!(!out.join("cluster").exists() && nodes_of(&out) == 0, "{}", std::fs::read_to_string(&log).unwrap());
}

#[test]
#[ignore = "starts nodes for minutes: make test-cluster"]
fn what_cannot_be_run_is_one_line_and_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let (file, out) = (folder.path().join("small.yaml"), folder.path().join("out"));
    // A heap that the JVM refuses: the node dies as it starts.
    std::fs::write(&file, PLAN.replace("engine: stock", "engine: stock, jvm: -XX:NoSuchOption")).unwrap();
    let died = run(&file, &out).output().unwrap();
    assert_eq!(died.status.code(), Some(2), "{}", said(&died));
    assert!(said(&died).contains("node1 has ended"), "{}", said(&died));
    assert!(!out.join("cluster").exists() && nodes_of(&out) == 0);
    for (from, to, told) in [
        ("small\n", "small\nbudjet: 3h\n", "did you mean `budget`?"),
        ("nodes: 1", "nodes: 1, rf: 2", "RF 2 needs 2 nodes"),
    ] {
        std::fs::write(&file, PLAN.replacen(from, to, 1)).unwrap();
        let refused = run(&file, &folder.path().join("other")).output().unwrap();
        assert_eq!((refused.status.code(), said(&refused).contains(told)), (Some(2), true), "{}", said(&refused));
        assert!(!folder.path().join("other").exists());
    }
}

/// The phase's figures of a small plan in which a host is lost and replaced.
fn replaced(engine: &str) -> Value {
    let folder = tempfile::tempdir().unwrap();
    let (file, out) = (folder.path().join("small.yaml"), folder.path().join("out"));
    let nodes = format!("nodes: 3, rf: 2, cl: ONE, heap: 512m, engine: {engine}");
    let text = PLAN.replace("nodes: 1, cl: {insert: ONE, get: QUORUM}, heap: 512m, engine: stock", &nodes)
        + "phases: [{timeline: [steady 3s, lose 2, wait 3s, replace 2, steady 12s, flush]}]\n";
    std::fs::write(&file, text).unwrap();
    let ran = run(&file, &out).output().unwrap();
    assert_eq!(ran.status.code(), Some(0), "{}", said(&ran));
    assert!(!out.join("cluster").exists() && nodes_of(&out) == 0);
    let json: Value = serde_json::from_str(&std::fs::read_to_string(out.join("plan.json")).unwrap()).unwrap();
    json["phases"][0].clone()
}

#[test]
#[ignore = "starts nodes for minutes: make test-cluster"]
fn a_lost_host_is_replaced_and_the_phase_tells_how_it_was_streamed() {
    for engine in ["cassiterite", "stock"] {
        let phase = replaced(engine);
        let effects = phase["effects"].as_array().unwrap();
        let steps: Vec<&str> = effects.iter().map(|effect| effect["step"].as_str().unwrap()).collect();
        assert_eq!(steps, ["lose 2", "replace 2", "flush"], "{phase:#}");
        assert!(effects.iter().all(|effect| effect["failed"].is_null()), "{phase:#}");
        let shares = &effects[1]["streamed"]["shares"];
        let bytes = |key: &str| shares[key].as_u64().unwrap_or_default();
        // Files of so few rows hold ranges that the new node has no part in, and go by rows with both engines.
        assert!(bytes("whole_bytes") + bytes("cut_bytes") > 0, "{phase:#}");
        let read = &phase["read_back"];
        assert!(read["rows"].as_u64().unwrap() > 0, "{phase:#}");
        assert_eq!((&read["unexplained"], &read["errors"]), (&0.into(), &0.into()), "{phase:#}");
    }
}

/// What a plan on volumes wrote, which left nothing behind. Where rights, kernel or packages do not allow it, says so.
fn answer_where_it_can_run(text: &str) -> Option<Value> {
    let folder = tempfile::tempdir().unwrap();
    let (file, out) = (folder.path().join("small.yaml"), folder.path().join("out"));
    std::fs::write(&file, text).unwrap();
    if !can_run(&file) {
        return None;
    }
    let ran = run(&file, &out).output().unwrap();
    assert_eq!(ran.status.code(), Some(0), "{}", said(&ran));
    assert!(!out.join("volumes").exists() && !out.join("cluster").exists() && nodes_of(&out) == 0);
    Some(serde_json::from_str(&std::fs::read_to_string(out.join("plan.json")).unwrap()).unwrap())
}

/// The effects of a phase, and their moves.
fn effects(phase: &Value) -> (&Vec<Value>, Vec<&str>) {
    let effects = phase["effects"].as_array().unwrap();
    (effects, effects.iter().map(|effect| effect["step"].as_str().unwrap()).collect())
}

#[test]
#[ignore = "starts nodes for minutes: make test-cluster"]
fn a_node_serves_while_its_mirror_lacks_a_copy_is_full_and_slow() {
    let text = PLAN.replace("engine: stock}", "engine: stock, data: two}")
        + "volumes: {two: {driver: mirror, size: 512MiB, copies: 2}}\n\
           phases: [{timeline: [steady 3s, lose-copy, wait 3s, reattach, fill 64MiB, wait 2s, free, slow 8MiB/s 200iops, wait 2s, unslow, steady 12s]}]\n\
           soak: {length: 20s, window: 2s, every: {repair: 10s, flush: 5s}}\n";
    let Some(json) = answer_where_it_can_run(&text) else { return };
    let phase = &json["phases"][0];
    let (effects, steps) = effects(phase);
    let made = ["lose-copy", "reattach", "fill 64MiB", "free", "slow 8MiB/s 200iops", "unslow"];
    assert_eq!(steps, made, "{phase:#}");
    // A scrub and a file take their time: moves that are passed over take none.
    assert!(effects.iter().all(|effect| effect["took_s"].as_f64().unwrap() > 1e-5), "{phase:#}");
    assert!(effects.iter().all(|effect| effect["failed"].is_null()), "{phase:#}");
    let errors: u64 = phase["stretches"].as_array().unwrap().iter().map(|part| part["errors"].as_u64().unwrap()).sum();
    assert_eq!((errors, &phase["read_back"]["unexplained"]), (0, &0.into()), "{phase:#}");
    let soak = &json["soaks"][0];
    assert_eq!(
        (soak["windows"].as_array().unwrap().len(), soak["drifts"].as_array().unwrap().len()),
        (10, 2),
        "{soak:#}"
    );
    let upkeep: Vec<&str> =
        soak["upkeep"].as_array().unwrap().iter().map(|done| done["step"].as_str().unwrap()).collect();
    assert!(upkeep.contains(&"repair") && upkeep.contains(&"flush"), "{soak:#}");
    assert!(soak["upkeep"].as_array().unwrap().iter().all(|done| done["failed"].is_null()), "{soak:#}");
    assert_eq!(soak["beside"].as_array().unwrap().len(), 3, "{soak:#}");
}

/// Tables and logs of writes over FUSE.
#[test]
#[ignore = "starts nodes for minutes: make test-cluster"]
fn a_node_serves_while_its_replicated_volume_lacks_a_host() {
    let text = PLAN.replace("engine: stock}", "engine: cassiterite, data: net, commitlog: net}")
        + "volumes: {net: {driver: replicated, size: 1GiB, copies: 2}}\n\
           phases: [{timeline: [steady 3s, lose-copy, wait 3s, reattach, kill 1, wait 2s, start 1, flush, steady 12s]}]\n";
    let Some(json) = answer_where_it_can_run(&text) else { return };
    let phase = &json["phases"][0];
    let (effects, steps) = effects(phase);
    assert_eq!(steps, ["lose-copy", "reattach", "kill 1", "start 1", "flush"], "{phase:#}");
    assert!(effects.iter().all(|effect| effect["failed"].is_null()), "{phase:#}");
    assert_eq!(phase["read_back"]["unexplained"], 0, "{phase:#}");
}

/// A host is lost, and its node comes up elsewhere with its volume, which has the only copy of its rows.
fn failed_over(engine: &str, volume: &str) {
    let fixed = format!(
        "nodes: 2, rf: 1, cl: ONE, heap: 512m, engine: {engine}, data: own, commitlog: own, yaml.commitlog_sync: batch"
    );
    let text = PLAN
        .replace("nodes: 1, cl: {insert: ONE, get: QUORUM}, heap: 512m, engine: stock", &fixed)
        // A keyspace is dropped with many syncs, each of them to two copies.
        .replace("threads: 1}", "threads: 1, timeout: 60s}")
        + &format!(
            "volumes: {{own: {{{volume}, size: 512MiB, per_node: true}}}}\n\
             phases: [{{timeline: [steady 3s, lose-host 2, wait 3s, failover 2, steady 12s, kill 2, wait 2s, start 2, steady 2s]}}]\n"
        );
    let Some(json) = answer_where_it_can_run(&text) else { return };
    let phase = &json["phases"][0];
    let (effects, steps) = effects(phase);
    assert_eq!(steps, ["lose-host 2", "failover 2", "kill 2", "start 2"], "{phase:#}");
    assert!(effects.iter().all(|effect| effect["failed"].is_null()), "{phase:#}");
    assert_eq!(effects[1]["streamed"]["seconds"], 0.0, "{phase:#}");
    let read = &phase["read_back"];
    assert!(read["rows"].as_u64().unwrap() > 0, "{phase:#}");
    assert_eq!((&read["unexplained"], &read["errors"]), (&0.into(), &0.into()), "{phase:#}");
}

#[test]
#[ignore = "starts nodes for minutes: make test-cluster"]
fn a_lost_host_loses_no_acknowledged_row_where_another_one_mounts_its_volume() {
    for engine in ["stock", "cassiterite"] {
        failed_over(engine, "driver: loop");
    }
    failed_over("cassiterite", "driver: mirror, copies: 2");
}

#[test]
#[ignore = "starts nodes for minutes: make test-cluster"]
fn a_lost_host_loses_no_acknowledged_row_where_glusterfs_is_mounted_elsewhere() {
    failed_over("cassiterite", "driver: replicated, copies: 2");
}
