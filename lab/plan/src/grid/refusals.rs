// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Refusals: plans that would measure something else than they say, or that the machine cannot run.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Context, Result};
use scylla::statement::Consistency;

use crate::file::{Accepted, Driver, Fence};
use crate::grid::cell::{level_name, replicas, Cell};
use crate::grid::plan::Plan;
use crate::grid::workload::CellWorkload;
use crate::quantity::Bytes;
use crate::trials::judge::RULE_OF_THREE;
use lab_load::report::Condition;
use lab_node::cpus::Split;

/// Operations beyond a percentile that show it.
const BEYOND_MIN: f64 = 10.0;
/// Tables take so many times their bytes while they are compacted.
const COMPACTION_ROOM: f64 = 2.0;
/// Metaspace, code, threads and buffers of a JVM beside its heap.
const BESIDE_HEAP: f64 = 0.5;
/// Where a fence counts page cache as well: memtables off the heap, buffers and caches grow with the heap, the rest does not.
/// A stock node with a heap of 512 MiB took 1.6 GiB, once, while rows of 10 KB were written.
const FENCE_HEAPS: f64 = 2.0;
const FENCE_BESIDE_BYTES: f64 = 1024.0 * MIB;
const MIB: f64 = (1 << 20) as f64;

/// What is refused of a plan, and what else is to be said.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Findings {
    /// The plan does not start.
    pub refused: Vec<String>,
    /// It starts, and its reports say so.
    pub warnings: Vec<String>,
    /// What a reader should know.
    pub notes: Vec<String>,
}

/// The machine that is to run the nodes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Machine<'a> {
    /// All of its memory.
    pub memory_bytes: u64,
    /// Free where clusters are kept unless a volume says otherwise.
    pub free_bytes: u64,
    /// Who has which CPUs.
    pub cpus: Option<&'a Split>,
}

impl Findings {
    fn refuse(&mut self, plan: &Plan, refusal: Option<Accepted>, text: String) {
        match refusal {
            Some(refusal) if plan.file.accepts(refusal) => add(&mut self.warnings, format!("accepted: {text}")),
            Some(refusal) => {
                add(&mut self.refused, format!("{text} (accept: [{}] runs it all the same)", name(refusal)))
            }
            None => add(&mut self.refused, text),
        }
    }
}

fn name(refusal: Accepted) -> String {
    serde_json::to_value(refusal).ok().and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default()
}

fn add(to: &mut Vec<String>, text: String) {
    if !to.contains(&text) {
        to.push(text);
    }
}

/// Judges a plan for a machine.
pub fn check(plan: &Plan, machine: &Machine<'_>) -> Result<Findings> {
    let mut findings = Findings::default();
    for (at, cell) in plan.cells.iter().enumerate() {
        replication(cell, &mut findings)?;
        if plan.file.target.is_none() {
            memory(plan, cell, machine, &mut findings)?;
            disk(plan, at, machine, &mut findings)?;
        }
    }
    lengths(plan, &mut findings)?;
    if let Some(target) = &plan.file.target {
        let keyspace = plan.keyspace()?;
        findings.notes.push(format!(
            "the keyspace {keyspace} is made and dropped in the cluster {}, which gets {} at most",
            target.cluster_name, target.ceiling
        ));
        return Ok(findings);
    }
    cores(plan, machine, &mut findings)?;
    volumes(plan, machine, &mut findings)?;
    findings.refused.extend(crate::grid::after::unable(&plan.file));
    findings.notes.push("client and servers share one machine and its loopback: no network was measured".to_owned());
    if machine.cpus.is_none() {
        add(&mut findings.warnings, "client and servers share all CPUs: the client may wait for a core".to_owned());
    }
    Ok(findings)
}

fn replication(cell: &Cell, findings: &mut Findings) -> Result<()> {
    let (nodes, copies, racks) = (cell.nodes()?, cell.replication_factor()?, cell.whole("racks", 1)?);
    if copies > nodes {
        let skip = format!("{}: RF {copies} needs {copies} nodes, not {nodes}: leave it out with skip", cell.name());
        findings.refused.push(skip);
    }
    if racks > nodes {
        findings.refused.push(format!("{}: {racks} racks need as many nodes, not {nodes}", cell.name()));
    }
    let levels = cell.levels()?.all();
    for level in &levels {
        let needs = replicas(*level, copies);
        if needs > copies {
            findings.refused.push(format!(
                "{}: {} needs {needs} replicas of {copies}",
                cell.name(),
                level_name(*level)
            ));
        }
        let quorum = matches!(level, Consistency::Quorum | Consistency::LocalQuorum | Consistency::EachQuorum);
        if quorum && copies == 2 {
            add(&mut findings.warnings, "QUORUM at RF 2 waits for both replicas: it is ALL".to_owned());
        }
    }
    let least = levels.iter().map(|level| replicas(*level, copies)).min().unwrap_or(1);
    if 2 * least <= copies {
        let text = format!("RF {copies}: R + W <= RF at the laxest level: reads may be stale, and that is no fault");
        add(&mut findings.notes, text);
    }
    if racks > 1 && copies > racks {
        let text = format!("RF {copies} over {racks} racks: one rack holds two copies, and QUORUM dies with it");
        add(&mut findings.warnings, text);
    }
    if copies == 1 {
        add(&mut findings.warnings, "RF 1: there is no repair and no quorum; a node that is down is down".to_owned());
    }
    Ok(())
}

