// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Purging: what compaction removes, what it must not remove, and that no reader ever notices.

#![allow(missing_docs, clippy::unwrap_used)]

mod random;
mod rules;
mod store;
