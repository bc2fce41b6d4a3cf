// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The lab: real Apache Cassandra clusters on one machine, cassandra-stress profiles, engines side by side.
//!
//! It measures; it is not a database, a driver or a cluster manager for production. The layers, top to bottom:
//! `compare` runs scenarios on engines in turn, `stress` is one run as cassandra-stress users know it, `report` writes it
//! down, `load` starts operations on time and records them, `check` remembers what was acknowledged, `profile` makes
//! schemas, statements and rows out of a cassandra-stress profile, `observe` watches servers and client, `cluster` starts nodes.

pub mod check;
pub mod cluster;
pub mod compare;
pub mod load;
pub mod observe;
pub mod profile;
pub mod report;
pub mod stress;

#[cfg(test)]
#[path = "../../engine/tests/common/spoilt.rs"]
mod spoilt;
