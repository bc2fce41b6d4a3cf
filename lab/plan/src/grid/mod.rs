// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! What can be measured: the axes of a plan, the cells that they span, and what each costs.
//!
//! [`axes`] spans the [`cell`]s, which come in an [`order`]; [`refusals`] stop what would measure something else. A [`plan`]
//! is a file with all that; [`race`] says from the trials so far which cell is measured next, and [`after`] what comes then.

pub mod after;
pub mod axes;
pub mod cell;
pub mod cost;
pub mod order;
pub mod plan;
pub mod race;
pub mod refusals;
pub mod workload;
