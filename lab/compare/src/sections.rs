// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The figures of a comparison by phase, as its table and its page show them.

use std::fmt;

use crate::figure::{number, Better, Figure};
use crate::rounds::Comparison;
use crate::verdict::Judged;

/// A number and, where there are several, what it lies between.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spread {
    /// The number.
    pub middle: String,
    /// Least and most.
    pub range: Option<String>,
}

impl Spread {
    fn new(middle: impl Into<String>, range: Option<String>) -> Self {
        Self { middle: middle.into(), range }
    }
}

impl fmt::Display for Spread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.middle)?;
        self.range.as_ref().map_or(Ok(()), |range| write!(f, " ({range})"))
    }
}

/// The figures of one phase.
pub struct Section<'a, T> {
    phase: Option<&'a str>,
    /// In the order in which they were measured.
    pub lines: Vec<T>,
}

impl<'a, T> Section<'a, T> {
    /// The heading of its rows.
    pub fn name(&self) -> &'a str {
        self.phase.unwrap_or("whole run")
    }

    /// Lines with the phases that they are of; phases keep the order in which they come first.
    pub fn of(lines: impl Iterator<Item = (Option<&'a str>, T)>) -> Vec<Self> {
        let mut sections: Vec<Self> = Vec::new();
        for (phase, line) in lines {
            match sections.iter_mut().find(|section| section.phase == phase) {
                Some(section) => section.lines.push(line),
                None => sections.push(Self { phase, lines: vec![line] }),
            }
        }
        sections
    }
}

/// One figure of the comparison: its values by engine, its ratios by baseline.
pub struct Line<'a> {
    /// Name within its phase, with unit.
    pub name: String,
    /// Which way is better.
    pub better: Better,
    /// Median and range over rounds, by engine.
    pub values: Vec<Spread>,
    /// By baseline.
    pub judged: Vec<&'a Judged>,
}

/// All figures by phase.
pub fn sections(comparison: &Comparison) -> Vec<Section<'_, Line<'_>>> {
    let of = |engine: &String| -> Vec<&Figure> {
        comparison.runs.iter().filter(|run| run.engine == *engine).flat_map(|run| &run.trial.figures).collect()
    };
    let engines: Vec<Vec<&Figure>> = comparison.engines.iter().map(of).collect();
    let mut known: Vec<&Figure> = Vec::new();
    for figure in engines.iter().flatten() {
        if !known.iter().any(|known| known.name == figure.name) {
            known.push(figure);
        }
    }
    let line = |figure: &'_ Figure, what: &str| {
        let unit = figure.unit.symbol();
        let measured = |of: &Vec<&Figure>| spread(of.iter().copied().filter(|other| other.name == figure.name));
        Line {
            name: if unit.is_empty() { what.to_owned() } else { format!("{what}, {unit}") },
            better: figure.better,
            values: engines.iter().map(measured).collect(),
            judged: comparison.judged.iter().filter(|judged| judged.name == figure.name).collect(),
        }
    };
    Section::of(known.into_iter().map(|figure| {
        let (phase, what) = Figure::parts(&figure.name);
        (phase, line(figure, what))
    }))
}

/// `median (least-most)`.
fn spread<'a>(figures: impl Iterator<Item = &'a Figure>) -> Spread {
    let mut values: Vec<f64> = figures.filter_map(|figure| figure.value).collect();
    values.sort_by(f64::total_cmp);
    let (Some(least), Some(most)) = (values.first(), values.last()) else {
        return Spread::new("not measured", None);
    };
    let middle = values.len() / 2;
    let upper = values.get(middle).copied().unwrap_or(*most);
    let lower = values.get((values.len() - 1) / 2).copied().unwrap_or(upper);
    match values.len() {
        1 => Spread::new(number(*least), None),
        _ => Spread::new(number((lower + upper) / 2.0), Some(format!("{}-{}", number(*least), number(*most)))),
    }
}

/// `0.56 (0.51-0.62)`; where a value is zero the difference: `-2.1 (-2.6 to -1.6)`.
pub fn ratio(judged: &Judged) -> Spread {
    if let Some(difference) = &judged.difference {
        let [mean, low, high] = [difference.mean, difference.low, difference.high].map(number);
        return Spread::new(mean, Some(format!("{low} to {high}")));
    }
    let Some(ratio) = judged.ratio else { return Spread::new("-", None) };
    let range = judged.low.zip(judged.high).filter(|(_, high)| high.is_finite());
    Spread::new(format!("{ratio:.2}"), range.map(|(low, high)| format!("{low:.2}-{high:.2}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::Unit;

    #[test]
    fn figures_of_a_phase_are_together() {
        let names = ["hot: P50", "cold: P50", "hot: P99", "memory"].map(Figure::parts);
        let sections: Vec<(&str, Vec<&str>)> =
            Section::of(names.into_iter()).into_iter().map(|section| (section.name(), section.lines)).collect();
        let expected = [("hot", vec!["P50", "P99"]), ("cold", vec!["P50"]), ("whole run", vec!["memory"])];
        assert_eq!(sections, expected);
    }

    #[test]
    fn a_range_is_told_where_there_are_several() {
        let text = |values: &[f64]| {
            let figure = |value: &f64| Figure::new("x", Unit::Seconds, Better::Lower, Some(*value));
            spread(values.iter().map(figure).collect::<Vec<_>>().iter()).to_string()
        };
        assert_eq!(["not measured", "2.00", "2.50 (1.00-10.0)"], [&[][..], &[2.0], &[3.0, 1.0, 2.0, 10.0]].map(text));
    }
}
