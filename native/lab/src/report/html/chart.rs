// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! One chart as inline SVG: lines, areas or bars over time, words at the ends of the lines.

use std::fmt::Write;

use maud::{html, Markup, PreEscaped};

use super::scale::{Scale, Tick};

/// Width of every chart and of its margins, in pixels: the time axes of all charts stand under each other.
const WIDTH: f64 = 1000.0;
const LEFT: f64 = 62.0;
const RIGHT: f64 = 118.0;
const BOTTOM: f64 = 22.0;
const TOP: f64 = 8.0;
/// Between two words at the ends of lines.
const WORD_HEIGHT: f64 = 13.0;

/// How a series is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// A line.
    Line,
    /// A thin line.
    Thin,
    /// A dashed line: what was asked for, not measured.
    Dashed,
    /// A line with the area below it.
    Area,
    /// A bar per point, from one x to the next.
    Bars,
}

/// Values over time.
#[derive(Clone, Debug)]
pub struct Series {
    /// What stands at its end.
    pub name: String,
    /// Its colour: a class of the style sheet.
    pub class: String,
    /// How it is drawn.
    pub style: Style,
    /// (from, to, value), rising; gaps where nothing is known.
    pub points: Vec<(f64, f64, f64)>,
}

/// A chart.
pub struct Chart<'a> {
    /// Its heading.
    pub title: &'a str,
    /// What the numbers are, after the heading.
    pub unit: &'a str,
    /// Height of the drawing in pixels.
    pub height: f64,
    /// The vertical axis.
    pub scale: Scale,
    /// Words of the vertical axis and of the read-out.
    pub words: fn(f64) -> String,
    /// Ticks of the horizontal axis.
    pub across: Vec<Tick>,
    /// Where the horizontal axis ends, in the unit of the points.
    pub end: f64,
    /// What is drawn.
    pub series: Vec<Series>,
    /// Whether the horizontal axis is the run's time.
    pub timed: bool,
}

