// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Axes: from values to pixels, with ticks that people can read.

use super::number;

/// A vertical axis; 0 is its top.
#[derive(Clone, Copy, Debug)]
pub enum Scale {
    /// From zero.
    Linear {
        /// Value at the top.
        top: f64,
        /// What a round number is a multiple of: 1, or a power of 1024 for bytes.
        unit: f64,
    },
    /// Decades.
    Log {
        /// Value at the bottom, above zero.
        bottom: f64,
        /// Value at the top.
        top: f64,
    },
}

/// A line across a chart.
#[derive(Clone, Debug, PartialEq)]
pub struct Tick {
    /// Where, 0 (top or left) to 1.
    pub at: f64,
    /// What it says; empty for a line without words.
    pub label: String,
}

impl Scale {
    /// From zero to a round number above all values.
    pub fn linear(values: impl Iterator<Item = f64>) -> Self {
        Self::above(greatest(values), 1.0)
    }

    /// The same for bytes: round in KiB, MiB or GiB.
    pub fn bytes(values: impl Iterator<Item = f64>) -> Self {
        let most = greatest(values);
        Self::above(most, 1024f64.powf((most.max(1.0) * 1.024).log(1024.0).floor()))
    }

    fn above(most: f64, unit: f64) -> Self {
        if most <= 0.0 {
            return Self::Linear { top: unit, unit };
        }
        let step = step(most / unit) * unit;
        Self::Linear { top: (most * 1.02 / step).ceil() * step, unit }
    }

    /// From a round number below all positive values to one above.
    pub fn log(values: impl Iterator<Item = f64> + Clone) -> Self {
        let positive = values.filter(|value| *value > 0.0 && value.is_finite());
        let (least, most) =
            positive.fold((f64::INFINITY, 0.0_f64), |(low, high), value| (low.min(value), high.max(value)));
        if most == 0.0 {
            return Self::Log { bottom: 0.1, top: 10.0 };
        }
        let (bottom, top) = (below(least), above(most));
        Self::Log { bottom, top: if top > bottom { top } else { bottom * 10.0 } }
    }

    /// 0 at the top, 1 at the bottom; values outside are brought to the edge.
    pub fn at(&self, value: f64) -> f64 {
        let down = match *self {
            Self::Linear { top, .. } => 1.0 - value / top,
            Self::Log { bottom, top } => 1.0 - (value.max(bottom) / bottom).ln() / (top / bottom).ln(),
        };
        down.clamp(0.0, 1.0)
    }

    /// Lines with words, bottom to top.
    pub fn ticks(&self, words: fn(f64) -> String) -> Vec<Tick> {
        match *self {
            Self::Linear { top, unit } => {
                let step = step(top / unit) * unit;
                let count = (top / step).round() as u32;
                (0..=count).map(|n| f64::from(n) * step).map(|value| self.tick(value, words(value))).collect()
            }
            Self::Log { bottom, top } => {
                let decades = (top / bottom).log10();
                let lead = |value: f64| (value / 10f64.powf(value.log10().floor() + 1e-9)).round() as u32;
                let spoken = |value: f64| match lead(value) {
                    1 | 10 => true,
                    2 | 5 => decades <= 2.01,
                    _ => false,
                };
                round_values(bottom, top)
                    .map(|value| self.tick(value, if spoken(value) { words(value) } else { String::new() }))
                    .collect()
            }
        }
    }

    fn tick(&self, value: f64, label: String) -> Tick {
        Tick { at: self.at(value), label }
    }
}

/// Ticks of a time axis from 0 to `end_s`.
pub fn time_ticks(end_s: f64) -> Vec<Tick> {
    const STEPS_S: [f64; 16] =
        [0.1, 0.5, 1.0, 2.0, 5.0, 10.0, 15.0, 30.0, 60.0, 120.0, 300.0, 600.0, 1800.0, 3600.0, 7200.0, 21_600.0];
    let step = STEPS_S.into_iter().find(|step| end_s / step <= 12.0).unwrap_or(86_400.0);
    let count = (end_s / step + 1e-9).floor() as u32;
    (0..=count).map(|n| f64::from(n) * step).map(|s| Tick { at: s / end_s, label: number::clock(s, end_s) }).collect()
}

