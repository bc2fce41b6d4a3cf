// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The charts of one run, under one time axis.

use maud::{html, Markup};

use super::chart::{Across, Chart, Quantity, Series, Style};
use crate::observe::Sample;
use crate::report::{Latency, Run, Span};

/// Samples of a server beyond this number are drawn as means of neighbours.
const MOST_SAMPLES: usize = 600;
const TALL: u32 = 260;
const MIDDLE: u32 = 150;
const LOW: u32 = 105;

/// All charts that the run has data for; those in which nothing happened are named instead.
pub fn charts(run: &Run) -> Markup {
    let Some(end) = run.spans.iter().map(|span| span.to_s).reduce(f64::max) else {
        return html! { p.note { "The run was too short for an interval." } };
    };
    let charts = TimeCharts { run, end };
    let known = charts.all().into_iter().filter(Chart::is_known);
    let (drawn, zero): (Vec<_>, Vec<_>) = known.partition(|chart| !chart.is_zero());
    let zero: Vec<_> = zero.iter().map(|chart| chart.title.as_str()).collect();
    html! {
        p.note.hint { "Drag across a chart to zoom all of them; a double click shows the whole run. A click on a name hides its line." }
        @for chart in &drawn { (chart.figure()) }
        @if !zero.is_empty() { p.note { "Zero during the whole run: " (zero.join(", ")) "." } }
    }
}

/// A run over its time.
struct TimeCharts<'a> {
    run: &'a Run,
    end: f64,
}

type Percentile = fn(&Latency) -> f64;
type Points = Vec<(f64, f64, f64)>;

