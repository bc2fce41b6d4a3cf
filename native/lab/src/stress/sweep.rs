// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! A sweep: one run after the other, each with more threads.

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
            if interrupted || threads > to || (auto && is_saturated(&runs)) {
                break;
            }
            if self.settings.work.writes() {
                self.console.print(&format!("Sleeping for {}s", REST.as_secs()));
                tokio::time::sleep(REST).await;
            }
        }
        self.console.print(&files::sweep_table(&runs));
        Ok(runs.into_iter().map(|measured| measured.run).collect())
    }
}

/// Three and five runs on end without an improvement, by cassandra-stress's own rule (`StressAction.runMulti`).
fn is_saturated(runs: &[Measured]) -> bool {
    let improvement = |count: usize| {
        let steps = runs.windows(2).rev().take(count);
        let rates = steps.map(|pair| pair[1].run.operations_per_s() / pair[0].run.operations_per_s() - 1.0);
        rates.sum::<f64>() / count as f64
    };
    [3, 5].into_iter().any(|count| runs.len() > count && improvement(count) <= 0.0)
}
