// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! One chart of the page: its data as JSON in a `figure` element, which `charts.js` draws with uPlot.

use maud::{html, Markup, PreEscaped};
use serde::Serialize;

/// How a series is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Style {
    /// A line.
    Line,
    /// A thin line.
    Thin,
    /// A dashed line: what was asked for, not measured.
    Dashed,
    /// A line with the area below it.
    Area,
    /// A bar per point.
    Bars,
    /// Points without a line.
    Points,
}

/// The quantity of the vertical axis; each has a formatter in `charts.js`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Quantity {
    /// A number without a unit.
    Number,
    /// Milliseconds.
    Ms,
    /// Bytes.
    Bytes,
    /// Bytes per second.
    BytesPerS,
}

/// The horizontal axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Across {
    /// Seconds since the end of the warm-up. Cursor and zoom are common to all charts over time.
    Time,
    /// Seconds of one of several loads: cursor and zoom are its own.
    OwnTime,
    /// Nines of a percentile: 0 for P0, 1 for P90, 2 for P99.
    Nines,
    /// Operations in flight, on a log scale with a mark at each.
    InFlight,
    /// Money for an hour.
    Price,
    /// Nodes.
    Nodes,
}

/// Values along the horizontal axis.
#[derive(Clone, Debug, Serialize)]
pub struct Series {
    /// Its name in the legend.
    pub name: String,
    /// A colour of the style sheet, without its dashes.
    pub color: String,
    /// How it is drawn.
    pub style: Style,
    x: Vec<f64>,
    /// `null` breaks the line.
    y: Vec<Option<f64>>,
}

impl Series {
    /// Of points that follow each other: from, to, value. A point stands in the middle of its interval; the line breaks
    /// where a value is not finite or an interval is missing.
    pub fn over_intervals(name: &str, color: &str, style: Style, points: &[(f64, f64, f64)]) -> Self {
        let mut series = Self::new(name, color, style);
        let mut before: Option<(f64, f64)> = None;
        for (from, to, value) in points {
            if let Some((_, end)) = before.filter(|(start, end)| from - end > 0.5 * (end - start).max(to - from)) {
                series.push((end + from) / 2.0, f64::NAN);
            }
            series.push((from + to) / 2.0, *value);
            before = Some((*from, *to));
        }
        series
    }

    /// Of points: x, value.
    pub fn of_points(name: &str, color: &str, style: Style, points: impl IntoIterator<Item = (f64, f64)>) -> Self {
        let mut series = Self::new(name, color, style);
        points.into_iter().for_each(|(x, y)| series.push(x, y));
        series
    }

    /// Whether any value is known.
    pub fn is_known(&self) -> bool {
        self.y.iter().any(Option::is_some)
    }

    fn new(name: &str, color: &str, style: Style) -> Self {
        Self { name: name.to_owned(), color: color.to_owned(), style, x: Vec::new(), y: Vec::new() }
    }

    fn push(&mut self, x: f64, y: f64) {
        self.x.push(round(x));
        self.y.push(y.is_finite().then(|| round(y)));
    }
}

/// A chart.
#[derive(Clone, Debug, Serialize)]
pub struct Chart {
    /// Its heading.
    #[serde(skip)]
    pub title: String,
    /// A note on the numbers, after the heading.
    #[serde(skip)]
    pub unit: String,
    /// Height of the drawing in pixels, with its horizontal axis.
    pub height: u32,
    /// The horizontal axis.
    pub across: Across,
    /// Where the horizontal axis begins.
    pub start: f64,
    /// Where it ends.
    pub end: f64,
    /// The vertical axis.
    pub quantity: Quantity,
    /// Whether the vertical axis is logarithmic.
    pub log: bool,
    /// The series.
    pub series: Vec<Series>,
    /// What happened when: place on the horizontal axis, words.
    pub marks: Vec<(f64, String)>,
}

impl Chart {
    /// Whether any value is known.
    pub fn is_known(&self) -> bool {
        self.series.iter().any(Series::is_known)
    }

    /// Whether all known values are zero.
    pub fn is_zero(&self) -> bool {
        self.series.iter().flat_map(|series| &series.y).flatten().all(|value| *value == 0.0)
    }

    /// The place of the chart, its heading and its data.
    pub fn figure(&self) -> Markup {
        let json = serde_json::to_string(self).unwrap_or_default().replace('<', "\\u003c");
        html! {
            figure.chart {
                figcaption { b { (self.title) } span.unit { (self.unit) } }
                div.plot style=(format!("height: {}px", self.height)) role="img" aria-label=(format!("{} ({})", self.title, self.unit)) {}
                script type="application/json" { (PreEscaped(json)) }
            }
        }
    }
}

/// To six significant digits: more are noise in a drawing, and make the page larger.
fn round(value: f64) -> f64 {
    if value == 0.0 {
        return 0.0;
    }
    let factor = 10f64.powi(5 - value.abs().log10().floor() as i32);
    (value * factor).round() / factor
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_breaks_where_an_interval_is_missing_or_unknown() {
        let points = [(0.0, 1.0, 5.0), (1.0, 2.0, f64::NAN), (2.0, 3.0, 7.0), (5.0, 6.0, 1.0 / 3.0)];
        let series = Series::over_intervals("all", "s0", Style::Line, &points);
        assert_eq!(series.x, [0.5, 1.5, 2.5, 4.0, 5.5]);
        assert_eq!(series.y, [Some(5.0), None, Some(7.0), None, Some(0.333_333)]);
        assert!(series.is_known() && !Series::of_points("", "", Style::Bars, [(0.0, f64::NAN)]).is_known());
    }
}
