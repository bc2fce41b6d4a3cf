// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! `cassiterite move`: moves a filled table into the engine or out of it, a rack of a cluster at a time, and stops when the
//! clients' P99 passes a bound. What it may do is to tell running nodes the direction of the table; it restarts none.
//!
//! [`course`] decides and tells; it sees nodes through [`fleet`], which `nodes` makes of CQL and of the plug-in's `Move`.

pub mod bound;
pub mod cli;
pub mod course;
pub mod fleet;
pub mod home;
mod nodes;
pub mod ring;
mod sight;
pub mod tool;

pub use nodes::{home_of, leaves_online};
