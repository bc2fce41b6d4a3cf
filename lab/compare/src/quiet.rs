// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Waits until servers are quiet: what one phase left to do must not hurt the figures of the next.

use std::time::{Duration, Instant};

use anyhow::{ensure, Context, Result};

use crate::phase::Used;
use lab_load::observe::Servers;
use lab_node::cluster::Interrupt;

/// A node burns less than this of a core when it is quiet; an idle one burns 0.03.
const QUIET_CORES: f64 = 0.1;
/// Seconds in a row that it must do so.
pub const QUIET_S: usize = 3;

/// Whether the servers were quiet within the limit.
pub fn until_quiet(servers: &Servers, limit: Duration, interrupt: &Interrupt) -> Result<bool> {
    let deadline = Instant::now() + limit;
    let mut quiet = 0;
    while quiet < QUIET_S {
        ensure!(!interrupt.is_set(), "interrupted");
        if Instant::now() > deadline {
            return Ok(false);
        }
        let before = servers.readings();
        std::thread::sleep(Duration::from_secs(1));
        let used = Used::between(&before, &servers.readings());
        let cpu_s = used.cpu_s.context("a node ended while the servers were to become quiet")?;
        quiet = if cpu_s < QUIET_CORES * used.nodes as f64 { quiet + 1 } else { 0 };
    }
    Ok(true)
}
