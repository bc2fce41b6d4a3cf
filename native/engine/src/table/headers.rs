// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Whether a generation may hold header fragments. Where it does not, a point read looks up one key instead of two.
//!
//! The mark is set before the first header is written, and cleared when no file and no memtable has one any more.
//! Writes, loads and shipments with headers share a lock; the mark is cleared under the exclusive one, when none is on
//! its way. A reader takes no lock. It checks the mark before and after it pins its view, and does without headers only
//! if the mark was clear all the time.

#[cfg(test)]
mod tests;

use super::core::TableCore;
use super::Table;
use crate::error::Result;
use crate::log::log;
use crate::raw::listed_files;
use std::sync::atomic::{fence, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard, TryLockError};
use std::time::{Duration, Instant};

/// How often, at most, compactions that have ended lead to a check of all files.
const CHECK_INTERVAL: Duration = Duration::from_secs(if cfg!(test) { 0 } else { 60 });

/// The mark of one generation.
pub(crate) struct Headers {
    /// How often it was set or cleared: odd while it is set.
    changes: AtomicU64,
    writing: RwLock<()>,
    /// How often headers have begun to be on their way.
    begun: AtomicU64,
    checked: Mutex<Option<Instant>>,
}

/// What a reader saw of the mark.
#[derive(Clone, Copy)]
pub(crate) struct HeadersSeen(u64);

impl HeadersSeen {
    /// Whether it was set.
    pub(crate) fn possible(self) -> bool {
        self.0 % 2 == 1
    }
}

impl Headers {
    pub(super) fn new(possible: bool) -> Headers {
        Headers {
            changes: AtomicU64::new(u64::from(possible)),
            writing: RwLock::default(),
            begun: AtomicU64::new(0),
            checked: Mutex::default(),
        }
    }

    /// The mark as it is.
    pub(crate) fn seen(&self) -> HeadersSeen {
        HeadersSeen(self.changes.load(Ordering::SeqCst))
    }

    /// Whether the mark was clear when it was seen, and has been ever since. Call when the view is pinned, or
    /// everything read.
    pub(crate) fn none_since(&self, seen: HeadersSeen) -> bool {
        fence(Ordering::SeqCst);
        !seen.possible() && self.seen().0 == seen.0
    }

    /// Sets the mark, under [`Headers::writing`].
    pub(super) fn set(&self) {
        let set = |changes: u64| (!HeadersSeen(changes).possible()).then(|| changes + 1);
        // It may be set already.
        let _ = self.changes.fetch_update(Ordering::SeqCst, Ordering::SeqCst, set);
    }

    fn clear(&self, _: &RwLockWriteGuard<'_, ()>) {
        let clear = |changes: u64| HeadersSeen(changes).possible().then(|| changes + 1);
        let _ = self.changes.fetch_update(Ordering::SeqCst, Ordering::SeqCst, clear);
    }

    /// Shared while headers are on their way into a memtable or file, from before the mark is checked.
    pub(super) fn writing(&self) -> RwLockReadGuard<'_, ()> {
        let writing = self.writing.read().unwrap_or_else(PoisonError::into_inner);
        self.begun.fetch_add(1, Ordering::SeqCst);
        writing
    }

    /// How often headers have begun to be on their way; `None` while any are.
    fn begun_so_far(&self) -> Option<u64> {
        self.none_on_its_way().map(|_| self.begun.load(Ordering::SeqCst))
    }

    /// `None` while headers are on their way: it does not wait for them.
    fn none_on_its_way(&self) -> Option<RwLockWriteGuard<'_, ()>> {
        match self.writing.try_write() {
            Ok(exclusive) => Some(exclusive),
            Err(TryLockError::Poisoned(exclusive)) => Some(exclusive.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    fn is_due(&self) -> bool {
        let mut checked = self.checked.lock().unwrap_or_else(PoisonError::into_inner);
        let is_due = checked.is_none_or(|checked| checked.elapsed() >= CHECK_INTERVAL);
        if is_due {
            *checked = Some(Instant::now());
        }
        is_due
    }
}

impl Table {
    /// Clears the mark if the table holds no header any more.
    pub(crate) fn clear_headers(&self) -> Result<()> {
        self.on_copy(|core| self.clear_headers_now(core))
    }

    /// The same where nothing depends on it: a failure is logged.
    pub(crate) fn clear_headers_if_due(&self) {
        log_failure(self.clear_headers());
    }

    /// Clears the mark where compactions of late have removed the last header. Checks the files rarely, however often
    /// it is called. For long-running work, with its copy.
    pub(crate) fn clear_headers_after_compactions(&self, core: &TableCore) {
        if !core.headers().seen().possible() || !core.headers().is_due() {
            return;
        }
        if core.column_families().all().fold(false, |any, family| family.purge.take_compacted() | any) {
            log_failure(self.clear_headers_now(core));
        }
    }

    fn clear_headers_now(&self, core: &TableCore) -> Result<()> {
        let Some(begun) = core.headers().begun_so_far() else { return Ok(()) };
        // Only now: what has come before is in one of these column families.
        let present = self.shared(|core| Ok(core.clone()))?;
        present.clear_headers_since(begun)
    }
}

impl TableCore {
    #[cfg(test)]
    fn clear_headers(&self) -> Result<()> {
        self.headers().begun_so_far().map_or(Ok(()), |begun| self.clear_headers_since(begun))
    }

    /// Clears the mark if these column families hold no header, and none has been on its way since `begun` was so. A
    /// column family that the table loses meanwhile still counts here.
    fn clear_headers_since(&self, begun: u64) -> Result<()> {
        let headers = self.headers();
        // Without a lock: files are listed.
        if !headers.seen().possible() || self.has_header_anywhere()? {
            return Ok(());
        }
        let Some(exclusive) = headers.none_on_its_way() else { return Ok(()) };
        if headers.begun.load(Ordering::SeqCst) != begun {
            return Ok(());
        }
        // First in the catalog: a crash in between leaves a mark that is not needed.
        self.store().catalog.update(self.id(), |record| {
            if record.generation == self.generation() {
                record.has_headers = false;
            }
            Ok(())
        })?;
        headers.clear(&exclusive);
        Ok(())
    }

    /// Memtables first: what is in none any more is in a file that is listed then.
    fn has_header_anywhere(&self) -> Result<bool> {
        let db = &self.store().db;
        if self.column_families().all().any(|family| family.purge.has_unflushed_headers(db, &family.handle)) {
            return Ok(true);
        }
        for family in self.column_families().all() {
            if listed_files(db, &family.handle)?.iter().any(|file| file.headers != Some(0)) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

fn log_failure(cleared: Result<()>) {
    if let Err(error) = cleared {
        log(format_args!(
            "point reads of a table still look up the partition's header, which it may no longer need: {error}"
        ));
    }
}
