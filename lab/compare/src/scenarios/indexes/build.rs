// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The build of an index on the rows that are there: time, CPU, and what it takes on the device.

use std::time::{Duration, Instant};

use anyhow::{ensure, Result};

use super::values::{Column, TABLE};
use crate::figure::{Better, Figure, Unit};
use crate::phase::Used;
use crate::subject::Subject;

/// Between two questions whether the index answers.
const ASK_EVERY: Duration = Duration::from_millis(20);
/// For a million rows; a build that takes longer has failed.
const BUILD_MAX_PER_MILLION: Duration = Duration::from_secs(1800);
const MILLION: f64 = 1e6;

/// Returns when the index answers; how long that took.
pub(super) fn make(subject: &mut Subject<'_>, column: Column) -> Result<Duration> {
    let millions = subject.settings().rows as f64 / MILLION;
    let began = Instant::now();
    subject.execute(format!("CREATE INDEX {} ON {TABLE} ({})", column.index(), column.name()))?;
    let limit = BUILD_MAX_PER_MILLION.mul_f64(millions.max(1.0));
    while subject.execute(format!("SELECT key FROM {TABLE} WHERE {} = 0 LIMIT 1", column.name())).is_err() {
        ensure!(began.elapsed() < limit, "the index on {} does not answer after {limit:?}", column.name());
        std::thread::sleep(ASK_EVERY);
    }
    Ok(began.elapsed())
}

pub(super) fn build(subject: &mut Subject<'_>, column: Column) -> Result<Vec<Figure>> {
    let millions = subject.settings().rows as f64 / MILLION;
    let (bytes, before) = (subject.table_bytes() as f64, subject.readings());
    let elapsed_s = make(subject, column)?.as_secs_f64();
    subject.flush()?;
    subject.settle()?;
    let used = Used::between(&before, &subject.readings());
    subject.compact()?;
    let entry_bytes = (subject.table_bytes() as f64 - bytes) / subject.settings().rows as f64;
    let named = |what: &str| format!("build, {}: {what}", column.name());
    let per_million = |seconds: Option<f64>| seconds.map(|seconds| seconds / millions);
    Ok(vec![
        Figure::new(named("a million rows"), Unit::Seconds, Better::Lower, per_million(Some(elapsed_s))),
        Figure::new(named("server CPU of a million rows"), Unit::Seconds, Better::Lower, per_million(used.cpu_s)),
        Figure::new(named("bytes of an entry"), Unit::Bytes, Better::Lower, Some(entry_bytes)),
    ])
}
