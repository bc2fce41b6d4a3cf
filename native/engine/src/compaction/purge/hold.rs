// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Work that brings old rows into a table holds purging back: a deletion may come before what it hides.

use super::TablePurge;
use std::sync::atomic::Ordering;
use std::sync::Arc;

/// Nothing is purged in the column family while it lives.
#[must_use = "purging goes on when the guard is dropped"]
pub(crate) struct PurgeHold(Arc<TablePurge>);

impl Drop for PurgeHold {
    fn drop(&mut self) {
        self.0.holders.fetch_sub(1, Ordering::SeqCst);
    }
}

impl TablePurge {
    /// As [`TablePurge::suspend`] until the guard is dropped, whatever else is said. Several may hold at once.
    pub(crate) fn hold(self: &Arc<Self>) -> PurgeHold {
        self.holders.fetch_add(1, Ordering::SeqCst);
        PurgeHold(Arc::clone(self))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn purging_goes_on_when_the_last_has_ended() {
        let purge = TablePurge::new("t");
        let (one, other) = (purge.hold(), purge.hold());
        purge.suspend(false);
        drop(one);
        assert!(purge.is_suspended());
        drop(other);
        assert!(!purge.is_suspended());
    }
}
