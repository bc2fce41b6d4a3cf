// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Flags that end work early. Each piece of work has its own, because RocksDB sets the flag of a manual compaction that
//! it ends itself.

use super::running::Running;
use crate::error::Result;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;

/// The flags of work of one kind.
#[derive(Default)]
pub(super) struct Cancellations(Running<AtomicBool>);

impl Cancellations {
    /// A flag for work that begins.
    pub(super) fn begin(&self) -> Result<Arc<AtomicBool>> {
        self.0.begin(AtomicBool::new(false))
    }

    /// Sets the flags of all work that has begun.
    pub(super) fn cancel(&self) {
        self.0.each(|flag| flag.store(true, Ordering::SeqCst));
    }
}
