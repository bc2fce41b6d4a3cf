// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Scenario `reads`: reads by key.

use anyhow::Result;

use crate::evict::Evictor;
use crate::figure::{Better, Figure, Unit};
use crate::phase::{any, closed, open};
use crate::subject::Subject;
use crate::trial::Trial;

/// Less than this of a row read from disk per read: the table was not beyond the node's memory.
const FROM_DISK_MIN: f64 = 0.5;

pub(super) fn run(subject: &mut Subject<'_>) -> Result<Trial> {
    let (settings, ops) = (subject.settings(), "read=1");
    let keys = || any(settings.rows);
    subject.fill()?;
    let warmups = vec![subject.warm(ops)?];
    let mut figures = subject.measure(&closed("hot", ops, keys(), settings.length()))?.figures();
    let paced = open("hot, fixed rate", ops, keys(), settings.length(), settings.rate_per_s);
    subject.lead_in(&paced)?;
    figures.extend(subject.measure(&paced)?.figures());
    let evictor = Evictor::start(subject.folders().to_vec(), subject.keyspace());
    let cold = closed("beyond memory", ops, keys(), settings.length());
    subject.lead_in(&cold)?;
    let cold = subject.measure_beside(&cold, || drop(evictor))?;
    let from_disk = cold.whole.disk_read_bytes.map(|bytes| bytes / cold.operations().max(1) as f64);
    if from_disk.is_some_and(|bytes| bytes < FROM_DISK_MIN * settings.value_bytes as f64) {
        subject
            .notes
            .push("beyond memory: most reads were served by the node's own caches; take more --rows".to_owned());
    }
    figures.extend(cold.figures());
    let live = (settings.rows * (settings.value_bytes + 8)) as f64;
    let amplification = subject.table_bytes() as f64 / live;
    figures.push(Figure::new("table on disk per live byte", Unit::Times, Better::Lower, Some(amplification)));
    Ok(Trial { figures, warmups, ..Trial::default() })
}
