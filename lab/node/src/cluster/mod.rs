// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Unmodified Apache Cassandra processes on 127.0.0.1, .2, .3 ...
//!
//! A cluster is a folder: `cluster.json` says what it is and which processes run, `nodeN` is what node N keeps. Every
//! command finds its cluster again through that folder. All calls block.

pub mod cli;
mod ended;
mod engine;
mod failover;
mod growth;
mod handle;
mod heap;
mod home;
mod lifecycle;
mod log;
mod member;
mod network;
pub mod node;
pub mod process;
mod progress;
mod ready;
mod ring;
mod spec;
mod starting;
mod state;
mod tokens;
mod yaml;

pub use ended::{LastWords, NodeEnded};
pub use engine::Engine;
pub use handle::{Cluster, NodeInfo};
pub use home::cassandra;
pub use home::Home;
pub use progress::{Bars, Interrupt, Progress, Silent};
pub use ring::{parse_status, RingNode, RingState};
pub use spec::{ClusterSpec, NODE};
pub use state::{lock_file, Lock};
