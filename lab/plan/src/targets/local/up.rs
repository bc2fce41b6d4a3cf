// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! How the cluster of a cell comes up: what its nodes are, and the volumes below them.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Result;

use super::{remove, watch, Local, Site, NAME};
use crate::file::Volume;
use crate::grid::cell::Cell;
use crate::volumes::{self, Set};
use lab_load::load;
use lab_node::cluster::{Cluster, ClusterSpec};
use lab_node::cpus::Cpus;
use lab_node::fence::Fence;

impl Local<'_> {
    fn spec(&self, cell: &Cell) -> Result<ClusterSpec> {
        let mut spec = ClusterSpec::new(NAME, cell.engine()?, cell.nodes()?)?;
        spec.base.clone_from(&self.place.base);
        if let Some(heap) = cell.text("heap")? {
            heap.clone_into(&mut spec.heap);
        }
        spec.vnodes = cell.whole("num_tokens", spec.vnodes)?;
        spec.racks = cell.whole("racks", spec.racks)?;
        spec.replication_factor = cell.replication_factor()?;
        spec.set = cell.yaml();
        spec.jvm = cell.jvm()?;
        let volume = |axis: &str| -> Result<Option<PathBuf>> {
            let named = self.volume(cell, axis)?;
            Ok(named.map(|(name, volume)| volumes::folder(name, volume, &self.place.volumes)))
        };
        spec.data_dirs = volume("data")?.into_iter().collect();
        spec.wal_dir = volume("commitlog")?;
        spec.fast = self.place.fast;
        spec.cpus = self.place.cpus.as_ref().map(|split| split.servers.clone());
        let fence = cell.fence(&self.plan.file)?;
        spec.fence = fence.map(|size| Fence { cpus: size.cpus, memory_bytes: size.memory.0 });
        spec.network_faults = self.plan.file.disturbs_network();
        spec.owner_pid = i32::try_from(std::process::id()).ok();
        spec.cql_port = self.place.port;
        spec.storage_port = self.place.port + 1;
        spec.jmx_port = self.place.port + 2;
        Ok(spec)
    }

    pub(super) fn up(&self, cell: &Cell) -> Result<Site> {
        let spec = self.spec(cell)?;
        volumes::lift(&self.place.volumes)?;
        remove(&self.place.base)?;
        self.volumes(cell)?;
        self.narrator.doing(&format!("{} nodes of {} start", spec.nodes, spec.engine));
        let cluster = Cluster::up(&spec, &self.interrupt)?.reporting_to(Arc::new(self.interrupt.clone()));
        let servers = watch(&cluster);
        Ok(Site { cluster, servers, runtime: load::runtime(self.threads())?, cell: cell.clone(), data: None })
    }

    /// The volume that a cell names for data or commit logs.
    fn volume(&self, cell: &Cell, axis: &str) -> Result<Option<(&String, &Volume)>> {
        Ok(cell.text(axis)?.and_then(|name| self.plan.file.volumes.get_key_value(name)))
    }

    /// The volumes of a cell's data, and those of its logs where they are others; `nodes`: their numbers.
    pub(super) fn volumes_of(
        &self,
        cell: &Cell,
        nodes: impl Iterator<Item = u32> + Clone,
    ) -> Result<(Option<Set>, Option<Set>)> {
        let set = |(name, volume): (&String, &Volume)| Set::of(name, volume, &self.place.volumes, nodes.clone());
        let (data, log) = (self.volume(cell, "data")?, self.volume(cell, "commitlog")?);
        let log = log.filter(|(name, _)| data.is_none_or(|(other, _)| other != *name));
        Ok((data.map(set), log.map(set)))
    }

    /// Anew for each cluster: no file system is older than another.
    fn volumes(&self, cell: &Cell) -> Result<()> {
        volumes::remove(&self.place.volumes)?;
        let (data, log) = self.volumes_of(cell, 1..=cell.nodes()?)?;
        for set in data.into_iter().chain(log) {
            self.narrator.doing(&format!("volume {} is made", set.name()));
            // What serves a volume does not take the client's CPUs.
            Cpus::run_on(self.place.cpus.as_ref().map(|split| &split.servers), || set.make())?;
        }
        Ok(())
    }
}
