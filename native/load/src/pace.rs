// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! When operations start: all rows once, closed loop, or open loop.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use tokio::runtime::Handle;
use tokio::sync::Semaphore;

use crate::args::Args;
use crate::worker::Worker;

/// How many operations an open loop lets pile up, per `--concurrency`.
const BACKLOG_FACTOR: usize = 32;
/// How long the open loop's clock sleeps between looks; far below the latencies it measures.
const TICK: Duration = Duration::from_micros(50);

/// Writes each row once; returns the time taken.
pub async fn all_rows(worker: &Arc<Worker>, args: &Args) -> Result<Duration> {
    keep_in_flight(worker, args, args.rows, None).await
}

/// Keeps `--concurrency` operations in flight; returns the time taken.
pub async fn closed_loop(worker: &Arc<Worker>, args: &Args) -> Result<Duration> {
    let end = Instant::now() + Duration::from_secs(args.seconds);
    keep_in_flight(worker, args, u64::MAX, Some(end)).await
}

async fn keep_in_flight(worker: &Arc<Worker>, args: &Args, count: u64, end: Option<Instant>) -> Result<Duration> {
    let start = Instant::now();
    let next = Arc::new(AtomicU64::new(0));
    let tasks: Vec<_> = (0..args.concurrency)
        .map(|_| {
            let (worker, next) = (Arc::clone(worker), Arc::clone(&next));
            tokio::spawn(async move {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    if index >= count || end.is_some_and(|end| Instant::now() >= end) {
                        break;
                    }
                    worker.operate(index, Instant::now()).await;
                }
            })
        })
        .collect();
    for task in tasks {
        task.await?;
    }
    Ok(start.elapsed())
}

/// Starts `rate` operations per second whatever becomes of them; returns the time until the last one ended.
pub async fn open_loop(worker: &Arc<Worker>, args: &Args, rate: u64) -> Result<Duration> {
    let in_flight = Arc::new(Semaphore::new(args.concurrency * BACKLOG_FACTOR));
    let total = rate * args.seconds;
    let start = Instant::now();
    let clock = {
        let (worker, in_flight, runtime) = (Arc::clone(worker), Arc::clone(&in_flight), Handle::current());
        std::thread::spawn(move || -> Result<()> {
            for index in 0..total {
                let due = start + Duration::from_nanos(index * 1_000_000_000 / rate);
                while Instant::now() < due {
                    std::thread::sleep(TICK);
                }
                let permit = runtime.block_on(Arc::clone(&in_flight).acquire_owned())?;
                let worker = Arc::clone(&worker);
                runtime.spawn(async move {
                    worker.operate(index, due).await;
                    drop(permit);
                });
            }
            Ok(())
        })
    };
    tokio::task::spawn_blocking(move || clock.join()).await?.ok().context("the clock thread failed")??;
    let all = u32::try_from(args.concurrency * BACKLOG_FACTOR)?;
    drop(in_flight.acquire_many(all).await?);
    Ok(start.elapsed())
}
