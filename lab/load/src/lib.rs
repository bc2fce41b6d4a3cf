// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Loads: from a cassandra-stress profile to a judged report.
//!
//! Its modules, and which others each may use (`cli/tests/layers.rs` holds them to it):
//!
//! | module | what it does | uses |
//! |---|---|---|
//! | [`stress`] | runs one load, with the command line of cassandra-stress | all |
//! | [`moves`] | moves a table into the engine or out of it, a rack at a time | `load`, `observe`, `narrator` |
//! | [`search`] | finds the highest rate at which SLAs hold | `report` |
//! | [`report`] | writes a run as JSON, HDR log, rows and HTML; judges SLAs | `load`, `observe` |
//! | [`profile`] | makes schema, statements and rows from a cassandra-stress profile | `load`, `check` |
//! | [`load`] | starts operations on time and records them | `check` |
//! | [`check`] | remembers acknowledged writes and judges answers by them | none |
//! | [`observe`] | watches servers, client and machine | none |
//! | [`narrator`] | tells what a long command does, and how long it will still take | none |

pub mod check;
pub mod load;
pub mod moves;
pub mod narrator;
pub mod observe;
pub mod profile;
pub mod report;
pub mod search;
pub mod stress;