/// 1, 2 or 5 times a power of ten, so that four to six steps make `most`.
fn step(most: f64) -> f64 {
    let rough = most / 4.0;
    let power = 10f64.powf(rough.log10().floor());
    let factor = [1.0, 2.0, 5.0, 10.0].into_iter().find(|factor| factor * power >= rough * 0.999).unwrap_or(10.0);
    factor * power
}

fn greatest(values: impl Iterator<Item = f64>) -> f64 {
    values.filter(|value| value.is_finite()).fold(0.0, f64::max)
}

fn below(value: f64) -> f64 {
    round_near(value).rev().find(|round| *round <= value * 1.0001).unwrap_or(value)
}

fn above(value: f64) -> f64 {
    round_near(value).find(|round| *round >= value * 0.9999).unwrap_or(value)
}

/// 1, 2, 5 times powers of ten around a value, rising.
fn round_near(value: f64) -> impl DoubleEndedIterator<Item = f64> {
    let power = value.log10().floor() as i32;
    (power - 1..=power + 1).flat_map(|power| [1.0, 2.0, 5.0].map(|lead| lead * 10f64.powi(power)))
}

fn round_values(bottom: f64, top: f64) -> impl Iterator<Item = f64> {
    let (low, high) = (bottom.log10().floor() as i32, top.log10().ceil() as i32);
    (low..=high)
        .flat_map(|power| (1..10).map(move |lead| f64::from(lead) * 10f64.powi(power)))
        .filter(move |value| *value >= bottom * 0.9999 && *value <= top * 1.0001)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_linear_axis_ends_at_a_round_number() {
        let scale = Scale::linear([3.0, 4873.0].into_iter());
        let labels: Vec<_> = scale.ticks(number::plain).into_iter().map(|tick| tick.label).collect();
        assert_eq!(labels, ["0", "2 k", "4 k", "6 k"]);
        let memory = Scale::bytes([1.9e9].into_iter());
        let labels: Vec<_> = memory.ticks(number::bytes).into_iter().map(|tick| tick.label).collect();
        assert_eq!(labels, ["0 B", "512 MiB", "1 GiB", "1.5 GiB", "2 GiB"]);
        assert!((scale.at(3000.0) - 0.5).abs() < 1e-9 && scale.at(9e9) == 0.0);
        assert_eq!(Scale::linear(std::iter::empty()).ticks(number::plain).len(), 3);
    }

    #[test]
    fn a_log_axis_has_words_at_the_decades() {
        let scale = Scale::log([0.3, 800.0].into_iter());
        let labels: Vec<_> =
            scale.ticks(number::ms).into_iter().map(|tick| tick.label).filter(|label| !label.is_empty()).collect();
        assert_eq!(labels, ["1 ms", "10 ms", "100 ms", "1 s"]);
        let narrow = Scale::log([2.5, 7.0].into_iter());
        let labels: Vec<_> =
            narrow.ticks(number::ms).into_iter().map(|tick| tick.label).filter(|label| !label.is_empty()).collect();
        assert_eq!(labels, ["2 ms", "5 ms", "10 ms"]);
        assert!((narrow.at(0.0) - 1.0).abs() < 1e-9);
    }

    #[test]
    fn time_has_at_most_a_dozen_ticks() {
        for end_s in [0.7, 3.0, 61.0, 600.0, 86_400.0] {
            let ticks = time_ticks(end_s);
            assert!((2..=13).contains(&ticks.len()), "{end_s}: {ticks:?}");
        }
        assert_eq!(time_ticks(600.0)[1].label, "1:00");
    }
}
