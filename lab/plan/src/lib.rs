// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! `cassiterite plan`: which configuration meets an SLA, and which of those is the cheapest.
//!
//! A [`file`] says workload, SLA, grid and prices, in [quantities](quantity). The [`grid`] is what can be measured, and a
//! [runner](runner) measures it on one of the [`targets`], whose [`volumes`] it makes. [`trials`] are what loads showed.
//! Then come [phases](phase) and [soaks](soak). The [`results`] tell it all.
//!
//! Its modules, and which others each may use (`cli/tests/layers.rs` holds them to it, and to form no circle):
//!
//! | module | what it does | uses |
//! |---|---|---|
//! | [`cli`] | the command line | all |
//! | [`runner`] | measures what is next, each step in the journal first | `phase`, `soak`, `targets`, `results`, `journal`, `grid`, `volumes`, `file`, `trials` |
//! | [`phase`] | runs the phases, once the answer is there | `targets`, `results`, `journal`, `figures`, `grid`, `file`, `trials` |
//! | [`soak`] | runs the soak, once the phases are over | `targets`, `results`, `journal`, `figures`, `grid`, `file`, `timeline`, `trials` |
//! | [`results`] | answer, report, page | `journal`, `figures`, `grid`, `file`, `timeline`, `words`, `trials` |
//! | [`targets`] | clusters to measure: made here, or there already | `figures`, `grid`, `volumes`, `file`, `timeline`, `words`, `quantity`, `trials` |
//! | [`journal`] | what was done, and on which machine | `figures`, `file`, `trials` |
//! | [`grid`] | cells, costs, order, refusals, race; times of what comes after | `volumes`, `file`, `timeline`, `words`, `quantity`, `trials` |
//! | [`figures`] | figures of phases and soaks | `timeline`, `trials` |
//! | [`volumes`] | places for data, made and lost | `file`, `timeline`, `limits` |
//! | [`file`] | the plan as the user writes it | `timeline`, `limits`, `words`, `quantity` |
//! | [`timeline`] | moves of a phase as the user writes them | `limits`, `words`, `quantity` |
//! | [`limits`] | limits of a device as the user writes them | `quantity` |
//! | [`words`] | how values are written, and what an unknown word meant | none |
//! | [`quantity`] | bytes, rates, times, prices | none |
//! | [`trials`] | what loads showed, and verdicts on it | none |

pub mod cli;
pub mod figures;
pub mod file;
pub mod grid;
pub mod journal;
pub mod limits;
pub mod phase;
pub mod quantity;
pub mod results;
pub mod runner;
pub mod soak;
pub mod targets;
pub mod timeline;
pub mod trials;
pub mod volumes;
pub mod words;
