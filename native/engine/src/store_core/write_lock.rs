// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! One write at a time, and how the others wait.
//!
//! RocksDB lets one thread at a time insert merges; its own queue hands over from writer to writer by spinning and
//! waking, which on a few cores costs several times the write itself. So does a plain mutex, as soon as there are more
//! writers than cores: a sleeping writer has to be woken, and Cassandra meanwhile starts another thread for the next
//! request. So a writer that finds the lock taken first spins for about as long as a write takes. If its holder has
//! lost its core, that is not enough: then the writer yields its own, a few times only, for each may cost it
//! milliseconds on a full machine.

use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};

const SPINS_MAX: u32 = 40;
const PAUSES_PER_SPIN: u32 = 10;
const YIELDS_MAX: u32 = 3;

/// Held by the one thread that writes. Safe to use from any thread; not fair.
#[derive(Default)]
pub(crate) struct WriteLock(Mutex<()>);

impl WriteLock {
    /// Waits for the lock; dropping the guard releases it.
    pub(crate) fn acquire(&self) -> MutexGuard<'_, ()> {
        self.try_acquire().unwrap_or_else(|| self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The same, but none where that takes long: its holder may wait for a device.
    pub(crate) fn try_acquire(&self) -> Option<MutexGuard<'_, ()>> {
        for attempt in 0..SPINS_MAX + YIELDS_MAX {
            match self.0.try_lock() {
                Ok(lock) => return Some(lock),
                Err(TryLockError::Poisoned(lock)) => return Some(lock.into_inner()),
                Err(TryLockError::WouldBlock) if attempt < SPINS_MAX => {
                    (0..PAUSES_PER_SPIN).for_each(|_| std::hint::spin_loop());
                }
                Err(TryLockError::WouldBlock) => std::thread::yield_now(),
            }
        }
        None
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
    use std::time::Duration;

    /// Longer than a writer spins.
    const LONG: Duration = Duration::from_millis(2);

    #[test]
    fn one_thread_at_a_time_has_it_also_after_long_waits_and_panics() {
        let (lock, taken, count) = (WriteLock::default(), AtomicBool::new(false), AtomicUsize::new(0));
        let write = |number: usize| {
            let _lock = lock.acquire();
            assert!(!taken.swap(true, Ordering::SeqCst));
            if number == 50 {
                std::thread::sleep(LONG);
            }
            count.fetch_add(1, Ordering::SeqCst);
            assert!(taken.swap(false, Ordering::SeqCst));
            assert!(number != 70, "a panic of the test");
        };
        std::thread::scope(|scope| {
            let writers: Vec<_> = (0..8).map(|_| scope.spawn(|| (0..=70).for_each(write))).collect();
            assert!(writers.into_iter().all(|writer| writer.join().is_err()));
        });
        (0..70).for_each(write);
        assert_eq!(count.into_inner(), 8 * 71 + 70);
    }
}
