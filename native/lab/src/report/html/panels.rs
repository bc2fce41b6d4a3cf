// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The charts of one run, under one time axis.

use maud::{html, Markup};

use super::chart::{Chart, Series, Style};
use super::number;
use super::scale::{time_ticks, Scale};
use crate::observe::Sample;
use crate::report::{Latency, Run, Span};

/// More points than this are drawn as the worst (latency) or the mean (rates) of neighbours.
const MOST_POINTS: usize = 500;
const TALL: f64 = 230.0;
const LOW: f64 = 110.0;

/// All charts that the run has data for.
pub fn charts(run: &Run) -> Markup {
    let Some(end) = run.spans.iter().map(|span| span.to_s).reduce(f64::max) else {
        return html! { p.note { "The run was too short for an interval." } };
    };
    let over = Over { run, end };
    html! {
        (over.latency())
        (over.throughput())
        @if run.spans.iter().any(|span| span.total.errors + span.total.retries > 0) { (over.errors()) }
        @if run.rate_per_s.is_some() { (over.backlog()) }
        (over.servers())
    }
}

/// A run over its time.
struct Over<'a> {
    run: &'a Run,
    end: f64,
}

/// What a server's numbers are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Quantity {
    Number,
    Bytes,
    BytesPerS,
}

type Percentile = fn(&Latency) -> f64;
type Points = Vec<(f64, f64, f64)>;

