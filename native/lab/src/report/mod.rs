// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! A run written down: JSON, HDR log, cassandra-stress rows, one HTML page.

mod digest;
mod hdr_log;
pub mod html;
mod place;
mod rows;
mod run;
mod sla;
mod uncertainty;

pub use digest::{Latency, Part, Span, Totals};
pub use hdr_log::HdrLog;
pub use place::ensure_writable;
pub use rows::{header, results, row, Beside, Collections};
pub use run::{About, Checked, Failure, Faults, Run, Standing, FORMAT, VERSION};
pub use sla::{Judgement, Sla, SlaVerdict};
pub use uncertainty::Uncertainty;
