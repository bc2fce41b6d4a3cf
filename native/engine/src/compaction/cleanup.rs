// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! What cleanup has compactions drop: everything outside of the tokens that a table owns, except what was written there
//! since.
//!
//! A node may be told later than others that it owns a range: what comes for it meanwhile must stay. A compaction mixes
//! old and new versions of a row, and does not tell them apart. So a partition that something is written to, before the
//! write, is left whole by every compaction that begins later. One that has begun by then has nothing of it that is new,
//! and drops all that it has.
//!
//! What two compactions have of one partition they drop one after the other. If it is written to in between, the second
//! one leaves its part, which may be older than what the first one has dropped: the cleanup ends with an error then.

use super::purge::TablePurge;
use crate::error::{EngineError, Result};
use crate::tokens::{TokenRange, TokenSet};
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

/// Where more partitions than this are written to outside, the table must be about to own them.
const LATE_MAX: usize = if cfg!(test) { 64 } else { 100_000 };

/// The tokens that a table owns. Once lifted it owns all again, also for compactions that are running.
#[derive(Debug)]
pub(super) struct OwnedTokens {
    tokens: Arc<TokenSet>,
    lifted: AtomicBool,
    overrun: AtomicBool,
    late: RwLock<Arc<Late>>,
}

/// What one compaction drops.
#[derive(Debug)]
pub(super) struct NotOwned {
    owned: Arc<OwnedTokens>,
    late: Arc<Late>,
}

/// What has been written outside since.
#[derive(Clone, Debug, Default)]
struct Late {
    tokens: BTreeSet<i64>,
    ranges: TokenSet,
}

impl Late {
    fn holds(&self, token: i64) -> bool {
        self.tokens.contains(&token) || self.ranges.contains(token)
    }

    /// The first key behind this token that is late.
    fn next_key(&self, token: i64) -> Option<Vec<u8>> {
        let next = self.tokens.range(token..).next();
        let of_token = next.map(|&next| TokenRange { left: next.saturating_sub(1), right: next }.first_key());
        of_token.into_iter().chain([self.ranges.resume_key(token)]).min()
    }
}

impl OwnedTokens {
    fn new(tokens: &Arc<TokenSet>) -> OwnedTokens {
        OwnedTokens {
            tokens: Arc::clone(tokens),
            lifted: AtomicBool::new(false),
            overrun: AtomicBool::new(false),
            late: RwLock::default(),
        }
    }

    /// For a compaction that begins: what it reads was announced before.
    pub(super) fn at_begin(self: &Arc<Self>) -> NotOwned {
        NotOwned { owned: Arc::clone(self), late: self.late() }
    }

    fn late(&self) -> Arc<Late> {
        Arc::clone(&self.late.read().unwrap_or_else(PoisonError::into_inner))
    }

    fn keep(&self, tokens: &[i64]) {
        let outside = || tokens.iter().filter(|&&token| !self.tokens.contains(token));
        if outside().next().is_none() {
            return;
        }
        let mut late = self.late.write().unwrap_or_else(PoisonError::into_inner);
        let late = Arc::make_mut(&mut late);
        late.tokens.extend(outside());
        if late.tokens.len() > LATE_MAX {
            self.overrun.store(true, Ordering::Release);
            self.lifted.store(true, Ordering::Release);
            late.tokens.clear();
        }
    }

    fn keep_ranges(&self, ranges: &TokenSet) {
        let outside = ranges.minus(&self.tokens);
        if !outside.ranges().is_empty() {
            let mut late = self.late.write().unwrap_or_else(PoisonError::into_inner);
            let late = Arc::make_mut(&mut late);
            late.ranges = TokenSet::of([late.ranges.ranges(), outside.ranges()].concat());
        }
    }
}

impl NotOwned {
    /// The next key that stays, where one with this token goes.
    pub(super) fn resume_key(&self, token: i64) -> Option<Vec<u8>> {
        let OwnedTokens { tokens, lifted, .. } = &*self.owned;
        if tokens.contains(token) || lifted.load(Ordering::Acquire) || self.late.holds(token) {
            return None;
        }
        self.late.next_key(token).into_iter().chain([tokens.resume_key(token)]).min()
    }
}

/// While it lives, compactions drop what a table does not own.
#[must_use = "compactions drop nothing more once the guard is dropped"]
pub(crate) struct DroppingOutside {
    purge: Arc<TablePurge>,
    owned: Arc<OwnedTokens>,
}

impl DroppingOutside {
    /// Whether something has been written to a partition outside, which stays therefore.
    pub(crate) fn is_late(&self, token: i64) -> bool {
        self.owned.late().holds(token)
    }

    /// How many partitions outside have been written to, and in how many ranges files have come; an error where they
    /// are too many to go on.
    pub(crate) fn late(&self) -> Result<(usize, usize)> {
        if self.owned.overrun.load(Ordering::Acquire) {
            let why = format!(
                "more than {LATE_MAX} partitions outside of the table's ranges were written meanwhile, so nothing more is \
                 removed: clean it up again when the ring has settled"
            );
            return Err(EngineError::busy(why));
        }
        let late = self.owned.late();
        Ok((late.tokens.len(), late.ranges.ranges().len()))
    }
}

