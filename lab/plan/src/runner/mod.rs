// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Runs a plan: what its race says is measured next, each step in the journal before the next one begins.

pub mod clean;
pub mod run;