fn memory(plan: &Plan, cell: &Cell, machine: &Machine<'_>, findings: &mut Findings) -> Result<()> {
    let (nodes, total) = (f64::from(cell.nodes()?), machine.memory_bytes as f64);
    let Some(heap) = cell.text("heap")? else { return Ok(()) };
    let heap = heap.parse::<Bytes>().context("heap")?.0 as f64;
    let named = |axis: &str| cell.text(axis).ok().flatten().and_then(|name| plan.file.volumes.get_key_value(name));
    let tmpfs: std::collections::BTreeMap<_, _> = ["data", "commitlog"].into_iter().filter_map(named).collect();
    let tmpfs =
        tmpfs.values().filter(|volume| volume.driver == Driver::Tmpfs).map(|volume| volume.made_bytes(1) as f64);
    let wanted = tmpfs.sum::<f64>()
        + match cell.fence(&plan.file)? {
            Some(fence) => {
                let fence = fence.memory.0 as f64;
                let (least, fence_mib) = (FENCE_HEAPS * heap + FENCE_BESIDE_BYTES, fence / MIB);
                if heap >= fence {
                    let text = format!("node.memory: {fence_mib:.0} MiB do not hold a heap of {:.0} MiB", heap / MIB);
                    findings.refuse(plan, None, text);
                } else if fence < least {
                    let text = format!(
                        "node.memory: {fence_mib:.0} MiB leave a heap of {:.0} MiB no page cache: {:.0} MiB or more do",
                        heap / MIB,
                        least / MIB
                    );
                    findings.refuse(plan, Some(Accepted::Memory), text);
                }
                nodes * fence
            }
            None => nodes * heap * (1.0 + BESIDE_HEAP),
        };
    if wanted > total {
        let text = format!("{nodes} nodes take {:.0} MiB, and the machine has {:.0} MiB", wanted / MIB, total / MIB);
        findings.refuse(plan, Some(Accepted::Memory), text);
    }
    Ok(())
}

fn disk(plan: &Plan, at: usize, machine: &Machine<'_>, findings: &mut Findings) -> Result<()> {
    let (Some(cell), Some(bytes)) = (plan.cells.get(at), plan.table_bytes.get(at)) else { return Ok(()) };
    let named = cell.text("data")?.and_then(|name| plan.file.volumes.get(name));
    let free = match named {
        Some(volume) => match (volume.size, &volume.path) {
            (Some(size), _) => size.0 * u64::from(volume.made_for(cell.nodes()?)),
            (None, Some(path)) if path.is_dir() => free_bytes(path)?,
            _ => return Ok(()),
        },
        None => machine.free_bytes,
    };
    let wanted = bytes * COMPACTION_ROOM;
    if wanted > free as f64 {
        let text = format!(
            "{}: tables take {:.0} MiB with room to compact them, and {:.0} MiB are free",
            cell.name(),
            wanted / MIB,
            free as f64 / MIB
        );
        findings.refuse(plan, Some(Accepted::Disk), text);
    }
    if *bytes < machine.memory_bytes as f64 / 4.0 {
        add(&mut findings.notes, "the data fits into memory: most reads come from there".to_owned());
    }
    Ok(())
}

/// Nodes that share cores do not get faster by being more.
fn cores(plan: &Plan, machine: &Machine<'_>, findings: &mut Findings) -> Result<()> {
    let mut unfenced = BTreeSet::new();
    let mut fences: Vec<(Fence, u32)> = Vec::new();
    for cell in &plan.cells {
        let nodes = cell.nodes()?;
        let Some(fence) = cell.fence(&plan.file)? else {
            unfenced.insert(nodes);
            continue;
        };
        match fences.iter_mut().find(|(known, _)| *known == fence) {
            Some((_, most)) => *most = nodes.max(*most),
            None => fences.push((fence, nodes)),
        }
    }
    if unfenced.len() > 1 {
        let text = "nodes of one machine share its cores: more of them are no faster, unless each has a fence (node:)";
        findings.refuse(plan, Some(Accepted::SharedCores), text.to_owned());
    }
    for (fence, most) in &fences {
        fits(plan, machine, fence, *most, findings);
    }
    Ok(())
}

