// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The last drain of a table that has moved out: it waits for the rows that came meanwhile.

use std::time::Instant;

use anyhow::Result;

use crate::figure::{Better, Figure, Unit};
use crate::phase::{any, Phase};
use crate::subject::Subject;
use lab_load::load::{Pace, Stop};

/// With rows of 200 bytes some 50 MiB: less than the 64 that may stay in the engine, so that no other round begins.
const ROWS_WRITTEN: u64 = 250_000;

/// How long a `nodetool drain` takes with so many rows written since the last round. The node takes no request after it.
pub(super) fn drain(subject: &mut Subject<'_>) -> Result<Figure> {
    let rows = subject.settings().rows;
    let phase = Phase {
        name: "before the drain",
        ops: "insert=1".into(),
        population: any(rows),
        pace: Pace::Closed,
        stop: Stop::Count(ROWS_WRITTEN.min(rows)),
    };
    subject.load(&phase)?;
    let began = Instant::now();
    subject.nodetool(&["drain"])?;
    let elapsed_s = began.elapsed().as_secs_f64();
    Ok(Figure::new("out: the last drain", Unit::Seconds, Better::Lower, Some(elapsed_s)))
}
