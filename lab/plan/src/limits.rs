// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Limits of a device as the user writes them.

use anyhow::{ensure, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::quantity::ByteRate;

/// Below this a node takes hours to start.
const SLOWEST_BYTES_PER_S: u64 = 64 << 10;
/// See there.
const FEWEST_PER_S: u32 = 10;

/// What a block device does at most; what is left out has no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    /// Bytes read per second.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read: Option<ByteRate>,
    /// Bytes written per second.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub write: Option<ByteRate>,
    /// Reads per second, and as many writes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub iops: Option<u32>,
}

impl Limits {
    /// Both: the lower of the two, for each.
    pub fn and(self, other: Self) -> Self {
        let lower = |one: Option<ByteRate>, other: Option<ByteRate>| {
            one.into_iter().chain(other).map(|rate| rate.0).min().map(ByteRate)
        };
        Self {
            read: lower(self.read, other.read),
            write: lower(self.write, other.write),
            iops: self.iops.into_iter().chain(other.iops).min(),
        }
    }

    /// Refuses limits that limit nothing, or that nothing works under.
    pub fn check(self) -> Result<()> {
        ensure!(self != Self::default(), "none is there: read, write or iops is expected");
        let rates = self.read.into_iter().chain(self.write);
        let slowest = rates.map(|rate| rate.0).min().unwrap_or(u64::MAX);
        ensure!(slowest >= SLOWEST_BYTES_PER_S, "64KiB/s or more is expected");
        ensure!(self.iops.is_none_or(|iops| iops >= FEWEST_PER_S), "iops: {FEWEST_PER_S} or more is expected");
        Ok(())
    }
}
