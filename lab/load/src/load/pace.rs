// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Starts operations: on schedule in an open loop, one after the other in a closed loop.

use std::sync::atomic::Ordering;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Result;

use crate::load::clock::{Alarm, Schedule};
use crate::load::running::{Begin, InFlight, RunningLoad, Server};

/// Starts closer together than this are made in one go: a wake-up costs about as much as an operation.
const QUANTUM: Duration = Duration::from_micros(100);
/// Starts in one go, at most, before others on the thread get their turn.
const BURST: u64 = 128;
/// The starter was away for longer than its own work takes: the client, or its machine, stood still.
const AWAY: Duration = Duration::from_millis(1);

/// Starts operations when they are due until the run is over; those still in flight are left running.
pub(super) async fn open_loop<S: Server>(shared: Arc<RunningLoad<S>>, schedule: Schedule) -> Result<()> {
    let mut alarm = Alarm::new()?;
    let mut index = 0;
    // Since the most were in flight, and until all that became due meanwhile has started.
    let mut queued = false;
    let mut watch = Watch::begin();
    while index < shared.most.load(Ordering::Relaxed) {
        let due = schedule.due(index);
        let now = watch.look();
        if shared.is_over() || shared.ends.get().is_some_and(|ends| now >= *ends + shared.spec.drain) {
            break;
        }
        if due > now {
            queued = false;
            alarm.until(due.max(now + QUANTUM)).await?;
            watch.comes_back();
            continue;
        }
        if shared.in_flight.load(Ordering::SeqCst) >= shared.spec.in_flight {
            queued = true;
            tokio::select! {
                () = shared.wait_for_slot(shared.spec.in_flight) => {}
                () = shared.halt.raised() => continue,
            }
            watch.waited();
        }
        let Some(operation) = shared.plan(index) else { break };
        shared.started.store(index + 1, Ordering::Relaxed);
        let one = InFlight::enter(&shared);
        let seen = queued.then(|| watch.seen(due));
        tokio::spawn(async move { one.0.operate(index, operation, Begin::Due { at: due, seen }).await });
        index += 1;
        if index % BURST == 0 {
            tokio::task::yield_now().await;
        }
    }
    Ok(())
}

/// Tells what the client is late by from what the servers hold up: when the starter last came back from where no server kept it.
struct Watch {
    looked: Instant,
    back: Instant,
}

impl Watch {
    fn begin() -> Self {
        let now = Instant::now();
        Self { looked: now, back: now }
    }

    /// The time; a gap since the last look counts as the client's.
    fn look(&mut self) -> Instant {
        let now = Instant::now();
        if now - self.looked >= AWAY {
            self.back = now;
        }
        self.looked = now;
        now
    }

    fn comes_back(&mut self) {
        self.looked = Instant::now();
        self.back = self.looked;
    }

    /// For operations in flight, which is the servers' doing.
    fn waited(&mut self) {
        self.looked = Instant::now();
    }

    /// When the client saw, at the latest, that an operation was due.
    fn seen(&self, due: Instant) -> Instant {
        due.max(self.back)
    }
}

/// Keeps operations in flight until the run is over and the last one ended.
pub(super) async fn closed_loop<S: Server>(shared: Arc<RunningLoad<S>>) -> Result<()> {
    let loops: Vec<_> = (0..shared.spec.in_flight.max(1))
        .map(|_| {
            let one = InFlight::enter(&shared);
            tokio::spawn(async move { one_after_the_other(&one.0).await })
        })
        .collect();
    for one in loops {
        one.await?;
    }
    Ok(())
}

async fn one_after_the_other<S: Server>(shared: &RunningLoad<S>) {
    loop {
        let is_over = |now| shared.is_over() || shared.ends.get().is_some_and(|ends| now >= *ends);
        if let Some(limiter) = &shared.limiter {
            limiter.acquire(is_over).await;
        }
        let now = Instant::now();
        if is_over(now) {
            return;
        }
        let measured = shared.is_measured(now);
        if measured && shared.measured.fetch_add(1, Ordering::Relaxed) >= shared.most.load(Ordering::Relaxed) {
            return;
        }
        let index = shared.started.fetch_add(1, Ordering::Relaxed);
        let Some(operation) = shared.plan(index) else { return };
        shared.operate(index, operation, Begin::Now { measured }).await;
    }
}
