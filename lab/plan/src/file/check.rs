// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! What no plan can mean, whatever the machine.

use anyhow::{ensure, Context, Result};

use super::{Fence, PlanFile, Soak, VERSION};
use crate::timeline;
use lab_load::report::Condition;

impl PlanFile {
    pub(super) fn check(&self) -> Result<()> {
        ensure!(self.plan == VERSION, "plan: version {}; this program reads version {VERSION}", self.plan);
        ensure!(!self.sla.is_empty(), "sla: what must hold is missing, as in [\"p95<=5ms\"]");
        for sla in self.slas()? {
            let rate = matches!(sla.condition(), Condition::Rate { .. });
            ensure!(!rate, "sla: '{sla}': the rate is the load's to say: load.launch and load.headroom");
        }
        ensure!(self.load.launch.0 > 0.0, "load.launch: a rate above 0 is expected");
        ensure!(
            self.load.headroom.is_finite() && self.load.headroom >= 1.0,
            "load.headroom: {}: 1 or more is expected",
            self.load.headroom
        );
        let shares_fit =
            self.load.also.iter().all(|share| *share > 0.0 && share.is_finite() && *share <= self.load.headroom);
        ensure!(shares_fit, "load.also: shares above 0 and up to load.headroom are expected");
        ensure!(self.workload.rows_per_node.0 > 0, "workload.rows_per_node: an empty table cannot be read");
        ensure!(self.measure.rounds >= 3, "measure.rounds: {}: 3 or more confirm an answer", self.measure.rounds);
        let precision = self.measure.precision.0;
        ensure!((0.01..=0.5).contains(&precision), "measure.precision: 1% to 50% is expected");
        ensure!(self.measure.probes >= 4, "measure.probes: a search takes 4 runs or more");
        let sweeps_fit =
            self.sweeps.iter().all(|sweep| !sweep.closed.is_empty() && sweep.closed.iter().all(|n| *n > 0));
        ensure!(sweeps_fit, "sweeps: closed: numbers of operations in flight above 0 are expected");
        for phase in &self.phases {
            ensure!(phase.load.is_finite() && phase.load > 0.0, "phases: load: a share above 0 is expected");
            timeline::check(&phase.timeline).context("phases: timeline")?;
        }
        self.soak.as_ref().map_or(Ok(()), Soak::check).context("soak")?;
        ensure!(self.client.threads != Some(0) && self.client.connections != Some(0), "client: at least 1 is expected");
        self.node.as_ref().map_or(Ok(()), |fence| fence.check(self))?;
        if let Some(target) = &self.target {
            target.check(self).context("target")?;
        }
        for (name, volume) in &self.volumes {
            ensure!(!name.is_empty() && !name.contains('/'), "volumes: '{name}': a name without slashes is expected");
            volume.check().with_context(|| format!("volumes: {name}"))?;
        }
        Ok(())
    }
}

impl Fence {
    /// Refuses a size that no node fits into, and a price that nothing is paid in.
    pub(crate) fn check(&self, file: &PlanFile) -> Result<()> {
        ensure!(self.cpus.is_finite() && self.cpus >= 0.05, "node.cpus: 0.05 or more is expected");
        ensure!(self.memory.0 >= 256 << 20, "node.memory: 256MiB or more is expected");
        ensure!(self.price.is_none() || file.cost.is_some(), "node.price: cost tells the currency, and is missing");
        Ok(())
    }
}
