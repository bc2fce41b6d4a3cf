// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod conditions;
mod definition;
mod delete;
mod distribution;
mod draw;
mod pages;
mod plan;
mod planned;
mod profile;
mod read_check;
mod robustness;
mod rows;
mod samples;
mod settings;