impl TimeCharts<'_> {
    fn all(&self) -> Vec<Chart> {
        let mut charts = vec![self.latency(), self.throughput(), self.errors()];
        if self.run.rate_per_s.is_some() {
            charts.push(self.backlog());
        }
        charts.extend(self.servers());
        charts
    }

    fn latency(&self) -> Chart {
        let of: [(&str, &str, Percentile); 5] = [
            ("max", "pmax", |latency| latency.max_ms),
            ("P99.9", "p999", |latency| latency.p999_ms),
            ("P99", "p99", |latency| latency.p99_ms),
            ("P95", "p95", |latency| latency.p95_ms),
            ("P50", "p50", |latency| latency.p50_ms),
        ];
        let series: Vec<_> = of
            .into_iter()
            .map(|(name, color, value)| {
                let style = if name == "max" { Style::Thin } else { Style::Line };
                let known =
                    |span: &Span| if span.total.operations > 0 { value(&span.total.response) } else { f64::NAN };
                Series::over_intervals(name, color, style, &self.points(known))
            })
            .collect();
        let counted = if self.run.rate_per_s.is_some() { "from when each was due" } else { "from when each was sent" };
        self.log("Response time", &format!("{counted}, log scale"), TALL, series)
    }

    fn throughput(&self) -> Chart {
        let mut series = Vec::new();
        if let Some(rate) = self.run.rate_per_s {
            series.push(Series::over_intervals("due", "soft", Style::Dashed, &self.points(|_| rate)));
        }
        let total = self.points(|span| span.total.operations as f64 / span.length_s());
        series.push(Series::over_intervals("all", "s0", Style::Area, &total));
        if self.run.kinds.len() > 1 {
            for (at, kind) in self.run.kinds.iter().enumerate() {
                let points = self.points(|span| {
                    span.kinds.get(at).map_or(f64::NAN, |part| part.operations as f64 / span.length_s())
                });
                series.push(Series::over_intervals(&kind.name, &format!("s{}", at % 6 + 1), Style::Thin, &points));
            }
        }
        self.linear("Throughput", "operations per second that ended well", MIDDLE, Quantity::Number, series)
    }

    fn errors(&self) -> Chart {
        let per_s = |count: fn(&Span) -> u64| self.points(move |span| count(span) as f64 / span.length_s());
        let series = vec![
            Series::over_intervals("retries", "warn", Style::Bars, &per_s(|span| span.total.retries)),
            Series::over_intervals("errors", "bad", Style::Bars, &per_s(|span| span.total.errors)),
        ];
        self.linear("Errors", "per second; retries are not errors yet", LOW, Quantity::Number, series)
    }

    fn backlog(&self) -> Chart {
        let points = self.points(|span| span.backlog as f64);
        let series = vec![Series::over_intervals("backlog", "warn", Style::Area, &points)];
        self.linear("Backlog", "operations due but not started", LOW, Quantity::Number, series)
    }

    fn servers(&self) -> [Chart; 7] {
        let per_s = |sample: &Sample, value: Option<f64>| Some(value? / (sample.to_s - sample.from_s).max(1e-3));
        let bytes = |value: Option<u64>| value.map(|bytes| bytes as f64);
        [
            self.nodes("Server CPU", "cores busy", Quantity::Number, |sample| per_s(sample, sample.cpu_s)),
            self.pauses(),
            self.nodes("Allocation", "on the Java heap", Quantity::BytesPerS, |sample| {
                per_s(sample, bytes(sample.allocated_bytes))
            }),
            self.nodes(
                "Compactions",
                "running when the server was asked, once in an interval",
                Quantity::Number,
                |sample| sample.compactions.map(|running| running as f64),
            ),
            self.nodes("Disk writes", "commit log, flush and compaction together", Quantity::BytesPerS, |sample| {
                per_s(sample, bytes(sample.disk_written_bytes))
            }),
            self.nodes("Disk reads", "", Quantity::BytesPerS, |sample| per_s(sample, bytes(sample.disk_read_bytes))),
            self.nodes("Memory", "resident", Quantity::Bytes, |sample| bytes(sample.resident_bytes)),
        ]
    }

    /// On a log axis, so that pauses of a few milliseconds are seen beside one of a second.
    fn pauses(&self) -> Chart {
        let pause_ms = |sample: &Sample| {
            let ms = sample.gc_pause_s? / (sample.to_s - sample.from_s).max(1e-3) * 1e3;
            // A collection of microseconds is no pause that anybody waits for.
            Some(if ms < 0.1 { 0.0 } else { ms })
        };
        let series = self.by_node(Style::Bars, pause_ms);
        self.log("GC pauses", "time in which the server stood still, of each second; log scale", MIDDLE, series)
    }

    /// One series per server that knows the value.
    fn nodes(&self, title: &str, unit: &str, of: Quantity, value: impl Fn(&Sample) -> Option<f64>) -> Chart {
        self.linear(title, unit, MIDDLE, of, self.by_node(Style::Line, value))
    }

    fn by_node(&self, style: Style, value: impl Fn(&Sample) -> Option<f64>) -> Vec<Series> {
        let record = &self.run.servers;
        let of_node = |(node, name): (usize, &String)| {
            let here = record.samples.iter().filter(|sample| sample.node == node);
            let inside = here.filter(|sample| sample.to_s > 0.0 && sample.from_s < self.end);
            let points: Points = inside
                .map(|sample| (sample.from_s.max(0.0), sample.to_s.min(self.end), value(sample).unwrap_or(f64::NAN)))
                .collect();
            Series::over_intervals(name, &format!("s{}", node % 7), style, &thinned(&points))
        };
        record.nodes.iter().enumerate().map(of_node).filter(Series::is_known).collect()
    }

    fn linear(&self, title: &str, unit: &str, height: u32, quantity: Quantity, series: Vec<Series>) -> Chart {
        self.chart(title, unit, height, quantity, false, series)
    }

    fn log(&self, title: &str, unit: &str, height: u32, series: Vec<Series>) -> Chart {
        self.chart(title, unit, height, Quantity::Ms, true, series)
    }

    fn chart(&self, title: &str, unit: &str, height: u32, quantity: Quantity, log: bool, series: Vec<Series>) -> Chart {
        let (title, unit) = (title.to_owned(), unit.to_owned());
        Chart {
            title,
            unit,
            height,
            across: Across::Time,
            start: 0.0,
            end: self.end,
            quantity,
            log,
            series,
            marks: Vec::new(),
        }
    }

    fn points(&self, value: impl Fn(&Span) -> f64) -> Points {
        self.run.spans.iter().map(|span| (span.from_s, span.to_s, value(span))).collect()
    }
}

/// Joins neighbours where there are too many points.
fn thinned(points: &Points) -> Points {
    let many = points.len().div_ceil(MOST_SAMPLES).max(1);
    points.chunks(many).filter_map(|group| Some((group.first()?.0, group.last()?.1, mean(group)))).collect()
}

/// Of the known values, by the lengths of their intervals.
fn mean(points: &[(f64, f64, f64)]) -> f64 {
    let known = points.iter().filter(|(.., value)| value.is_finite());
    let (length, sum) =
        known.fold((0.0, 0.0), |(length, sum), (from, to, value)| (length + to - from, sum + (to - from) * value));
    sum / length
}
