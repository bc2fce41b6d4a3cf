// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Starts operations on time and records them without coordinated omission. Uses `check`.
//!
//! [`connect`] opens a session on a [`Target`]; [`run`] runs a [`Workload`] on it by a [`LoadSpec`] and returns the [`Outcome`].
//! Both need a runtime made by [`runtime`], whose threads are the client.

mod access;
mod changes;
mod clock;
mod connect;
mod connect_error;
mod cost;
mod failures;
mod limiter;
mod monitor;
mod operation;
mod outcome;
mod pace;
mod partial_answer;
mod priority;
mod recorder;
mod retry;
mod run;
mod running;
mod series;
mod spec;
mod target;
mod tls;
mod translation;
mod validity;
mod warmup;

pub use crate::check::{Fault, FaultKind, Row};
pub use access::{contact_point, credentials};
pub use changes::Changes;
pub use connect::{connect, runtime};
pub use operation::{Answer, Class, Kind, Operation, Workload};
pub use outcome::{wrong_rows, FaultCount, Interval, Latencies, Outcome, Tally};
pub use partial_answer::faults_of;
pub use run::run;
pub use spec::{Limits, LoadSpec, Pace, Position, Retries, Signal, Stop};
pub use target::{Target, TlsFiles};
pub use warmup::{Settling, WarmUp, WarmedUp};
