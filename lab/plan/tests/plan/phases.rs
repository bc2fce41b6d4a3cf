// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Phases on simulated clusters: they come after the answer, once each, and their faults are in the journal before they are made.

use lab_plan::journal::{Entry, Thing};
use lab_plan::results::answer::Answer;
use lab_plan::results::report::text;
use tempfile::TempDir;

use super::simulated::{Simulated, Truth};
use super::{go_on, journal, plan, refused};

const REST: &str = "\
grid: {nodes: [3, 6]}
fixed: {rf: 3}
measure: {run: 60s..180s, capacity: none}
phases:
  - {timeline: [steady 20s, kill 2, wait 20s, start 2, steady 30s, repair, wait 20s]}
  - {load: 0.5, timeline: [steady 10s, pause 7, wait 10s]}
";

fn truth() -> Truth {
    Truth { node_per_s: 10_000.0, sigma: 0.0, idle_ms: 0.5, engine: 1.0, ..Truth::of(1) }
}

#[test]
fn phases_come_after_the_answer_with_recovery_and_outage_as_figures() {
    let (plan, folder) = (plan(REST), TempDir::new().unwrap());
    go_on(folder.path(), &plan, &mut Simulated::new(truth(), 1)).unwrap();
    let written = journal(folder.path(), &plan);
    let phases = written.phases();
    // The second one is of a node that the winner does not have.
    let [phase] = phases.as_slice() else { panic!("{phases:?}") };
    assert_eq!((phase.number, phase.rate_per_s), (0, 20_000.0));
    let steps: Vec<String> = phase.effects.iter().map(|effect| effect.step.to_string()).collect();
    assert_eq!(steps, ["kill 2", "start 2", "repair"]);
    assert_eq!(phase.effects[0].unavailable_s, [("insert".to_owned(), 4.0)]);
    assert_eq!(phase.effects[0].recovery_s, Some(4.0));
    assert_eq!((phase.stretches.len(), phase.stretches[0].held, phase.stretches[1].held), (4, true, false));
    assert_eq!(phase.checked.read_back.as_ref().map(|read| read.rows), Some(100));
    let at = |wanted: &dyn Fn(&Entry) -> bool| written.entries().iter().position(wanted).unwrap();
    let hurt = at(&|entry| matches!(entry, Entry::Making { thing: Thing::Hurt(mend) } if mend == "start 2"));
    let seen = at(&|entry| matches!(entry, Entry::PhaseSeen { .. }));
    let answered = written.entries().iter().rposition(|entry| matches!(entry, Entry::TrialEnded { .. })).unwrap();
    assert!(answered < hurt && hurt < seen, "{answered} {hurt} {seen}");
    assert!(written.things().is_empty());
}

#[test]
fn a_budget_keeps_time_for_the_phases() {
    let rest = REST.replace("{timeline: [steady 20s", "{at: nodes=6, timeline: [steady 20s");
    let (plan, folder) = (plan(&format!("{rest}budget: 20m\n")), TempDir::new().unwrap());
    let trials = go_on(folder.path(), &plan, &mut Simulated::new(truth(), 1)).unwrap();
    let written = journal(folder.path(), &plan);
    assert_eq!(written.phases().len(), 1, "{} trials", trials.len());
}

#[test]
fn a_phase_that_was_cut_short_is_repeated_and_one_that_ended_is_not() {
    let (plan, folder) = (plan(REST), TempDir::new().unwrap());
    let (mut ended, mut deaths) = (false, 0);
    while !ended {
        let mut target = Simulated::new(truth(), 1);
        target.calls_left = 1 + deaths % 40;
        ended = go_on(folder.path(), &plan, &mut target).is_ok();
        deaths += 1;
    }
    let phases = journal(folder.path(), &plan).phases();
    go_on(folder.path(), &plan, &mut Simulated::new(truth(), 1)).unwrap();
    assert_eq!((phases.len(), journal(folder.path(), &plan).phases()), (1, phases));
}

