// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! A load with a timeline: one thread sends, another hurts nodes and mends them.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{anyhow, ensure, Result};

use super::{Hurt, Told};
use crate::figures::phase::{Course, Moved, Second};
use crate::timeline::{Fault, Move, Upkeep};
use crate::trials::observed::Observed;
use lab_compare::streams::Streamed;
use lab_load::check::Levels;
use lab_load::load::{Changes, Interval, Outcome, Signal};
use lab_load::narrator::Narrator;
use lab_node::cluster::Interrupt;

/// Whether a signal has come is asked so often.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// What can hurt nodes and mend them.
pub trait Hands: Send {
    /// Makes a move that is no wait, and returns when it is made; `hurt` are the nodes that are down or hang.
    fn make(&mut self, step: Move, hurt: &BTreeSet<u32>) -> Result<()>;

    /// What a node that has just replaced another, or come up on another host, got by streaming; `None` where that cannot be seen.
    fn streamed(&mut self, _node: u32) -> Result<Option<Streamed>> {
        Ok(None)
    }
}

/// Who makes the moves of a timeline.
pub struct Actor<'a, 'b> {
    per_s: f64,
    /// The multiple of that which holds now.
    times: f64,
    rate: Changes,
    hands: &'a mut dyn Hands,
    interrupt: &'a Interrupt,
    narrator: &'a Narrator,
    told: &'a mut Told<'b>,
    /// What mends all that is hurt.
    mends: Vec<Move>,
    zero: Instant,
    /// The load goes on for so long, also where the timeline is over before.
    at_least: Duration,
    /// By which reads are judged: a host that is lost takes with it what it had acknowledged.
    levels: Option<Arc<Levels>>,
}

/// Told of each interval of a load, of a second, when it is over.
pub type Listener<'a> = &'a mut dyn FnMut(&Interval);

