// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Scenario `indexes`: what secondary indexes cost writes, queries, builds, the device, and a restart.

mod build;
mod check;
mod queries;
mod values;
mod writes;

use std::sync::Arc;

use anyhow::{ensure, Result};

use self::build::{build, make};
use self::check::unlike_a_scan;
use self::queries::Queries;
use self::values::{Column, Values, TABLE};
use self::writes::Writes;
use crate::figure::{Better, Figure, Unit};
use crate::phase::{any, closed, once, Phase};
use crate::scenarios::restart;
use crate::subject::Subject;
use crate::trial::Trial;
use crate::warmup::Warmup;
use lab_load::load::{Pace, Stop, Workload};
use lab_load::profile::Population;

/// Name, columns that are asked for.
const QUERIES: [(&str, &[Column]); 4] = [
    ("query, 1 row", &[Column::Single]),
    ("query, 100 rows", &[Column::Hundred]),
    ("query, 10,000 rows", &[Column::Many]),
    ("query, two indexes", &[Column::Hundred, Column::Many]),
];

pub(super) fn run(subject: &mut Subject<'_>) -> Result<Trial> {
    let values = Values { rows: subject.settings().rows };
    let value_bytes = subject.settings().value_bytes;
    let writes = subject.block_on_session(|session| Writes::prepare(session, values, value_bytes))?;
    write_all(subject, &writes)?;
    let mut trial = Trial::default();
    for column in Column::ALL {
        trial.figures.extend(build(subject, column)?);
    }
    for (name, columns) in QUERIES {
        query(subject, name, columns, true, &mut trial)?;
    }
    write(subject, "write, 3 indexes", &writes, &mut trial)?;
    query(subject, "query, 100 rows, written again", &[Column::Hundred], false, &mut trial)?;
    for (name, dropped) in
        [("write, 1 index", &[Column::Single, Column::Many][..]), ("write, no index", &[Column::Hundred])]
    {
        for column in dropped {
            subject.execute(format!("DROP INDEX lab_indexed.{}", column.index()))?;
        }
        write(subject, name, &writes, &mut trial)?;
    }
    for column in Column::ALL {
        make(subject, column)?;
    }
    // Last: whatever follows would meet a JVM that has compiled nothing.
    trial.figures.extend(kill_and_ask(subject, &writes)?);
    Ok(trial)
}

/// Every row in its first version, flushed and compacted.
fn write_all(subject: &mut Subject<'_>, writes: &Writes) -> Result<()> {
    let outcome = subject.load_workload(&pass("fill", subject.settings().rows), writes.pass())?;
    ensure!(outcome.tallies.iter().all(|tally| tally.errors == 0), "not every row could be written");
    subject.compact()
}

fn pass(name: &'static str, rows: u64) -> Phase {
    Phase { name, ops: "write=1".into(), population: once(rows), pace: Pace::Closed, stop: Stop::WorkloadEnds }
}

fn query(
    subject: &mut Subject<'_>,
    name: &'static str,
    columns: &[Column],
    exact: bool,
    trial: &mut Trial,
) -> Result<()> {
    let values = Values { rows: subject.settings().rows };
    let queries = subject.block_on_session(|session| Queries::prepare(session, values, columns, exact))?;
    let of_rows = any(values.rows);
    trial.warmups.push(lead_in(subject, name, &of_rows, || Arc::clone(&queries) as Arc<dyn Workload>)?);
    let phase = closed(name, "query=1", of_rows, subject.settings().length());
    let measured = subject.measure_workload(&phase, queries)?;
    trial.figures.extend(measured.figures());
    let rows = measured.rows() as f64 / measured.operations() as f64;
    trial.figures.push(Figure::new(format!("{name}: rows of an answer"), Unit::Count, Better::Neither, Some(rows)));
    Ok(())
}

fn write(subject: &mut Subject<'_>, name: &'static str, writes: &Writes, trial: &mut Trial) -> Result<()> {
    let of_rows = Population::sequence(subject.settings().rows);
    trial.warmups.push(lead_in(subject, name, &of_rows, || writes.go_on())?);
    let phase = closed(name, "write=1", of_rows, subject.settings().length());
    trial.figures.extend(subject.measure_workload(&phase, writes.go_on())?.figures());
    Ok(())
}

fn lead_in(
    subject: &mut Subject<'_>,
    name: &'static str,
    of_rows: &Population,
    workload: impl Fn() -> Arc<dyn Workload>,
) -> Result<Warmup> {
    // No warm-up comes before it: each phase asks for something else.
    let limit_s = subject.settings().warmup_max_s as f64;
    subject.lead_in_by(name, limit_s, |subject, length| {
        let slice = closed(name, "lead-in", of_rows.clone(), length);
        subject.load_workload(&slice, workload())
    })
}

/// Kills the node after writes that are only in its logs, and starts it.
fn kill_and_ask(subject: &mut Subject<'_>, writes: &Writes) -> Result<Vec<Figure>> {
    let rows = subject.settings().rows;
    subject.load_workload(&pass("before the kill", rows), writes.pass())?;
    subject.cluster_mut().kill(1)?;
    let question = format!("SELECT key FROM {TABLE} WHERE hundred = 0 LIMIT 1");
    let (to_answer_s, cpu_s) = restart::start(subject, &question)?;
    subject.reconnect()?;
    subject.settle()?;
    let unlike = unlike_a_scan(subject, Values { rows })?;
    if unlike > 0 {
        subject
            .invalid
            .push(format!("after the restart {unlike} rows are found by a scan or by index, but not by both"));
    }
    Ok(vec![
        Figure::new("kill -9 to first answer by index", Unit::Seconds, Better::Lower, Some(to_answer_s)),
        Figure::new("kill -9: server CPU until all is up", Unit::Seconds, Better::Lower, cpu_s),
        Figure::new("rows unlike a scan after the restart", Unit::Count, Better::Neither, Some(unlike as f64)),
    ])
}
