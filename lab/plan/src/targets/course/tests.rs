// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

#![allow(clippy::unwrap_used)]

use scylla::statement::Consistency;

use super::*;
use crate::trials::observed::KindObserved;
use lab_load::check::Replication;
use lab_load::load::Latencies;
use lab_load::report::encoded;

/// Writes down what it is asked to make.
#[derive(Default)]
struct Scribe(Vec<String>);

impl Hands for Scribe {
    fn make(&mut self, step: Move, _: &BTreeSet<u32>) -> Result<()> {
        self.0.push(step.to_string());
        Ok(())
    }
}

/// The moves that were made during a timeline and after it, and what was told of faults.
fn made(timeline: &[&str]) -> (Vec<String>, Vec<Hurt>) {
    let (mut scribe, mut heard) = (Scribe::default(), Vec::new());
    let mut told = |hurt: Hurt| {
        heard.push(hurt);
        Ok(())
    };
    let (interrupt, narrator) = (Interrupt::default(), Narrator::default());
    let mut actor = Actor::new(1.0, &mut scribe, &interrupt, &narrator, &mut told);
    let timeline: Vec<Move> = timeline.iter().map(|word| word.parse().unwrap()).collect();
    let mut moved = Vec::new();
    actor.timeline(&timeline, &AtomicBool::new(false), &mut moved).unwrap();
    actor.mend(&mut moved).unwrap();
    (scribe.0, heard)
}

#[test]
fn what_is_hurt_is_mended_also_where_the_journal_takes_no_more() {
    let (mut scribe, mut heard) = (Scribe::default(), 0);
    let mut told = |_: Hurt| {
        heard += 1;
        ensure!(heard <= 2, "no space left");
        Ok(())
    };
    let (interrupt, narrator) = (Interrupt::default(), Narrator::silent());
    let actor = Actor::new(1.0, &mut scribe, &interrupt, &narrator, &mut told);
    let timeline: [Move; 4] = ["kill 2", "pause 1", "kill 3", "wait 1m"].map(|word| word.parse().unwrap());
    let ended = run(actor, &timeline, |_, end, _| {
        while !end.is_raised() {
            thread::sleep(Duration::from_millis(1));
        }
        Err(anyhow!("the outcome does not matter"))
    });
    assert!(format!("{:#}", ended.unwrap_err()).contains("no space left"));
    assert_eq!(scribe.0, ["kill 2", "pause 1", "resume 1", "start 2"]);
}

#[test]
fn every_move_that_is_not_of_the_load_is_made() {
    let all = [
        "kill 2",
        "start 2",
        "lose-copy",
        "fill 1MiB",
        "free",
        "slow 1MiB/s",
        "unslow",
        "reattach",
        "lose-host 3",
        "failover 3",
        "partition 2",
        "heal",
        "delay 0.05s",
        "heal",
        "flush",
    ];
    let (made, heard) = made(&[&["wait 1ms", "step 2"], &all[..], &["spike 2 1ms"]].concat());
    assert_eq!((made, heard.len()), (all.map(str::to_owned).to_vec(), 14));
}

#[test]
fn a_host_that_is_lost_takes_with_it_what_it_had_acknowledged() {
    let levels = Levels::new(Consistency::Quorum, Consistency::Quorum, Replication::one_datacenter(3));
    let (levels, interrupt, narrator) = (Arc::new(levels), Interrupt::default(), Narrator::default());
    let (mut scribe, mut told) = (Scribe::default(), |_: Hurt| Ok(()));
    let mut actor = Actor::new(1.0, &mut scribe, &interrupt, &narrator, &mut told).judged_by(Arc::clone(&levels));
    for (step, overlap) in [("kill 2", true), ("lose 3", false), ("replace 3", false), ("repair", true)] {
        actor.make(step.parse().unwrap()).unwrap();
        assert_eq!(levels.overlap(), overlap, "{step}");
    }
}

#[test]
fn what_ends_after_the_timeline_belongs_to_its_last_second() {
    let second = |at: usize, errors: u64| {
        let kind = KindObserved { name: "get".into(), operations: 10, errors, ..KindObserved::default() };
        let kind = KindObserved { response: encoded(&Latencies::new(2).unwrap()).unwrap(), ..kind };
        let observed = Observed { elapsed_s: 1.0, kinds: vec![kind], ..Observed::default() };
        Second { from_s: at as f64, to_s: at as f64 + 1.0, observed }
    };
    let seconds = within((0..5).map(|at| second(at, u64::from(at == 4))).collect(), 3.1).unwrap();
    assert_eq!((seconds.len(), seconds[2].to_s), (3, 3.0));
    assert_eq!((seconds[2].observed.counts(None), seconds[2].observed.elapsed_s), ((30, 1), 1.0));
}

#[test]
fn what_the_timeline_leaves_hurt_is_mended_after_it() {
    let (made, heard) = made(&["fill 1MiB", "kill 2", "pause 1", "partition 3", "slow 1MiB/s"]);
    assert_eq!(made[5..], ["unslow", "free", "resume 1", "heal", "start 2"]);
    assert!(heard.contains(&Hurt::Mended(Move::Free)));
}
