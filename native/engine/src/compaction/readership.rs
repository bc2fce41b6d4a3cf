// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Whether anybody reads a table. What nobody reads need not be in the cache as soon as it is flushed, nor in few sorted
//! runs. Decided as a memtable is sealed, by what came since the one before; reads that come later take it back at once.

use crate::error::Result;
use crate::raw::BlockHooks;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// A read of two more runs costs 6 us at most, merging them early some 2 us per write: from so many writes per read on
/// reads do not pay for it.
const WRITES_PER_READ: i64 = 64;
/// So many reads change nothing, however few the writes are.
const READS_SPARED: i64 = 16;

/// What callers have done to a table. Safe to use from any thread.
#[derive(Debug, Default)]
pub(crate) struct Calls {
    writes: AtomicI64,
    reads: AtomicI64,
}

impl Calls {
    pub(crate) fn write(&self) {
        self.writes.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn read(&self) {
        self.reads.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn writes(&self) -> i64 {
        self.writes.load(Ordering::Relaxed)
    }

    pub(crate) fn reads(&self) -> i64 {
        self.reads.load(Ordering::Relaxed)
    }
}

/// When level 0 of a column family is compacted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Level0 {
    /// With few files.
    #[default]
    Early,
    /// With more of them: hardly anybody reads the table.
    Late,
    /// At once: somebody waits for it.
    Now,
}

/// The readers of one column family, as its memtables see them. Safe to use from any thread.
#[derive(Debug, Default)]
pub(crate) struct Readership {
    calls: OnceLock<Arc<Calls>>,
    is_small: AtomicBool,
    writes_at_seal: AtomicI64,
    reads_at_seal: AtomicI64,
    /// With more reads than these the readership is no longer small.
    reads_max: AtomicI64,
    caches_unread: AtomicBool,
    grows_level0: AtomicBool,
    /// How many wait for level 0 to be compacted.
    waiting: AtomicUsize,
    /// What RocksDB was told last.
    told: Mutex<Level0>,
    has_changed: AtomicBool,
}

impl Readership {
    /// Says what a small readership changes: whether flushed blocks are cached all the same, and whether level 0 grows.
    pub(crate) fn set_effects(&self, caches_unread: bool, grows_level0: bool) {
        self.caches_unread.store(caches_unread, Ordering::Relaxed);
        self.grows_level0.store(grows_level0, Ordering::Relaxed);
    }

    /// Says which calls are those of the column family. Only the first time counts.
    pub(crate) fn count(&self, calls: &Arc<Calls>) {
        if self.calls.set(Arc::clone(calls)).is_ok() {
            self.writes_at_seal.store(calls.writes(), Ordering::Relaxed);
            self.reads_at_seal.store(calls.reads(), Ordering::Relaxed);
        }
    }

    /// A memtable is complete.
    pub(super) fn seal(&self) {
        let Some(calls) = self.calls.get() else { return };
        let (writes, reads) = (calls.writes(), calls.reads());
        let written = writes - self.writes_at_seal.swap(writes, Ordering::Relaxed);
        let read = reads - self.reads_at_seal.swap(reads, Ordering::Relaxed);
        let few = READS_SPARED + written / WRITES_PER_READ;
        self.reads_max.store(reads + few, Ordering::Relaxed);
        if self.is_small.swap(read <= few, Ordering::Relaxed) != (read <= few) {
            self.has_changed.store(true, Ordering::Release);
        }
    }

    /// Whether there were hardly any reads.
    pub(crate) fn is_small(&self) -> bool {
        self.is_small.load(Ordering::Relaxed)
    }

    /// Whether [`Readership::follow`] is worth a call: a memtable, or reads since, have changed what is known.
    pub(crate) fn has_changed(&self) -> bool {
        self.has_changed.load(Ordering::Relaxed) || self.has_grown()
    }

    /// Whether a read has to call [`Readership::follow`]: there are reads, and level 0 may still grow.
    pub(crate) fn has_readers_to_follow(&self) -> bool {
        self.has_grown() || !self.is_small() && self.has_changed.load(Ordering::Relaxed)
    }

    /// Has `tell` tell RocksDB of a change, one thread at a time. While another thread does so, this does nothing.
    pub(crate) fn follow(&self, tell: impl FnOnce(Level0) -> Result<()>) -> Result<()> {
        match self.told.try_lock() {
            Ok(mut told) => self.bring_up(&mut told, tell),
            Err(_) => Ok(()),
        }
    }

    /// Whether level 0 grows now, so that it may be worth while to [`Readership::wait`] for its compaction.
    pub(crate) fn has_late_level0(&self) -> bool {
        *self.told() == Level0::Late
    }

