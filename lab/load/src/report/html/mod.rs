// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! One self-contained page: charts of one or more runs under one time axis, tables, the environment. Nothing is fetched; the
//! runs themselves are in the page, so that another run can be added to it. Charts are drawn by uPlot, which the build
//! fetches (`scripts/native-deps.sh`) and the page carries.

mod chart;
mod conclusion;
mod facts;
pub mod number;
mod page;
mod panels;
mod side_by_side;

use std::path::Path;

use anyhow::{Context, Result};

use super::Run;

pub use chart::{Across, Chart, Quantity, Series, Style};
pub use page::{document, page};

const BEGIN: &str = r#"<script type="application/json" id="runs">"#;
const END: &str = "</script>";

/// Writes a page of these runs.
pub fn write(path: &Path, title: &str, runs: &[Run]) -> Result<()> {
    std::fs::write(path, page(title, runs)?).with_context(|| path.display().to_string())
}

/// Adds a run to a page that [`write`] made, as cassandra-stress's `-graph` does; begins one when there is none. A run of the
/// same name and operation takes the place of the earlier one.
pub fn append(path: &Path, title: Option<&str>, run: Run) -> Result<()> {
    let (mut runs, old_title) = if path.exists() { read(path)? } else { (Vec::new(), None) };
    runs.retain(|old: &Run| (&old.name, &old.operation) != (&run.name, &run.operation));
    let title = title.map(str::to_owned).or(old_title).unwrap_or_else(|| run.operation.clone());
    runs.push(run);
    write(path, &title, &runs)
}

/// The runs of a page, and its title.
pub fn read(path: &Path) -> Result<(Vec<Run>, Option<String>)> {
    let shown = path.display();
    let text = std::fs::read_to_string(path).with_context(|| shown.to_string())?;
    let json = text.split_once(BEGIN).and_then(|(_, rest)| rest.split_once(END));
    let (json, _) = json.with_context(|| format!("{shown} is not a page of runs; it is left as it is"))?;
    let page: Data = serde_json::from_str(json).with_context(|| shown.to_string())?;
    let runs: Result<Vec<_>> = page.runs.into_iter().map(Run::known).collect();
    Ok((runs.with_context(|| shown.to_string())?, Some(page.title)))
}

/// The data that a page keeps, so that runs can be added.
#[derive(serde::Serialize, serde::Deserialize)]
struct Data {
    title: String,
    runs: Vec<Run>,
}

/// JSON that may stand within a script element.
fn embedded(title: &str, runs: &[Run]) -> Result<String> {
    let json = serde_json::to_string(&Data { title: title.to_owned(), runs: runs.to_vec() })?;
    // "</script>" or "<!--" within a string would be taken for HTML.
    Ok(format!("{BEGIN}{}{END}", json.replace('<', "\\u003c")))
}
