// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Runs a plan: [`race`] says from the trials so far what is measured next, [`run`] does it, each step in the [`journal`]
//! before the next.

pub mod clean;
pub mod identity;
pub mod journal;
pub mod race;
pub mod run;
