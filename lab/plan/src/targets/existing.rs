// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! A cluster that is there already, and stays.

use std::time::{Duration, Instant};

use anyhow::{ensure, Context, Result};
use scylla::statement::Consistency;
use tokio::runtime::Runtime;

use super::data::{Data, IN_FLIGHT};
use super::hooks::Hooks;
use super::reach::Reach;
use super::{course, Load, Pace, Prepared, Target, Told, Warm};
use crate::figures::phase::Course;
use crate::figures::soak::Window;
use crate::file::{self, Client, Reset};
use crate::grid::axes::Scope;
use crate::grid::cell::Cell;
use crate::grid::plan::Plan;
use crate::timeline::Move;
use crate::trials::observed::Observed;
use lab_compare::settled::Rule;
use lab_compare::warmup::Warmup;
use lab_load::load::{self, Outcome};
use lab_load::narrator::Narrator;
use lab_node::cluster::Interrupt;

/// Measures on the cluster of a plan's `target`. What it makes there is one keyspace, which it takes away.
pub struct Existing<'a> {
    plan: &'a Plan,
    of: &'a file::Existing,
    interrupt: Interrupt,
    narrator: &'a Narrator,
    zero: Instant,
    runtime: Option<Runtime>,
    threads: usize,
    data: Option<(Cell, Data)>,
    /// The keyspace of the data, until it is dropped.
    made: Option<String>,
}

impl<'a> Existing<'a> {
    /// For a plan with a target.
    pub fn new(plan: &'a Plan, of: &'a file::Existing, interrupt: Interrupt, narrator: &'a Narrator) -> Result<Self> {
        let all = std::thread::available_parallelism().map_or(1, usize::from);
        let threads = plan.file.client.threads.unwrap_or(all);
        let runtime = Some(load::runtime(threads)?);
        Ok(Self { plan, of, interrupt, narrator, zero: Instant::now(), runtime, threads, data: None, made: None })
    }

    fn runtime(&self) -> Result<&Runtime> {
        self.runtime.as_ref().context("the target has ended")
    }

    fn data(&self) -> Result<&Data> {
        self.data.as_ref().map(|(_, data)| data).context("the cell has no data")
    }

    fn ended_well(&self, outcome: &Outcome) -> Result<()> {
        ensure!(!outcome.interrupted && !self.interrupt.is_set(), "interrupted");
        Ok(())
    }

    /// Runs an open loop until a timeline is over, and for a length at least.
    fn acted(&self, per_s: f64, timeline: &[Move], at_least: Duration, told: &mut Told<'_>) -> Result<Course> {
        let data = self.data()?;
        let mut hooks = Hooks { of: self.of, keyspace: data.keyspace() };
        let actor = course::Actor::new(per_s, &mut hooks, &self.interrupt, self.narrator, told)
            .for_at_least(at_least)
            .judged_by(data.levels());
        let runtime = self.runtime()?;
        course::run(actor, timeline, |rate, end, listener| {
            runtime.block_on(data.until(per_s, rate, self.threads, end, listener))
        })
    }

    fn fill(&mut self, cell: &Cell) -> Result<Option<String>> {
        // Making the next one drops the keyspace.
        self.data = None;
        let data = Data::make(self.plan, cell, Reach::existing(self.of)?, self.runtime()?, &self.interrupt)?;
        self.made = Some(data.keyspace().to_owned());
        self.narrator.doing(&format!("{} partitions are written", data.partitions()));
        let longest = self.plan.file.measure.fill;
        let filled = self.runtime()?.block_on(data.fill(self.threads, longest))?;
        let why = data.why_not_filled(&filled, longest);
        self.data = Some((cell.clone(), data));
        self.ended_well(&filled)?;
        Ok(why)
    }

    /// The servers are not watched: it takes its whole time.
    fn warm(&self) -> Result<Warm> {
        self.narrator.doing("warm-up");
        let mut unexplained = 0;
        Warmup::run(Rule::warm_up(self.plan.warmup_max_s()), |seconds| {
            let load = Load { pace: Pace::Closed { in_flight: IN_FLIGHT }, length: Duration::from_secs_f64(seconds) };
            let outcome = self.runtime()?.block_on(self.data()?.load(&load, self.threads))?;
            unexplained += outcome.unexplained();
            self.ended_well(&outcome).map(|()| None)
        })?;
        let unwatched = "the servers were not watched: neither their CPU nor their compactions were seen";
        Ok(Warm { notes: vec![unwatched.to_owned()], unexplained })
    }
}

impl Target for Existing<'_> {
    fn prepare(&mut self, cell: &Cell, _trial: usize, fresh: bool) -> Result<Prepared> {
        let same = |own: &Cell| own.within(Scope::Keyspace) == cell.within(Scope::Keyspace);
        match self.data.take().filter(|(own, _)| !fresh && self.plan.file.reset == Reset::None && same(own)) {
            Some((_, data)) => {
                let data = data.again(self.plan, cell, Reach::existing(self.of)?, self.runtime()?)?;
                self.data = Some((cell.clone(), data));
            }
            None => {
                if let Some(why) = self.fill(cell)? {
                    return Ok(Prepared::NotFilled(why));
                }
            }
        }
        self.warm().map(Prepared::Ready)
    }

    fn load(&mut self, load: &Load) -> Result<Observed> {
        let outcome = self.runtime()?.block_on(self.data()?.load(load, self.threads))?;
        self.ended_well(&outcome)?;
        Observed::of(&outcome)
    }

    fn window(&mut self, per_s: f64, length: Duration, upkeep: &[Move]) -> Result<Window> {
        let course = self.acted(per_s, upkeep, length, &mut |_| Ok(()))?;
        Ok(Window { observed: course.whole, moved: course.moved, ..Window::default() })
    }

    fn course(&mut self, per_s: f64, timeline: &[Move], told: &mut Told<'_>) -> Result<Course> {
        self.acted(per_s, timeline, Duration::ZERO, told)
    }

    fn read_back(&mut self) -> Result<Option<Observed>> {
        self.narrator.doing("a sample is read back at ALL");
        let read = self.runtime()?.block_on(self.data()?.read_back(self.threads))?;
        read.map(|outcome| self.ended_well(&outcome).and_then(|()| Observed::of(&outcome))).transpose()
    }

    fn stored_bytes(&mut self) -> Option<u64> {
        None
    }

    fn end(&mut self) -> Result<()> {
        let Some(keyspace) = self.made.take() else { return Ok(()) };
        match self.data.take() {
            Some((_, data)) => self.runtime()?.block_on(data.drop_keyspace()),
            // Its session went when another cell could not be prepared.
            None => remove(self.of, &keyspace),
        }
    }

    fn now(&self) -> Duration {
        self.zero.elapsed()
    }
}

impl Drop for Existing<'_> {
    /// After an error: nothing stays behind.
    fn drop(&mut self) {
        if let Err(error) = self.end() {
            self.narrator.say(&format!("cassiterite: what is left in the cluster: {error:#}"));
        }
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// Drops the keyspace of a plan that was killed, if it is there.
pub fn remove(of: &file::Existing, keyspace: &str) -> Result<()> {
    let runtime = load::runtime(1)?;
    runtime.block_on(async {
        let reach = Reach::existing(of)?;
        let session = reach.session(1, &Client::default(), Consistency::One).await?;
        reach.drop_keyspace(&session, keyspace).await
    })
}

/// Mends a node that a plan which was killed left hurt.
pub fn mend(of: &file::Existing, keyspace: &str, mend: Move) -> Result<()> {
    course::Hands::make(&mut Hooks { of, keyspace }, mend, &std::collections::BTreeSet::new())
}
