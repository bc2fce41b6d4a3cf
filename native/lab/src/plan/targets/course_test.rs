// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

#![allow(clippy::unwrap_used)]

use super::*;

/// Hands that keep what they made.
#[derive(Default)]
struct Kept(Vec<Move>);

impl Hands for Kept {
    fn make(&mut self, step: Move, _hurt: &BTreeSet<u32>) -> Result<()> {
        self.0.push(step);
        Ok(())
    }
}

fn moves(words: &[&str]) -> Vec<Move> {
    words.iter().map(|word| word.parse().unwrap()).collect()
}

#[test]
fn every_move_that_is_not_of_the_load_is_made_and_mended() {
    let words = ["step 2", "kill 1", "lose-copy", "fill 1MiB", "slow 1MiB/s", "flush", "start 1", "unslow", "reattach"];
    let (interrupt, narrator, mut kept, mut heard) =
        (Interrupt::default(), Narrator::silent(), Kept::default(), Vec::new());
    let mut told = |hurt: Hurt| {
        heard.push(hurt);
        Ok(())
    };
    let mut actor = Actor::new(10.0, &mut kept, &interrupt, &narrator, &mut told);
    let moved = actor.timeline(&moves(&words), &AtomicBool::new(false)).unwrap();
    assert_eq!(moved.iter().map(|moved| moved.step).collect::<Vec<_>>(), moves(&words));
    actor.mend(moved).unwrap();
    let made = ["kill 1", "lose-copy", "fill 1MiB", "slow 1MiB/s", "flush", "start 1", "unslow", "reattach", "free"];
    assert_eq!(kept.0, moves(&made));
    let mends = ["start 1", "reattach", "unslow", "free"].map(|word| word.parse::<Move>().unwrap());
    let told_of = |of: fn(Move) -> Hurt| mends.iter().all(|mend| heard.contains(&of(*mend)));
    assert!(told_of(Hurt::Making) && told_of(Hurt::Mended), "{heard:?}");
}
