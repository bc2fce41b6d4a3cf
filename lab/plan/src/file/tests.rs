// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

#![allow(clippy::unwrap_used)]

use super::*;
use lab_testkit::spoilt::spoilt;
use proptest::prelude::*;

const PLAN: &str = "plan: 1
name: t
workload: {profile: p.yaml, ops: 'insert=1', rows_per_node: 2M}
sla: ['p95<=5ms']
load: {launch: 50000/s, headroom: 2, also: [0.5, 0.25]}
";

fn refusal(text: &str) -> String {
    format!("{:#}", PlanFile::parse(text).unwrap_err())
}

#[test]
fn what_is_not_said_is_the_default() {
    let file = PlanFile::parse(PLAN).unwrap();
    assert_eq!((file.workload.rows_per_node.0, file.load.launch.0), (2_000_000, 50_000.0));
    assert_eq!(file.shares(), [0.25, 0.5, 1.0, 2.0]);
    assert_eq!((file.reset, file.measure.rounds, file.measure.pruning), (Reset::Keyspace, 3, Pruning::Race));
    assert!(file.cost.is_none() && file.node.is_none() && file.budget.is_none());
}

#[test]
fn an_unknown_key_is_refused_with_its_place_and_the_nearest_known() {
    let error = refusal(&PLAN.replace("headroom", "headrom"));
    assert!(error.contains("`headrom`") && error.contains("did you mean `headroom`?"), "{error}");
    assert!(error.contains("line 5"), "{error}");
    let error = refusal(&format!("{PLAN}budjet: 3h\n"));
    assert!(error.contains("did you mean `budget`?"), "{error}");
    let error = refusal(&format!("{PLAN}reset: keyspaces\n"));
    assert!(error.contains("did you mean `keyspace`?"), "{error}");
    // What is planned, but not there, is as unknown as anything else.
    assert!(refusal(&format!("{PLAN}network: {{}}\n")).contains("unknown field `network`"));
}

#[test]
fn what_cannot_be_meant_is_refused_by_name() {
    for (from, to, told) in [
        ("plan: 1", "plan: 2", "version 2"),
        ("['p95<=5ms']", "[]", "sla"),
        ("p95<=5ms", "rate>=5/s", "load.launch"),
        ("p95<=5ms", "p95<5ms", "sla"),
        ("50000/s", "fast", "a rate as 50000/s"),
        ("headroom: 2", "headroom: 0.5", "load.headroom"),
        ("[0.5, 0.25]", "[3]", "load.also"),
        ("2M", "0", "rows_per_node"),
    ] {
        let error = refusal(&PLAN.replace(from, to));
        assert!(error.contains(told), "{from} -> {to}: {error}");
    }
    for (more, told) in [
        ("measure: {rounds: 1}", "measure.rounds"),
        ("measure: {precision: 90%}", "measure.precision"),
        ("measure: {run: 5m..60s}", "shorter"),
        ("node: {cpus: 0, memory: 1GiB}", "node.cpus"),
        ("cost: {node: 0.64}", "0.64/h"),
        ("sweeps: [{closed: []}]", "sweeps"),
        ("phases: [{timeline: [steady 1m, start 2]}]", "node2 is not hurt"),
        ("phases: [{timeline: [stedy 1m]}]", "did you mean steady?"),
        ("soak: {load: 0.5}", "missing field `length`"),
        ("soak: {length: 5m, window: 1m}", "it has 5 windows, and a drift takes 10"),
        ("soak: {length: 5h, tolerance: 0%}", "soak: tolerance"),
        ("volumes: {v: {}}", "the path is missing"),
        ("volumes: {v: {driver: loop}}", "the size is missing"),
        ("volumes: {v: {driver: loop, size: 1GiB, copies: 2}}", "only a mirror"),
        ("volumes: {v: {driver: mirror, size: 1GiB, copies: 4}}", "3 at most"),
        ("volumes: {v: {driver: replicated, size: 1GiB, copies: 4}}", "3 at most"),
        ("volumes: {v: {driver: replicated, size: 64MiB}}", "256MiB or more"),
        ("volumes: {v: {path: /v, per_node: true}}", "per_node: a loop, a mirror or a replicated volume"),
        ("volumes: {v: {driver: tmpfs, size: 1GiB, per_node: true}}", "per_node: a loop, a mirror"),
        ("volumes: {v: {path: /v, limits: {iops: 100}}}", "only a volume that the run makes has its own"),
        ("volumes: {v: {driver: tmpfs, size: 1GiB, limits: {iops: 100}}}", "memory has no device"),
        ("volumes: {v: {driver: loop, size: 1GiB, limits: {}}}", "limits: none is there"),
        ("volumes: {v: {driver: loop, size: 1GiB, limits: {read: 1KiB/s}}}", "limits: 64KiB/s or more"),
        ("volumes: {v: {driver: loop, size: 1GiB, limits: {iops: 1}}}", "iops: 10 or more"),
        ("volumes: {v: {driver: loop, size: 1GiB, limits: {read: 1MiB}}}", "a rate as 120MiB/s is expected"),
    ] {
        let error = refusal(&format!("{PLAN}{more}\n"));
        assert!(error.contains(told), "{more}: {error}");
    }
}

