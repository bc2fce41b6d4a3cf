// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The rows and the results block of cassandra-stress (`org.apache.cassandra.stress.report.StressMetrics`), so that what
//! reads its output reads ours. One column is added behind its last: the backlog.

use std::fmt::Write;
use std::time::Duration;

use super::digest::{Latency, Part, Span, Totals};

/// In place of a number that is not known, where cassandra-stress prints `NaN`.
const UNKNOWN: &str = "-";

/// Garbage collections of all servers in some time; NaN is unknown, as where a server's GC log cannot be read, and is
/// printed as `-`.
#[derive(Clone, Copy, Debug)]
pub struct Collections {
    /// How many pauses.
    pub count: f64,
    /// The longest.
    pub max_ms: f64,
    /// All of them.
    pub sum_ms: f64,
    /// Standard deviation of their lengths.
    pub sdv_ms: f64,
    /// Allocated on the heaps in that time.
    pub mb: f64,
}

impl Default for Collections {
    fn default() -> Self {
        Self { count: f64::NAN, max_ms: f64::NAN, sum_ms: f64::NAN, sdv_ms: f64::NAN, mb: f64::NAN }
    }
}

/// The header; `kinds` are the names of the rows to come.
pub fn header(kinds: &[&str]) -> String {
    let width = width(kinds);
    format!(
        "{:<width$}{:>10},{:>8},{:>8},{:>8},{:>8},{:>8},{:>8},{:>8},{:>8},{:>8},{:>7},{:>9},{:>7},{:>7},{:>8},{:>8},{:>8},{:>8},{:>8}",
        "type", "total ops", "op/s", "pk/s", "row/s", "mean", "med", ".95", ".99", ".999", "max", "time", "stderr", "errors",
        "gc: #", "max ms", "sum ms", "sdv ms", "mb", "backlog"
    )
}

/// The columns of a row that are not of its interval.
#[derive(Clone, Copy, Debug)]
pub struct RowContext {
    /// Operations of that kind since the start.
    pub total_operations: u64,
    /// Standard error of the row rate.
    pub uncertainty: f64,
    /// Garbage collections in the interval.
    pub collections: Collections,
}

/// One row: what `kind` did in `span`.
pub fn row(kinds: &[&str], kind: &str, span: &Span, part: &Part, context: &RowContext) -> String {
    let (width, s, gc) = (width(kinds), span.length_s(), &context.collections);
    let Latency { mean_ms, p50_ms, p95_ms, p99_ms, p999_ms, max_ms } = part.response;
    format!(
        "{:<width$}{:>10},{:>8.0},{:>8.0},{:>8.0},{mean_ms:>8.1},{p50_ms:>8.1},{p95_ms:>8.1},{p99_ms:>8.1},{p999_ms:>8.1},{max_ms:>8.1},{:>7.1},{:>9},{:>7},{:>7},{:>8},{:>8},{:>8},{:>8},{:>8}",
        format!("{kind},"), context.total_operations, part.operations as f64 / s, part.partitions as f64 / s,
        part.rows as f64 / s, span.to_s, known(context.uncertainty, 5), part.errors, known(gc.count, 0), known(gc.max_ms, 0),
        known(gc.sum_ms, 0), known(gc.sdv_ms, 0), known(gc.mb, 0), span.backlog
    )
}

