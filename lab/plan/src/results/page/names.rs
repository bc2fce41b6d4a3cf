// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! What the names of cells mean: axes, labels and volumes.

use anyhow::Result;
use maud::{html, Markup};

use super::{short, View};
use crate::file::Volume;
use crate::grid::axes::{about, named, Named};
use lab_load::report::html::number;

/// Each axis with its labels, then the volumes; nothing where the grid has no axes.
pub fn section(view: &View<'_>) -> Result<Markup> {
    let axes = named(&view.plan.file)?;
    if axes.is_empty() {
        return Ok(html! {});
    }
    Ok(html! {
        h2 { "What the names mean" }
        p.note { "A cell is one configuration. Its name has a value of each axis, as " code { (view.answer.cells.first().map(super::labels).unwrap_or_default()) } "." }
        table.names {
            thead { tr { th.left { "axis" } th.left { "value" } th.left { "meaning" } } }
            tbody { @for axis in &axes {
                @if axis.labels.iter().all(|(_, words)| words.is_none()) {
                    tr { th.left scope="row" { (short(&axis.axis)) } td.left.why { (plain(axis)) } td.left.why { (about(&axis.axis)) } }
                } @else {
                    @for (at, (label, words)) in axis.labels.iter().enumerate() { tr {
                        @if at == 0 { th.left rowspan=(axis.labels.len()) scope="rowgroup" { (short(&axis.axis)) } }
                        td.left { (label) } td.left.why { (words.as_deref().unwrap_or(label)) }
                    } }
                }
            } }
        }
        @if !view.plan.file.volumes.is_empty() {
            table.names {
                thead { tr { th.left { "volume" } th.left { "what it is" } } }
                tbody { @for (name, volume) in &view.plan.file.volumes { tr { td.left { (name) } td.left.why { (described(volume)) } } } }
            }
        }
    })
}

/// Labels that say all: one beside the other.
fn plain(axis: &Named) -> String {
    axis.labels.iter().map(|(label, _)| label.as_str()).collect::<Vec<_>>().join(", ")
}

fn described(volume: &Volume) -> String {
    let mut words = vec![volume.driver.about().to_owned()];
    words.extend(volume.size.map(|size| number::bytes(size.0 as f64)));
    words.extend((volume.copies > 1).then(|| format!("{} copies of each byte", volume.copies)));
    words.extend(volume.per_node.then(|| "one for each node".to_owned()));
    words.extend((!volume.is_durable()).then(|| "lost with the power".to_owned()));
    words.extend(volume.limits.map(|_| "with limits of its devices".to_owned()));
    words.join(", ")
}
