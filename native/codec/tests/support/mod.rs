// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! A slow model of rows that is right by being plain, written apart from the crate: maps, no bytes until the end.

#![allow(dead_code)]

pub mod generate;
pub mod model;