/// The results block: all kinds together, each kind in brackets.
pub fn results(total: &Totals, kinds: &[Totals], elapsed: Duration, collections: &Collections) -> String {
    let s = elapsed.as_secs_f64().max(f64::EPSILON);
    let mut text = String::from("\n\nResults:\n");
    let mut rate = |name: &str, unit: &str, of: fn(&Totals) -> u64| {
        let value = |totals: &Totals| grouped(of(totals) as f64 / s);
        let kinds = bracketed(kinds, |totals| format!("{} {}", value(totals), unit.trim_end()));
        let _ = writeln!(text, "{name:<26}: {:>8} {unit} {kinds}", value(total));
    };
    rate("Op rate", "op/s ", |totals| totals.part.operations);
    rate("Partition rate", "pk/s ", |totals| totals.part.partitions);
    rate("Row rate", "row/s", |totals| totals.part.rows);
    let mut latency = |name: &str, of: fn(&Latency) -> f64| {
        let kinds = bracketed(kinds, |totals| format!("{:.1} ms", of(&totals.part.response)));
        let _ = writeln!(text, "{name:<26}: {:>6.1} ms {kinds}", of(&total.part.response));
    };
    latency("Latency mean", |latency| latency.mean_ms);
    latency("Latency median", |latency| latency.p50_ms);
    latency("Latency 95th percentile", |latency| latency.p95_ms);
    latency("Latency 99th percentile", |latency| latency.p99_ms);
    latency("Latency 99.9th percentile", |latency| latency.p999_ms);
    latency("Latency max", |latency| latency.max_ms);
    let mut count = |name: &str, of: fn(&Totals) -> u64| {
        let kinds = bracketed(kinds, |totals| grouped(of(totals) as f64));
        let _ = writeln!(text, "{name:<26}: {:>10} {kinds}", grouped(of(total) as f64));
    };
    count("Total partitions", |totals| totals.part.partitions);
    count("Total errors", |totals| totals.part.errors);
    let gc = collections;
    let memory = if gc.mb.is_finite() { memory(gc.mb * 1_048_576.0) } else { UNKNOWN.to_owned() };
    let _ = writeln!(text, "{:<26}: {}", "Total GC count", known(gc.count, 0));
    let _ = writeln!(text, "{:<26}: {memory}", "Total GC memory");
    let _ = writeln!(text, "{:<26}: {:>6} seconds", "Total GC time", known(gc.sum_ms / 1000.0, 1));
    let _ = writeln!(text, "{:<26}: {:>6} ms", "Avg GC time", known(gc.sum_ms / gc.count, 1));
    let _ = writeln!(text, "{:<26}: {:>6} ms", "StdDev GC time", known(gc.sdv_ms, 1));
    let whole = elapsed.as_secs();
    let _ =
        writeln!(text, "{:<26}: {:02}:{:02}:{:02}", "Total operation time", whole / 3600, whole / 60 % 60, whole % 60);
    text
}

/// A number, or the mark of one that is not known.
fn known(value: f64, digits: usize) -> String {
    if value.is_finite() {
        format!("{value:.digits$}")
    } else {
        UNKNOWN.to_owned()
    }
}

/// 10 as in cassandra-stress, more where a name is longer.
fn width(kinds: &[&str]) -> usize {
    kinds.iter().map(|kind| kind.len() + 2).max().unwrap_or(0).max(10)
}

fn bracketed(kinds: &[Totals], value: impl Fn(&Totals) -> String) -> String {
    let mut kinds: Vec<_> = kinds.iter().collect();
    kinds.sort_by(|one, other| one.name.cmp(&other.name));
    let kinds: Vec<_> = kinds.iter().map(|totals| format!("{}: {}", totals.name, value(totals))).collect();
    format!("[{}]", kinds.join(", "))
}

/// A whole number with commas between its thousands.
pub(super) fn grouped(number: f64) -> String {
    let digits = format!("{number:.0}");
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at) % 3 == 0 && digits.as_bytes()[at - 1].is_ascii_digit() {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// As `FBUtilities.prettyPrintMemory`.
fn memory(bytes: f64) -> String {
    let units = ["KiB", "MiB", "GiB", "TiB"];
    let mut value = bytes / 1024.0;
    let mut unit = 0;
    while value >= 1024.0 && unit + 1 < units.len() {
        (value, unit) = (value / 1024.0, unit + 1);
    }
    format!("{value:.3} {}", units[unit])
}
