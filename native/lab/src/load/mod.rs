// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Operations started on time and recorded without coordinated omission.

mod operation;
mod outcome;

pub use operation::{Answer, Class, Fault, FaultKind, Kind, Operation, Row, Workload};
pub use outcome::{Interval, Latencies, Outcome, Tally};
