// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! A sweep: one run after the other, each with more threads.

use std::future::Future;
use std::time::Duration;

use anyhow::Result;

use super::files;
use super::measure::Measured;
use super::run::Stress;
use super::settings::{Rate, Stop, Truncate};
use super::task::PreparedTask;
use crate::observe::{Environment, Servers};
use crate::report::Run;

/// Growth of threads below and above this number, as in cassandra-stress (`StressAction.runMulti`).
const FEW_THREADS: usize = 16;
/// Between the runs of a sweep that writes, so that what the last one left behind is not the next one's burden.
const REST: Duration = Duration::from_secs(15);

impl Stress<'_> {
    /// One run after the other, each with more threads.
    pub(super) async fn sweep(
        &mut self,
        ready: &PreparedTask,
        servers: &Servers,
        environment: &Environment,
        from: usize,
        to: usize,
        auto: bool,
    ) -> Result<Vec<Run>> {
        if matches!(self.settings.work.stop, Stop::Uncertainty { .. }) {
            self.console
                .print("WARNING: err< ends each run at another number of operations; use it for a first look only");
        }
        let (mut runs, mut threads, mut emptied) = (Vec::<Measured>::new(), from, None);
        loop {
            self.console.print(&format!("\nRunning with {threads} threadCount"));
            if self.settings.work.truncate == Truncate::Always && !runs.is_empty() {
                self.truncate().await?;
                // Another ledger: what was acknowledged is gone.
                emptied = Some(self.task.prepare(&self.session, true).await?);
            }
            let ready = emptied.as_ref().unwrap_or(ready);
            let mut measured = self.once(ready, servers, environment, Rate::Closed { threads }).await?;
            measured.run.name = format!("{threads} threads");
            runs.push(measured);
            if let [.., before, now] = &runs[..] {
                let better = 100.0 * (now.run.operations_per_s() / before.run.operations_per_s() - 1.0);
                self.console.print(&format!("Improvement over {} threadCount: {better:.0}%", before.run.in_flight));
            }
            threads = if threads < FEW_THREADS { threads * 2 } else { threads * 3 / 2 };
            let interrupted = runs.last().is_some_and(|measured| measured.interrupted);
            let rates: Vec<f64> = runs.iter().map(|measured| measured.run.operations_per_s()).collect();
            if interrupted || threads > to || (auto && is_saturated(&rates, self.settings.work.stop)) {
                break;
            }
            if self.settings.work.writes() {
                self.console.print(&format!("Sleeping for {}s", REST.as_secs()));
                if is_ended(REST, tokio::signal::ctrl_c()).await {
                    self.console.print("Ended by Ctrl-C.");
                    break;
                }
            }
        }
        self.console.print(&files::sweep_table(&runs));
        Ok(runs.into_iter().map(|measured| measured.run).collect())
    }
}

/// Sleeps; whether `end` came before the time was over. A signal that was once listened to ends no process by itself.
async fn is_ended(time: Duration, end: impl Future<Output = std::io::Result<()>>) -> bool {
    tokio::select! {
        () = tokio::time::sleep(time) => false,
        Ok(()) = end => true,
    }
}

/// By cassandra-stress's own rule (`StressAction.runMulti`): more threads are tried while the last three steps brought
/// no loss in the mean, and the last five at least the target of `err<`. `n=` and `duration=` have no such target.
fn is_saturated(rates: &[f64], stop: Stop) -> bool {
    let goes_on = |steps: usize, at_least: f64| {
        let Some(first) = rates.len().checked_sub(steps + 1) else { return true };
        let sum: f64 = rates[first..].windows(2).map(|pair| (pair[1] - pair[0]) / pair[0]).sum();
        sum / steps as f64 >= at_least
    };
    let target = match stop {
        Stop::Uncertainty { target, .. } => target,
        Stop::Count(_) | Stop::Duration(_) => -1.0,
    };
    !(goes_on(3, 0.0) && goes_on(5, target))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const COUNT: Stop = Stop::Count(1000);
    const TWO_PERCENT: Stop = Stop::Uncertainty { target: 0.02, at_least: 30, at_most: 200 };

    #[test]
    fn a_sweep_ends_by_the_rule_of_cassandra_stress() {
        let is_over = |rates: &[f64], stop| is_saturated(rates, stop);
        assert!(!is_over(&[100.0, 90.0, 80.0], COUNT), "three steps are not there yet");
        assert!(is_over(&[100.0, 90.0, 80.0, 70.0], COUNT));
        assert!(!is_over(&[100.0; 4], COUNT), "no loss is no end");
        assert!(!is_over(&[100.0, 200.0, 190.0, 180.0], COUNT), "the mean of three steps counts");
        // One per cent more at each step: no loss, but less than the target.
        let slow: Vec<f64> = (0..6).map(|step| 100.0 * 1.01_f64.powi(step)).collect();
        assert!(!is_over(&slow, COUNT) && !is_over(&slow[..5], TWO_PERCENT));
        assert!(is_over(&slow, TWO_PERCENT));
        let fast: Vec<f64> = (0..6).map(|step| 100.0 * 1.03_f64.powi(step)).collect();
        assert!(!is_over(&fast, TWO_PERCENT));
        assert!(is_over(&[0.0; 4], COUNT), "of nothing there is no more");
    }

    #[test]
    fn the_rest_ends_at_once_when_it_is_interrupted() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let (long, short) = (Duration::from_secs(3600), Duration::from_millis(1));
        assert!(runtime.block_on(is_ended(long, std::future::ready(Ok(())))));
        assert!(!runtime.block_on(is_ended(short, std::future::pending())));
        let deaf = std::future::ready(Err(std::io::Error::other("no signals")));
        assert!(!runtime.block_on(is_ended(short, deaf)));
    }
}
