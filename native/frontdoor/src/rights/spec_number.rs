// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Numbers by which other nodes are told what a read or a write is about.

use std::sync::atomic::{AtomicU64, Ordering};

static NEXT: AtomicU64 = AtomicU64::new(1);

/// One that no other statement or table of this process has.
pub(super) fn next() -> u64 {
    NEXT.fetch_add(1, Ordering::Relaxed)
}
