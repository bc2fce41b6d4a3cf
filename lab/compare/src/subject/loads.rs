// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Runs loads on a [`Subject`] and records what makes them invalid.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{bail, ensure, Context, Result};

use super::Subject;
use crate::phase::{any, closed, once, Measured, Phase, Used};
use crate::settled::{Rule, Window};
use crate::warmup::{Warmup, WindowMeter};
use lab_load::load::{self, wrong_rows, LoadSpec, Outcome, Pace, Position, Stop, Workload};
use lab_load::observe::{now_unix_ms, Client, Compilers};
use lab_load::profile::{Mix, Options, UserWorkload};
use lab_node::cluster::Cluster;
use lab_node::cpus::Cpus;

/// An open loop is not bounded by its own operations in flight.
const IN_FLIGHT_OPEN_MIN: usize = 256;
/// Intervals of a load while the cluster changes: a streaming of some seconds must stand out from the rest.
const CHANGE_INTERVAL: Duration = Duration::from_millis(250);

/// A load while something was done.
pub(crate) struct During<T> {
    /// The outcome of the load.
    pub outcome: Outcome,
    /// When it began, in milliseconds since 1970.
    pub began_unix_ms: f64,
    /// The result of the change.
    pub done: T,
}

impl Subject<'_> {
    /// Every partition once, as fast as it goes; not measured, but checked for errors.
    pub fn fill(&mut self) -> Result<()> {
        let population = once(self.settings.rows);
        let fill =
            Phase { name: "fill", ops: "insert=1".into(), population, pace: Pace::Closed, stop: Stop::WorkloadEnds };
        let workload = self.workload(&fill)?;
        let outcome = self.on_all_cpus(|subject| {
            let outcome = subject.drive(&fill, workload)?;
            subject.flush()?;
            subject.settle()?;
            Ok(outcome)
        })?;
        self.record_outcome("fill", &outcome);
        // As another client: a front door leaves connections to Netty that have only written.
        self.reconnect()
    }

    /// Loads until the servers are warm: on all CPUs, then on their own.
    pub fn warm(&mut self, ops: impl Into<Cow<'static, str>>) -> Result<Warmup> {
        let ops = ops.into();
        let population = any(self.settings.rows);
        let rule = Rule::warm_up(self.settings.warmup_max_s as f64);
        let warmup = self.warm_by("warm-up", &ops, rule, |subject, length| {
            subject.load(&closed("warm-up", ops.clone(), population.clone(), length))
        })?;
        self.settle()?;
        Ok(warmup)
    }

    /// Makes a phase that reads begin as in every other round: after its lead-in, and with a compacted table.
    pub fn prepare(&mut self, phase: &Phase) -> Result<()> {
        self.led_in(phase)?;
        self.compact()
    }

    /// A phase's own load until the compilers rest, before it is measured on servers that are warm for another one.
    pub fn lead_in(&mut self, phase: &Phase) -> Result<Warmup> {
        let lead_in = self.led_in(phase)?;
        self.settle()?;
        Ok(lead_in)
    }

    fn led_in(&mut self, phase: &Phase) -> Result<Warmup> {
        let limit_s = Warmup::LEAD_IN_MAX_S.min(self.settings.warmup_max_s as f64);
        self.warm_by("lead-in", phase.name, Rule::lead_in(limit_s), |subject, length| {
            subject.probe(&Phase { name: "lead-in", stop: Stop::Duration(length), ..phase.clone() })
        })
    }

    /// A lead-in of `limit_s` seconds at most, with windows of the caller's, each of the length that it is given.
    pub fn lead_in_by(
        &mut self,
        name: &str,
        limit_s: f64,
        window: impl FnMut(&mut Self, Duration) -> Result<Outcome>,
    ) -> Result<Warmup> {
        let lead_in = self.warm_by("lead-in", name, Rule::lead_in(limit_s), window)?;
        self.settle()?;
        Ok(lead_in)
    }

    /// The rule on all CPUs; then, on those that the servers keep, until the compilers rest there, too.
    fn warm_by(
        &mut self,
        what: &str,
        name: &str,
        rule: Rule,
        mut load: impl FnMut(&mut Self, Duration) -> Result<Outcome>,
    ) -> Result<Warmup> {
        let pids = self.pids();
        self.put_compilers_first(&pids);
        let mut warmup = self.on_all_cpus(|subject| Warmup::run(rule, |seconds| subject.window(seconds, &mut load)))?;
        if self.settings.cpus.is_some() {
            let most_s = Warmup::FENCE_MAX_S.min(rule.window_s * rule.most as f64);
            let fenced = Warmup::run(Rule::lead_in(most_s), |seconds| self.window(seconds, &mut load))?;
            warmup = warmup.then_on_fence(fenced);
        }
        Compilers::put_first(&pids, false);
        if !warmup.warm {
            self.caveats.push(format!("{what} ({name}): {}", warmup.summary()));
        }
        Ok(warmup)
    }

    fn put_compilers_first(&mut self, pids: &[i32]) {
        let refused = "the servers' compilers could not be put first, which root may: warm-ups take longer".to_owned();
        if !Compilers::put_first(pids, true) && !self.notes.contains(&refused) {
            self.notes.push(refused);
        }
    }

    fn window(
        &mut self,
        seconds: f64,
        load: &mut impl FnMut(&mut Self, Duration) -> Result<Outcome>,
    ) -> Result<Option<Window>> {
        let meter = WindowMeter::start(self.servers.readings(), self.pids());
        let outcome = load(self, Duration::from_secs_f64(seconds))?;
        Ok(meter.end(&self.servers.readings(), &outcome))
    }

    /// Does something that is not measured while the servers may use the client's CPUs, too. A JVM that keeps to one CPU compiles
    /// for four minutes there, beside the requests that it answers. It was started on the servers' CPUs, so it is sized for them.
    fn on_all_cpus<T>(&mut self, what: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        let Some(split) = &self.settings.cpus else { return what(self) };
        let keep = |cpus: &Cpus, pids: Vec<i32>| pids.into_iter().try_for_each(|pid| cpus.keep_process(pid));
        keep(&split.all(), self.pids())?;
        let done = what(self);
        keep(&split.servers, self.pids())?;
        done
    }

    /// Runs a phase and waits until the servers have done what it caused; phases that write are flushed first.
    pub fn measure(&mut self, phase: &Phase) -> Result<Measured> {
        self.measure_beside(phase, || ())
    }

    /// The same with a workload of the caller's.
    pub fn measure_workload(&mut self, phase: &Phase, workload: Arc<dyn Workload>) -> Result<Measured> {
        self.measure_with(phase, workload, || ())
    }

    /// The same beside something that goes on until `end` ends it: the servers cannot become quiet before.
    pub fn measure_beside(&mut self, phase: &Phase, end: impl FnOnce()) -> Result<Measured> {
        let workload = self.workload(phase)?;
        self.measure_with(phase, workload, end)
    }

    fn measure_with(&mut self, phase: &Phase, workload: Arc<dyn Workload>, end: impl FnOnce()) -> Result<Measured> {
        let classes: Vec<_> = workload.kinds().iter().map(|kind| kind.class).collect();
        let (before, client) = (self.servers.readings_exact(), Client::now());
        let outcome = self.drive(phase, workload)?;
        let (client, during) = (Client::now().since(&client), Used::between(&before, &self.servers.readings()));
        end();
        if outcome.value_bytes_written > 0 {
            self.flush()?;
        }
        self.settle()?;
        let whole = Used::between(&before, &self.servers.readings_exact());
        self.record_outcome(phase.name, &outcome);
        Ok(Measured { name: phase.name.to_owned(), outcome, classes, during, whole, client })
    }

    /// Runs a phase that is not measured; wrong rows are a reason not to believe the run all the same.
    pub fn load(&mut self, phase: &Phase) -> Result<Outcome> {
        let outcome = self.load_unjudged(phase)?;
        self.record_wrong_rows(phase.name, &outcome);
        Ok(outcome)
    }

    /// Runs a phase that is not measured with a workload of the caller's.
    pub fn load_workload(&mut self, phase: &Phase, workload: Arc<dyn Workload>) -> Result<Outcome> {
        let outcome = self.drive(phase, workload)?;
        self.record_outcome(phase.name, &outcome);
        Ok(outcome)
    }

    /// Runs a phase; what is wrong with its answers is the caller's to say.
    pub fn load_unjudged(&mut self, phase: &Phase) -> Result<Outcome> {
        self.drive(phase, self.workload(phase)?)
    }

    /// Runs a phase whose client may wait for a core and begin late: the lead-in of another, which lends its CPUs, and a probe,
    /// whose response times are held against a limit. A late client only makes them longer: within the limit they are all the
    /// more.
    pub fn probe(&mut self, phase: &Phase) -> Result<Outcome> {
        let mut spec = self.spec(phase);
        spec.limits.run_queue_share = f64::INFINITY;
        spec.limits.late_start_share = f64::INFINITY;
        let outcome = self.drive_by(spec, phase.name, self.workload(phase)?)?;
        self.record_wrong_rows(phase.name, &outcome);
        Ok(outcome)
    }

    fn workload(&self, phase: &Phase) -> Result<Arc<dyn Workload>> {
        let mut options = Options::new(phase.ops.parse::<Mix>()?, phase.population.clone());
        options.ledger = Some(Arc::clone(&self.ledger));
        let workload = self.runtime.block_on(UserWorkload::prepare(&self.session, &self.profile, options))?;
        Ok(Arc::new(workload))
    }

    /// Runs a load while `change` changes the cluster, and ends it when that is done. What becomes of operations meanwhile is
    /// the answer that is asked for: their failures do not make it invalid. Call [`Self::members_changed`] afterwards.
    pub(crate) fn load_while<T>(
        &mut self,
        phase: &Phase,
        change: impl FnOnce(&mut Cluster) -> Result<T>,
    ) -> Result<During<T>> {
        let workload = self.workload(phase)?;
        let mut spec = self.spec(phase);
        spec.limits.error_share = 1.0;
        spec.interval = CHANGE_INTERVAL;
        let end = spec.end.clone();
        let began_unix_ms = now_unix_ms();
        let load = self.runtime.spawn(load::run(Arc::clone(&self.session), workload, spec, |_| ()));
        let done = change(&mut self.cluster);
        end.raise();
        let outcome = self.runtime.block_on(load).context("the load ended early")??;
        ensure!(!outcome.interrupted, "interrupted");
        let done = done?;
        let spoiled = outcome.invalid.iter().map(|reason| format!("{}: {reason}", phase.name));
        self.notes.extend(spoiled);
        self.notes
            .extend(outcome.first_errors.iter().map(|(error, times)| format!("{}: {times} x {error}", phase.name)));
        self.record_wrong_rows(phase.name, &outcome);
        Ok(During { outcome, began_unix_ms, done })
    }

    fn spec(&self, phase: &Phase) -> LoadSpec {
        let mut spec = LoadSpec {
            pace: phase.pace,
            position: if phase.is_spread() { self.position.clone() } else { Position::default() },
            in_flight: self.in_flight,
            threads: self.settings.threads,
            own_cpus: self.settings.cpus.is_some(),
            stop: phase.stop,
            levels: Some(Arc::clone(&self.levels)),
            ..LoadSpec::default()
        };
        match phase.pace {
            Pace::Open { .. } => spec.in_flight = spec.in_flight.max(IN_FLIGHT_OPEN_MIN),
            // A closed loop beside its server fills the machine by design: waiting for a core slows it, it falsifies nothing.
            Pace::Closed | Pace::Limited { .. } => spec.limits.run_queue_share = f64::INFINITY,
        }
        spec
    }

    fn drive(&self, phase: &Phase, workload: Arc<dyn Workload>) -> Result<Outcome> {
        self.drive_by(self.spec(phase), phase.name, workload)
    }

    fn drive_by(&self, spec: LoadSpec, name: &str, workload: Arc<dyn Workload>) -> Result<Outcome> {
        self.ensure_not_interrupted()?;
        let outcome = self.runtime.block_on(load::run(Arc::clone(&self.session), workload, spec, |_| ()))?;
        ensure!(!outcome.interrupted, "interrupted");
        let gone = self.members().into_iter().find(|node| node.pid.is_none());
        if let Some(node) = gone {
            bail!("{} ended during '{name}': see {}", node.name, node.system_log.display());
        }
        Ok(outcome)
    }

    /// Whether a signal wants the comparison to end.
    pub fn is_interrupted(&self) -> bool {
        self.interrupt.is_set()
    }

    /// The load listens to signals only while it runs.
    pub(super) fn ensure_not_interrupted(&self) -> Result<()> {
        ensure!(!self.is_interrupted(), "interrupted");
        Ok(())
    }

    fn record_wrong_rows(&mut self, phase: &str, outcome: &Outcome) {
        let Some(reason) = wrong_rows(&outcome.faults) else { return };
        self.invalid.push(format!("{phase}: {reason}"));
        self.notes.extend(outcome.first_faults.iter().map(|fault| format!("{phase}: {fault}")));
    }

    fn record_outcome(&mut self, phase: &str, outcome: &Outcome) {
        self.invalid.extend(outcome.invalid.iter().map(|reason| format!("{phase}: {reason}")));
        self.notes.extend(outcome.first_faults.iter().map(|fault| format!("{phase}: {fault}")));
        self.notes.extend(outcome.first_errors.iter().map(|(error, times)| format!("{phase}: {times} x {error}")));
    }
}
