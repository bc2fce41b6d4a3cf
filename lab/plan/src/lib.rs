// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! `cassiterite plan`: which configuration meets an SLA, and which of those is the cheapest. Uses every other module but
//! `stress`.
//!
//! A [`file`] says workload, SLA, grid and prices; [`axes`] spans its [`cell`]s, [`rails`] refuses what would measure
//! something else. [`race`] says from the [`trial`]s so far what is measured next; [`run`] does it on one of the [`targets`], each step
//! in the [`journal`] before the next. [`judge`] gives verdicts on loads, [`confirm`] on rounds of them, [`answer`] on cells.
//! [`phases`] then hurt nodes by a [`timeline`] while a load runs, [`soaking`] keeps a load up for long. [`volumes`] are made for data and commit logs. [`report`]
//! writes text, JSON and CSV, and [`page`] one page of it all; [`scaling`] tells how capacity grows with nodes.

pub mod answer;
pub mod axes;
pub mod cell;
pub mod clean;
pub mod cli;
pub mod confirm;
pub mod cost;
pub mod figures;
pub mod file;
pub mod identity;
pub mod init;
pub mod journal;
pub mod judge;
pub mod machine;
pub mod observed;
pub mod order;
mod overview;
pub mod page;
pub mod phase;
pub mod phases;

pub mod plan;
pub mod quantity;
pub mod race;
pub mod rails;
pub mod report;
pub mod run;
pub mod scaling;
pub mod schema;
mod sentence;
pub mod soak;
pub mod soaking;
mod summary;
pub mod targets;
pub mod timeline;
pub mod trial;
pub mod volumes;
pub mod workload;