impl Chart<'_> {
    /// The drawing with its heading.
    pub fn draw(&self) -> Markup {
        let total = TOP + self.height + BOTTOM;
        let label = format!("{} ({})", self.title, self.unit);
        html! {
            figure.chart {
                figcaption { b { (self.title) } span.unit { (self.unit) } span.readout {} }
                svg viewBox=(format!("0 0 {WIDTH} {total}")) role="img" aria-label=(label)
                    data-left=(LEFT) data-right=(WIDTH - RIGHT) data-end=(self.end) data-timed=(self.timed) {
                    (self.grid())
                    @for series in &self.series { (self.series(series)) }
                    (self.names())
                    line.cursor visibility="hidden" y1=(TOP) y2=(TOP + self.height) {}
                }
                (self.values())
            }
        }
    }

    fn x(&self, value: f64) -> f64 {
        LEFT + (value / self.end).clamp(0.0, 1.0) * (WIDTH - LEFT - RIGHT)
    }

    fn y(&self, value: f64) -> f64 {
        TOP + self.scale.at(value) * self.height
    }

    fn grid(&self) -> Markup {
        let (right, bottom) = (WIDTH - RIGHT, TOP + self.height);
        html! {
            @for tick in self.scale.ticks(self.words) {
                @let y = TOP + tick.at * self.height;
                line.grid.minor[tick.label.is_empty()] x1=(LEFT) x2=(right) y1=(px(y)) y2=(px(y)) {}
                @if !tick.label.is_empty() { text.tick x=(LEFT - 8.0) y=(px(y + 3.5)) text-anchor="end" { (tick.label) } }
            }
            @for tick in &self.across {
                @let x = LEFT + tick.at * (right - LEFT);
                line.grid.minor x1=(px(x)) x2=(px(x)) y1=(TOP) y2=(bottom) {}
                text.tick x=(px(x)) y=(bottom + 15.0) text-anchor="middle" { (tick.label) }
            }
            line.axis x1=(LEFT) x2=(right) y1=(bottom) y2=(bottom) {}
        }
    }

    fn series(&self, series: &Series) -> Markup {
        let class = &series.class;
        match series.style {
            Style::Bars => html! { path class=(format!("bars {class}")) d=(self.bars(series)) {} },
            Style::Area => html! {
                path class=(format!("area {class}")) d=(self.area(series)) {}
                path class=(format!("line {class}")) d=(self.line(series)) {}
            },
            Style::Line => html! { path class=(format!("line {class}")) d=(self.line(series)) {} },
            Style::Thin => html! { path class=(format!("line thin {class}")) d=(self.line(series)) {} },
            Style::Dashed => html! { path class=(format!("line dashed {class}")) d=(self.line(series)) {} },
        }
    }

    /// A point stands in the middle of its interval; the line breaks where an interval is missing.
    fn line(&self, series: &Series) -> String {
        let mut path = String::new();
        for run in unbroken(&series.points) {
            if let [(from, to, value)] = run {
                let y = px(self.y(*value));
                let _ = write!(path, "M{} {y}H{}", px(self.x(*from)), px(self.x(*to)));
                continue;
            }
            for (at, (from, to, value)) in run.iter().enumerate() {
                let command = if at == 0 { 'M' } else { 'L' };
                let _ = write!(path, "{command}{} {}", px(self.x((from + to) / 2.0)), px(self.y(*value)));
            }
        }
        path
    }

    fn area(&self, series: &Series) -> String {
        let mut path = String::new();
        let floor = px(TOP + self.height);
        for run in unbroken(&series.points) {
            let (Some(first), Some(last)) = (run.first(), run.last()) else { continue };
            let middle = |point: &(f64, f64, f64)| px(self.x((point.0 + point.1) / 2.0));
            let _ = write!(path, "M{} {floor}", middle(first));
            for point in run {
                let _ = write!(path, "L{} {}", middle(point), px(self.y(point.2)));
            }
            let _ = write!(path, "L{} {floor}Z", middle(last));
        }
        path
    }

    fn bars(&self, series: &Series) -> String {
        let floor = TOP + self.height;
        let mut path = String::new();
        for (from, to, value) in series.points.iter().filter(|(.., value)| *value > 0.0) {
            let (left, right) = (self.x(*from), self.x(*to));
            // A hair of air between bars, and never a bar too thin or too low to be seen.
            let wide = (right - left - 0.6).max(1.0);
            let high = (floor - self.y(*value)).max(1.0);
            let _ = write!(path, "M{} {}h{}v{}h-{}Z", px(left), px(floor), px(wide), px(-high), px(wide));
        }
        path
    }

    /// The names of the series beside their last points, pushed apart where they would cover each other.
    fn names(&self) -> Markup {
        let last =
            |series: &Series| series.points.iter().rev().find(|point| point.2.is_finite()).map(|point| self.y(point.2));
        let mut words: Vec<(f64, &Series)> =
            self.series.iter().filter_map(|series| Some((last(series)?, series))).collect();
        words.sort_by(|one, other| one.0.total_cmp(&other.0));
        spread(&mut words, TOP + 4.0, TOP + self.height + 4.0);
        html! {
            @for (y, series) in words {
                text class=(format!("name {}", series.class)) x=(WIDTH - RIGHT + 8.0) y=(px(y + 3.5)) { (series.name) }
            }
        }
    }

    /// The values as the read-out under the pointer needs them.
    fn values(&self) -> Markup {
        let rows = self.series.iter().filter(|series| series.style != Style::Dashed).map(|series| {
            let points: Vec<_> = series
                .points
                .iter()
                .filter(|point| point.2.is_finite())
                .map(|point| (round(point.0), round(point.1), (self.words)(point.2)))
                .collect();
            (&series.name, &series.class, points)
        });
        let json = serde_json::to_string(&rows.collect::<Vec<_>>()).unwrap_or_default().replace('<', "\\u003c");
        PreEscaped(format!(r#"<script type="application/json" class="values">{json}</script>"#))
    }
}

/// Pushes words apart, keeping their order and staying between `top` and `bottom` as far as there is room.
fn spread(words: &mut [(f64, &Series)], top: f64, bottom: f64) {
    let mut least = top;
    for (y, _) in words.iter_mut() {
        *y = y.max(least);
        least = *y + WORD_HEIGHT;
    }
    let mut most = bottom;
    for (y, _) in words.iter_mut().rev() {
        *y = y.min(most);
        most = *y - WORD_HEIGHT;
    }
}

/// Runs of points that are known and follow each other.
fn unbroken(points: &[(f64, f64, f64)]) -> impl Iterator<Item = &[(f64, f64, f64)]> {
    points
        .chunk_by(|one, next| {
            let gap = next.0 - one.1;
            let length = (one.1 - one.0).max(next.1 - next.0);
            one.2.is_finite() && next.2.is_finite() && (length == 0.0 || gap < 1.5 * length)
        })
        .filter(|run| run.iter().all(|point| point.2.is_finite()))
}

fn px(value: f64) -> f64 {
    (value * 10.0).round() / 10.0
}

fn round(value: f64) -> f64 {
    (value * 1000.0).round() / 1000.0
}
