// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Scenario `requests`: what a request costs over one connection and over many, and how long the slowest takes.

use std::time::Duration;

use anyhow::Result;

use crate::figure::{Better, Figure, Unit};
use crate::pauses::{Cause, Caused, Pauses};
use crate::phase::{any, closed, open, Phase};
use crate::subject::Subject;
use crate::trial::Trial;

/// Connections, and requests in flight over them all. Many first: the more requests, the sooner all code is compiled.
const READS: [(&str, usize, usize); 4] = [
    ("reads, 64 connections", 64, 64),
    ("reads, 8 connections", 8, 64),
    ("reads, 1 connection", 1, 64),
    ("reads, one at a time", 1, 1),
];
/// What the JVMs stand still for, and how often.
const PAUSES: [(&str, Cause, Duration); 2] = [
    ("reads while the heap is collected", Cause::Collection, Duration::from_secs(1)),
    ("reads while objects are counted", Cause::Count, Duration::from_secs(2)),
];
/// Where so many nodes have each row, the others go on without one.
const REPLICAS_MIN: u32 = 3;
const WITHOUT_A_NODE: [(&str, &str); 2] = [("reads, one node down", "read=1"), ("writes, one node down", "insert=1")];
/// Connections that ask nothing.
const IDLE_CONNECTIONS: usize = 1_000;
/// Of the rate that is asked for: the pauses take most of the time.
const SHARE_BESIDE_PAUSES: f64 = 1.0 / 6.0;

pub(super) fn run(subject: &mut Subject<'_>) -> Result<Trial> {
    let settings = subject.settings();
    let (length, keys) = (settings.length(), || any(settings.rows));
    subject.fill()?;
    let warmups = vec![subject.warm("read=1,insert=1")?];
    let mut figures = Vec::new();
    for (name, connections, in_flight) in READS {
        subject.connect_over(connections, in_flight)?;
        figures.extend(warm_for(subject, &closed(name, "read=1", keys(), length))?);
    }
    subject.connect_over(settings.in_flight, settings.in_flight)?;
    subject.lead_in(&closed("writes", "insert=1", keys(), length))?;
    subject.connect_over(settings.in_flight, settings.in_flight)?;
    // The front door leaves connections that only write to Netty after a second, and takes them back for trials.
    for name in ["writes over new connections", "writes"] {
        figures.extend(subject.measure(&closed(name, "insert=1", keys(), length))?.figures());
    }
    subject.connect_over(settings.in_flight, settings.in_flight)?;
    figures.extend(warm_for(subject, &closed("reads and writes", "read=1,insert=1", keys(), length))?);
    let mixed = open("reads beside writes", "read=1,insert=1", keys(), length, settings.rate_per_s);
    figures.extend(warm_for(subject, &mixed)?);
    for pauses in PAUSES {
        figures.extend(read_beside(subject, pauses)?);
    }
    figures.push(idle_connections(subject)?);
    if settings.replication_factor >= REPLICAS_MIN {
        subject.lose_node()?;
        subject.connect_over(settings.in_flight, settings.in_flight)?;
        for (name, ops) in WITHOUT_A_NODE {
            figures.extend(warm_for(subject, &closed(name, ops, keys(), length))?);
        }
    }
    Ok(Trial { figures, warmups, ..Trial::default() })
}

/// A phase, on servers that have compiled what it asks for, and with a table in one sorted run.
fn warm_for(subject: &mut Subject<'_>, phase: &Phase) -> Result<Vec<Figure>> {
    subject.prepare(phase)?;
    Ok(subject.measure(phase)?.figures())
}

/// What a connection costs that asks nothing.
fn idle_connections(subject: &mut Subject<'_>) -> Result<Figure> {
    subject.connect_over(1, 1)?;
    subject.settle()?;
    let before = subject.anonymous_bytes();
    subject.connect_over(IDLE_CONNECTIONS, 1)?;
    subject.settle()?;
    let more = before.zip(subject.anonymous_bytes()).map(|(before, after)| after - before);
    let each = more.map(|bytes| bytes / (IDLE_CONNECTIONS as f64 * f64::from(subject.settings().nodes)));
    Ok(Figure::new("memory of an idle connection", Unit::Bytes, Better::Lower, each))
}

/// Reads while the nodes' JVMs stand still again and again.
fn read_beside(
    subject: &mut Subject<'_>,
    (name, cause, every): (&'static str, Cause, Duration),
) -> Result<Vec<Figure>> {
    let settings = subject.settings();
    let phase = open(name, "read=1", any(settings.rows), settings.length(), settings.rate_per_s * SHARE_BESIDE_PAUSES);
    subject.prepare(&phase)?;
    let pauses = Pauses::start(subject.pids(), cause, every);
    let mut caused = Caused::default();
    let reads = subject.measure_beside(&phase, || caused = pauses.end())?;
    if caused.times == 0 {
        subject.invalid.push(format!("{name}: jcmd did nothing"));
    }
    subject.notes.push(format!("{name}: {} times, {:.2} s at most", caused.times, caused.longest_s));
    Ok(reads.figures())
}
