// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! `cassiterite plan`: which configuration meets an SLA, and which of those is the cheapest.
//!
//! A [`file`] says workload, SLA, grid and prices, in [quantities](quantity). The [`grid`] is what can be measured, and a
//! [runner](runner) measures it on one of the [`targets`], whose [`volumes`] it makes. [`trials`] are what loads showed.
//! Then come [phases](phase) and [soaks](soak). The [`results`] tell it all.

pub mod cli;
pub mod file;
pub mod grid;
pub mod phase;
pub mod quantity;
pub mod results;
pub mod runner;
pub mod soak;
pub mod targets;
pub mod trials;
pub mod volumes;
