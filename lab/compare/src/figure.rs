// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! A figure: one number of one engine in one round, its unit, and which way is better.

use serde::{de, Deserialize, Deserializer, Serialize, Serializer};

use crate::statistics::Blocks;

/// Which way is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Better {
    /// Less of it.
    Lower,
    /// More of it.
    Higher,
    /// It is shown, but gets no verdict.
    Neither,
}

/// The unit of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Operations, rows or slices per second.
    PerSecond,
    /// Milliseconds.
    Milliseconds,
    /// Microseconds.
    Microseconds,
    /// Seconds.
    Seconds,
    /// Seconds of CPU per GiB.
    SecondsPerGib,
    /// Bytes.
    Bytes,
    /// Units of 2^20 bytes.
    Mebibytes,
    /// Units of 2^20 bytes per second.
    MebibytesPerSecond,
    /// Per cent.
    Percent,
    /// A number of things.
    Count,
    /// Bytes per byte.
    Times,
}

impl Better {
    /// An arrow beside the figure's name.
    pub fn arrow(self) -> &'static str {
        match self {
            Better::Lower => "↓",
            Better::Higher => "↑",
            Better::Neither => "",
        }
    }

    /// What the arrow says.
    pub fn words(self) -> &'static str {
        match self {
            Better::Lower => "less is better",
            Better::Higher => "more is better",
            Better::Neither => "shown for context",
        }
    }
}

impl Unit {
    const ALL: [Self; 11] = [
        Self::PerSecond,
        Self::Milliseconds,
        Self::Microseconds,
        Self::Seconds,
        Self::SecondsPerGib,
        Self::Bytes,
        Self::Mebibytes,
        Self::MebibytesPerSecond,
        Self::Percent,
        Self::Count,
        Self::Times,
    ];

    /// As it is written after a number.
    pub fn symbol(self) -> &'static str {
        match self {
            Unit::PerSecond => "1/s",
            Unit::Milliseconds => "ms",
            Unit::Microseconds => "us",
            Unit::Seconds => "s",
            Unit::SecondsPerGib => "s/GiB",
            Unit::Bytes => "B",
            Unit::Mebibytes => "MiB",
            Unit::MebibytesPerSecond => "MiB/s",
            Unit::Percent => "%",
            Unit::Count => "",
            Unit::Times => "x",
        }
    }
}

impl Serialize for Unit {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.symbol())
    }
}

impl<'de> Deserialize<'de> for Unit {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let symbol = String::deserialize(deserializer)?;
        let known = Self::ALL.into_iter().find(|unit| unit.symbol() == symbol);
        known.ok_or_else(|| de::Error::custom(format!("there is no unit '{symbol}'")))
    }
}

/// One number of one engine in one round.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Figure {
    /// Phase and what it is: `read: P99`.
    pub name: String,
    /// Its unit.
    pub unit: Unit,
    /// Which way is better.
    pub better: Better,
    /// `None`: it could not be measured; never written as zero.
    pub value: Option<f64>,
    /// Why it gets no verdict although it was measured: the client was the bottleneck, or the like.
    pub doubt: Option<String>,
    /// Where the value is a percentile of a histogram or a mean of intervals: what it came from.
    #[serde(skip)]
    pub detail: Detail,
}

/// The data behind a figure, for intervals within a run.
#[derive(Clone, Debug, Default)]
pub enum Detail {
    /// A single number.
    #[default]
    Single,
    /// A quantile of these latencies.
    Quantile(f64, Blocks),
    /// The mean of these intervals.
    Series(Vec<f64>),
}

impl Figure {
    /// A figure that consists of its value alone.
    pub fn new(name: impl Into<String>, unit: Unit, better: Better, value: Option<f64>) -> Self {
        let value = value.filter(|value| value.is_finite());
        Self { name: name.into(), unit, better, value, doubt: None, detail: Detail::Single }
    }

    /// The same; it gets no verdict if there is a reason for doubt.
    pub fn doubted(self, reasons: &[String]) -> Self {
        Self { doubt: reasons.first().cloned(), ..self }
    }

    /// Its phase and what it is there: `read: P99` is `P99` of `read`; `None` where it is of the whole run.
    pub fn parts(name: &str) -> (Option<&str>, &str) {
        name.split_once(": ").map_or((None, name), |(phase, what)| (Some(phase), what))
    }

    /// The same, with the data behind it.
    pub fn made_of(self, detail: Detail) -> Self {
        Self { detail, ..self }
    }
}

/// `1 node`, `3 nodes`.
pub fn counted(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// A number with three significant digits and thousands separators, as every table writes it.
pub fn number(value: f64) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    let digits = (2.0 - value.abs().log10().floor()).clamp(0.0, 6.0) as usize;
    let text = format!("{value:.digits$}");
    let (whole, fraction) = text.split_once('.').map_or((text.as_str(), ""), |(whole, fraction)| (whole, fraction));
    let mut grouped = String::new();
    for (place, digit) in whole.chars().enumerate() {
        let left = whole.len() - place;
        if place > 0 && left % 3 == 0 && digit.is_ascii_digit() && !grouped.ends_with('-') {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    if fraction.is_empty() {
        grouped
    } else {
        format!("{grouped}.{fraction}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_three_digits() {
        let written: Vec<_> = [0.0, 0.001_234, 1.0, 12.345, 999.6, 12_345.6, -1_234_567.0].map(number).to_vec();
        assert_eq!(written, ["0", "0.00123", "1.00", "12.3", "1,000", "12,346", "-1,234,567"]);
    }

    #[test]
    fn one_thing_has_no_plural() {
        assert_eq!([1, 3].map(|count| counted(count, "node")), ["1 node", "3 nodes"]);
    }

    #[test]
    fn a_figure_is_of_its_phase() {
        assert_eq!(Figure::parts("reads, in: get P99"), (Some("reads, in"), "get P99"));
        assert_eq!(Figure::parts("peak resident memory"), (None, "peak resident memory"));
    }

    #[test]
    fn what_is_not_a_number_is_absent() {
        assert_eq!(Figure::new("x", Unit::Count, Better::Lower, Some(f64::NAN)).value, None);
    }
}
