// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Volumes as the user writes them.

use std::path::PathBuf;

use anyhow::{bail, ensure, Context, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::limits::Limits;
use crate::quantity::{Bytes, StoragePrice};

/// A place for data or commit logs: a folder, a mount point of yours, or a file system that the run makes.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Volume {
    /// What it is.
    #[serde(default)]
    pub driver: Driver,
    /// The folder of `directory` and `mount`. Node N uses `plan/nodeN` in it.
    #[serde(default)]
    pub path: Option<PathBuf>,
    /// The size of `tmpfs`, of `loop`, and of each copy of `mirror` and `replicated`.
    #[serde(default)]
    pub size: Option<Bytes>,
    /// Copies that the volume itself keeps of each byte: made by `mirror` and `replicated`, of `directory` and `mount` only described.
    #[serde(default = "one_copy")]
    pub copies: u32,
    /// Whether each node has one of its own, of that size, which another host can mount: of `loop`, `mirror` and `replicated`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub per_node: bool,
    /// What each device of `loop`, `mirror` and `replicated` does at most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limits: Option<Limits>,
    /// Whether what was synced outlives a loss of power.
    #[serde(default = "yes")]
    pub durable: bool,
    /// Its own price of the bytes of tables, `cost.storage` without; logs cost nothing.
    #[serde(default)]
    pub price: Option<StoragePrice>,
}

/// What a volume is. Those of the last four kinds are made by the run, and need root.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Driver {
    /// A folder of the host.
    #[default]
    Directory,
    /// A mount point of yours.
    Mount,
    /// Memory; what is written counts as memory of the node that writes it.
    Tmpfs,
    /// A file as a block device, with ext4.
    Loop,
    /// 1 to 3 such files with btrfs, each byte on each of them.
    Mirror,
    /// 1 to 3 hosts of storage, each with such a file, which GlusterFS replicates over the loopback.
    Replicated,
}

impl Driver {
    /// Whether the run makes it.
    pub fn makes(self) -> bool {
        matches!(self, Self::Tmpfs | Self::Loop | Self::Mirror | Self::Replicated)
    }

    /// What it is, in words.
    pub fn about(self) -> &'static str {
        match self {
            Self::Directory => "a folder of the host",
            Self::Mount => "a mount point",
            Self::Tmpfs => "memory",
            Self::Loop => "a file as a block device",
            Self::Mirror => "a mirror of files as block devices",
            Self::Replicated => "hosts of storage that replicate",
        }
    }

    /// Whether it has block devices of its own.
    pub fn has_device(self) -> bool {
        matches!(self, Self::Loop | Self::Mirror | Self::Replicated)
    }
}

impl Volume {
    /// Whether what was synced outlives a loss of power.
    pub fn is_durable(&self) -> bool {
        self.durable && self.driver != Driver::Tmpfs
    }

    /// Bytes of all its copies, where the run makes it for a cluster of so many nodes.
    pub fn made_bytes(&self, nodes: u32) -> u64 {
        self.size.map_or(0, |size| size.0 * u64::from(self.copies) * u64::from(self.made_for(nodes)))
    }

    /// How many of it are made for a cluster of so many nodes.
    pub fn made_for(&self, nodes: u32) -> u32 {
        if self.per_node {
            nodes
        } else {
            1
        }
    }

    pub(super) fn check(&self) -> Result<()> {
        ensure!(self.copies > 0, "copies: 1 or more is expected");
        if let Some(limits) = self.limits {
            match self.driver {
                Driver::Tmpfs => bail!("limits: memory has no device that could be slowed down"),
                driver if !driver.has_device() => {
                    bail!("limits: the device is yours, and others may use it: only a volume that the run makes has its own")
                }
                _ => limits.check().context("limits")?,
            }
        }
        ensure!(
            !self.per_node || self.driver.has_device(),
            "per_node: a loop, a mirror or a replicated volume is made for each node, nothing else"
        );
        if !self.driver.makes() {
            ensure!(self.path.is_some(), "the path is missing");
            ensure!(self.size.is_none(), "size: a folder has the size of its device");
            return Ok(());
        }
        ensure!(self.path.is_none(), "path: the run makes this volume below its own folder");
        let size = self.size.context("the size is missing, as 2GiB")?.0;
        match self.driver {
            Driver::Mirror | Driver::Replicated => {
                ensure!(self.copies <= 3, "copies: 3 at most are kept");
                ensure!(size >= 256 << 20, "size: each copy takes 256MiB or more");
            }
            _ => {
                ensure!(self.copies == 1, "copies: only a mirror or a replicated volume keeps more than one");
                ensure!(size >= 16 << 20, "size: 16MiB or more is expected");
            }
        }
        Ok(())
    }
}

fn one_copy() -> u32 {
    1
}

fn yes() -> bool {
    true
}