    /// Has level 0 compacted at once while `wait` runs, of which there may be several.
    pub(crate) fn wait(&self, tell: impl Fn(Level0) -> Result<()>, wait: impl FnOnce() -> Result<()>) -> Result<()> {
        self.waiting.fetch_add(1, Ordering::AcqRel);
        let begun = self.bring_up(&mut self.told(), &tell);
        let waited = begun.and_then(|()| wait());
        self.waiting.fetch_sub(1, Ordering::AcqRel);
        waited.and(self.bring_up(&mut self.told(), tell))
    }

    fn bring_up(&self, told: &mut Level0, tell: impl FnOnce(Level0) -> Result<()>) -> Result<()> {
        self.has_changed.store(false, Ordering::Release);
        if self.has_grown() {
            self.is_small.store(false, Ordering::Relaxed);
        }
        let wanted = if self.waiting.load(Ordering::Acquire) > 0 {
            Level0::Now
        } else if self.is_small() && self.grows_level0.load(Ordering::Relaxed) {
            Level0::Late
        } else {
            Level0::Early
        };
        if std::mem::replace(told, wanted) == wanted {
            return Ok(());
        }
        tell(wanted)
    }

    fn told(&self) -> MutexGuard<'_, Level0> {
        self.told.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether reads have come since it was found to be small.
    fn has_grown(&self) -> bool {
        self.is_small() && self.calls.get().is_some_and(|calls| calls.reads() > self.reads_max.load(Ordering::Relaxed))
    }
}

impl BlockHooks for Readership {
    fn caches_flushed(&self) -> bool {
        !self.is_small() || self.caches_unread.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn counted() -> (Readership, Arc<Calls>) {
        let (readership, calls) = (Readership::default(), Arc::default());
        readership.set_effects(false, true);
        readership.count(&calls);
        (readership, calls)
    }

    fn followed(readership: &Readership) -> Option<Level0> {
        let mut told = None;
        let mut tell = |level0| {
            told = Some(level0);
            Ok(())
        };
        readership.follow(&mut tell).unwrap();
        assert!(!readership.has_changed());
        told
    }

    #[test]
    fn it_is_small_where_reads_are_few_among_writes() {
        let (readership, calls) = counted();
        for (writes, reads, is_small) in
            [(0, 16, true), (1, 17, false), (63, 17, false), (64, 17, true), (640, 27, false)]
        {
            (0..writes).for_each(|_| calls.write());
            (0..reads).for_each(|_| calls.read());
            readership.seal();
            assert_eq!(
                (readership.is_small(), readership.caches_flushed()),
                (is_small, !is_small),
                "{reads} of {writes}"
            );
        }
    }

    #[test]
    fn reads_that_come_after_the_seal_end_it_and_the_next_seal_decides_again() {
        let (readership, calls) = counted();
        (0..128).for_each(|_| calls.write());
        assert_eq!((readership.has_changed(), followed(&readership)), (false, None));
        readership.seal();
        assert_eq!((readership.has_changed(), followed(&readership)), (true, Some(Level0::Late)));
        let few = READS_SPARED + 128 / WRITES_PER_READ;
        (0..few).for_each(|_| calls.read());
        assert!(!readership.has_readers_to_follow());
        assert_eq!((readership.has_changed(), followed(&readership)), (false, None));
        calls.read();
        assert!(readership.has_readers_to_follow());
        assert_eq!((readership.has_changed(), followed(&readership)), (true, Some(Level0::Early)));
        assert!(!readership.has_readers_to_follow());
        readership.seal();
        assert_eq!(followed(&readership), None, "reads, no writes");
        readership.seal();
        assert_eq!(followed(&readership), Some(Level0::Late));
    }

    #[test]
    fn each_effect_is_chosen_alone() {
        let (readership, _) = counted();
        readership.set_effects(true, false);
        readership.seal();
        assert_eq!((readership.is_small(), readership.caches_flushed(), followed(&readership)), (true, true, None));
    }

    #[test]
    fn whoever_waits_has_level_0_compacted_until_the_last_of_them_has_waited() {
        let (readership, calls) = counted();
        let told = Mutex::new(Vec::new());
        let tell = |level0| {
            told.lock().unwrap().push(level0);
            Ok(())
        };
        readership.seal();
        readership.follow(tell).unwrap();
        let again = || {
            (0..=READS_SPARED).for_each(|_| calls.read());
            readership.follow(tell)
        };
        readership.wait(tell, || readership.wait(tell, again)).unwrap();
        assert_eq!(*told.lock().unwrap(), [Level0::Late, Level0::Now, Level0::Early]);
        let failed = readership.wait(tell, || Err(crate::error::EngineError::has_closed()));
        assert!(
            failed.is_err()
                && *told.lock().unwrap() == [Level0::Late, Level0::Now, Level0::Early, Level0::Now, Level0::Early]
        );
    }

    #[test]
    fn a_family_whose_calls_nobody_counts_is_read() {
        let readership = Readership::default();
        readership.seal();
        assert_eq!((readership.is_small(), readership.has_changed()), (false, false));
    }
}
