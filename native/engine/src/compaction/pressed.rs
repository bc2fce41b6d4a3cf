// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The column families of a store of which compaction is behind: their writers are held back, and before that the limit
//! of what compactions write is lifted. Stock Cassandra throttles no write of a client for `compaction_throughput`.

use super::brake::Pressure;
use crate::log::log;
use crate::raw::CompactionLimiter;
use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// Safe to use from any thread.
#[derive(Debug, Default)]
pub(super) struct PressedFamilies {
    families: Mutex<Families>,
    any_braked: AtomicBool,
    lifts: AtomicU64,
    limiter: OnceLock<Arc<CompactionLimiter>>,
}

/// How it is with a column family from now on.
pub(super) struct Change {
    pub pressure: Pressure,
    /// False where no rate helps: a damaged file keeps its compactions from succeeding.
    pub lifts: bool,
}

#[derive(Debug, Default)]
struct Families {
    /// Whose backlog lifts the limit; braked ones, too.
    grown: HashSet<String>,
    braked: HashSet<String>,
}

impl PressedFamilies {
    /// Says whose limit is lifted; once.
    pub(super) fn limited_by(&self, limiter: &Arc<CompactionLimiter>) {
        let _ = self.limiter.set(Arc::clone(limiter));
    }

    /// Takes note of a change, which `change` makes while no other one is made; `None` where there is none, since the
    /// column family was dropped.
    pub(super) fn change(&self, family: &str, change: impl FnOnce() -> Option<Change>) {
        let mut families = self.families();
        let Some(Change { pressure, lifts }) = change() else { return };
        if set_in(&mut families.braked, family, pressure == Pressure::Braked) {
            match pressure {
                Pressure::Braked => log(format_args!("compaction of {family} is behind: its writers are held back")),
                _ => log(format_args!("compaction of {family} has caught up")),
            }
        }
        set_in(&mut families.grown, family, lifts && pressure != Pressure::Usual);
        self.publish(&families);
    }

    pub(super) fn forget(&self, family: &str) {
        let mut families = self.families();
        families.braked.remove(family);
        families.grown.remove(family);
        self.publish(&families);
    }

    pub(super) fn any_braked(&self) -> bool {
        self.any_braked.load(Ordering::Relaxed)
    }

    pub(super) fn braked(&self) -> usize {
        self.families().braked.len()
    }

    /// How often the limit was lifted, and for how many column families it is.
    pub(super) fn lifts(&self) -> (u64, usize) {
        let families = self.families();
        (self.lifts.load(Ordering::Relaxed), families.grown.len())
    }

    fn publish(&self, families: &Families) {
        self.any_braked.store(!families.braked.is_empty(), Ordering::Relaxed);
        if let Some(limiter) = self.limiter.get() {
            let lifted = !families.grown.is_empty();
            if limiter.lift(lifted) != lifted && lifted {
                self.lifts.fetch_add(1, Ordering::Relaxed);
            }
        }
    }

    fn families(&self) -> MutexGuard<'_, Families> {
        self.families.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Puts a family into a set, or takes it out; whether this was a change.
fn set_in(set: &mut HashSet<String>, family: &str, is_in: bool) -> bool {
    match is_in {
        true => !set.contains(family) && set.insert(family.to_owned()),
        false => set.remove(family),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::common::*;
    use crate::compaction::L0_SLOWDOWN_FILES;
    use crate::{Store, Table};
    use std::sync::Arc;

    /// 16 MiB would take minutes under it.
    const LIMIT: &str = "compaction_rate_limit=64KiB/s";
    const VALUE_BYTES: usize = 100_000;

    #[test]
    fn a_column_family_that_is_dropped_or_damaged_lifts_no_limit() {
        let pressed = PressedFamilies::default();
        let change = |pressure, lifts| Some(Change { pressure, lifts });
        pressed.change("a", || change(Pressure::Grown, true));
        pressed.change("b", || change(Pressure::Braked, false));
        assert_eq!((pressed.lifts().1, pressed.braked()), (1, 1));
        pressed.change("a", || change(Pressure::Grown, false));
        pressed.forget("b");
        pressed.change("b", || None);
        assert_eq!((pressed.lifts().1, pressed.braked(), pressed.any_braked()), (0, 0, false));
    }

    fn passed_bytes(store: &Store) -> u64 {
        store.shared(|core| Ok(core.shared.limiter.passed_bytes())).unwrap()
    }

    /// Whether compactions have no limit now, and how often they had none.
    fn unlimited(store: &Store) -> (u64, u64) {
        (number(store, "stalls", "compaction_unlimited", 2), number(store, "stalls", "compaction_unlimited", 1))
    }

    fn flush_noise(table: &Table, number: u32) {
        let mut state = number + 1;
        let noise = std::iter::repeat_with(|| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 24) as u8
        });
        let value: Vec<u8> = noise.take(VALUE_BYTES).collect();
        (0..8).for_each(|key| put(table, &format!("p{key}"), number, 1, &value));
        table.flush().unwrap();
    }

    #[test]
    fn flushes_are_not_limited_and_compactions_are() {
        let folder = tempfile::tempdir().unwrap();
        let store = open_with(folder.path(), LIMIT);
        let table = table(&store);
        table.set_automatic_compaction(false).unwrap();
        (0..3).for_each(|number| flush_noise(&table, number));
        assert_eq!(passed_bytes(&store), 0);
        store.set("compaction_rate_limit=1GiB/s").unwrap();
        table.compact().unwrap();
        assert!(passed_bytes(&store) > 3 * 8 * VALUE_BYTES as u64 / 4, "{}", passed_bytes(&store));
        store.close().unwrap();
    }

    /// Else its writers were held back, for a limit that stock Cassandra puts on nobody but compactions.
    #[test]
    fn a_table_whose_compaction_falls_behind_has_no_limit_until_it_has_caught_up() {
        let folder = tempfile::tempdir().unwrap();
        let store = open_with(folder.path(), &format!("{LIMIT}\nbackground_jobs=4"));
        let table = table(&store);
        let purge = table.shared(|core| Ok(Arc::clone(core.purge()))).unwrap();
        let held = purge.hold_compactions();
        let half = L0_SLOWDOWN_FILES as u32 / 2;
        for number in 0..half - 1 {
            flush_noise(&table, number);
        }
        assert_eq!(unlimited(&store), (0, 0));
        (half - 1..half + 4).for_each(|number| flush_noise(&table, number));
        await_until("the limit is lifted", || unlimited(&store) == (1, 1));
        drop(held);
        await_until("compaction has caught up", || unlimited(&store) == (0, 1));
        assert_eq!(rows(&table, "p1").len(), half as usize + 4);
        store.close().unwrap();
    }
}
