// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! What a configuration costs.

use anyhow::Result;
use serde::Serialize;

use crate::file::PlanFile;
use crate::grid::cell::Cell;
use crate::quantity::Bytes;

const HOURS_PER_MONTH: f64 = 730.0;
const GIB: f64 = (1_u64 << 30) as f64;

/// The costs of one cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Costs {
    /// Money for each hour; `None` without prices.
    pub per_hour: Option<f64>,
    /// Nodes.
    pub nodes: u32,
    /// Heap of all nodes.
    pub heap_bytes: u64,
    /// Bytes on all devices: rows, copies of rows, copies that volumes keep.
    pub stored_bytes: f64,
}

impl Costs {
    /// Of a cell that keeps so many bytes on all its nodes, all copies of rows counted.
    pub fn of(file: &PlanFile, cell: &Cell, table_bytes: f64) -> Result<Self> {
        let nodes = cell.nodes()?;
        let heap = cell.text("heap")?.and_then(|heap| heap.parse::<Bytes>().ok()).map_or(0, |heap| heap.0);
        let volume = cell.text("data")?.and_then(|name| file.volumes.get(name));
        let stored_bytes = table_bytes * volume.map_or(1.0, |volume| f64::from(volume.copies));
        let own_price = cell.fence(file)?.and_then(|fence| fence.price);
        let per_hour = file.cost.as_ref().map(|cost| {
            let storage = volume.and_then(|volume| volume.price).or(cost.storage).map_or(0.0, |price| price.0);
            f64::from(nodes) * own_price.unwrap_or(cost.node).0 + stored_bytes / GIB * storage / HOURS_PER_MONTH
        });
        Ok(Self { per_hour, nodes, heap_bytes: u64::from(nodes) * heap, stored_bytes })
    }

    /// For comparisons: money; without prices nodes, then memory, then bytes.
    pub fn key(&self) -> Vec<f64> {
        match self.per_hour {
            Some(per_hour) => vec![per_hour],
            None => vec![f64::from(self.nodes), self.heap_bytes as f64, self.stored_bytes],
        }
    }

    /// Money for a million operations at that rate.
    pub fn per_million(&self, rate_per_s: f64) -> Option<f64> {
        self.per_hour.map(|per_hour| per_hour / (rate_per_s * 3600.0) * 1e6)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use serde_json::json;

    const PLAN: &str = "
plan: 1
name: t
workload: {profile: p.yaml, ops: insert=1, rows_per_node: 10}
sla: ['p95<=5ms']
load: {launch: 1000/s}
volumes: {px: {path: /px, copies: 3, price: 0.073/GiB-month}}
";

    #[test]
    fn nodes_and_stored_bytes_cost_money_and_without_prices_nodes_count() {
        let cell = Cell::new(
            json!({"nodes": 3, "heap": "1g", "data": "px"}).as_object().unwrap().clone().into_iter().collect(),
            Vec::new(),
        );
        let (cell, free) = (cell.unwrap(), PlanFile::parse(PLAN).unwrap());
        let costs = Costs::of(&free, &cell, GIB).unwrap();
        assert_eq!((costs.per_hour, costs.key()), (None, vec![3.0, 3.0 * GIB, 3.0 * GIB]));
        let priced = PlanFile::parse(&format!("{PLAN}cost: {{node: 0.5/h}}\n")).unwrap();
        let costs = Costs::of(&priced, &cell, 100.0 * GIB).unwrap();
        // 1.5 for nodes; 300 GiB at 0.0001 an hour.
        assert!((costs.per_hour.unwrap() - 1.53).abs() < 1e-9);
        assert!((costs.per_million(1000.0).unwrap() - 1.53 / 3.6).abs() < 1e-9);
        let sized = json!({"nodes": 3, "node": {"cpus": 2, "memory": "4GiB", "price": "0.2/h"}});
        let sized = Cell::new(sized.as_object().unwrap().clone().into_iter().collect(), Vec::new()).unwrap();
        assert!((Costs::of(&priced, &sized, 0.0).unwrap().per_hour.unwrap() - 0.6).abs() < 1e-9);
        assert!(Costs::of(&free, &sized, 0.0).is_err(), "a price without a currency");
    }
}
