// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

#![allow(clippy::unwrap_used)]

use super::*;

fn file(rest: &str) -> PlanFile {
    let text = format!(
        "plan: 1\nname: t\nworkload: {{profile: {{}}, ops: insert=1, rows_per_node: 9}}\nsla: [p95<=5ms]\n\
         load: {{launch: 9/s}}\n{rest}\n"
    );
    PlanFile::parse(&text).unwrap()
}

fn refusal(rest: &str) -> String {
    format!("{:#}", cells(&file(rest)).unwrap_err())
}

#[test]
fn axes_span_cells_and_the_last_changes_fastest() {
    let file = file("grid: {nodes: [3, 6], cl: [ONE, {insert: ONE, get: QUORUM}]}\nfixed: {heap: 1g}");
    let cells = cells(&file).unwrap();
    let names: Vec<String> = cells.iter().map(Cell::name).collect();
    assert_eq!(names[..2], ["nodes=3 cl=ONE", "nodes=3 cl=insert=ONE,get=QUORUM"]);
    assert_eq!((cells.len(), cells[3].nodes().unwrap()), (4, 6));
    assert!(cells.iter().all(|cell| cell.text("heap").unwrap() == Some("1g")));
    let mut keys: Vec<&str> = cells.iter().map(Cell::key).collect();
    keys.dedup();
    assert_eq!(keys.len(), 4);
}

#[test]
fn tied_axes_are_one_and_labels_name_values() {
    let file = file(
        "together: [{label: P1C3, rf: 3, nodes: 3}, {label: P3C1, rf: 1, nodes: 3}]\n\
         grid: {profile.columnspec.v.size: {small: fixed(10), large: fixed(1000)}}\nskip: ['together=P3C1,profile.columnspec.v.size=large']",
    );
    let names: Vec<String> = cells(&file).unwrap().iter().map(Cell::name).collect();
    assert_eq!(names.len(), 3);
    assert_eq!(names[1], "profile.columnspec.v.size=small together=P3C1");
    let only = Filter::of("together=P1C3", &file).unwrap();
    assert_eq!(cells(&file).unwrap().iter().filter(|cell| only.takes(cell)).count(), 2);
}

#[test]
fn labels_tell_what_they_set_unless_they_say_it() {
    let file = file(
        "together: [{label: P1C3, rf: 3, nodes: 3}, {label: P3C1, rf: 1, nodes: 3}]\n\
         grid: {cl: [ONE], engine: [cassiterite-door], profile.columnspec.v.size: {small: fixed(10), large: fixed(1000)}}",
    );
    let told: Vec<String> = named(&file)
        .unwrap()
        .into_iter()
        .flat_map(|axis| {
            let words = |(label, words): (String, Option<String>)| {
                format!("{} = {label}: {} ({})", axis.axis, words.unwrap_or_default(), about(&axis.axis))
            };
            axis.labels.into_iter().map(words).collect::<Vec<_>>()
        })
        .collect();
    assert_eq!(
        told,
        [
            "cl = ONE:  (consistency level, one or by operation)",
            "engine = cassiterite-door: the plug-in, with front_door: reads, and quorum reads and writes on \
             (stock, stock-sai, stock-6, stock-default, cassiterite, cassiterite-door)",
            "profile.columnspec.v.size = small: fixed(10) (a part of the profile)",
            "profile.columnspec.v.size = large: fixed(1000) (a part of the profile)",
            "together = P1C3: rf=3, nodes=3 (settings that change together)",
            "together = P3C1: rf=1, nodes=3 (settings that change together)",
        ]
    );
}

#[test]
fn parentheses_hold_a_label_together_or_are_a_part_of_it() {
    let file = file(
        "grid: {profile.columnspec.v.size: ['fixed(10)', 'uniform(1..9)'], cl: ['ONE', {insert: ONE, get: QUORUM}]}",
    );
    let count = |text: &str| {
        let only = Filter::of(text, &file).unwrap();
        cells(&file).unwrap().iter().filter(|cell| only.takes(cell)).count()
    };
    for text in ["profile.columnspec.v.size=fixed(10)", "cl=(insert=ONE,get=QUORUM)", "cl=(ONE)"] {
        assert_eq!(count(text), 2, "{text}");
    }
    assert_eq!(count("cl=(insert=ONE,get=QUORUM),profile.columnspec.v.size=uniform(1..9)"), 1);
}

#[test]
fn the_same_settings_have_the_same_key_in_any_order() {
    let key = |rest: &str| cells(&file(rest)).unwrap()[0].key().to_owned();
    assert_eq!(key("fixed: {nodes: 3, cl: ONE}"), key("fixed: {cl: ONE, nodes: 3}"));
    assert_ne!(key("fixed: {nodes: 3}"), key("fixed: {nodes: 4}"));
}

#[test]
fn what_is_no_grid_is_refused_by_name() {
    for (rest, told) in [
        ("grid: {node_s: [3]}", "did you mean nodes?"),
        ("grid: {nodes: 3}", "belongs in fixed"),
        ("grid: {nodes: []}", "at least one"),
        ("grid: {nodes: [3, 3]}", "there twice"),
        ("grid: {nodes: [3]}\nfixed: {nodes: 3}", "both"),
        ("grid: {nodes: [3]}\nskip: ['nodes=4']", "nodes has no 4, only 3"),
        ("grid: {nodes: [3]}\nskip: ['cl=ONE']", "no axis cl"),
        ("grid: {nodes: [3]}\nskip: ['nodes=3']", "no cell"),
        ("together: [{nodes: 3}]", "label"),
        ("grid: {node: [{cpus: 1, memory: 1GiB}]}\nnode: {cpus: 1, memory: 1GiB}", "both an axis and a key"),
        ("fixed: {yaml.: 3}", "no axis"),
    ] {
        let error = refusal(rest);
        assert!(error.contains(told), "{rest}: {error}");
    }
}
