// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! A read that has met a hot row has the memtable flushed, which makes one fragment of all that it has of the row.

use crate::compaction::FRAGMENTS_MAX;
use crate::raw::sys;
use crate::table::TableCore;

/// From twice as many on the table's writers are held back.
const L0_FILES_MAX: u64 = 10;

impl TableCore {
    /// After a read. Begins a flush, and does not wait for it.
    pub(super) fn flush_if_hot(&self) {
        if self.purge().take_hot() && self.is_worth_a_flush() {
            // A failure is a background error, as of every flush; this read has its answer.
            let _ = sys::begin_flush(self.family());
        }
    }

    /// Not where a flush runs or would stall writers: the read would wait, too.
    fn is_worth_a_flush(&self) -> bool {
        let figure = |name| self.store().db.property_int_value_cf(self.family(), name).ok().flatten();
        figure("rocksdb.num-entries-active-mem-table").is_some_and(|entries| entries > FRAGMENTS_MAX)
            && figure("rocksdb.num-immutable-mem-table") == Some(0)
            && figure("rocksdb.num-files-at-level0").is_some_and(|files| files < L0_FILES_MAX)
            && figure("rocksdb.actual-delayed-write-rate") == Some(0)
            && figure("rocksdb.is-write-stopped") == Some(0)
    }
}