/// Whether so many nodes of that size have their cores.
fn fits(plan: &Plan, machine: &Machine<'_>, fence: &Fence, most: u32, findings: &mut Findings) {
    let of_machine = || std::thread::available_parallelism().map_or(1, usize::from);
    let cores = machine.cpus.map_or_else(of_machine, |split| split.servers.len());
    let wanted = fence.cpus * f64::from(most);
    if wanted > cores as f64 {
        let text = format!("node.cpus: {most} nodes take {wanted} cores, and the servers have {cores}");
        findings.refuse(plan, None, text);
    }
    if let Err(error) = lab_node::fence::able() {
        findings.refuse(plan, None, format!("node: {error:#}"));
    }
    let (cpus, memory_mib) = (fence.cpus, fence.memory.0 as f64 / MIB);
    findings.notes.push(format!("a node is a fence of {cpus} cores and {memory_mib:.0} MiB of this machine"));
}

fn volumes(plan: &Plan, machine: &Machine<'_>, findings: &mut Findings) -> Result<()> {
    let on_disk = plan.file.volumes.values().filter(|volume| volume.driver != Driver::Tmpfs);
    let most = plan.cells.iter().map(Cell::nodes).collect::<Result<Vec<_>>>()?.into_iter().max().unwrap_or(1);
    let wanted = on_disk.map(|volume| volume.made_bytes(most)).sum::<u64>();
    if wanted > machine.free_bytes {
        let (wanted, free) = (wanted as f64 / MIB, machine.free_bytes as f64 / MIB);
        findings.refused.push(format!("volumes: their files take {wanted:.0} MiB, and {free:.0} MiB are free"));
    }
    for (name, volume) in &plan.file.volumes {
        if let Err(why) = crate::volumes::able(volume, plan.is_fenced()) {
            findings.refused.push(format!("volumes: {name}: {why:#}"));
        }
        if matches!(volume.driver, Driver::Mirror | Driver::Replicated) && volume.copies > 1 {
            findings.notes.push(format!(
                "volumes: {name}: its {} copies lie on one device: their cost is measured, not their safety",
                volume.copies
            ));
        } else if volume.copies > 1 {
            let text = format!(
                "volumes: {name}: its {} copies are yours to make: their cost is measured, not their safety",
                volume.copies
            );
            findings.notes.push(text);
        }
        let holds = |axis: &str| plan.cells.iter().any(|cell| cell.text(axis).ok().flatten() == Some(name));
        if volume.price.is_some() && holds("commitlog") && !holds("data") {
            findings.notes.push(format!("volumes: {name}: its price does not count: only bytes of tables cost money"));
        }
        if holds("commitlog") && !volume.is_durable() {
            let text =
                format!("volumes: {name}: it is not durable, and commit logs are on it: a loss of power loses rows");
            findings.warnings.push(text);
        }
    }
    Ok(())
}

/// An SLA that the longest run cannot show would be *cannot tell* in every cell.
fn lengths(plan: &Plan, findings: &mut Findings) -> Result<()> {
    let longest_s = plan.file.measure.run.longest.as_secs_f64();
    let operations = plan.launch_per_s() * plan.file.shares().first().copied().unwrap_or(1.0) * longest_s;
    for sla in &plan.slas {
        let operations = operations * least_share(plan, sla.kind())?;
        let needs = match sla.condition() {
            Condition::ErrorShare { most } if most > 0.0 => RULE_OF_THREE / most,
            Condition::Percentile { percentile, .. } => BEYOND_MIN / (1.0 - percentile / 100.0),
            _ => continue,
        };
        if operations < needs {
            let text = format!(
                "sla: '{sla}' takes {needs:.0} operations, and the longest run of the lowest load has {operations:.0}"
            );
            findings.refuse(plan, Some(Accepted::ShortRuns), text);
        }
    }
    Ok(())
}

/// The part that a kind has of all operations, in the cell where it is the smallest.
fn least_share(plan: &Plan, kind: Option<&str>) -> Result<f64> {
    let Some(kind) = kind else { return Ok(1.0) };
    let mut least = 1.0_f64;
    for cell in &plan.cells {
        let mix = CellWorkload::of(&plan.file, &plan.profile, cell)?.mix;
        let place = mix.weights().iter().position(|(name, _)| name == kind);
        least = least.min(place.map_or(0.0, |place| mix.share(place)));
    }
    Ok(least)
}

/// Free bytes of the device of a folder.
pub fn free_bytes(folder: &Path) -> Result<u64> {
    let stat = nix::sys::statvfs::statvfs(folder).with_context(|| folder.display().to_string())?;
    Ok(stat.blocks_available() * stat.fragment_size())
}

#[cfg(test)]
mod tests;
