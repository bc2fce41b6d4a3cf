// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Scenario `writes`: sustained writes.

use std::time::{Duration, Instant};

use anyhow::Result;

use crate::figure::{Better, Figure, Unit};
use crate::phase::{any, closed, Used};
use crate::subject::Subject;
use crate::trial::Trial;
use lab_load::profile::Population;

const OPS: &str = "insert=1";
/// Compaction is in balance when the last windows write about as much per byte ingested as one another.
const WINDOWS: usize = 3;
const SPREAD_MAX: f64 = 0.15;
/// The approach takes at most so many times the measured length.
const APPROACH_LENGTHS: u32 = 5;

pub(super) fn run(subject: &mut Subject<'_>) -> Result<Trial> {
    let settings = subject.settings();
    let warmups = vec![subject.warm(OPS)?];
    approach(subject)?;
    // Key after key, over and over: every row is written equally often, so what is live is known exactly.
    let keys = Population::Sequence { first: 1, last: settings.rows, wraps: true, lookback: None };
    let sustained = subject.measure(&closed("sustained", OPS, keys, settings.length()))?;
    let mut figures = sustained.figures();
    let live = (settings.rows * (settings.value_bytes + 8)) as f64;
    let before = subject.table_bytes() as f64;
    figures.extend(compact(subject)?);
    let after = subject.table_bytes() as f64;
    let space = |name: &str, bytes: f64| Figure::new(name, Unit::Times, Better::Lower, Some(bytes / live));
    figures.push(space("table on disk per live byte", before));
    figures.push(space("table on disk per live byte, compacted", after));
    let check = subject.measure(&closed("read back", "read=1", any(settings.rows), settings.length() / 4))?;
    figures.extend(
        check
            .figures()
            .into_iter()
            .filter(|figure| ["rows checked", "wrong rows", "errors"].iter().any(|name| figure.name.ends_with(name))),
    );
    Ok(Trial { figures, warmups, ..Trial::default() })
}

/// Writes every key once and then on until compaction is in balance.
fn approach(subject: &mut Subject<'_>) -> Result<()> {
    let settings = subject.settings();
    subject.fill()?;
    let deadline = Instant::now() + settings.length() * APPROACH_LENGTHS;
    let window = (settings.length() / 4).max(Duration::from_secs(1));
    let mut per_byte: Vec<f64> = Vec::new();
    while Instant::now() < deadline {
        let before = subject.readings();
        let phase = closed("approach", OPS, any(settings.rows), window);
        let outcome = subject.load(&phase)?;
        let written = Used::between(&before, &subject.readings()).disk_written_bytes;
        per_byte.extend(written.map(|written| written / outcome.value_bytes_written.max(1) as f64));
        if in_balance(&per_byte) {
            return Ok(());
        }
    }
    let seen: Vec<String> = per_byte.iter().map(|times| format!("{times:.2}")).collect();
    let why = "compaction was not in balance when the measured writes began; written per byte ingested before";
    subject.notes.push(format!("{why}: {}", seen.join(", ")));
    Ok(())
}

fn in_balance(per_byte: &[f64]) -> bool {
    let last = per_byte.get(per_byte.len().saturating_sub(WINDOWS)..).unwrap_or_default();
    let (least, most) = last.iter().fold((f64::INFINITY, 0.0_f64), |(least, most), x| (least.min(*x), most.max(*x)));
    last.len() == WINDOWS && most - least <= SPREAD_MAX * most
}

/// CPU of `nodetool compact` for each GiB that there was.
fn compact(subject: &mut Subject<'_>) -> Result<Vec<Figure>> {
    subject.settle()?;
    let (gib, before) = (subject.table_bytes() as f64 / f64::from(1 << 30), subject.readings());
    let keyspace = subject.keyspace().to_owned();
    subject.nodetool(&["compact", &keyspace])?;
    subject.settle()?;
    let used = Used::between(&before, &subject.readings());
    let per_gib = |total: Option<f64>| total.map(|total| total / gib);
    let allocated_mib = per_gib(used.allocated_bytes).map(|bytes| bytes / f64::from(1 << 20));
    Ok(vec![
        Figure::new("compact: server CPU", Unit::SecondsPerGib, Better::Lower, per_gib(used.cpu_s)),
        Figure::new("compact: Java allocation per GiB", Unit::Mebibytes, Better::Lower, allocated_mib),
    ])
}

#[cfg(test)]
mod tests {
    use super::in_balance;

    #[test]
    fn balance_is_three_windows_alike() {
        assert!(!in_balance(&[2.0, 2.0]));
        assert!(!in_balance(&[2.0, 1.0, 2.0]));
        assert!(in_balance(&[9.0, 2.0, 2.1, 2.2]));
    }
}
