// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! A comparison as a table for the terminal.

use std::fmt;

use comfy_table::presets::UTF8_FULL_CONDENSED;
use comfy_table::{Cell, CellAlignment, Color, Table};

use crate::distribution::{distributions, HEADS};
use crate::figure::{number, Better, Figure};
use crate::rounds::Comparison;
use crate::statistics::ROUNDS_MIN;
use crate::verdict::{Judged, Verdict, FALSE_DISCOVERY_RATE};

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

/// One figure of the comparison: its values by engine, its ratios by baseline.
pub struct Line<'a> {
    /// Name with unit.
    pub name: String,
    /// Median and range over rounds, by engine.
    pub values: Vec<Spread>,
    /// By baseline.
    pub judged: Vec<&'a Judged>,
}

/// All figures in the order in which they were measured.
pub fn lines(comparison: &Comparison) -> Vec<Line<'_>> {
    let rounds = comparison.rounds();
    let mut names: Vec<(&str, &str)> = Vec::new();
    for figure in rounds.iter().flat_map(|engine| engine.rounds.iter().flatten()) {
        if !names.iter().any(|(name, _)| *name == figure.name) {
            names.push((&figure.name, figure.unit.symbol()));
        }
    }
    let line = |(name, unit): (&str, &str)| Line {
        name: if unit.is_empty() { name.to_owned() } else { format!("{name}, {unit}") },
        values: rounds.iter().map(|engine| spread(engine.rounds.iter().flatten().filter(|f| f.name == name))).collect(),
        judged: comparison.judged.iter().filter(|judged| judged.name == name).collect(),
    };
    names.into_iter().map(line).collect()
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

/// The legend of the table.
pub fn legend(comparison: &Comparison) -> Vec<String> {
    let settings = &comparison.settings;
    let mut words = vec![format!(
        "median (least-most) of {} rounds; ratio: geometric mean of the rounds' ratios with its 95 % interval; verdicts from \
         {ROUNDS_MIN} rounds on, at a false discovery rate of {} % over all figures",
        settings.rounds,
        FALSE_DISCOVERY_RATE * 100.0
    )];
    let doubted = comparison
        .judged
        .iter()
        .filter(|judged| judged.better != Better::Neither && judged.rounds >= ROUNDS_MIN && judged.reason.is_some())
        .count();
    if doubted > 0 {
        words.push(format!("{doubted} figures have no verdict: the client spoiled them or a search ended unconfirmed (see INVALID and the notes)"));
    }
    if comparison.judged.iter().any(|judged| judged.difference.is_some()) {
        words.push("where a value is zero there is no ratio: the mean difference stands in its place".to_owned());
    }
    if let Some(split) = &settings.cpus {
        words.push(format!("{split}"));
    }
    if settings.fast_nodes {
        words.push("the nodes ran in test mode (serial GC, no C2 compiler): these numbers mean nothing".to_owned());
    }
    if !settings.rounds.is_multiple_of(2 * comparison.engines.len().max(1)) && comparison.engines.len() > 1 {
        words.push(
            "engines did not run in every place equally often: rounds are no multiple of twice their number".to_owned(),
        );
    }
    words
}

/// The table, and the notes below it.
pub fn text(comparison: &Comparison) -> String {
    let mut table = Table::new();
    table.load_preset(UTF8_FULL_CONDENSED);
    let subject = comparison.engines.last().map(String::as_str).unwrap_or_default();
    let baselines: Vec<&String> = comparison.engines.iter().rev().skip(1).rev().collect();
    let heads = baselines.iter().map(|baseline| format!("{subject} / {baseline}"));
    table.set_header(["figure".to_owned()].into_iter().chain(comparison.engines.iter().cloned()).chain(heads));
    for line in lines(comparison) {
        let mut cells = vec![Cell::new(line.name)];
        cells.extend(line.values.into_iter().map(|value| Cell::new(value).set_alignment(CellAlignment::Right)));
        cells.extend(line.judged.into_iter().map(judged_cell));
        table.add_row(cells);
    }
    let mut text = format!("{table}\n");
    text.push_str(&spreads(comparison));
    let invalid = comparison.invalid();
    let failed = comparison.failed_levels().into_iter().map(|level| format!("LEVEL NOT HELD AT ANY RATE: {level}"));
    for line in legend(comparison)
        .into_iter()
        .chain(invalid.into_iter().map(|reason| format!("INVALID: {reason}")))
        .chain(comparison.caveats().into_iter().map(|caveat| format!("CAVEAT: {caveat}")))
        .chain(failed)
    {
        text.push_str(&line);
        text.push('\n');
    }
    text
}

/// How single replacements spread; nothing where there are none.
fn spreads(comparison: &Comparison) -> String {
    let distributions = distributions(comparison);
    if distributions.is_empty() {
        return String::new();
    }
    let mut table = Table::new();
    table.load_preset(UTF8_FULL_CONDENSED);
    table.set_header(HEADS);
    for distribution in distributions {
        table.add_row(distribution.cells());
    }
    format!("{table}\n")
}

fn judged_cell(judged: &Judged) -> Cell {
    let words = match judged.better {
        Better::Neither => ratio(judged).to_string(),
        _ => format!("{} {}", ratio(judged), judged.verdict.label()),
    };
    let cell = Cell::new(words).set_alignment(CellAlignment::Right);
    match judged.verdict {
        Verdict::Better => cell.fg(Color::Green),
        Verdict::Worse => cell.fg(Color::Red),
        Verdict::CannotTell => cell,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::Unit;

    #[test]
    fn a_range_is_told_where_there_are_several() {
        let text = |values: &[f64]| {
            let figure = |value: &f64| Figure::new("x", Unit::Seconds, Better::Lower, Some(*value));
            spread(values.iter().map(figure).collect::<Vec<_>>().iter()).to_string()
        };
        assert_eq!(["not measured", "2.00", "2.50 (1.00-10.0)"], [&[][..], &[2.0], &[3.0, 1.0, 2.0, 10.0]].map(text));
    }
}
