// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! What cleanup has compactions drop: everything outside of the tokens that a table keeps.

use super::purge::TablePurge;
use crate::error::{EngineError, Result};
use crate::tokens::TokenSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;

/// The tokens that a table keeps, until it keeps everything again: then for compactions that are running, too.
#[derive(Debug)]
pub(super) struct Kept {
    tokens: Arc<TokenSet>,
    lifted: AtomicBool,
}

impl Kept {
    /// The key at which the table goes on where it does not keep this token.
    pub(super) fn resume_key(&self, token: i64) -> Option<Vec<u8>> {
        let goes = !self.tokens.contains(token) && !self.lifted.load(Ordering::Acquire);
        goes.then(|| self.tokens.resume_key(token))
    }
}

/// While it lives, compactions drop what a table does not keep.
#[must_use = "compactions keep everything again when the guard is dropped"]
pub(crate) struct Keeping(Arc<TablePurge>);

impl Drop for Keeping {
    fn drop(&mut self) {
        self.0.keep_everything();
    }
}

impl TablePurge {
    /// Has every compaction that starts from now on drop, without a trace, what has none of these tokens.
    pub(crate) fn keep_only(self: &Arc<Self>, kept: &Arc<TokenSet>) -> Result<Keeping> {
        let mut settings = self.settings();
        if settings.kept.is_some() {
            return Err(EngineError::Busy(
                "the table is being cleaned up already; try again when that has ended".into(),
            ));
        }
        settings.kept = Some(Arc::new(Kept { tokens: Arc::clone(kept), lifted: AtomicBool::new(false) }));
        Ok(Keeping(Arc::clone(self)))
    }

    /// Ends what [`TablePurge::keep_only`] began, also for compactions that run.
    pub(crate) fn keep_everything(&self) {
        let kept = self.settings().kept.take();
        if let Some(kept) = kept {
            kept.lifted.store(true, Ordering::Release);
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::tokens::TokenRange;

    fn lower_half() -> Arc<TokenSet> {
        Arc::new(TokenSet::of(vec![TokenRange { left: i64::MIN, right: 0 }]))
    }

    #[test]
    fn what_a_table_keeps_again_stays_in_compactions_that_run() {
        let purge = TablePurge::new("a");
        let before = purge.policy();
        for ends_with_the_guard in [false, true] {
            let keeping = purge.keep_only(&lower_half()).unwrap();
            let running = purge.policy().kept.unwrap();
            assert!(running.resume_key(1).is_some());
            assert!(running.resume_key(0).is_none());
            match ends_with_the_guard {
                true => drop(keeping),
                false => purge.keep_everything(),
            }
            assert!(running.resume_key(1).is_none());
            assert!(purge.policy().kept.is_none());
        }
        assert!(before.kept.is_none(), "a compaction from before goes on as it began");
    }

    #[test]
    fn a_table_is_cleaned_up_once_at_a_time() {
        let purge = TablePurge::new("a");
        let keeping = purge.keep_only(&lower_half()).unwrap();
        assert!(matches!(purge.keep_only(&lower_half()).map(drop), Err(EngineError::Busy(_))));
        drop(keeping);
        drop(purge.keep_only(&lower_half()).unwrap());
    }
}
