// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The timeline of a phase: what happens to the nodes while a load runs.

mod flutter;
mod side;
mod step;
mod words;

use std::time::Duration;

use anyhow::{bail, ensure, Result};

pub use flutter::written;
pub use side::Side;
pub use step::{Fault, Move, Upkeep};

use lab_node::network::Disturbance;

/// Refuses a timeline that hurts a node twice, or mends one that was not hurt so.
pub fn check(timeline: &[Move]) -> Result<()> {
    ensure!(timeline.iter().any(|step| !step.length().is_zero()), "a timeline without any time has no figures");
    let mut open: Vec<Move> = Vec::new();
    for step in timeline {
        if step.mend().is_some() {
            let before = open.iter().find(|other| other.place() == step.place()).and_then(|other| other.mend());
            if let Some(before) = before {
                bail!("{step}: {} is hurt already: `{before}` comes before", place(*step));
            }
            if let (Move::Disturb(..), Some(lost)) = (step, open.iter().find(|hurt| is_lost(hurt))) {
                bail!("{step}: `{lost}` comes before, and nobody knows its packets: {} before", mend(*lost));
            }
            beside_lost_host(*step, &open)?;
            open.push(*step);
        } else if step.mends() {
            let of_place = open.iter().position(|hurt| hurt.place() == step.place());
            match of_place.and_then(|at| open.remove(at).mend()) {
                Some(mend) if mend == *step => {}
                Some(mend) => bail!("{step}: {} is mended by `{mend}`", place(*step)),
                None => bail!("{step}: {} is not hurt", place(*step)),
            }
            beside_lost_host(*step, &open)?;
            if step.joins() {
                open.iter().try_for_each(|hurt| joins_beside(*step, *hurt))?;
            }
        }
    }
    Ok(())
}

/// How long a timeline takes at least: its waits.
pub fn waits(timeline: &[Move]) -> Duration {
    timeline.iter().map(|step| step.length()).sum()
}

/// The word of the command that makes a move on a cluster that is there already; `None` where it takes none.
pub fn hook_of(step: Move) -> Option<&'static str> {
    match step {
        step if step.is_of_host() => None,
        Move::Hurt(..) | Move::Start(_) | Move::Resume(_) | Move::Replace(_) | Move::Upkeep(_) => Some(step.word()),
        Move::Disturb(..) | Move::Heal => Some(step.word()),
        Move::LoseCopy | Move::Reattach | Move::Fill(_) | Move::Free | Move::Slow(_) | Move::Unslow => None,
        Move::Failover(_) => None,
        Move::Wait(_) | Move::Step(_) | Move::Ramp(..) | Move::Spike(..) => None,
    }
}

/// The ring is asked of any node that runs, and must be whole there.
fn joins_beside(step: Move, hurt: Move) -> Result<()> {
    match hurt {
        Move::Hurt(Fault::Pause, other) => {
            bail!("{step}: node{other} hangs meanwhile, and a node cannot join a ring that hangs: resume it before")
        }
        Move::Disturb(..) if step.changes_address() => {
            bail!("{step}: `{hurt}` holds meanwhile, and does not know the fresh address: heal it before")
        }
        Move::Disturb(Disturbance::Partition, _) => {
            bail!("{step}: the network is parted meanwhile, and a node cannot join a ring that is: heal it before")
        }
        _ => Ok(()),
    }
}

fn is_lost(hurt: &Move) -> bool {
    matches!(hurt, Move::Hurt(Fault::Lose | Fault::LoseHost, _))
}

/// Nobody mounts its volumes meanwhile: nothing can be written to them, or be copied by what is mounted.
fn beside_lost_host(step: Move, open: &[Move]) -> Result<()> {
    match open.iter().find(|hurt| matches!(hurt, Move::Hurt(Fault::LoseHost, _))) {
        Some(lost) if step.is_of_volume() => {
            bail!("{step}: `{lost}` comes before, and nobody mounts its volume: {} before", mend(*lost))
        }
        _ => Ok(()),
    }
}

fn mend(hurt: Move) -> String {
    hurt.mend().map(|mend| format!("`{mend}`")).unwrap_or_default()
}

fn place(step: Move) -> String {
    step.place().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    pub(crate) fn moves(words: &[&str]) -> Vec<Move> {
        words.iter().map(|word| word.parse().unwrap()).collect()
    }

    #[test]
    fn a_node_is_hurt_once_and_mended_as_it_was_hurt() {
        for (words, told) in [
            (&["wait 1s", "kill 2", "pause 2"][..], "hurt already"),
            (&["wait 1s", "start 2"], "node2 is not hurt"),
            (&["wait 1s", "pause 2", "start 2"], "node2 is mended by `resume 2`"),
            (&["wait 1s", "kill 2", "resume 2"], "node2 is mended by `start 2`"),
            (&["wait 1s", "lose 2", "start 2"], "node2 is mended by `replace 2`"),
            (&["wait 1s", "kill 2", "replace 2"], "node2 is mended by `start 2`"),
            (&["wait 1s", "lose 2", "pause 1", "replace 2"], "node1 hangs meanwhile"),
            (&["kill 2", "start 2"], "without any time"),
            (&["wait 1s", "lose-copy", "lose-copy"], "a copy of the volume is hurt already"),
            (&["wait 1s", "lose-copy", "free"], "the volume is not hurt"),
            (&["wait 1s", "slow 1MiB/s", "slow 50iops"], "the speed of the volume is hurt already"),
            (&["wait 1s", "fill 1GiB", "unslow"], "the speed of the volume is not hurt"),
            (&["wait 1s", "kill 2", "pause 1", "start 2"], "node1 hangs meanwhile"),
            (&["wait 1s", "partition 2", "delay 50ms"], "the network is hurt already: `heal` comes before"),
            (&["wait 1s", "heal"], "the network is not hurt"),
            (&["wait 1s", "partition 2", "pause 1", "heal"], "node1 hangs meanwhile"),
            (&["wait 1s", "kill 1", "partition 2", "start 1"], "the network is parted meanwhile"),
            (&["wait 1s", "delay 50ms", "lose 2", "replace 2"], "does not know the fresh address"),
            (&["wait 1s", "lose-host 2", "delay 50ms", "failover 2"], "nobody knows its packets: `failover 2` before"),
            (&["wait 1s", "lose-host 2", "replace 2"], "node2 is mended by `failover 2`"),
            (&["wait 1s", "lose 2", "failover 2"], "node2 is mended by `replace 2`"),
            (&["wait 1s", "lose-host 2", "lose-copy"], "nobody mounts its volume: `failover 2` before"),
            (&["wait 1s", "fill 1GiB", "lose-host 2", "free"], "nobody mounts its volume"),
            (&["wait 1s", "lose-host 2", "pause 1", "failover 2"], "node1 hangs meanwhile"),
            (&["wait 1s", "lose 2", "loss 1%"], "nobody knows its packets"),
        ] {
            let error = check(&moves(words)).unwrap_err().to_string();
            assert!(error.contains(told), "{error}");
        }
        check(&moves(&[
            "wait 1s",
            "kill 2",
            "pause 1",
            "resume 1",
            "start 2",
            "lose 2",
            "replace 2",
            "kill 2",
            "lose-copy",
            "slow 1MiB/s",
            "fill 1GiB",
            "free",
            "unslow",
            "lose-host 3",
            "failover 3",
            "reattach",
            "partition 2 3",
            "heal",
            "kill 1",
            "loss 1%",
            "start 1",
        ]))
        .unwrap();
    }
}
