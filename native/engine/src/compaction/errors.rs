// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The failures of background work that stand: numbered as they come, so that a resume ends those that it knew of and
//! no later one.

use crate::error::{EngineError, Result};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A failure of background work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BackgroundError {
    /// What was being done: RocksDB's BackgroundErrorReason, by name.
    pub during: &'static str,
    /// 1 soft (writes go on), 2 hard (no writes), 3 fatal, 4 unrecoverable.
    pub severity: i32,
    /// The status of RocksDB.
    pub error: EngineError,
}

/// The errors of one store that nothing has ended yet.
#[derive(Debug, Default)]
pub(super) struct StandingErrors {
    standing: Mutex<Standing>,
    /// Locked while a resume runs.
    resume: Mutex<()>,
}

#[derive(Debug, Default)]
struct Standing {
    /// How many there have been, which is the number of the last one.
    count: u64,
    /// The last one that the resume knew of which is going on.
    resuming: Option<u64>,
    all: Ends,
    of_log: Ends,
}

/// The first and the last of some errors, by number: as many as it takes to know what is left when the first one ends.
#[derive(Debug, Default)]
struct Ends {
    first: Option<(u64, BackgroundError)>,
    last: Option<(u64, BackgroundError)>,
}

impl StandingErrors {
    /// The first one.
    pub(super) fn first(&self) -> Option<BackgroundError> {
        self.lock().all.first()
    }

    /// The first failure to write or sync the log.
    pub(super) fn first_of_log(&self) -> Option<BackgroundError> {
        self.lock().of_log.first()
    }

    pub(super) fn add(&self, error: BackgroundError, is_of_log: bool) {
        let mut standing = self.lock();
        standing.count += 1;
        let number = standing.count;
        if is_of_log {
            standing.of_log.add(number, &error);
        }
        standing.all.add(number, &error);
    }

    /// Runs a resume, one at a time; where it succeeds, the errors that it began with have ended.
    pub(super) fn resume(&self, resume: impl FnOnce() -> Result<()>) -> Result<()> {
        let _alone = self.resume.lock().unwrap_or_else(PoisonError::into_inner);
        let known = self.begin_resume();
        let resumed = resume();
        let mut standing = self.lock();
        standing.resuming = None;
        if resumed.is_ok() {
            standing.end(known);
        }
        resumed
    }

    /// RocksDB has recovered: of its own accord from whatever there was, or because a resume told it to.
    pub(super) fn recovered(&self) {
        let mut standing = self.lock();
        let known = standing.resuming.unwrap_or(standing.count);
        standing.end(known);
    }

    fn begin_resume(&self) -> u64 {
        let mut standing = self.lock();
        standing.resuming = Some(standing.count);
        standing.count
    }

    fn lock(&self) -> MutexGuard<'_, Standing> {
        self.standing.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Standing {
    fn end(&mut self, known: u64) {
        self.all.end(known);
        self.of_log.end(known);
    }
}

impl Ends {
    fn first(&self) -> Option<BackgroundError> {
        self.first.as_ref().map(|(_, error)| error.clone())
    }

    fn add(&mut self, number: u64, error: &BackgroundError) {
        self.last = Some((number, error.clone()));
        if self.first.is_none() {
            self.first.clone_from(&self.last);
        }
    }

    /// Ends the errors up to this number.
    fn end(&mut self, known: u64) {
        let is_known = |error: &Option<(u64, _)>| error.as_ref().is_some_and(|(number, _)| *number <= known);
        if is_known(&self.last) {
            self.last = None;
        }
        if is_known(&self.first) {
            self.first.clone_from(&self.last);
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::StoreEvents;
    use super::BackgroundError;
    use crate::error::EngineError;
    use crate::raw::{EventHooks, Status};
    use std::sync::Arc;

    const FLUSH: i32 = 0;
    const LOG_WRITE: i32 = 2;

    fn failed(reason: i32) -> Arc<StoreEvents> {
        let events = StoreEvents::new();
        fail(&events, reason, "first");
        events
    }

    fn fail(events: &StoreEvents, reason: i32, message: &str) {
        events.background_error(reason, 2, Status::of_text(format!("IO error: {message}")));
    }

    fn told(error: Option<BackgroundError>) -> Option<String> {
        Some(error?.error.message().rsplit(": ").next()?.to_owned())
    }

    fn first(events: &StoreEvents) -> Option<String> {
        told(events.first_error())
    }

    fn first_of_log(events: &StoreEvents) -> Option<String> {
        told(events.log_error())
    }

    #[test]
    fn an_error_that_comes_while_a_resume_goes_on_outlives_it() {
        for reason in [FLUSH, LOG_WRITE] {
            let events = failed(reason);
            let resume = || {
                fail(&events, reason, "second");
                events.recovery_ended(true, "OK");
                fail(&events, reason, "third");
                Ok(())
            };
            events.resume(resume).unwrap();
            assert_eq!(first(&events).unwrap(), "second");
            assert_eq!(first_of_log(&events), (reason == LOG_WRITE).then(|| "second".to_owned()));
            events.resume(|| Ok(())).unwrap();
            assert_eq!((first(&events), first_of_log(&events)), (None, None));
        }
    }

    #[test]
    fn a_resume_that_fails_ends_nothing() {
        let events = failed(LOG_WRITE);
        events.resume(|| Err(EngineError::io("still"))).unwrap_err();
        fail(&events, FLUSH, "second");
        assert_eq!((first(&events).unwrap(), first_of_log(&events).unwrap()), ("first".into(), "first".into()));
        events.recovery_ended(false, "still");
        assert_eq!(first(&events).unwrap(), "first");
    }

    #[test]
    fn an_automatic_recovery_ends_all() {
        let events = failed(LOG_WRITE);
        fail(&events, FLUSH, "an attempt to recover failed");
        events.recovery_ended(true, "OK");
        assert_eq!((first(&events), first_of_log(&events)), (None, None));
    }
}
