// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Scenario `move`: what it costs to move a filled table into the engine, and out of it. Stock runs `upgradesstables -a` of
//! the same table in its place: both read all sstables and write all rows anew.
//!
//! The profile's table moves under load, throttled; then [`TWIN`], which has the same sstables, moves alone, unthrottled. Before
//! anything is measured [`PRIMER`] moves in, and the profile's table out, so that the JVM has compiled what moves.

mod fullest;
mod rewrite;
mod tail;
mod twin;

use anyhow::{ensure, Result};

use self::rewrite::{Rewrite, Way};
use self::twin::{PRIMER, TWIN};
use crate::figure::{Better, Figure, Unit};
use crate::phase::{any, closed, latency_figures, open, Phase, Used};
use crate::subject::{Subject, MOVING};
use crate::trial::Trial;
use lab_load::load::{FaultCount, Outcome, Pace, Stop};

const OPS: &str = "read=1,insert=1";
const TABLE: &str = "rows";
const UNTHROTTLED: &str = "0";
const MIB: f64 = (1 << 20) as f64;

pub(super) fn run(subject: &mut Subject<'_>) -> Result<Trial> {
    let settings = subject.settings();
    subject.fill()?;
    subject.compact()?;
    twin::make(subject, TABLE, TWIN)?;
    twin::make(subject, TABLE, PRIMER)?;
    enter(subject)?;
    subject.nodetool(&["setcompactionthroughput", UNTHROTTLED])?;
    Rewrite::of(subject, PRIMER)?.run(subject.cluster_mut(), Way::In)?;
    let warmups = vec![subject.warm(OPS)?];
    let (of_rows, rate_per_s) = (any(settings.rows), settings.rate_per_s);
    let before = open("before", OPS, of_rows.clone(), settings.length(), rate_per_s);
    subject.lead_in(&before)?;
    let before = subject.measure(&before)?;
    let mut figures = before.figures();
    figures.extend(beside_load(subject, of_rows, rate_per_s, &before.outcome)?);
    // Whatever it finds wrong makes the run invalid.
    subject.load(&closed("read back", "read=1", any(settings.rows), settings.length() / 4))?;
    figures.extend(alone(subject, Way::In)?);
    let rewrite = Rewrite::of(subject, TABLE)?;
    if rewrite.leaves_online()? {
        rewrite.run(subject.cluster_mut(), Way::Out)?;
        figures.extend(alone(subject, Way::Out)?);
        figures.push(tail::drain(subject)?);
    } else {
        subject.notes.push("out: this plug-in moves rows out in a drain only, which is not measured".to_owned());
    }
    Ok(Trial { figures, warmups, ..Trial::default() })
}

/// A restart, which opens the tables in the engine where there is one.
fn enter(subject: &mut Subject<'_>) -> Result<()> {
    subject.nodetool(&["drain"])?;
    let engine = subject.cluster().engine().has_plugin();
    let cluster = subject.cluster_mut();
    cluster.stop(1)?;
    if engine {
        cluster.set(&[(MOVING.to_owned(), "cassiterite".to_owned())])?;
    }
    cluster.start(1)?;
    subject.members_changed()
}

/// Latencies while the table moves, throttled.
fn beside_load(
    subject: &mut Subject<'_>,
    population: lab_load::profile::Population,
    per_s: f64,
    before: &Outcome,
) -> Result<Vec<Figure>> {
    let rewrite = Rewrite::of(subject, TABLE)?;
    subject.nodetool(&["setcompactionthroughput", &subject.settings().throttle_mib_per_s.to_string()])?;
    let pace = Pace::Open { per_s };
    let phase = Phase { name: "moving", ops: OPS.into(), population, pace, stop: Stop::WorkloadEnds };
    let loaded = subject.load_while(&phase, |cluster| rewrite.run(cluster, Way::In))?;
    let outcome = &loaded.outcome;
    let mut figures = latency_figures("moving", outcome);
    for (kind, was) in outcome.tallies.iter().zip(&before.tallies) {
        let p99 = |of: &lab_load::load::Tally| of.response_ns.value_at_quantile(0.99) as f64;
        let ratio = (!kind.response_ns.is_empty() && !was.response_ns.is_empty()).then(|| p99(kind) / p99(was));
        figures.push(Figure::new(
            format!("moving: {} P99 per that before", kind.name),
            Unit::Times,
            Better::Lower,
            ratio,
        ));
    }
    let wrong: u64 = outcome.faults.iter().map(|FaultCount { rows, .. }| rows).sum();
    let errors: u64 = outcome.tallies.iter().map(|tally| tally.errors).sum();
    let count = |what: &str, value: u64| {
        Figure::new(format!("moving: {what}"), Unit::Count, Better::Neither, Some(value as f64))
    };
    figures.extend([
        count("errors", errors),
        count("rows checked", outcome.rows_checked),
        count("wrong rows", wrong),
        Figure::new("moving: time", Unit::Seconds, Better::Neither, Some(loaded.done.elapsed_s)),
    ]);
    if loaded.done.elapsed_s < subject.settings().seconds as f64 {
        let (seconds, of) = (loaded.done.elapsed_s, subject.settings().seconds);
        subject.notes.push(format!(
            "moving: it took {seconds:.1} s, less than a phase of {of} s: more --rows would take longer"
        ));
    }
    subject.settle()?;
    Ok(figures)
}

/// What a move costs that has the machine for itself, until the node is quiet.
fn alone(subject: &mut Subject<'_>, way: Way) -> Result<Vec<Figure>> {
    let rewrite = Rewrite::of(subject, TWIN)?;
    subject.nodetool(&["setcompactionthroughput", UNTHROTTLED])?;
    subject.settle()?;
    let before = subject.readings();
    let folders = subject.folders().to_vec();
    let (moved, growth) = fullest::growth_while(&folders, || rewrite.run(subject.cluster_mut(), way));
    let moved = moved?;
    subject.settle()?;
    let used = Used::between(&before, &subject.readings());
    if moved.bytes == 0 {
        ensure!(matches!(way, Way::Out), "in: the table has no sstables to move");
        subject
            .notes
            .push("out: all of the table waits for a drain, so nothing is measured: give more --rows".to_owned());
        return Ok(Vec::new());
    }
    let bytes = moved.bytes as f64;
    let per_gib = used.cpu_s.map(|cpu_s| cpu_s / bytes * f64::from(1 << 30));
    let named = |what: &str, unit: Unit, better: Better, value: Option<f64>| {
        Figure::new(format!("{}: {what}", way.name()), unit, better, value)
    };
    Ok(vec![
        named("server CPU", Unit::SecondsPerGib, Better::Lower, per_gib),
        named("throughput", Unit::MebibytesPerSecond, Better::Higher, Some(bytes / MIB / moved.elapsed_s)),
        named(
            "written per byte moved",
            Unit::Times,
            Better::Lower,
            used.disk_written_bytes.map(|written| written / bytes),
        ),
        named(
            "more on disk at the worst moment, per byte moved",
            Unit::Times,
            Better::Lower,
            Some(growth as f64 / bytes),
        ),
        named("table before", Unit::Mebibytes, Better::Neither, Some(bytes / MIB)),
    ])
}
