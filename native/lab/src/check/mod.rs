// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! What was acknowledged, and whether an answer agrees with it.
//!
//! A [`Ledger`] is told of every write before it is sent and after it ended, and of every read before it is sent. It then
//! says whether the version of the row that a read showed may be there. [`Levels`] says which wrong answers the consistency
//! levels allow.

mod history;
mod ledger;
mod levels;

pub use history::Version;
pub use ledger::{Before, Ledger, Shape, Snapshot};
pub use levels::{Levels, Replication};
