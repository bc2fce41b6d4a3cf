// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Runs a plan: step by step, each on the device before the next, until the answer is there.

use std::time::Duration;

use anyhow::{ensure, Context, Result};

use crate::file::{CapacityOf, Reset};
use crate::grid::after::all_about_s;
use crate::grid::cell::Cell;
use crate::grid::plan::Plan;
use crate::grid::race::{Race, Step};
use crate::journal::{Entry, Journal};
use crate::results::summary::summary;
use crate::targets::{Load, Pace, Prepared, Target};
use crate::trials::judge::{judge, met, wrong_rows, Standing};
use crate::trials::observed::Observed;
use crate::trials::trial::{Capacity, Purpose, ReadBack, SweepPoint, Trial, TrialLoad};
use crate::{phase, soak};
use lab_load::narrator::{words, Narrator};
use lab_load::report::Sla;
use lab_load::search::{search, Length, Probe, Search};
use lab_node::cluster::NodeEnded;

/// A search tries rates up to so many times the launch, and down to such a part of it.
const SEARCH_SPAN: f64 = 64.0;
/// A short probe is this part of the shortest run.
const SHORT: u32 = 3;

/// A plan under way.
pub struct Runner<'a> {
    plan: &'a Plan,
    race: Race,
    target: &'a mut dyn Target,
    journal: &'a mut Journal,
    narrator: &'a Narrator,
    trials: Vec<Trial>,
    /// Whether the nodes of any cell have run.
    has_run: bool,
}

impl<'a> Runner<'a> {
    /// Goes on where the journal ends.
    pub fn new(
        plan: &'a Plan,
        target: &'a mut dyn Target,
        journal: &'a mut Journal,
        narrator: &'a Narrator,
    ) -> Result<Self> {
        let trials = journal.trials();
        let has_run = !trials.is_empty();
        Ok(Self { plan, race: plan.race()?, target, journal, narrator, trials, has_run })
    }

    /// Until the answer is there, or the budget is spent; all trials.
    pub fn run(mut self) -> Result<Vec<Trial>> {
        while let Some(step) = self.race.next(&self.trials) {
            self.tell(step);
            let trial = self.trial(step)?;
            self.narrator.say(&format!("  {}", summary(&trial)));
            self.journal.add(Entry::TrialEnded { trial: Box::new(trial.clone()) })?;
            self.trials.push(trial);
        }
        phase::run(self.plan, &self.trials, self.target, self.journal, self.narrator)?;
        soak::run(self.plan, &self.trials, self.target, self.journal, self.narrator)?;
        Ok(self.trials)
    }

    fn tell(&self, step: Step) {
        let name = self.race.candidates.get(step.cell).map(|candidate| candidate.cell.name()).unwrap_or_default();
        let why = match step.purpose {
            Purpose::Screen => "a first look",
            Purpose::Check => "to check what was inferred of it",
            Purpose::Confirm => "to confirm",
            Purpose::Reference => "again, to see whether the machine is the same",
        };
        let left = self.left();
        let about = left.map(|left| format!("; about {} left at most", words(left))).unwrap_or_default();
        self.narrator.say(&format!("trial {}: {name} ({why}{about})", self.trials.len() + 1));
        self.narrator.left(left);
    }

    /// If every cell that is open were measured, and the answer confirmed, with the phases and soaks after that; no longer
    /// than the budget.
    fn left(&self) -> Option<Duration> {
        let known = self.race.knowledge(&self.trials);
        let spent_s: f64 = self.trials.iter().map(|trial| trial.took_s).sum();
        let mean_s = if self.trials.is_empty() { self.race.rules.trial_s } else { spent_s / self.trials.len() as f64 };
        let open = known.cells.iter().filter(|known| known.standing.is_none()).count();
        let after_s = all_about_s(self.plan).ok()?;
        let left_s = mean_s * (open + self.race.rules.rounds.saturating_sub(1)).max(1) as f64 + after_s;
        let budget_s = self.race.rules.budget_s.map_or(f64::INFINITY, |budget_s| (budget_s - spent_s).max(0.0));
        Duration::try_from_secs_f64(left_s.min(budget_s)).ok()
    }

