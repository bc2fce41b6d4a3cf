// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Observes servers, client and machine during a run from the outside: `/proc`, the GC log, `jcmd`, virtual tables. Uses no
//! other module of the lab.
//!
//! Nothing here runs inside a server. A value that cannot be read (a server on another machine, a log that is not there, a
//! collector that logs no sizes) is `None` and named in [`Record::absent`]; it is never a zero.

mod client;
mod compactions;
mod compilers;
mod environment;
mod gc_log;
mod heap;
mod node_query;
mod process;
mod process_sampler;
mod servers;

pub use client::{Client, ClientUse};
pub use compactions::{CompactionPoller, Compactions};
pub use compilers::Compilers;
pub use environment::{cassandra_version, file_hash, text_hash, Environment, Hash, Machine, Software};
pub use gc_log::{GcLog, GcTotals};
pub use heap::{collect_garbage, count_objects, heap_used_bytes};
pub use node_query::{await_known, NodeQuery};
pub use process::ProcessReading;
pub use process_sampler::{now_unix_ms, Memory, ProcessSampler, ProcessSamples};
pub use servers::{Reading, Record, Sample, Servers, WatchedServer};
