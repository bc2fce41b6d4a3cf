// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Operations started on time and recorded without coordinated omission.
//!
//! `connect` opens a session on a [`Target`], [`run`] puts a [`Workload`] on it as a [`Plan`] says and returns the
//! [`Outcome`]. Both run in a runtime made by [`runtime`], whose threads are the client.

mod clock;
mod connect;
mod connect_error;
mod cost;
mod cut_short;
mod limiter;
mod operation;
mod outcome;
mod pace;
mod plan;
mod recorder;
mod retry;
mod run;
mod series;
mod target;
mod tls;
mod trouble;
mod validity;
mod warmup;
mod watch;

pub use connect::{connect, runtime};
pub use cut_short::faults_of;
pub use operation::{Answer, Class, Fault, FaultKind, Kind, Operation, Row, Workload};
pub use outcome::{wrong_rows, FaultCount, Interval, Latencies, Outcome, Tally};
pub use plan::{Limits, Pace, Plan, Retries, Signal, Stop};
pub use run::run;
pub use target::{Target, TlsFiles};
pub use warmup::{Settling, WarmUp, WarmedUp};
