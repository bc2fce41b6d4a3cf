// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! A crash, or a failure, between any two steps leaves everything that was acknowledged, and of a shipment all or
//! nothing.
#![allow(clippy::unwrap_used, clippy::panic, clippy::expect_used)]

mod chunks;
mod concurrent_work;
mod departing;
mod failures;
mod images;
mod merging_in;
mod receiving;
mod stalls;
mod world;
mod writers;

use crate::common;