impl Over<'_> {
    fn latency(&self) -> Markup {
        let of: [(&str, &str, Percentile); 5] = [
            ("max", "pmax", |latency| latency.max_ms),
            ("P99.9", "p999", |latency| latency.p999_ms),
            ("P99", "p99", |latency| latency.p99_ms),
            ("P95", "p95", |latency| latency.p95_ms),
            ("P50", "p50", |latency| latency.p50_ms),
        ];
        let series: Vec<_> = of
            .into_iter()
            .map(|(name, class, value)| {
                let style = if name == "max" { Style::Thin } else { Style::Line };
                let known =
                    |span: &Span| if span.total.operations > 0 { value(&span.total.response) } else { f64::NAN };
                self.named(name, class, style, self.worst(known))
            })
            .collect();
        let counted = if self.run.rate_per_s.is_some() { "from when each was due" } else { "from when each was sent" };
        let scale = Scale::log(values(&series).collect::<Vec<_>>().into_iter());
        let unit = format!("{counted}, log scale{}", self.joined("worst"));
        self.chart("Response time", &unit, TALL, scale, number::ms, series)
    }

    fn throughput(&self) -> Markup {
        let mut series = Vec::new();
        if let Some(rate) = self.run.rate_per_s {
            series.push(self.named("due", "due", Style::Dashed, vec![(0.0, self.end, rate)]));
        }
        let total = self.mean(|span| span.total.operations as f64 / span.length_s());
        series.push(self.named("all", "s0", Style::Area, total));
        if self.run.kinds.len() > 1 {
            for (at, kind) in self.run.kinds.iter().enumerate() {
                let points = self
                    .mean(|span| span.kinds.get(at).map_or(f64::NAN, |part| part.operations as f64 / span.length_s()));
                series.push(self.named(&kind.name, &format!("s{}", at % 6 + 1), Style::Thin, points));
            }
        }
        self.linear("Throughput", "operations per second that ended well", LOW, number::plain, series)
    }

    fn errors(&self) -> Markup {
        let series = vec![
            self.named("retries", "warn", Style::Bars, self.mean(|span| span.total.retries as f64 / span.length_s())),
            self.named("errors", "bad", Style::Bars, self.mean(|span| span.total.errors as f64 / span.length_s())),
        ];
        self.linear("Errors", "per second; retries are not errors yet", LOW / 1.6, number::plain, series)
    }

    fn backlog(&self) -> Markup {
        let series = vec![self.named("backlog", "warn", Style::Area, self.worst(|span| span.backlog as f64))];
        self.linear("Backlog", "operations due but not started", LOW / 1.6, number::plain, series)
    }

    fn servers(&self) -> Markup {
        let per_s = |sample: &Sample, value: Option<f64>| Some(value? / (sample.to_s - sample.from_s).max(1e-3));
        let bytes = |value: Option<u64>| value.map(|bytes| bytes as f64);
        html! {
            (self.nodes("Server CPU", "cores busy", Quantity::Number, |sample| per_s(sample, sample.cpu_s)))
            (self.pauses())
            (self.nodes("Allocation", "on the Java heap", Quantity::BytesPerS,
                |sample| per_s(sample, bytes(sample.allocated_bytes))))
            (self.nodes("Compactions", "running when the server was asked, once in an interval", Quantity::Number,
                |sample| sample.compactions.map(|running| running as f64)))
            (self.nodes("Disk writes", "commit log, flush and compaction together", Quantity::BytesPerS,
                |sample| per_s(sample, bytes(sample.disk_written_bytes))))
            (self.nodes("Disk reads", "", Quantity::BytesPerS,
                |sample| per_s(sample, bytes(sample.disk_read_bytes))))
            (self.nodes("Memory", "resident", Quantity::Bytes, |sample| bytes(sample.resident_bytes)))
        }
    }

    /// On a log axis, so that pauses of a few milliseconds are seen beside one of a second.
    fn pauses(&self) -> Markup {
        let pause_ms = |sample: &Sample| Some(sample.gc_pause_s? / (sample.to_s - sample.from_s).max(1e-3) * 1e3);
        let mut series = self.by_node(Style::Bars, pause_ms);
        if series.is_empty() {
            return html! {};
        }
        for point in series.iter_mut().flat_map(|series| &mut series.points) {
            // A collection of microseconds is no pause that anybody waits for.
            point.2 = if point.2 < 0.1 { 0.0 } else { point.2 };
        }
        let scale = Scale::log(values(&series).chain([1.0, 10.0]).collect::<Vec<_>>().into_iter());
        self.chart(
            "GC pauses",
            "time in which the server stood still, of each second; log scale",
            LOW,
            scale,
            number::ms,
            series,
        )
    }

    /// One series per server; nothing where no server knows.
    fn nodes(&self, title: &str, unit: &str, of: Quantity, value: impl Fn(&Sample) -> Option<f64>) -> Markup {
        let words = match of {
            Quantity::Number => number::plain,
            Quantity::Bytes => number::bytes,
            Quantity::BytesPerS => number::bytes_per_s,
        };
        let series = self.by_node(Style::Line, value);
        if series.is_empty() {
            return html! {};
        }
        let scale = if of == Quantity::Number { Scale::linear(values(&series)) } else { Scale::bytes(values(&series)) };
        self.chart(title, unit, LOW, scale, words, series)
    }

    fn by_node(&self, style: Style, value: impl Fn(&Sample) -> Option<f64>) -> Vec<Series> {
        let record = &self.run.servers;
        let mut series = Vec::new();
        for (node, name) in record.nodes.iter().enumerate() {
            let here = record.samples.iter().filter(|sample| sample.node == node);
            let inside = here.filter(|sample| sample.to_s > 0.0 && sample.from_s < self.end);
            let points: Points = inside
                .map(|sample| (sample.from_s.max(0.0), sample.to_s.min(self.end), value(sample).unwrap_or(f64::NAN)))
                .collect();
            if points.iter().any(|point| point.2.is_finite()) {
                series.push(self.named(name, &format!("s{}", node % 7), style, join(&points, mean)));
            }
        }
        series
    }

    fn named(&self, name: &str, class: &str, style: Style, points: Points) -> Series {
        Series { name: name.to_owned(), class: class.to_owned(), style, points }
    }

    fn linear(&self, title: &str, unit: &str, height: f64, words: fn(f64) -> String, series: Vec<Series>) -> Markup {
        let scale = Scale::linear(values(&series));
        self.chart(title, unit, height, scale, words, series)
    }

    fn chart(
        &self,
        title: &str,
        unit: &str,
        height: f64,
        scale: Scale,
        words: fn(f64) -> String,
        series: Vec<Series>,
    ) -> Markup {
        let across = time_ticks(self.end);
        Chart { title, unit, height, scale, words, across, end: self.end, series, timed: true }.draw()
    }

    fn worst(&self, value: impl Fn(&Span) -> f64) -> Points {
        join(&self.points(value), |values| values.iter().map(|(_, value)| *value).fold(f64::NAN, f64::max))
    }

    fn mean(&self, value: impl Fn(&Span) -> f64) -> Points {
        join(&self.points(value), mean)
    }

    fn points(&self, value: impl Fn(&Span) -> f64) -> Points {
        self.run.spans.iter().map(|span| (span.from_s, span.to_s, value(span))).collect()
    }

    fn joined(&self, what: &str) -> String {
        match self.run.spans.len().div_ceil(MOST_POINTS) {
            0 | 1 => String::new(),
            many => format!(", {what} of {many} intervals each"),
        }
    }
}

fn values(series: &[Series]) -> impl Iterator<Item = f64> + '_ {
    series.iter().flat_map(|series| series.points.iter().map(|point| point.2))
}

fn join(points: &Points, together: impl Fn(&[(f64, f64)]) -> f64) -> Points {
    let many = points.len().div_ceil(MOST_POINTS).max(1);
    let group = |group: &[(f64, f64, f64)]| {
        let (from, to) = (group.first()?.0, group.last()?.1);
        let weighted: Vec<_> = group.iter().map(|(from, to, value)| (to - from, *value)).collect();
        Some((from, to, together(&weighted)))
    };
    points.chunks(many).filter_map(group).collect()
}

/// Of (length, value), by length.
fn mean(values: &[(f64, f64)]) -> f64 {
    let known = values.iter().filter(|(_, value)| value.is_finite());
    let (length, sum) = known.fold((0.0, 0.0), |(length, sum), (long, value)| (length + long, sum + long * value));
    sum / length
}
