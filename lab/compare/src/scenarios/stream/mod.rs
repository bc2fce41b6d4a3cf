// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Scenario `stream`: nodes die and are replaced: how long the streaming takes, what it costs at both ends, and what clients feel of it.

mod copy;
mod ends;
mod replacement;
mod under_load;

use anyhow::Result;
use scylla::statement::Consistency;

use crate::figure::{Better, Detail, Figure, Unit};
use crate::phase::{once, Phase};
use crate::streams::{self, Replacement};
use crate::subject::Subject;
use crate::trial::Trial;
use lab_load::load::{Pace, Stop};

const MEBIBYTE: f64 = (1_u64 << 20) as f64;

pub(super) fn run(subject: &mut Subject<'_>) -> Result<Trial> {
    let settings = subject.settings();
    subject.fill()?;
    streams::ready(subject.cluster())?;
    let per_node = subject.table_bytes() as f64 / MEBIBYTE / f64::from(settings.nodes);
    let mut figures = vec![Figure::new("table on each node", Unit::Mebibytes, Better::Neither, Some(per_node))];
    let mut replacements = Vec::new();
    for _ in 0..settings.samples {
        replacements.push(replacement::replace(subject)?);
    }
    figures.extend(of(&replacements));
    figures.extend(read_back(subject)?);
    // A partition has two replicas, of which one may be dead.
    subject.ask_at(Consistency::LocalOne, Consistency::LocalOne)?;
    let (warmup, loaded) = under_load::run(subject)?;
    figures.extend(loaded);
    Ok(Trial { figures, warmups: vec![warmup], replacements, ..Trial::default() })
}

/// Every row once, each from one replica, which half of the time is the node that has them by streaming.
fn read_back(subject: &mut Subject<'_>) -> Result<Vec<Figure>> {
    subject.ask_at(Consistency::LocalOne, Consistency::LocalQuorum)?;
    let population = once(subject.settings().rows);
    let all = Phase {
        name: "read back",
        ops: "partition=1".into(),
        population,
        pace: Pace::Closed,
        stop: Stop::WorkloadEnds,
    };
    let checks = ["rows checked", "wrong rows", "errors"];
    let figures = subject.measure(&all)?.figures();
    Ok(figures.into_iter().filter(|figure| checks.iter().any(|name| figure.name.ends_with(name))).collect())
}

/// Means over the replacements of one cluster.
fn of(replacements: &[Replacement]) -> Vec<Figure> {
    let mebibytes = |bytes: Option<u64>| bytes.map(|bytes| bytes as f64 / MEBIBYTE);
    let mean = |name: &str, unit: Unit, better: Better, value: &dyn Fn(&Replacement) -> Option<f64>| {
        let values: Option<Vec<f64>> = replacements.iter().map(value).collect();
        let mean = values.as_ref().map(|values| values.iter().sum::<f64>() / values.len() as f64);
        Figure::new(name, unit, better, mean).made_of(values.map_or(Detail::Single, Detail::Series))
    };
    let (lower, higher, neither) = (Better::Lower, Better::Higher, Better::Neither);
    let (per_gib, mib) = (Unit::SecondsPerGib, Unit::Mebibytes);
    vec![
        mean("streaming time", Unit::Seconds, lower, &|r| Some(r.streaming_s)),
        mean("streamed", mib, neither, &|r| mebibytes(Some(r.bytes))),
        mean("streamed whole", Unit::Percent, higher, &|r| r.shares.whole_percent()),
        mean("streaming throughput", Unit::MebibytesPerSecond, higher, &|r| Some(r.mebibytes_per_s())),
        mean("plain copy", Unit::MebibytesPerSecond, neither, &|r| Some(r.copy_mebibytes_per_s())),
        mean("throughput of the plain copy's", Unit::Percent, higher, &|r| Some(r.of_copy_percent())),
        mean("both ends: CPU", per_gib, lower, &|r| r.per_gib(r.cpu_s())),
        mean("plain copy, both ends: CPU", per_gib, neither, &|r| r.per_gib(Some(r.copy_cpu_s))),
        mean("senders: CPU", per_gib, lower, &|r| r.per_gib(r.senders.cpu_s)),
        mean("receiver: CPU", per_gib, lower, &|r| r.per_gib(r.receiver.cpu_s)),
        mean("all nodes until quiet: CPU", per_gib, lower, &|r| r.per_gib(r.cpu_until_quiet_s)),
        mean("all nodes until quiet: written to disk", mib, lower, &|r| mebibytes(r.written_until_quiet_bytes)),
        mean("end of the streaming to quiet", Unit::Seconds, neither, &|r| r.quiet_after_s),
        mean("sender: peak resident memory", mib, lower, &|r| mebibytes(r.senders.resident_bytes)),
        mean("sender: peak without mapped files", mib, lower, &|r| mebibytes(r.senders.anonymous_bytes)),
        mean("receiver: peak resident memory", mib, lower, &|r| mebibytes(r.receiver.resident_bytes)),
        mean("receiver: peak without mapped files", mib, lower, &|r| mebibytes(r.receiver.anonymous_bytes)),
        mean("start of the new node to UN", Unit::Seconds, neither, &|r| r.joining_s),
    ]
}