impl Drop for DroppingOutside {
    fn drop(&mut self) {
        self.purge.stop_dropping();
    }
}

impl TablePurge {
    /// Has every compaction that starts from now on drop, without a trace, what has none of these tokens, and has not
    /// been announced to [`TablePurge::keep_late`] since. `stop` is set before [`TablePurge::stop_dropping`] is called:
    /// tokens that are no longer right are not taken after that.
    pub(crate) fn drop_outside(self: &Arc<Self>, owned: &Arc<TokenSet>, stop: &AtomicBool) -> Result<DroppingOutside> {
        let mut settings = self.settings();
        if stop.load(Ordering::Acquire) {
            return Err(stopped());
        }
        if settings.owned.is_some() {
            return Err(EngineError::busy("the table is being cleaned up already; try again when that has ended"));
        }
        let owned = Arc::new(OwnedTokens::new(owned));
        settings.owned = Some(Arc::clone(&owned));
        self.is_dropping.store(true, Ordering::SeqCst);
        Ok(DroppingOutside { purge: Arc::clone(self), owned })
    }

    /// Ends what [`TablePurge::drop_outside`] began, also for compactions that run.
    pub(crate) fn stop_dropping(&self) {
        let mut settings = self.settings();
        self.is_dropping.store(false, Ordering::SeqCst);
        if let Some(owned) = settings.owned.take() {
            owned.lifted.store(true, Ordering::Release);
        }
    }

    /// To be called before partitions with these tokens are written to: what is in them stays.
    pub(crate) fn keep_late(&self, tokens: &[i64]) {
        self.while_dropping(|owned| owned.keep(tokens));
    }

    /// The same for files that come with keys in these ranges.
    pub(crate) fn keep_late_ranges(&self, ranges: &TokenSet) {
        self.while_dropping(|owned| owned.keep_ranges(ranges));
    }

    fn while_dropping(&self, keep: impl FnOnce(&OwnedTokens)) {
        if self.is_dropping.load(Ordering::SeqCst) {
            if let Some(owned) = self.settings().owned.clone() {
                keep(&owned);
            }
        }
    }
}

/// Why a cleanup ends early.
pub(crate) fn stopped() -> EngineError {
    EngineError::busy("it was stopped, or the ranges that the table owns have changed")
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::error::Kind;

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
            Err(EngineError { kind: Kind::Busy, .. })
        ));
        drop(dropping);
        drop(purge.drop_outside(&lower_half(), &AtomicBool::new(false)).unwrap());
        let late = purge.drop_outside(&lower_half(), &AtomicBool::new(true));
        assert!(
            matches!(late.map(drop), Err(EngineError { kind: Kind::Busy, .. })) && purge.settings().owned.is_none()
        );
    }

    #[test]
    fn what_is_written_outside_stays_and_nothing_beside_it() {
        let purge = TablePurge::new("a");
        purge.keep_late(&[20]); // no cleanup runs
        let dropping = purge.drop_outside(&lower_half(), &AtomicBool::new(false)).unwrap();
        let key_of = |token: i64| TokenRange { left: token - 1, right: token }.first_key();
        purge.keep_late(&[-5, 0]);
        assert_eq!(dropping.late().unwrap(), (0, 0));
        let begun = purge.policy().owned.unwrap();
        purge.keep_late(&[10, -5]);
        purge.keep_late_ranges(&TokenSet::of(vec![
            TokenRange { left: -3, right: 5 },
            TokenRange { left: 29, right: 40 },
        ]));
        let running = purge.policy().owned.unwrap();
        assert_eq!(begun.resume_key(1), Some(TokenRange::ALL.end_key()), "it reads nothing of what has come since");
        assert_eq!(dropping.late().unwrap(), (1, 2));
        assert_eq!([1, 5, 10, 30, 40].map(|token| running.resume_key(token)), [const { None }; 5]);
        assert_eq!(running.resume_key(6), Some(key_of(10)));
        assert_eq!(running.resume_key(11), Some(key_of(30)));
        assert_eq!(running.resume_key(41), Some(TokenRange::ALL.end_key()));
        assert!([5, 10, 40].into_iter().all(|token| dropping.is_late(token)) && !dropping.is_late(6));
    }

    #[test]
    fn too_much_that_is_written_outside_ends_the_removal() {
        let purge = TablePurge::new("a");
        let dropping = purge.drop_outside(&lower_half(), &AtomicBool::new(false)).unwrap();
        let running = purge.policy().owned.unwrap();
        (1..=LATE_MAX as i64).for_each(|token| purge.keep_late(&[token]));
        assert_eq!(dropping.late().unwrap(), (LATE_MAX, 0));
        assert!(running.resume_key(1_000_000).is_some());
        purge.keep_late(&[2_000_000]);
        assert!(running.resume_key(1_000_000).is_none());
        assert!(matches!(dropping.late(), Err(EngineError { kind: Kind::Busy, .. })));
    }
}
