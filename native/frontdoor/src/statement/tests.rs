// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

#![allow(clippy::unwrap_used, clippy::panic)]

mod contents;
mod execute;
mod key_forms;
mod metadata;
mod multi_cells;
mod never_panics;
mod pages;
mod paging_states;
mod recipes;
mod requests;
mod rows;
mod selects;
mod slices;
mod support;
mod table;
