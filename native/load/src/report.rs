// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The run as one line of JSON; latencies in microseconds.

use std::sync::atomic::Ordering;
use std::time::Duration;

use anyhow::{anyhow, Result};
use serde_json::{json, Value};

use crate::args::Args;
use crate::worker::{Tally, Worker};

/// Renders the run.
pub fn json(args: &Args, worker: &Worker, elapsed: Duration) -> Result<Value> {
    let reads = tally(&worker.reads)?;
    let writes = tally(&worker.writes)?;
    let done = worker.reads.done.load(Ordering::Relaxed) + worker.writes.done.load(Ordering::Relaxed);
    let first_trouble = worker.first_trouble.lock().map_err(|_| anyhow!("poisoned"))?.clone();
    Ok(json!({
        "mode": format!("{:?}", args.mode).to_lowercase(),
        "loop": if args.rate == 0 { "closed" } else { "open" },
        "rate_due_per_s": args.rate,
        "elapsed_s": elapsed.as_secs_f64(),
        "operations": done,
        "operations_per_s": done as f64 / elapsed.as_secs_f64(),
        "wrong_reads": worker.wrong.load(Ordering::Relaxed),
        "first_trouble": first_trouble,
        "read": reads,
        "write": writes,
    }))
}

fn tally(tally: &Tally) -> Result<Value> {
    let latencies_ns = tally.latencies_ns.lock().map_err(|_| anyhow!("poisoned"))?;
    let at = |quantile: f64| latencies_ns.value_at_quantile(quantile) as f64 / 1000.0;
    Ok(json!({
        "done": tally.done.load(Ordering::Relaxed),
        "errors": tally.errors.load(Ordering::Relaxed),
        "recorded": latencies_ns.len(),
        "mean_us": latencies_ns.mean() / 1000.0,
        "p50_us": at(0.5),
        "p95_us": at(0.95),
        "p99_us": at(0.99),
        "p999_us": at(0.999),
        "p9999_us": at(0.9999),
        "max_us": latencies_ns.max() as f64 / 1000.0,
    }))
}