/// Runs a load until the timeline is over. `load` follows the rate that it gets, tells of its intervals, and returns when the
/// signal is raised.
pub fn run(
    mut actor: Actor<'_, '_>,
    timeline: &[Move],
    load: impl FnOnce(Changes, Signal, Listener<'_>) -> Result<Outcome>,
) -> Result<Course> {
    let rate = actor.rate.clone();
    let (end, over) = (Signal::default(), AtomicBool::new(false));
    actor.zero = Instant::now();
    let interrupt = actor.interrupt.clone();
    let mut seconds = Vec::new();
    let (outcome, acted) = thread::scope(|scope| {
        let (ends, over) = (end.clone(), &over);
        let acting = scope.spawn(move || {
            let mut moved = Vec::new();
            let made = actor.timeline(timeline, over, &mut moved);
            let end_s = actor.now_s();
            ends.raise();
            // Mended after the load, whose figures end with the timeline; also where the journal took no more.
            let mended = actor.mend(&mut moved);
            made.and(mended).map(|()| (moved, actor.mends.is_empty(), end_s))
        });
        // The outcome joins the intervals of a long load; an outage of seconds would be lost in them.
        let outcome = load(rate.clone(), end, &mut |interval| seconds.push(second(interval, &rate)));
        over.store(true, Ordering::Release);
        (outcome, acting.join())
    });
    let (moved, whole_again, end_s) = acted.map_err(|_| anyhow!("the thread of the timeline ended with a panic"))??;
    let outcome = outcome?;
    ensure!(!outcome.interrupted && !interrupt.is_set(), "interrupted");
    let seconds = within(seconds.into_iter().collect::<Result<_>>()?, end_s)?;
    Ok(Course { whole: Observed::of(&outcome)?, seconds, moved, whole_again })
}

fn second(interval: &Interval, rate: &Changes) -> Result<Second> {
    Ok(Second {
        from_s: interval.from.as_secs_f64(),
        to_s: interval.to.as_secs_f64(),
        observed: Observed::of_interval(interval, Some(due_per_s(rate, interval)))?,
    })
}

/// The seconds of the timeline. In those after it nothing was due: what ended then belongs to the last one.
fn within(mut seconds: Vec<Second>, end_s: f64) -> Result<Vec<Second>> {
    let after = seconds.iter().position(|second| (second.from_s + second.to_s) / 2.0 >= end_s);
    let late = seconds.split_off(after.unwrap_or(seconds.len()).max(1).min(seconds.len()));
    if let Some(last) = seconds.last_mut() {
        let elapsed_s = last.observed.elapsed_s;
        for second in late {
            last.observed.add(&second.observed)?;
        }
        last.observed.elapsed_s = elapsed_s;
    }
    Ok(seconds)
}

fn due_per_s(rate: &Changes, interval: &Interval) -> f64 {
    let due = rate.due_at(interval.to) - rate.due_at(interval.from);
    due / (interval.to - interval.from).as_secs_f64().max(1e-9)
}

impl<'a, 'b> Actor<'a, 'b> {
    /// On a cluster whose nodes are all up; the load begins at `per_s`.
    pub fn new(
        per_s: f64,
        hands: &'a mut dyn Hands,
        interrupt: &'a Interrupt,
        narrator: &'a Narrator,
        told: &'a mut Told<'b>,
    ) -> Self {
        Self {
            per_s,
            times: 1.0,
            rate: Changes::from(per_s),
            hands,
            interrupt,
            narrator,
            told,
            mends: Vec::new(),
            zero: Instant::now(),
            at_least: Duration::ZERO,
            levels: None,
        }
    }

    /// Whose reads are judged by these levels.
    pub fn judged_by(self, levels: Arc<Levels>) -> Self {
        Self { levels: Some(levels), ..self }
    }

    /// Whose load goes on for so long, also where the timeline is over before.
    pub fn for_at_least(self, length: Duration) -> Self {
        Self { at_least: length, ..self }
    }

    /// Makes the moves; ends early where the load has ended.
    fn timeline(&mut self, timeline: &[Move], over: &AtomicBool, moved: &mut Vec<Moved>) -> Result<()> {
        for step in timeline {
            self.narrator.doing(&format!("phase: {step}"));
            let interrupt = self.interrupt;
            let stops = || over.load(Ordering::Acquire) || interrupt.is_set();
            if stops() {
                break;
            }
            if !step.is_of_load() {
                moved.push(self.make(*step)?);
                continue;
            }
            let (from_s, begin, before) = (self.now_s(), Instant::now(), self.times);
            match *step {
                Move::Step(times) | Move::Spike(times, _) => self.change(times, Duration::ZERO),
                Move::Ramp(times, time) => self.change(times, time),
                _ => {}
            }
            while begin.elapsed() < step.length() && !stops() {
                thread::sleep(LOOK_EVERY.min(step.length().saturating_sub(begin.elapsed())));
            }
            if matches!(step, Move::Spike(..)) {
                self.change(before, Duration::ZERO);
            }
            moved.push(Moved::well(*step, from_s, self.now_s()));
        }
        while self.zero.elapsed() < self.at_least && !over.load(Ordering::Acquire) && !self.interrupt.is_set() {
            thread::sleep(LOOK_EVERY.min(self.at_least.saturating_sub(self.zero.elapsed())));
        }
        Ok(())
    }

    /// Mends what is still hurt, also after Ctrl-C; the first error, once all has been tried.
    fn mend(&mut self, moved: &mut Vec<Moved>) -> Result<()> {
        // A node that hangs, and a network that is parted, keep others from joining; a slow volume keeps all waiting.
        let mut mends = self.mends.clone();
        mends.sort_by_key(|mend| (*mend != Move::Unslow, mend.joins(), mend.node().is_some()));
        let mut all = Ok(());
        for mend in mends {
            if mend == Move::Reattach && self.interrupt.is_set() {
                // Its bytes would take long, and the volume goes at once.
                continue;
            }
            self.narrator.doing(&format!("after the phase: {mend}"));
            all = all.and(self.make(mend).map(|made| moved.push(made)));
        }
        all
    }

    /// Of the rate, from now on.
    fn change(&mut self, times: f64, over: Duration) {
        self.times = times;
        self.rate.change(self.zero.elapsed(), self.per_s * times, over);
    }

    fn now_s(&self) -> f64 {
        self.zero.elapsed().as_secs_f64()
    }

    /// Makes one move; what the cluster refuses is in what is returned, what the journal refuses ends all.
    fn make(&mut self, step: Move) -> Result<Moved> {
        if let Some(mend) = step.mend() {
            (self.told)(Hurt::Making(mend))?;
            self.mends.push(mend);
        }
        let from_s = self.now_s();
        let hurt: BTreeSet<u32> = self.mends.iter().filter_map(|mend| mend.node()).collect();
        if let (Move::Hurt(Fault::Lose, _), Some(levels)) = (step, &self.levels) {
            levels.replica_lost();
        }
        let done = self.hands.make(step, &hurt);
        if let (Move::Upkeep(Upkeep::Repair), Ok(()), Some(levels)) = (step, &done, &self.levels) {
            levels.repaired();
        }
        let mut moved = Moved::well(step, from_s, self.now_s());
        match done {
            Err(error) => moved.failed = Some(format!("{error:#}")),
            Ok(()) if step.mends() => {
                self.mends.retain(|mend| *mend != step);
                (self.told)(Hurt::Mended(step))?;
            }
            Ok(()) => {}
        }
        if let (Move::Replace(node) | Move::Failover(node), None) = (step, &moved.failed) {
            match self.hands.streamed(node) {
                Ok(streamed) => moved.streamed = streamed,
                Err(error) => moved.unseen = Some(format!("what it streamed is not known: {error:#}")),
            }
        }
        Ok(moved)
    }
}

#[cfg(test)]
mod tests;
