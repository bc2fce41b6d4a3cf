// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Real Apache Cassandra nodes and clusters on one machine: what `make run`, the node tests and every load need.
//!
//! Its modules, and which others each may use (`cli/tests/layers.rs` holds them to it):
//!
//! | module | what it does | uses |
//! |---|---|---|
//! | [`cluster`] | starts, changes and stops clusters | `cpus`, `fence`, `network` |
//! | [`network`] | cuts and slows what nodes send to each other | `command`, `fence` |
//! | [`command`] | runs programs of the system | none |
//! | [`fence`] | bounds what a process may use of the machine, and what its devices do | none |
//! | [`cpus`] | splits the machine between client and servers | none |

pub mod cluster;
pub mod command;
pub mod cpus;
pub mod fence;
pub mod network;
