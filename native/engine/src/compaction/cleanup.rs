// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! What cleanup has compactions drop: everything outside of the tokens that a table owns.

use super::purge::TablePurge;
use crate::error::{EngineError, Result};
use crate::tokens::TokenSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;

/// The tokens that a table owns. Once lifted it owns all again, also for compactions that are running.
#[derive(Debug)]
pub(super) struct OwnedTokens {
    tokens: Arc<TokenSet>,
    lifted: AtomicBool,
}

impl OwnedTokens {
    /// The next key that the table owns, where it does not own this token.
    pub(super) fn resume_key(&self, token: i64) -> Option<Vec<u8>> {
        let is_outside = !self.tokens.contains(token) && !self.lifted.load(Ordering::Acquire);
        is_outside.then(|| self.tokens.resume_key(token))
    }
}

/// While it lives, compactions drop what a table does not own.
#[must_use = "compactions drop nothing more once the guard is dropped"]
pub(crate) struct DroppingOutside(Arc<TablePurge>);

impl Drop for DroppingOutside {
    fn drop(&mut self) {
        self.0.stop_dropping();
    }
}

impl TablePurge {
    /// Has every compaction that starts from now on drop, without a trace, what has none of these tokens. `stop` is set before
    /// [`TablePurge::stop_dropping`] is called: tokens that are no longer right are not taken after that.
    pub(crate) fn drop_outside(self: &Arc<Self>, owned: &Arc<TokenSet>, stop: &AtomicBool) -> Result<DroppingOutside> {
        let mut settings = self.settings();
        if stop.load(Ordering::Acquire) {
            return Err(stopped());
        }
        if settings.owned.is_some() {
            return Err(EngineError::Busy(
                "the table is being cleaned up already; try again when that has ended".into(),
            ));
        }
        settings.owned = Some(Arc::new(OwnedTokens { tokens: Arc::clone(owned), lifted: AtomicBool::new(false) }));
        Ok(DroppingOutside(Arc::clone(self)))
    }

    /// Ends what [`TablePurge::drop_outside`] began, also for compactions that run.
    pub(crate) fn stop_dropping(&self) {
        let owned = self.settings().owned.take();
        if let Some(owned) = owned {
            owned.lifted.store(true, Ordering::Release);
        }
    }
}

/// Why a cleanup ends early.
pub(crate) fn stopped() -> EngineError {
    EngineError::Busy("it was stopped, or the ranges that the table owns have changed".into())
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
    fn tokens_that_are_owned_again_stay_in_compactions_that_run() {
        let purge = TablePurge::new("a");
        let before = purge.policy();
        for ends_with_the_guard in [false, true] {
            let dropping = purge.drop_outside(&lower_half(), &AtomicBool::new(false)).unwrap();
            let running = purge.policy().owned.unwrap();
            assert!(running.resume_key(1).is_some());
            assert!(running.resume_key(0).is_none());
            match ends_with_the_guard {
                true => drop(dropping),
                false => purge.stop_dropping(),
            }
            assert!(running.resume_key(1).is_none());
            assert!(purge.policy().owned.is_none());
        }
        assert!(before.owned.is_none(), "a compaction from before ends as it began");
    }

    #[test]
    fn a_table_is_cleaned_up_once_at_a_time() {
        let purge = TablePurge::new("a");
        let dropping = purge.drop_outside(&lower_half(), &AtomicBool::new(false)).unwrap();
        assert!(matches!(
            purge.drop_outside(&lower_half(), &AtomicBool::new(false)).map(drop),
            Err(EngineError::Busy(_))
        ));
        drop(dropping);
        drop(purge.drop_outside(&lower_half(), &AtomicBool::new(false)).unwrap());
        let late = purge.drop_outside(&lower_half(), &AtomicBool::new(true));
        assert!(matches!(late.map(drop), Err(EngineError::Busy(_))) && purge.settings().owned.is_none());
    }
}
