// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Scenario `requests`: what a request costs over one connection and over many, and how long the slowest takes.

use std::time::Duration;

use anyhow::Result;

use super::super::collector::Collector;
use super::super::phase::{any, closed, open};
use super::super::subject::Subject;
use super::Trial;

/// Connections, and requests in flight over them all. Many first: the more requests, the sooner all code is compiled.
const READS: [(&str, usize); 3] =
    [("reads, 64 connections", 64), ("reads, 8 connections", 8), ("reads, 1 connection", 1)];
/// The front door leaves connections to Netty of which it has answered next to nothing for ten seconds.
const UNTIL_HANDED_OVER: Duration = Duration::from_secs(12);
const COLLECTION_EVERY: Duration = Duration::from_secs(1);
/// Of the rate that is asked for: the collections take most of the time.
const SHARE_BESIDE_COLLECTIONS: f64 = 1.0 / 6.0;

pub(super) fn run(subject: &mut Subject<'_>) -> Result<Trial> {
    let settings = subject.settings();
    let (length, keys) = (settings.length(), || any(settings.rows));
    subject.fill()?;
    let warmups = vec![subject.warm("read=1,insert=1")?, subject.warm("read=1")?];
    let mut figures = Vec::new();
    for (name, connections) in READS {
        subject.connect_over(connections)?;
        figures.extend(subject.measure(&closed(name, "read=1", keys(), length))?.figures());
    }
    subject.connect_over(settings.in_flight)?;
    subject.load(&closed("first writes", "insert=1", keys(), UNTIL_HANDED_OVER))?;
    figures.extend(subject.measure(&closed("writes", "insert=1", keys(), length))?.figures());
    // Connections that have only written are Netty's now.
    subject.connect_over(settings.in_flight)?;
    let mixed = open("reads beside writes", "read=1,insert=1", keys(), length, settings.rate_per_s);
    figures.extend(subject.measure(&mixed)?.figures());
    let collector = Collector::start(subject.pids(), COLLECTION_EVERY);
    let rate_per_s = settings.rate_per_s * SHARE_BESIDE_COLLECTIONS;
    let reads = subject.measure(&open("reads while the heap is collected", "read=1", keys(), length, rate_per_s))?;
    let collections = collector.stop();
    if collections == 0 {
        subject.invalid.push("reads while the heap is collected: jcmd GC.run did nothing".to_owned());
    }
    figures.extend(reads.figures());
    Ok(Trial { figures, warmups, ..Trial::default() })
}
