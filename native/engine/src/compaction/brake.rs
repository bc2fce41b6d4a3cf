// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Holds back the writers of one table, of which compaction has too much before it: long before RocksDB, which knows
//! one brake for the whole store.
//!
//! Writes take their bytes from a rate that falls as the backlog grows. None is refused, and none waits for long: the
//! threads that wait are those that other tables' writes need.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// With so many files of level 0 a table's own writers are slowed down, and most of all: RocksDB's defaults for all
/// writers.
pub(crate) const L0_SLOWDOWN_FILES: i32 = 20;
pub(crate) const L0_STOP_FILES: i32 = 36;
/// With so many bytes that wait for compaction they are: RocksDB's defaults, too.
pub(crate) const PENDING_SLOWDOWN_BYTES: usize = 64 << 30;
pub(crate) const PENDING_STOP_BYTES: usize = 256 << 30;
/// What a table takes at the beginning of the slowdown, and at its end and beyond.
const FAST_BYTES_PER_SECOND: f64 = (16 << 20) as f64;
const SLOW_BYTES_PER_SECOND: f64 = (1 << 20) as f64;
/// Debts below are not waited for: waking up takes as long.
const DEBT_MIN: u64 = 1_000_000;
const WAIT_MAX: u64 = 1_000_000_000;

static BEGUN: LazyLock<Instant> = LazyLock::new(Instant::now);

/// The clock of all brakes.
pub(crate) fn now_ns() -> u64 {
    u64::try_from(BEGUN.elapsed().as_nanos()).unwrap_or(u64::MAX / 2)
}

/// How far compaction of one column family is behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pressure {
    Usual,
    /// Half of the backlog that holds writers back: no limit of the operator's is to hold compaction back.
    Grown,
    /// Writers are held back.
    Braked,
}

/// The backlog of one column family.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Backlog {
    /// Of level 0.
    pub files: u64,
    /// That wait for leveled compaction.
    pub bytes: u64,
}

/// The brake of one column family. Safe to use from any thread.
#[derive(Debug, Default)]
pub(crate) struct Brake {
    /// 0: writes go on.
    bytes_per_second: AtomicU64,
    /// When the debt of all writes is paid, by the caller's clock.
    paid_at_ns: AtomicU64,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    backlog: Backlog,
    /// What holds nobody back beyond the usual.
    allowed: Backlog,
    is_off: bool,
}

impl Brake {
    /// Whether writers are held back.
    pub(crate) fn is_on(&self) -> bool {
        self.bytes_per_second.load(Ordering::Relaxed) != 0
    }

    /// Takes note of the backlog; what it means from now on.
    pub(crate) fn note(&self, backlog: Backlog) -> Pressure {
        self.change(|state| state.backlog = backlog)
    }

    /// Lets writers pass for a backlog up to this and the usual, whatever RocksDB has been told.
    pub(crate) fn allow(&self, allowed: Backlog) -> Pressure {
        self.change(|state| state.allowed = allowed)
    }

    /// Without automatic compaction, no backlog holds writers back.
    pub(crate) fn set_off(&self, is_off: bool) -> Pressure {
        self.change(|state| state.is_off = is_off)
    }

    /// How long a write of so many bytes waits that comes at `now_ns`.
    pub(crate) fn take(&self, bytes: u64, now_ns: u64) -> Option<Duration> {
        let bytes_per_second = self.bytes_per_second.load(Ordering::Relaxed);
        if bytes_per_second == 0 {
            return None;
        }
        let cost_ns = bytes.saturating_mul(1_000_000_000) / bytes_per_second;
        let pay = |paid_at_ns: u64| Some(paid_at_ns.max(now_ns).saturating_add(cost_ns).min(now_ns + WAIT_MAX));
        let paid_at_ns = self.paid_at_ns.fetch_update(Ordering::Relaxed, Ordering::Relaxed, pay).unwrap_or_default();
        let debt_ns = paid_at_ns.saturating_sub(now_ns);
        (debt_ns >= DEBT_MIN).then(|| Duration::from_nanos(debt_ns.min(WAIT_MAX)))
    }