#[test]
fn a_lost_host_is_replaced_with_what_it_streamed_as_a_figure() {
    let rest = REST.split("phases:").next().unwrap().to_owned()
        + "phases:\n  - {timeline: [steady 20s, lose 2, wait 20s, replace 2, steady 30s]}\n";
    let (plan, folder) = (plan(&rest), TempDir::new().unwrap());
    let trials = go_on(folder.path(), &plan, &mut Simulated::new(truth(), 1)).unwrap();
    let written = journal(folder.path(), &plan);
    let made = |entry: &Entry| matches!(entry, Entry::Making { thing: Thing::Hurt(mend) } if mend == "replace 2");
    assert!(written.entries().iter().any(made) && written.things().is_empty());
    let phases = written.phases();
    let [lost, replaced] = phases[0].effects.as_slice() else { panic!("{phases:?}") };
    assert_eq!((lost.step.to_string(), lost.recovery_s, lost.streamed), ("lose 2".to_owned(), Some(4.0), None));
    assert_eq!(replaced.streamed.map(|streamed| streamed.shares.bytes()), Some(4 << 20));
    let answer = Answer::of(&plan, &trials).unwrap();
    let told = text(&plan, &answer, &trials, &written);
    assert!(told.contains("4.0 MiB in 2.0 s, 75 % of it as whole files"), "{told}");
}

#[test]
fn a_host_that_nobody_could_replace_is_refused_by_name() {
    let rest = "grid: {nodes: [1]}\nphases: [{at: nodes=1, timeline: [wait 1s, lose 1]}]\n";
    let error = format!("{:#}", refused(rest));
    assert!(error.contains("`lose 1`: nodes=1 has no other node to replace it from"), "{error}");
}

#[test]
fn a_volume_loses_a_copy_and_its_room_and_has_them_again() {
    let rest = REST.split("phases:").next().unwrap().replace("rf: 3", "rf: 3, data: two")
        + "volumes: {two: {driver: mirror, size: 4GiB, copies: 2}}\n\
           phases:\n  - {timeline: [steady 20s, lose-copy, fill 3GiB, steady 20s, free, reattach, steady 20s]}\n";
    let (plan, folder) = (plan(&rest), TempDir::new().unwrap());
    go_on(folder.path(), &plan, &mut Simulated::new(truth(), 1)).unwrap();
    let written = journal(folder.path(), &plan);
    let made = |wanted: &str| {
        let is = |entry: &&Entry| matches!(entry, Entry::Making { thing: Thing::Hurt(mend) } if mend == wanted);
        written.entries().iter().filter(is).count()
    };
    assert_eq!((made("reattach"), made("free"), written.things().len()), (1, 1, 0));
    let phase = &written.phases()[0];
    let steps: Vec<String> = phase.effects.iter().map(|effect| effect.step.to_string()).collect();
    assert_eq!(steps, ["lose-copy", "fill 3072MiB", "free", "reattach"]);
    assert!(phase.effects.iter().all(|effect| effect.recovery_s.is_some()), "{phase:?}");
}

#[test]
fn a_volume_that_has_no_copy_to_lose_or_is_yours_is_refused_by_name() {
    for (data, step, told) in [
        ("", "lose-copy", "nodes=3 has its data on no volume of the plan"),
        (", data: one", "lose-copy", "volume one does not keep 2 or 3 copies"),
        (", data: mine", "fill 1GiB", "the run does not make volume mine"),
        (", data: one", "fill 3GiB", "volume one has 2048 MiB in all"),
    ] {
        let rest = format!(
            "grid: {{nodes: [3]}}\nfixed: {{rf: 3{data}}}\n\
             volumes: {{one: {{driver: loop, size: 2GiB}}, mine: {{path: /mine}}}}\n\
             phases: [{{at: nodes=3, timeline: [wait 1s, {step}]}}]\n"
        );
        let error = format!("{:#}", refused(&rest));
        assert!(error.contains(told), "{error}");
    }
}