    fn trial(&mut self, step: Step) -> Result<Trial> {
        let number = self.trials.len();
        let candidate = self.race.candidates.get(step.cell).context("there is no such cell")?;
        let cell = candidate.cell.clone();
        self.journal.add(Entry::TrialBegun { trial: number, cell: cell.key().to_owned(), purpose: step.purpose })?;
        let began = self.target.now();
        let fresh = self.plan.file.reset != Reset::None || step.purpose == Purpose::Confirm;
        let mut trial = Trial {
            number,
            cell: cell.key().to_owned(),
            purpose: step.purpose,
            loads: Vec::new(),
            capacity: None,
            sweep: Vec::new(),
            not_filled: None,
            node_ended: None,
            read_back: None,
            wrong: Vec::new(),
            stored_bytes: None,
            notes: Vec::new(),
            took_s: 0.0,
        };
        let ran = self.on_cell(step, &cell, fresh, &mut trial).with_context(|| cell.name());
        if let Err(error) = ran {
            trial.node_ended = Some(self.node_ended(error)?);
            self.target.end()?;
        }
        trial.took_s = (self.target.now() - began).as_secs_f64();
        Ok(trial)
    }

    fn on_cell(&mut self, step: Step, cell: &Cell, fresh: bool, trial: &mut Trial) -> Result<()> {
        let prepared = self.target.prepare(cell, trial.number, fresh)?;
        self.has_run = true;
        match prepared {
            Prepared::Ready(warm) => {
                trial.notes = warm.notes;
                trial.wrong.extend(wrong(&self.plan.slas, warm.unexplained, "warm-up"));
                self.measure(step, trial)?;
            }
            Prepared::NotFilled(why) => trial.not_filled = Some(why),
        }
        Ok(())
    }

    /// That a node ends is a figure of its cell. Where none has run yet, it is rather the machine that cannot.
    fn node_ended(&self, error: anyhow::Error) -> Result<String> {
        match error.chain().find_map(|cause| cause.downcast_ref::<NodeEnded>()) {
            Some(ended) if self.has_run => Ok(ended.summary()),
            _ => Err(error),
        }
    }

    fn measure(&mut self, step: Step, trial: &mut Trial) -> Result<()> {
        self.loads(trial)?;
        if trial.purpose == Purpose::Screen || trial.purpose == Purpose::Confirm {
            self.capacity(trial)?;
        }
        if trial.purpose == Purpose::Screen {
            self.sweep(step, trial)?;
        }
        if let Some(observed) = self.target.read_back()? {
            trial.read_back = Some(ReadBack::of(&observed));
            self.keep(trial.number, "read back", observed)?;
        }
        trial.stored_bytes = self.target.stored_bytes();
        Ok(())
    }

    /// From the lowest; those beyond a failure are not run.
    fn loads(&mut self, trial: &mut Trial) -> Result<()> {
        for share in self.shares_of(trial.purpose) {
            let load = self.load(trial.number, share)?;
            let standing = load.judged.standing;
            trial.loads.push(load);
            if standing == Standing::Fails || standing == Standing::ClientLimited {
                break;
            }
        }
        Ok(())
    }

    /// Loads below the launch are for the first look; to see the machine, the launch is enough.
    fn shares_of(&self, purpose: Purpose) -> Vec<f64> {
        let shares = self.race.rules.shares.clone();
        match purpose {
            Purpose::Screen | Purpose::Check => shares,
            Purpose::Confirm => shares.into_iter().filter(|share| *share >= 1.0).collect(),
            Purpose::Reference => shares.first().copied().into_iter().collect(),
        }
    }

    /// A run that cannot tell goes on to its longest.
    fn load(&mut self, trial: usize, share: f64) -> Result<TrialLoad> {
        let rate_per_s = self.plan.launch_per_s() * share;
        let lengths = self.plan.file.measure.run;
        let pace = Pace::Open { per_s: rate_per_s };
        self.narrator.doing(&format!("load of {rate_per_s:.0}/s"));
        let mut observed = self.target.load(&Load { pace, length: lengths.shortest })?;
        self.keep(trial, &format!("launch x {share}"), observed.clone())?;
        let mut judged = judge(&self.plan.slas, &observed)?;
        if judged.standing == Standing::TooNoisy && lengths.longest > lengths.shortest {
            let more = self.target.load(&Load { pace, length: lengths.longest - lengths.shortest })?;
            self.keep(trial, &format!("launch x {share}, longer"), more.clone())?;
            observed.add(&more)?;
            judged = judge(&self.plan.slas, &observed)?;
        }
        Ok(TrialLoad {
            share,
            rate_per_s,
            throughput_per_s: observed.throughput_per_s(),
            judged,
            rows_checked: observed.rows_checked,
            explained: observed.explained,
        })
    }

