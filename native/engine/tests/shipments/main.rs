// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Shipments, cleanup, estimates and cuts: everything that goes by token ranges.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod chunks;
mod cleanup;
#[path = "../common/mod.rs"]
mod common;
mod counters;
mod exported;
mod merged_in;
mod pinned_views;
mod received;
mod sized;
mod together;
mod tokens;
mod vnodes;
