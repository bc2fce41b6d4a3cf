// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

#![allow(clippy::unwrap_used)]

use super::*;

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
    let moved = actor.timeline(&timeline, &AtomicBool::new(false)).unwrap();
    actor.mend(moved).unwrap();
    (scribe.0, heard)
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
fn what_the_timeline_leaves_hurt_is_mended_after_it() {
    let (made, heard) = made(&["fill 1MiB", "kill 2", "pause 1", "partition 3", "slow 1MiB/s"]);
    assert_eq!(made[5..], ["unslow", "free", "resume 1", "heal", "start 2"]);
    assert!(heard.contains(&Hurt::Mended(Move::Free)));
}
