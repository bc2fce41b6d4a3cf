// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

#![allow(clippy::unwrap_used)]

use super::*;
use crate::file::PlanFile;

fn found(rest: &str) -> Findings {
    found_of("['p95<=5ms', 'errors<=0.01%']", "insert=1", rest)
}

fn found_of(sla: &str, ops: &str, rest: &str) -> Findings {
    let text = format!(
        "plan: 1\nname: t\nsla: {sla}\nload: {{launch: 1000/s}}\n\
         workload:\n  ops: {ops}\n  rows_per_node: 1000\n  profile:\n    keyspace: s\n    table: t\n\
         \x20   table_definition: 'CREATE TABLE t (k bigint PRIMARY KEY, value text)'\n\
         \x20   queries: {{get: {{cql: 'SELECT * FROM t WHERE k = ?', fields: samerow}}}}\n{rest}\n"
    );
    let plan = Plan::new(PlanFile::parse(&text).unwrap()).unwrap();
    let cpus = Split::of(&"0-3".parse().unwrap(), 1).unwrap();
    check(&plan, &Machine { memory_bytes: 16 << 30, free_bytes: 100 << 30, cpus: cpus.as_ref() }).unwrap()
}

fn has(lines: &[String], told: &str) -> bool {
    lines.iter().any(|line| line.contains(told))
}

#[test]
fn a_plan_that_measures_what_it_says_is_not_refused() {
    assert_eq!(found("fixed: {nodes: 3, cl: QUORUM, heap: 1g}").refused, Vec::<String>::new());
}

#[test]
fn what_cannot_be_is_refused() {
    for (rest, told) in [
        ("fixed: {nodes: 2, rf: 3}", "RF 3 needs 3 nodes"),
        ("fixed: {nodes: 2, cl: THREE}", "THREE needs 3 replicas of 2"),
        ("fixed: {nodes: 2, racks: 3}", "3 racks"),
        ("grid: {nodes: [3, 6]}", "shared_cores"),
        ("fixed: {nodes: 6, heap: 4g}", "memory"),
        ("fixed: {nodes: 6}\nnode: {cpus: 1, memory: 1GiB}", "node.cpus: 6 nodes take 6 cores, and the servers have 3"),
        (
            "grid: {node: {small: {cpus: 1, memory: 2GiB}, large: {cpus: 2, memory: 4GiB}}}\nfixed: {nodes: 2}",
            "node.cpus: 2 nodes take 4 cores, and the servers have 3",
        ),
        ("grid: {nodes: [1, 2], node: [{cpus: 1, memory: 1GiB}]}\nfixed: {heap: 2g}", "do not hold a heap"),
        ("fixed: {heap: 2g}\nnode: {cpus: 1, memory: 1GiB}", "do not hold a heap"),
        ("fixed: {heap: 512m}\nnode: {cpus: 1, memory: 1536MiB}", "2048 MiB or more do (accept: [memory]"),
        ("fixed: {data: v}\nvolumes: {v: {path: /nowhere/at/all}}", "is no folder"),
        ("volumes: {v: {driver: mount, path: /nowhere/at/all}}", "nothing is mounted"),
        ("volumes: {v: {driver: mirror, copies: 3, size: 60GiB}}", "their files take 184320 MiB"),
        (
            "fixed: {nodes: 3}\nvolumes: {v: {driver: mirror, copies: 2, size: 20GiB, per_node: true}}",
            "their files take 122880 MiB",
        ),
        ("fixed: {heap: 1g, commitlog: v}\nvolumes: {v: {driver: tmpfs, size: 15GiB}}", "accept: [memory]"),
        (
            "measure: {run: 1s..2s}",
            "'errors<=0.01%' takes 30000 operations, and the longest run of the lowest load has 2000",
        ),
    ] {
        let findings = found(rest);
        assert!(has(&findings.refused, told), "{rest}: {findings:?}");
    }
}

#[test]
fn a_condition_on_a_seldom_kind_takes_a_longer_run() {
    let of = |ops: &str| found_of("['get:p99.9<=20ms']", ops, "measure: {run: 60s}").refused;
    assert_eq!(of("get=1"), Vec::<String>::new());
    assert!(has(&of("insert=24,get=1"), "takes 10000 operations, and the longest run of the lowest load has 2400"));
}

#[test]
fn what_is_accepted_is_a_warning() {
    let findings = found("grid: {nodes: [3, 6]}\naccept: [shared_cores]");
    assert!(findings.refused.is_empty() && has(&findings.warnings, "accepted: nodes of one machine"));
}

#[test]
fn nodes_of_two_sizes_are_fenced_each() {
    let findings =
        found("grid: {nodes: [1, 2], node: {small: {cpus: 0.5, memory: 2GiB}, large: {cpus: 1, memory: 4GiB}}}");
    assert_eq!(findings.refused, Vec::<String>::new());
    assert!(has(&findings.notes, "0.5 cores and 2048 MiB") && has(&findings.notes, "1 cores and 4096 MiB"));
}

#[test]
fn what_a_reader_should_know_is_said() {
    assert!(has(&found("fixed: {nodes: 2, cl: QUORUM}").warnings, "it is ALL"));
    assert!(has(&found("fixed: {nodes: 3, cl: ONE}").notes, "may be stale"));
    assert!(!has(&found("fixed: {nodes: 3, cl: QUORUM}").notes, "may be stale"));
    assert!(has(&found("fixed: {nodes: 3, racks: 2}").warnings, "one rack holds two copies"));
    assert!(has(&found("fixed: {nodes: 1}").warnings, "no repair and no quorum"));
    assert!(has(&found("fixed: {nodes: 1}").notes, "fits into memory"));
    let priced = |axis: &str| {
        found(&format!("fixed: {{{axis}: v}}\nvolumes: {{v: {{path: /tmp, price: 1/GiB-month}}}}\ncost: {{node: 1/h}}"))
            .notes
    };
    assert!(has(&priced("commitlog"), "its price does not count") && !has(&priced("data"), "does not count"));
}
