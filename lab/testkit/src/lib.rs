// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! What tests of the lab's crates share; no program has it.
#![allow(clippy::unwrap_used)]

pub mod authority;
pub mod page;

pub use cassiterite_testkit::spoilt;