    fn change(&self, change: impl FnOnce(&mut State)) -> Pressure {
        let mut state = self.state();
        change(&mut state);
        let bytes_per_second = state.bytes_per_second();
        self.bytes_per_second.store(bytes_per_second, Ordering::Relaxed);
        match bytes_per_second {
            0 if state.has_grown() => Pressure::Grown,
            0 => Pressure::Usual,
            _ => Pressure::Braked,
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn has_grown(&self) -> bool {
        let half = |slowdown: u64, allowed: u64, found: u64| found >= (slowdown / 2).saturating_add(allowed);
        !self.is_off
            && (half(L0_SLOWDOWN_FILES.unsigned_abs().into(), self.allowed.files, self.backlog.files)
                || half(PENDING_SLOWDOWN_BYTES as u64, self.allowed.bytes, self.backlog.bytes))
    }

    fn bytes_per_second(&self) -> u64 {
        let from_to = |slowdown: u64, stop: u64, allowed: u64, found: u64| {
            let (slowdown, stop) = (slowdown.saturating_add(allowed), stop.saturating_add(allowed));
            (found >= slowdown).then(|| ((found - slowdown) as f64 / (stop - slowdown).max(1) as f64).min(1.0))
        };
        let (slowdown_files, stop_files) = (L0_SLOWDOWN_FILES.unsigned_abs(), L0_STOP_FILES.unsigned_abs());
        let files = from_to(slowdown_files.into(), stop_files.into(), self.allowed.files, self.backlog.files);
        let (slowdown_bytes, stop_bytes) = (PENDING_SLOWDOWN_BYTES as u64, PENDING_STOP_BYTES as u64);
        let bytes = from_to(slowdown_bytes, stop_bytes, self.allowed.bytes, self.backlog.bytes);
        match files.into_iter().chain(bytes).reduce(f64::max) {
            Some(part) if !self.is_off => {
                (FAST_BYTES_PER_SECOND * (SLOW_BYTES_PER_SECOND / FAST_BYTES_PER_SECOND).powf(part)) as u64
            }
            _ => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const S: u64 = 1_000_000_000;

    fn rate(files: u64, bytes: u64) -> u64 {
        let brake = Brake::default();
        brake.note(Backlog { files, bytes });
        brake.bytes_per_second.into_inner()
    }

    #[test]
    fn the_rate_falls_as_the_backlog_grows_and_never_ends() {
        assert_eq!([rate(0, 0), rate(19, (64 << 30) - 1)], [0, 0]);
        assert_eq!([rate(20, 0), rate(0, 64 << 30)], [16 << 20, 16 << 20]);
        assert_eq!([rate(28, 0), rate(0, 160 << 30), rate(28, 64 << 30)], [4 << 20; 3]);
        assert_eq!([rate(36, 0), rate(0, 256 << 30), rate(u64::MAX, u64::MAX)], [1 << 20; 3]);
    }

    #[test]
    fn what_is_allowed_and_a_table_that_is_not_compacted_hold_nobody_back() {
        let brake = Brake::default();
        assert_eq!(brake.note(Backlog { files: 50, bytes: 0 }), Pressure::Braked);
        assert_eq!(brake.allow(Backlog { files: 100, bytes: 0 }), Pressure::Usual);
        assert_eq!(brake.note(Backlog { files: 120, bytes: 0 }), Pressure::Braked);
        assert_eq!(brake.set_off(true), Pressure::Usual);
        assert_eq!(brake.take(1 << 30, 5), None);
        assert_eq!(brake.set_off(false), Pressure::Braked);
    }

    #[test]
    fn half_of_the_backlog_holds_nobody_back_and_is_told() {
        let brake = Brake::default();
        let of = |files, bytes| brake.note(Backlog { files, bytes });
        assert_eq!([of(9, (32 << 30) - 1), of(0, 0)], [Pressure::Usual; 2]);
        assert_eq!([of(10, 0), of(19, 0), of(0, 32 << 30)], [Pressure::Grown; 3]);
        assert_eq!(brake.take(1 << 30, 5), None);
        assert_eq!(brake.allow(Backlog { files: 0, bytes: 1 }), Pressure::Usual);
    }

    #[test]
    fn writes_pay_for_those_before_them_up_to_a_second() {
        let brake = Brake::default();
        assert_eq!(brake.take(1 << 40, S), None);
        brake.note(Backlog { files: 36, bytes: 0 });
        assert_eq!(brake.take(1 << 18, S), None, "the first one finds no debt");
        assert_eq!(brake.take(1 << 18, S), Some(Duration::from_millis(250)));
        assert_eq!(brake.take(1 << 18, S + S / 4), Some(Duration::from_millis(250)));
        assert_eq!(brake.take(1 << 30, S + S / 4), Some(Duration::from_millis(500)));
        assert_eq!(brake.take(1, S + S / 4), Some(Duration::from_secs(1)));
        assert_eq!(brake.take(1, 3 * S), None, "it is paid");
        (0..500).for_each(|_| assert_eq!(brake.take(1, 3 * S), None, "small debts are not waited for"));
    }
}
