// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! A comparison as a table for the terminal.

use comfy_table::presets::UTF8_FULL_CONDENSED;
use comfy_table::{Attribute, Cell, CellAlignment, Color, Table};

use crate::distribution::{distributions, HEADS};
use crate::figure::Better;
use crate::legend::{conclusions, legend, unjudged};
use crate::rounds::Comparison;
use crate::sections::{ratio, sections};
use crate::verdict::{Judged, Verdict};

/// The name of a figure in its section, with the arrow of its better side.
pub(crate) fn named(name: &str, better: Better) -> Cell {
    Cell::new(format!("  {name} {}", better.arrow()).trim_end())
}

/// The row that heads a section.
pub(crate) fn heading(name: &str) -> [Cell; 1] {
    [Cell::new(name).add_attribute(Attribute::Bold)]
}

/// The table, and the notes below it.
pub fn text(comparison: &Comparison) -> String {
    let mut table = Table::new();
    table.load_preset(UTF8_FULL_CONDENSED);
    let subject = comparison.engines.last().map(String::as_str).unwrap_or_default();
    let baselines: Vec<&String> = comparison.engines.iter().rev().skip(1).rev().collect();
    let heads = baselines.iter().map(|baseline| format!("{subject} / {baseline}"));
    table.set_header(["figure".to_owned()].into_iter().chain(comparison.engines.iter().cloned()).chain(heads));
    for section in sections(comparison) {
        table.add_row(heading(section.name()));
        for line in section.lines {
            let mut cells = vec![named(&line.name, line.better)];
            cells.extend(line.values.into_iter().map(|value| Cell::new(value).set_alignment(CellAlignment::Right)));
            cells.extend(line.judged.into_iter().map(judged_cell));
            table.add_row(cells);
        }
    }
    let mut text = format!("{table}\n");
    text.push_str(&spreads(comparison));
    let invalid = comparison.invalid();
    let failed = comparison.failed_levels().into_iter().map(|level| format!("LEVEL NOT HELD AT ANY RATE: {level}"));
    for line in conclusions(comparison)
        .into_iter()
        .chain(legend(comparison))
        .chain(unjudged(comparison))
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
        Better::Neither => format!("{} not judged", ratio(judged)),
        _ => format!("{} {}", ratio(judged), judged.verdict.label()),
    };
    let cell = Cell::new(words).set_alignment(CellAlignment::Right);
    match judged.verdict {
        Verdict::Better => cell.fg(Color::Green),
        Verdict::Worse => cell.fg(Color::Red),
        Verdict::CannotTell => cell,
    }
}
