// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Scenario `scan`: the whole table by token ranges, and slices of partitions.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use anyhow::{ensure, Context, Result};
use futures::TryStreamExt;
use scylla::client::session::Session;
use scylla::statement::prepared::PreparedStatement;

use crate::figure::{Better, Figure, Unit};
use crate::phase::{any, closed, once, Phase};
use crate::subject::Subject;
use crate::trial::Trial;
use crate::warmup::Warmup;
use lab_load::load::{Answer, Class, Kind, Operation, Pace, Stop, Workload};

/// As profiles/wide.yaml says.
const ROWS_PER_PARTITION: u64 = 100;
/// Ranges that the ring is cut into; each is one operation.
const RANGES: u64 = 128;
/// Rows of a page, Cassandra's default.
const PAGE_ROWS: i32 = 5000;

pub(super) fn run(subject: &mut Subject<'_>) -> Result<Trial> {
    let settings = subject.settings();
    subject.fill()?;
    let warmup = subject.warm("slice=1")?;
    let scan = Arc::new(subject.block_on_session(Scan::prepare)?);
    let phase = Phase {
        name: "full scan",
        ops: "scan=1".into(),
        population: once(RANGES),
        pace: Pace::Closed,
        stop: Stop::WorkloadEnds,
    };
    // Scanning has code of its own to compile, and the front door's slices have warmed up no JVM.
    let over_and_over = Arc::new(Scan { is_endless: true, ..(*scan).clone() });
    let limit_s = Warmup::LEAD_IN_MAX_S.min(settings.warmup_max_s as f64);
    let lead_in = subject.lead_in_by(phase.name, limit_s, |subject, length| {
        let slice = closed("lead-in", "scan=1", once(RANGES), length);
        subject.load_workload(&slice, Arc::clone(&over_and_over) as Arc<dyn Workload>)
    })?;
    let full = subject.measure_workload(&phase, scan)?;
    let rows = full.rows();
    let expected = settings.rows * ROWS_PER_PARTITION;
    if rows != expected {
        subject.invalid.push(format!("full scan: {rows} rows came, {expected} are there"));
    }
    let per_row = |total: Option<f64>, scale: f64| total.map(|total| total * scale / rows as f64);
    let mut figures = vec![
        Figure::new(
            "full scan: rows",
            Unit::PerSecond,
            Better::Higher,
            Some(rows as f64 / full.outcome.elapsed.as_secs_f64()),
        ),
        Figure::new("full scan: server CPU per row", Unit::Microseconds, Better::Lower, per_row(full.whole.cpu_s, 1e6)),
        Figure::new(
            "full scan: Java allocation per row",
            Unit::Bytes,
            Better::Lower,
            per_row(full.whole.allocated_bytes, 1.0),
        ),
        Figure::new("full scan: rows missing", Unit::Count, Better::Neither, Some(expected as f64 - rows as f64)),
    ];
    let slices = subject.measure(&closed("slices", "slice=1", any(settings.rows), settings.length()))?;
    figures.extend(slices.figures());
    Ok(Trial { figures, warmups: vec![warmup, lead_in], ..Trial::default() })
}

/// Every token range once, or over and over.
#[derive(Clone, Debug)]
struct Scan {
    kinds: Vec<Kind>,
    statement: PreparedStatement,
    is_endless: bool,
}

impl Scan {
    async fn prepare(session: Arc<Session>) -> Result<Self> {
        let cql = "SELECT key, place, value FROM lab_wide.wide WHERE token(key) >= ? AND token(key) <= ?";
        let mut statement = session.prepare(cql).await.context("preparing the full scan")?;
        statement.set_page_size(PAGE_ROWS);
        Ok(Self { kinds: vec![Kind { name: "scan".to_owned(), class: Class::Read }], statement, is_endless: false })
    }
}

impl Workload for Scan {
    fn kinds(&self) -> &[Kind] {
        &self.kinds
    }

    fn plan(&self, index: u64) -> Option<Box<dyn Operation>> {
        let (first, last) = range(if self.is_endless { index % RANGES } else { index })?;
        Some(Box::new(ScanRange { statement: self.statement.clone(), first, last }))
    }
}

/// Tokens of the n-th range, both ends in it.
fn range(index: u64) -> Option<(i64, i64)> {
    let width = (1_i128 << 64) / i128::from(RANGES);
    let first = i128::from(i64::MIN) + width * i128::from(index);
    (index < RANGES).then(|| Some((i64::try_from(first).ok()?, i64::try_from(first + width - 1).ok()?)))?
}

#[derive(Debug)]
struct ScanRange {
    statement: PreparedStatement,
    first: i64,
    last: i64,
}

impl Operation for ScanRange {
    fn kind(&self) -> usize {
        0
    }

    fn run<'a>(self: Box<Self>, session: &'a Session) -> Pin<Box<dyn Future<Output = Result<Answer>> + Send + 'a>> {
        Box::pin(async move {
            let pages = session.execute_iter(self.statement, (self.first, self.last)).await?;
            let mut rows = pages.rows_stream::<(i64, i64, Vec<u8>)>()?;
            let mut answer = Answer { partitions: 1, ..Answer::default() };
            let mut before = None;
            while let Some((key, place, value)) = rows.try_next().await? {
                ensure!(!value.is_empty() && before != Some((key, place)), "row {key}, {place} came twice or empty");
                before = Some((key, place));
                answer.rows += 1;
            }
            Ok(answer)
        })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn ranges_are_the_whole_ring_without_overlap() {
        assert_eq!(range(0).unwrap().0, i64::MIN);
        assert_eq!(range(RANGES - 1).unwrap().1, i64::MAX);
        assert!((1..RANGES).all(|index| range(index).unwrap().0 == range(index - 1).unwrap().1 + 1));
        assert_eq!(range(RANGES), None);
    }
}
