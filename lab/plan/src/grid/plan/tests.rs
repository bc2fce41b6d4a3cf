// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

#![allow(clippy::unwrap_used)]

use clap::ValueEnum;

use super::*;
use crate::file::init::Template;

#[test]
fn both_articles_are_plans_whose_cells_are_understood() {
    for template in Template::value_variants() {
        let plan = Plan::new(PlanFile::parse(template.text()).unwrap()).unwrap();
        assert!(plan.cells.len() > 3 && plan.table_bytes.iter().all(|bytes| *bytes > 0.0), "{template:?}");
    }
}
