// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! `cassiterite compare`: the same scenario on several engines, interleaved in rounds, with ratios, their intervals and a
//! verdict.
//!
//! A [`scenario`] runs [`phase`]s on a [`subject`] (the fresh cluster of one engine), which gives a [`trial`] of [`figure`]s;
//! what each one runs is in `scenarios`. [`rounds`] repeats that for every engine. [`verdict`] computes ratios and verdicts with [`statistics`]; [`table`] and [`page`] show them.

pub mod cli;
pub mod distribution;
mod evict;
pub mod figure;
pub mod files;
pub mod legend;
pub mod order;
pub mod own;
pub mod page;
mod pauses;
pub mod phase;
pub mod quiet;
pub mod rounds;
pub mod saved;
pub mod scenario;
mod scenarios;
pub mod sections;
pub mod settings;
pub mod settled;
pub mod statistics;
pub mod streams;
pub mod subject;
pub mod table;
pub mod trial;
pub mod verdict;
pub mod warmup;

pub use subject::lock_clusters;
