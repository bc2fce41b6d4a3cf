// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Checks answers against the writes that the cluster acknowledged. Uses no other module of the lab.
//!
//! A [`Ledger`] records every write before it is sent and after it ended, and every read before it is sent. It then judges
//! whether a read may have shown the version that it did. [`Levels`] tells which wrong answers the consistency levels allow.

mod fault;
mod history;
mod ledger;
mod levels;

pub use fault::{Fault, FaultKind, Row};
pub use history::Version;
pub use ledger::{Before, Ledger, Shape, Snapshot};
pub use levels::{Levels, Replication};
