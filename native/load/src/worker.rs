// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! One operation against the table, and what became of all of them.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use hdrhistogram::Histogram;
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use scylla::client::session::Session;
use scylla::statement::prepared::PreparedStatement;

use crate::args::{Args, Mode};
use crate::row::Values;

/// Latencies of one kind of operation, in nanoseconds, and its errors.
pub struct Tally {
    /// Latencies recorded after the warm-up.
    pub latencies_ns: Mutex<Histogram<u64>>,
    /// Operations done, warm-up included.
    pub done: AtomicU64,
    /// Operations that failed.
    pub errors: AtomicU64,
}

impl Tally {
    fn new() -> Result<Self> {
        Ok(Self {
            latencies_ns: Mutex::new(Histogram::new_with_bounds(1, 600_000_000_000, 3)?),
            done: AtomicU64::new(0),
            errors: AtomicU64::new(0),
        })
    }

    fn record(&self, latency: Duration, counts: bool) {
        self.done.fetch_add(1, Ordering::Relaxed);
        if counts {
            if let Ok(mut latencies_ns) = self.latencies_ns.lock() {
                latencies_ns.saturating_record(u64::try_from(latency.as_nanos()).unwrap_or(u64::MAX));
            }
        }
    }
}

/// Runs operations; safe to share between tasks.
pub struct Worker {
    session: Session,
    read: PreparedStatement,
    write: PreparedStatement,
    values: Values,
    rows: u64,
    mode: Mode,
    seed: u64,
    version: AtomicU64,
    /// Latencies before this moment are not recorded.
    counts_from: Instant,
    /// What became of the reads.
    pub reads: Tally,
    /// What became of the writes.
    pub writes: Tally,
    /// Reads whose answer was wrong or missing, and the first of them in words.
    pub wrong: AtomicU64,
    /// The first error or wrong answer.
    pub first_trouble: Mutex<Option<String>>,
}

impl Worker {
    /// Prepares the statements.
    pub async fn prepare(session: Session, args: &Args) -> Result<Self> {
        let table = &args.table;
        let read = session.prepare(format!("SELECT v FROM {table} WHERE k = ?")).await?;
        let write = session.prepare(format!("INSERT INTO {table} (k, v) VALUES (?, ?)")).await?;
        Ok(Self {
            session,
            read,
            write,
            values: Values::new(args.value_bytes),
            rows: args.rows.max(1),
            mode: args.mode,
            seed: args.seed,
            version: AtomicU64::new(1),
            counts_from: Instant::now() + Duration::from_secs(args.warmup_seconds),
            reads: Tally::new()?,
            writes: Tally::new()?,
            wrong: AtomicU64::new(0),
            first_trouble: Mutex::new(None),
        })
    }

    /// Runs operation number `index`, which was due at `due`.
    pub async fn operate(&self, index: u64, due: Instant) {
        let mut random = SmallRng::seed_from_u64(self.seed.wrapping_add(index).wrapping_mul(0x2545_f491_4f6c_dd1d));
        let key = if self.mode == Mode::Fill { index } else { random.random_range(0..self.rows) };
        let reads = match self.mode {
            Mode::Read => true,
            Mode::Mixed => random.random_bool(0.5),
            Mode::Create | Mode::Fill | Mode::Write => false,
        };
        let tally = if reads { &self.reads } else { &self.writes };
        let outcome = if reads { self.read(key).await } else { self.write(key).await };
        if let Err(trouble) = outcome {
            tally.errors.fetch_add(1, Ordering::Relaxed);
            if let Ok(mut first) = self.first_trouble.lock() {
                first.get_or_insert_with(|| format!("{trouble:#}"));
            }
        }
        tally.record(due.elapsed(), Instant::now() >= self.counts_from);
    }

    async fn write(&self, key: u64) -> Result<()> {
        let value = self.values.make(key, self.version.fetch_add(1, Ordering::Relaxed));
        self.session.execute_unpaged(&self.write, (i64::try_from(key)?, value)).await?;
        Ok(())
    }

    async fn read(&self, key: u64) -> Result<()> {
        let answer = self.session.execute_unpaged(&self.read, (i64::try_from(key)?,)).await?;
        let rows = answer.into_rows_result()?;
        let checked = rows
            .maybe_first_row::<(&[u8],)>()
            .context("unexpected row shape")
            .and_then(|row| row.with_context(|| format!("key {key} is missing")))
            .and_then(|(value,)| self.values.check(key, value));
        if checked.is_err() {
            self.wrong.fetch_add(1, Ordering::Relaxed);
        }
        checked
    }
}