    fn capacity(&mut self, trial: &mut Trial) -> Result<()> {
        let measure = &self.plan.file.measure;
        let held = trial.loads.iter().rev().find(|load| load.judged.standing == Standing::Holds);
        let wanted = match measure.capacity {
            CapacityOf::None => false,
            CapacityOf::All => true,
            CapacityOf::Candidates => trial.standing() == Standing::Holds,
        };
        if !wanted {
            return Ok(());
        }
        let launch_per_s = self.plan.launch_per_s();
        let start_per_s = held.map_or(launch_per_s / 2.0, |load| load.rate_per_s);
        let limits = Search {
            start_per_s,
            precision: measure.precision.0,
            floor_per_s: (launch_per_s / SEARCH_SPAN).min(start_per_s),
            ceiling_per_s: (launch_per_s * SEARCH_SPAN)
                .max(start_per_s)
                .min(self.plan.file.target.as_ref().map_or(f64::INFINITY, |target| target.ceiling.0)),
            probes_max: measure.probes,
        };
        let (shortest, slas, number) = (measure.run.shortest, &self.plan.slas, trial.number);
        let (target, journal, narrator) = (&mut *self.target, &mut *self.journal, self.narrator);
        let seen = &mut trial.wrong;
        let found = search(limits, &mut |per_s, length| {
            let part = if length == Length::Long { 1 } else { SHORT };
            narrator.doing(&format!("search for the capacity: {per_s:.0}/s"));
            let load = Load { pace: Pace::Open { per_s }, length: (shortest / part).max(Duration::from_secs(1)) };
            let observed = target.load(&load)?;
            let probe = probe(slas, &observed, per_s)?;
            let load = format!("capacity, {per_s:.0}/s");
            seen.extend(wrong(slas, observed.unexplained, &load));
            journal.add(Entry::Observed { trial: number, load, observed: Box::new(observed) })?;
            Ok(probe)
        })?;
        trial.capacity = Some(Capacity {
            holds_per_s: found.holds_per_s,
            fails_per_s: found.fails_per_s,
            confirmed: found.confirmed,
            client_limited: found.client_limited,
            probes: found.probes.len(),
        });
        Ok(())
    }

    fn sweep(&mut self, step: Step, trial: &mut Trial) -> Result<()> {
        let plan = self.plan;
        let Some(cell) = self.race.candidates.get(step.cell).map(|candidate| candidate.cell.clone()) else {
            return Ok(());
        };
        for sweep in plan.sweeps_of(&cell)? {
            for in_flight in &sweep.closed {
                self.narrator.doing(&format!("closed loop, {in_flight} in flight"));
                let load = Load { pace: Pace::Closed { in_flight: *in_flight }, length: sweep.run.0 };
                let observed = self.target.load(&load)?;
                trial.sweep.push(point(*in_flight, &observed)?);
                let load = format!("{in_flight} in flight");
                trial.wrong.extend(wrong(&plan.slas, observed.unexplained, &load));
                self.keep(trial.number, &load, observed)?;
            }
        }
        Ok(())
    }

    fn keep(&mut self, trial: usize, load: &str, observed: Observed) -> Result<()> {
        ensure!(observed.elapsed_s >= 0.0, "a load went back in time");
        self.journal.add(Entry::Observed { trial, load: load.to_owned(), observed: Box::new(observed) })
    }
}

fn wrong(slas: &[Sla], unexplained: u64, load: &str) -> Option<String> {
    wrong_rows(slas, unexplained).map(|rows| format!("{load}: {rows}"))
}

fn probe(slas: &[Sla], observed: &Observed, rate_per_s: f64) -> Result<Probe> {
    Ok(Probe {
        rate_per_s,
        achieved_per_s: observed.reached_per_s(),
        met: met(slas, observed)?,
        judged: Vec::new(),
        client_limited: observed.client.clone(),
    })
}

fn point(in_flight: usize, observed: &Observed) -> Result<SweepPoint> {
    let response = observed.response(None)?;
    let ms = |percentile: f64| response.value_at_percentile(percentile) as f64 / 1e6;
    Ok(SweepPoint {
        in_flight,
        throughput_per_s: observed.throughput_per_s(),
        p50_ms: ms(50.0),
        p95_ms: ms(95.0),
        p99_ms: ms(99.0),
        errors: observed.counts(None).1,
        client: observed.client.clone(),
    })
}
