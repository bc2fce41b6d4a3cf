// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Prints a row per interval while a run goes on.

use std::cell::OnceCell;
use std::time::{Duration, Instant};

use super::console::Console;
use super::settings::{Level, Output};
use crate::load::Interval;
use crate::observe::{Reading, Servers};
use crate::report::{header, row, Collections, RowContext, Span, Uncertainty};

/// Says a row per interval and kind, as cassandra-stress does: kinds only when there are several.
pub struct Progress<'a> {
    console: &'a mut Console,
    output: &'a Output,
    servers: &'a Servers,
    kinds: Vec<String>,
    totals: Vec<u64>,
    uncertainty: Uncertainty,
    /// The counters when the warm-up ended, and at the last row.
    begun: &'a OnceCell<Vec<Reading>>,
    readings: Option<Vec<Reading>>,
    /// When the warm-up ended, by the run's own time and by the clock; known after the first interval.
    zero: Option<(Duration, Instant)>,
    next_row: Duration,
    next_header: Option<Duration>,
}

impl<'a> Progress<'a> {
    /// For a run of these kinds; `begun` gets the servers' counters when the warm-up ends.
    pub fn new(
        console: &'a mut Console,
        output: &'a Output,
        servers: &'a Servers,
        kinds: Vec<String>,
        begun: &'a OnceCell<Vec<Reading>>,
    ) -> Self {
        Self {
            console,
            output,
            servers,
            totals: vec![0; kinds.len()],
            kinds,
            uncertainty: Uncertainty::default(),
            begun,
            readings: None,
            zero: None,
            next_row: Duration::ZERO,
            next_header: Some(Duration::ZERO),
        }
    }

    /// Takes an interval.
    pub fn add(&mut self, interval: &Interval) {
        let length = interval.to.saturating_sub(interval.from);
        let (zero, _) = *self.zero.get_or_insert_with(|| (interval.from, Instant::now() - length));
        let span = Span::of(interval, zero);
        for (total, part) in self.totals.iter_mut().zip(&span.kinds) {
            *total += part.operations;
        }
        self.uncertainty.add(span.total.rows as f64 / span.length_s());
        let at = interval.to.saturating_sub(zero);
        if self.output.level == Level::Minimal || at + length / 2 < self.next_row {
            return;
        }
        self.next_row = at + self.output.row_every;
        self.print(at, &span);
    }

    /// When the warm-up ended; `None` before the first interval.
    pub fn zero(&self) -> Option<Instant> {
        self.zero.map(|(_, instant)| instant)
    }

    /// Standard error of the row rate.
    pub fn uncertainty(&self) -> f64 {
        self.uncertainty.fraction()
    }

    fn print(&mut self, at: Duration, span: &Span) {
        let names: Vec<&str> = self.kinds.iter().map(String::as_str).chain(["total"]).collect();
        if self.next_header.is_some_and(|due| at >= due) {
            self.console.print(&header(&names));
            self.next_header = self.output.header_every.map(|every| at + every);
        }
        let readings = self.servers.readings();
        let before = self.readings.as_ref().or(self.begun.get()).unwrap_or(&readings);
        let collections = collections(before, &readings);
        self.readings = Some(readings);
        let context =
            |total_operations| RowContext { total_operations, uncertainty: self.uncertainty.fraction(), collections };
        if self.kinds.len() > 1 {
            for ((name, part), total) in self.kinds.iter().zip(&span.kinds).zip(&self.totals) {
                self.console.print(&row(&names, name, span, part, &context(*total)));
            }
        }
        let total = context(self.totals.iter().sum());
        self.console.print(&row(&names, "total", span, &span.total, &total));
    }
}

/// Collections between two readings of the same servers. A length of a single pause is known only where one alone was made.
pub fn collections(before: &[Reading], after: &[Reading]) -> Collections {
    let (mut pauses, mut pause_s, mut bytes, mut known) = (0, 0.0, Some(0), false);
    for (was, is) in before.iter().zip(after) {
        let (Some(was), Some(is)) = (was.gc, is.gc) else { continue };
        known = true;
        pauses += is.pauses.saturating_sub(was.pauses);
        pause_s += is.pause_s - was.pause_s;
        let grown = is.allocated_bytes.zip(was.allocated_bytes).map(|(is, was)| is.saturating_sub(was));
        bytes = bytes.zip(grown).map(|(sum, grown)| sum + grown);
    }
    if !known {
        return Collections::default();
    }
    let (single_ms, spread_ms) = match pauses {
        0 => (0.0, 0.0),
        1 => (pause_s * 1e3, 0.0),
        _ => (f64::NAN, f64::NAN),
    };
    Collections {
        count: pauses as f64,
        max_ms: single_ms,
        sum_ms: pause_s * 1e3,
        sdv_ms: spread_ms,
        mb: bytes.map_or(f64::NAN, |bytes| bytes as f64 / 1_048_576.0),
    }
}
