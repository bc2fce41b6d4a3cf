// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! What Java's handles name. A handle is the number of a slot, and a slot is never used again: a late call finds an
//! empty slot and gets `CLOSED`, an unknown number gets `INVALID`, and nothing is ever freed under a running call.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;

use arc_swap::{ArcSwapOption, Guard};
use cassiterite_engine::{ChunkWriter, EngineError, Result, Store, Table};
use cassiterite_frontdoor::Door;
use jni::sys::jlong;

/// The stores that this process has opened.
pub(crate) static STORES: Slots<Store> = Slots::new("store", 1 << 32);
/// The table generations that this process has opened.
pub(crate) static TABLES: Slots<Table> = Slots::new("table", 2 << 32);
/// The front doors that this process has opened.
pub(crate) static DOORS: Slots<Door> = Slots::new("front door", 3 << 32);

/// The chunks that this process has begun.
pub(crate) static CHUNKS: Slots<ChunkWriter> = Slots::new("chunk", 4 << 32);

/// Numbered slots; reading one takes no lock.
pub(crate) struct Slots<T> {
    what: &'static str,
    /// Handles count from here, so that a store's handle is not taken for a table's.
    first: jlong,
    slots: boxcar::Vec<Slot<T>>,
}

struct Slot<T> {
    value: ArcSwapOption<T>,
    is_poisoned: AtomicBool,
}

/// What a handle names, alive while this lives.
pub(crate) struct Guarded<T>(Guard<Option<Arc<T>>>);

impl<T> Slots<T> {
    const fn new(what: &'static str, first: jlong) -> Self {
        Self { what, first, slots: boxcar::Vec::new() }
    }

    /// Puts `value` into a new slot and returns its handle.
    pub(crate) fn add(&self, value: Arc<T>) -> jlong {
        let slot = Slot { value: ArcSwapOption::new(Some(value)), is_poisoned: AtomicBool::new(false) };
        self.first + self.slots.push(slot) as jlong
    }

    /// What `handle` names.
    pub(crate) fn get(&self, handle: jlong) -> Result<Guarded<T>> {
        let slot = self.slot(handle)?;
        if slot.is_poisoned.load(Ordering::Relaxed) {
            return Err(EngineError::internal(format!(
                "this {} failed in a way that must not happen and is out of use until the node restarts; see the log",
                self.what
            )));
        }
        let value = slot.value.load();
        match *value {
            Some(_) => Ok(Guarded(value)),
            None => Err(EngineError::closed(format!("the {} is closed", self.what))),
        }
    }

    /// Empties the slot of `handle`; `None` if it is empty already.
    pub(crate) fn take(&self, handle: jlong) -> Result<Option<Arc<T>>> {
        Ok(self.slot(handle)?.value.swap(None))
    }

    /// Empties the slot of `handle` once `last` has succeeded with what it names; nothing happens if it is empty
    /// already.
    pub(crate) fn take_after(&self, handle: jlong, last: impl FnOnce(&T) -> Result<()>) -> Result<()> {
        let slot = self.slot(handle)?;
        if let Some(value) = slot.value.load_full() {
            last(&value)?;
            slot.value.store(None);
        }
        Ok(())
    }

    /// Refuses all later calls with `handle`.
    pub(crate) fn poison(&self, handle: jlong) {
        if let Ok(slot) = self.slot(handle) {
            slot.is_poisoned.store(true, Ordering::Relaxed);
        }
    }

    fn slot(&self, handle: jlong) -> Result<&Slot<T>> {
        handle
            .checked_sub(self.first)
            .and_then(|index| usize::try_from(index).ok())
            .and_then(|index| self.slots.get(index))
            .ok_or_else(|| EngineError::invalid(format!("{handle} is not the handle of a {}", self.what)))
    }
}

impl<T> Guarded<T> {
    /// The value; there is one, or [`Slots::get`] had failed.
    pub(crate) fn value(&self) -> Result<&Arc<T>> {
        self.0.as_ref().ok_or_else(|| EngineError::closed("closed"))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use cassiterite_engine::Kind;

    #[test]
    fn what_fails_leaves_the_handle_usable() {
        let slots = Slots::new("number", 7);
        let handle = slots.add(Arc::new(1));
        let busy = || EngineError::busy("a test is");
        assert_eq!(slots.take_after(handle, |_| Err(busy())).unwrap_err(), busy());
        assert_eq!(**slots.get(handle).unwrap().value().unwrap(), 1);
        slots.take_after(handle, |_| Ok(())).unwrap();
        assert!(matches!(slots.get(handle).map(drop), Err(error) if error.kind() == Kind::Closed));
        slots.take_after(handle, |_| Err(busy())).unwrap();
        assert!(slots.take_after(handle + 1, |_| Ok(())).is_err());
    }
}
