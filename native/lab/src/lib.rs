// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The lab: real Apache Cassandra clusters on one machine, cassandra-stress profiles, engines side by side.
//!
//! It measures; it is not a database, a driver or a cluster manager for production. Its modules, and which others each may
//! use (`tests/layers.rs` holds them to it):
//!
//! | module | what it does | uses |
//! |---|---|---|
//! | [`plan`] | finds the cheapest configuration that meets an SLA | all but `stress` |
//! | [`compare`] | runs a scenario on several engines and gives a verdict | all but `stress`, `plan` |
//! | [`stress`] | runs one load, with the command line of cassandra-stress | all but `compare`, `plan` |
//! | [`search`] | finds the highest rate at which SLAs hold | `report` |
//! | [`report`] | writes a run as JSON, HDR log, rows and HTML; judges SLAs | `load`, `observe` |
//! | [`profile`] | makes schema, statements and rows from a cassandra-stress profile | `load`, `check` |
//! | [`load`] | starts operations on time and records them | `check` |
//! | [`check`] | remembers acknowledged writes and judges answers by them | none |
//! | [`observe`] | watches servers, client and machine | `cpus`, `cluster` |
//! | [`cluster`] | starts, changes and stops clusters | `cpus`, `fence`, `network` |
//! | [`network`] | cuts and slows what nodes send to each other | `command`, `fence` |
//! | [`command`] | runs programs of the system | none |
//! | [`fence`] | bounds what a process may use of the machine, and what its devices do | none |
//! | [`cpus`] | splits the machine between client and servers | none |
//! | [`narrator`] | tells what a long command does, and how long it will still take | none |

pub mod check;
pub mod cluster;
pub mod command;
pub mod compare;
pub mod cpus;
pub mod fence;
pub mod load;
pub mod narrator;
pub mod network;
pub mod observe;
pub mod plan;
pub mod profile;
pub mod report;
pub mod search;
pub mod stress;

#[cfg(test)]
#[path = "../../engine/tests/common/spoilt.rs"]
mod spoilt;
