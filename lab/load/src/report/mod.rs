// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Reports of a run: JSON, HDR log, the rows of cassandra-stress, one HTML page; and SLAs. Uses `load` and `observe`.

mod condition;
mod digest;
mod hdr_log;
mod histogram;
pub mod html;
mod rows;
mod run;
mod sla;
mod uncertainty;
mod writable;

pub use condition::Condition;
pub use digest::{Latency, Part, Span, Totals};
pub use hdr_log::HdrLog;
pub use histogram::{decoded, encoded};
pub use rows::{header, results, row, Collections, RowContext};
pub use run::{About, Checked, Failure, Faults, Run, RunVerdict, FORMAT, VERSION};
pub use sla::{are_errors_bounded, held, Judgement, Sla, SlaVerdict};
pub use uncertainty::Uncertainty;
pub use writable::ensure_writable;
