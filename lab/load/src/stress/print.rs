// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! `print dist=...`: a distribution as cassandra-stress prints it (`SettingsMisc.printDistribution`).

use std::fmt::Write;

use anyhow::{Context, Result};

use super::command_line::Given;
use super::settings::distribution as read;

const SAMPLES: [f64; 12] = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1.0];

/// The table: below which value so much of the samples is.
pub fn distribution(given: &Given) -> Result<String> {
    let distribution = read(given, "dist=")?.context("print: dist=DIST is missing")?;
    let most = distribution.quantile(1.0) as f64 / 100.0;
    let mut text = String::from("% of samples    Range       % of total\n");
    for share in SAMPLES {
        let value = distribution.quantile(share);
        let _ = writeln!(text, "{:<16.1}{value:<12}{:>12.1}", share * 100.0, value as f64 / most);
    }
    Ok(text)
}
