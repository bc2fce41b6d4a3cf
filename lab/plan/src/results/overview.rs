// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! What `plan check` shows: cells with what they take, what is refused, and how long it will take.

use std::time::Duration;

use anyhow::Result;
use comfy_table::presets::UTF8_FULL_CONDENSED;
use comfy_table::{ContentArrangement, Table};

use crate::file::Pruning;
use crate::grid::after::all_about_s;
use crate::grid::plan::Plan;
use crate::grid::refusals::Findings;

const MIB: f64 = (1 << 20) as f64;

/// The text.
pub fn text(plan: &Plan, findings: &Findings) -> Result<String> {
    let mut table = Table::new();
    table.load_preset(UTF8_FULL_CONDENSED).set_content_arrangement(ContentArrangement::Dynamic);
    let axes = plan.cells.first().map(|cell| cell.labels().to_vec()).unwrap_or_default();
    let mut header: Vec<String> = axes.into_iter().map(|(axis, _)| axis).collect();
    header.extend(["all nodes", "RF", "heaps MiB", "tables MiB"].map(str::to_owned));
    header.extend(plan.file.cost.as_ref().map(|cost| format!("{}/h", cost.currency)));
    table.set_header(header);
    for (at, cell) in plan.cells.iter().enumerate() {
        let costs = plan.costs(at, None)?;
        let mut row: Vec<String> = cell.labels().iter().map(|(_, label)| label.clone()).collect();
        row.extend([
            cell.nodes()?.to_string(),
            cell.replication_factor()?.to_string(),
            format!("{:.0}", costs.heap_bytes as f64 / MIB),
            format!("{:.1}", costs.stored_bytes / MIB),
        ]);
        row.extend(costs.per_hour.map(|cost| format!("{cost:.3}")));
        table.add_row(row);
    }
    let mut text = format!("{table}\n{} cells; {}\n", plan.cells.len(), hours(plan)?);
    let loads: Vec<String> =
        plan.file.shares().iter().map(|share| format!("{:.0}/s", share * plan.launch_per_s())).collect();
    text += &format!("loads, open loop: {}\n", loads.join(", "));
    for (word, lines) in [("refused", &findings.refused), ("warning", &findings.warnings), ("note", &findings.notes)] {
        lines.iter().for_each(|line| text += &format!("{word}: {line}\n"));
    }
    Ok(text)
}

/// How long it may take.
pub fn hours(plan: &Plan) -> Result<String> {
    let (cells, rounds, trial_s) = (plan.cells.len() as f64, plan.file.measure.rounds as f64, plan.trial_s()?);
    let trials_s = match plan.file.measure.pruning {
        Pruning::None => cells * rounds * trial_s,
        Pruning::Race => (cells + 2.0 * rounds) * trial_s,
    };
    let most_s = trials_s + all_about_s(plan)?;
    let budget = plan.file.budget.map(|budget| format!(", within a budget of {}", time(budget.0.as_secs_f64())));
    Ok(format!("about {} at most{}, and {} a trial", time(most_s), budget.unwrap_or_default(), time(trial_s)))
}

/// A length of time, in words.
pub fn time(seconds: f64) -> String {
    lab_load::narrator::words(Duration::try_from_secs_f64(seconds).unwrap_or_default())
}