#[test]
fn a_target_is_refused_that_could_come_to_harm() {
    let target = "cluster_name: c, contact_points: ['127.0.0.1:9042'], nodes: 1, ceiling: 200000/s";
    let plan = |more: &str| format!("{PLAN}target: {{{target}{more}}}\n");
    PlanFile::parse(&plan("")).unwrap();
    for (text, told) in [
        (plan("").replace(", ceiling: 200000/s", ""), "missing field `ceiling`"),
        (plan("").replace("200000/s", "60000/s"), "ceiling: 60000/s is below the 100000/s"),
        (plan(", hooks: {kill: 'true'}"), "kill needs start, which undoes it"),
        (plan(", hooks: {pause: 'true', start: 'true'}"), "pause needs resume"),
        (plan(", hooks: {lose: 'true', start: 'true'}"), "lose needs replace"),
        (plan(", access: {user: u}"), "user and password_file go together"),
        (plan(", access: {tls: {ca: a.pem, key: k.pem}}"), "certificate and key go together"),
        (plan(", access: {translate: {a: b}}"), "invalid socket address"),
        (plan(", hooks: {partition: 'true'}"), "partition needs heal"),
        (plan("") + "phases: [{timeline: [steady 1m, delay 9ms]}]\n", "delay is missing, for `delay 0.009s`"),
        (plan(", hooks: {kil: 'true'}"), "'kil' is none of kill"),
        (plan("") + "phases: [{timeline: [steady 1m, flush]}]\n", "flush is missing, for `flush`"),
        (plan("") + "phases: [{timeline: [steady 1m, spike 9 1s]}]\n", "below the 450000/s"),
        (plan("") + "phases: [{timeline: [steady 1m, lose-copy]}]\n", "only volumes that the plan makes are hurt"),
        (plan("") + "phases: [{timeline: [steady 1m, slow 1MiB/s]}]\n", "only volumes that the plan makes are hurt"),
        (plan("") + "soak: {length: 1h, load: 9}\n", "below the 450000/s"),
        (plan("") + "reset: cluster\n", "the cluster stays as it is"),
        (plan("") + "node: {cpus: 1, memory: 1GiB}\n", "fences are of nodes that the plan starts"),
        (plan("") + "volumes: {v: {path: /v}}\n", "volumes are of nodes that the plan starts"),
    ] {
        let error = refusal(&text);
        assert!(error.contains(told), "{told}: {error}");
    }
}

#[test]
fn a_file_that_was_read_is_written_as_it_can_be_read() {
    let file = PlanFile::parse(&format!("{PLAN}budget: 6h\nnode: {{cpus: 0.5, memory: 2GiB}}\n")).unwrap();
    let again: PlanFile = serde_json::from_str(&serde_json::to_string(&file).unwrap()).unwrap();
    assert_eq!(serde_json::to_string(&again).unwrap(), serde_json::to_string(&file).unwrap());
}

proptest! {
    #[test]
    fn arbitrary_text_never_panics(text in spoilt(vec![PLAN.into()])) {
        let _ = PlanFile::parse(&String::from_utf8_lossy(&text));
    }
}