#[test]
fn a_host_is_lost_and_its_volume_is_mounted_on_another_one() {
    let rest = REST.split("phases:").next().unwrap().replace("rf: 3", "rf: 3, data: own, commitlog: own")
        + "volumes: {own: {driver: mirror, size: 4GiB, copies: 2, per_node: true}}\n\
           phases:\n  - {timeline: [steady 20s, lose-host 2, wait 20s, failover 2, steady 20s, lose-host 3]}\n";
    let (plan, folder) = (plan(&rest), TempDir::new().unwrap());
    let trials = go_on(folder.path(), &plan, &mut Simulated::new(truth(), 1)).unwrap();
    let written = journal(folder.path(), &plan);
    let made = |wanted: &str| {
        let is = |entry: &Entry| matches!(entry, Entry::Making { thing: Thing::Hurt(mend) } if mend == wanted);
        written.entries().iter().any(is)
    };
    assert!(made("failover 2") && made("failover 3"));
    let effects = &written.phases()[0].effects;
    let steps: Vec<String> = effects.iter().map(|effect| effect.step.to_string()).collect();
    assert_eq!(steps, ["lose-host 2", "failover 2", "lose-host 3"]);
    assert_eq!(effects[1].streamed.map(|streamed| streamed.shares.bytes()), Some(0));
    let told = text(&plan, &Answer::of(&plan, &trials).unwrap(), &trials, &written);
    assert!(told.contains("0.0 MiB in 0.0 s"), "{told}");
}

#[test]
fn a_host_whose_volumes_nobody_could_mount_is_refused_by_name() {
    for (nodes, places, told) in [
        (1, "data: own, commitlog: own", "nodes=1 has no other node to hear its new address from"),
        (3, "commitlog: own", "nodes=3 has no volume of the plan for data, which would be lost with the host"),
        (3, "data: own", "nodes=3 has no volume of the plan for commitlog"),
        (3, "data: own, commitlog: one", "volume one is one for all nodes"),
        (3, "data: own, commitlog: mine", "volume mine is one for all nodes"),
    ] {
        let rest = format!(
            "grid: {{nodes: [{nodes}]}}\nfixed: {{{places}}}\nvolumes: {{one: {{driver: loop, size: 2GiB}}, \
             own: {{driver: loop, size: 2GiB, per_node: true}}, mine: {{path: /mine}}}}\n\
             phases: [{{at: nodes={nodes}, timeline: [wait 1s, lose-host 1]}}]\n"
        );
        let error = format!("{:#}", refused(&rest));
        assert!(error.contains(&format!("`lose-host 1`: {told}")), "{error}");
    }
}

#[test]
fn a_network_is_parted_and_whole_again() {
    let rest = REST.split("phases:").next().unwrap().to_owned()
        + "phases:\n  - {timeline: [steady 20s, partition 3, wait 20s, heal, steady 20s, delay 50ms, steady 20s]}\n";
    let (plan, folder) = (plan(&rest), TempDir::new().unwrap());
    go_on(folder.path(), &plan, &mut Simulated::new(truth(), 1)).unwrap();
    let written = journal(folder.path(), &plan);
    let healed = |entry: &&Entry| matches!(entry, Entry::Making { thing: Thing::Hurt(mend) } if mend == "heal");
    assert_eq!((written.entries().iter().filter(healed).count(), written.things().len()), (2, 0));
    let phase = &written.phases()[0];
    let steps: Vec<String> = phase.effects.iter().map(|effect| effect.step.to_string()).collect();
    assert_eq!(steps, ["partition 3", "heal", "delay 0.05s"]);
    assert_eq!(phase.effects[0].unavailable_s, [("insert".to_owned(), 1.0)]);
}

#[test]
fn a_network_without_two_sides_is_refused_by_name() {
    for (nodes, step, told) in [
        (3, "partition 4", "`partition 4`: nodes=3 has 3 nodes"),
        (3, "partition 1 2 3", "`partition 1 2 3`: nodes=3 has no node on the other side"),
        (3, "delay 1ms 5", "nodes=3 has 3 nodes"),
        (1, "partition 1", "nodes=1 has no node on the other side"),
        (1, "loss 1%", "nodes=1 has no node on the other side"),
    ] {
        let rest =
            format!("grid: {{nodes: [{nodes}]}}\nphases: [{{at: nodes={nodes}, timeline: [wait 1s, {step}]}}]\n");
        let error = format!("{:#}", refused(&rest));
        assert!(error.contains(told), "{error}");
    }
}
