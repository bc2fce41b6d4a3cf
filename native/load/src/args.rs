// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The command line.

use clap::{Parser, ValueEnum};

/// What to do with the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Mode {
    /// Create keyspace and table, then stop.
    Create,
    /// Write every row once, closed loop.
    Fill,
    /// Read random rows by key.
    Read,
    /// Overwrite random rows.
    Write,
    /// Half reads, half overwrites.
    Mixed,
}

/// One bounded run against one table.
#[derive(Clone, Debug, Parser)]
pub struct Args {
    /// Contact point, `address:port`.
    #[arg(long, default_value = "127.0.0.1:9042")]
    pub contact: String,
    /// Keyspace-qualified table.
    #[arg(long, default_value = "bench.rows")]
    pub table: String,
    /// Options after `WITH` for `--mode create`.
    #[arg(long, default_value = "")]
    pub with: String,
    /// What to do.
    #[arg(long, value_enum)]
    pub mode: Mode,
    /// Operations per second due (open loop); 0 keeps `--concurrency` operations in flight instead (closed loop).
    #[arg(long, default_value_t = 0)]
    pub rate: u64,
    /// Seconds to run (not for create and fill).
    #[arg(long, default_value_t = 10)]
    pub seconds: u64,
    /// Seconds at the start whose latencies are thrown away.
    #[arg(long, default_value_t = 0)]
    pub warmup_seconds: u64,
    /// Rows in the table: keys 0 to rows - 1.
    #[arg(long, default_value_t = 100_000)]
    pub rows: u64,
    /// Bytes of a row's value, half of them compressible.
    #[arg(long, default_value_t = 1000)]
    pub value_bytes: usize,
    /// Operations in flight: exactly (closed loop), at most (open loop, times 32).
    #[arg(long, default_value_t = 64)]
    pub concurrency: usize,
    /// Threads of the client.
    #[arg(long, default_value_t = 1)]
    pub client_threads: usize,
    /// Seed of the choice of keys and operations.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
}
