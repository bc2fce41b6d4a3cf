// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! What may be answered now. The owner of the door changes it; the loops read it without a lock.
//!
//! An answer is a sequence-locked read (P. E. McKenney, *Is Parallel Programming Hard*, 9.4): the epoch is read before
//! the routes and after the engine's read, and an answer is sent only if it stood still. So every answer is right at one
//! instant between request and response, and a call that ends a right need not wait for any loop that reads. It does wait
//! for [`Sections`], in which loops write.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{fence, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use arc_swap::{ArcSwap, Guard};

use super::interned::Interned;
use super::open_table::{OpenTable, TableId};
use super::prepared::Prepared;
use super::ranges::Ranges;
use super::replicas::Replicas;
use super::sections::Sections;
use super::written_table::WrittenTable;
use crate::statement::{DigestKey, Id, Modification, Recipe};

/// Statements that are remembered as refused; a client could prepare without end.
const MAX_REFUSED: usize = 10_000;

/// The routes at one time.
#[derive(Clone, Debug, Default)]
pub(crate) struct Snapshot {
    pub statements: HashMap<Id, Arc<Prepared>>,
    pub refused: HashSet<Id>,
    pub tables: HashMap<TableId, Arc<OpenTable>>,
    /// Statements that write.
    pub modifications: HashMap<Id, Arc<Modification>>,
    pub written: HashMap<TableId, Arc<WrittenTable>>,
    /// Which statements may be answered to whom.
    pub grants: HashSet<(u32, Id)>,
}

impl Snapshot {
    /// Forgets how a statement is served; whether it was.
    fn forget(&mut self, id: &Id) -> bool {
        self.modifications.remove(id).is_some() | self.statements.remove(id).is_some()
    }
}

/// The routes of a door.
pub(crate) struct Routes {
    current: ArcSwap<Snapshot>,
    /// Moves whenever a right ends.
    epoch: AtomicU64,
    /// When the lease ends, in nanoseconds since `began`.
    lease_end_nanos: AtomicU64,
    /// Records that have to outlive a crash before any row that is written after them: how many there are, and how many do.
    records: AtomicU64,
    safe_records: AtomicU64,
    pub sections: Sections,
    began: Instant,
    changing: Mutex<()>,
    /// Of tables that are open.
    ranges: Interned<Ranges>,
    replicas: Interned<Replicas>,
    /// Of the digests that this node asks for; `None` where the system has no random numbers.
    digest_key: Option<DigestKey>,
}

/// The routes as one answer uses them.
pub(crate) struct View {
    pub snapshot: Guard<Arc<Snapshot>>,
    epoch: u64,
}

impl View {
    /// The epoch of its rights.
    pub(crate) fn epoch(&self) -> u64 {
        self.epoch
    }
}

impl Default for Routes {
    fn default() -> Self {
        Routes {
            current: ArcSwap::default(),
            epoch: AtomicU64::new(0),
            lease_end_nanos: AtomicU64::new(0),
            records: AtomicU64::new(0),
            safe_records: AtomicU64::new(0),
            sections: Sections::default(),
            began: Instant::now(),
            changing: Mutex::new(()),
            ranges: Interned::default(),
            replicas: Interned::default(),
            digest_key: random_key(),
        }
    }
}

fn random_key() -> Option<DigestKey> {
    let mut key = DigestKey::default();
    getrandom::fill(&mut key).ok().map(|()| key)
}

impl Routes {
    /// Begins an answer.
    pub(crate) fn view(&self) -> View {
        let epoch = self.epoch.load(Ordering::SeqCst);
        View { snapshot: self.current.load(), epoch }
    }

    /// Ends an answer: whether it may be sent, all rights being as they were.
    pub(crate) fn holds(&self, view: &View, now: Instant) -> bool {
        self.holds_epoch(view.epoch, now)
    }

    /// The same, by the epoch of the view that the answer was made in.
    pub(crate) fn holds_epoch(&self, epoch: u64, now: Instant) -> bool {
        fence(Ordering::SeqCst);
        self.epoch.load(Ordering::SeqCst) == epoch && self.is_leased(now)
    }

    /// The key of the digests that this node asks for.
    pub(crate) fn digest_key(&self) -> Option<&DigestKey> {
        self.digest_key.as_ref()
    }

    /// Whether the owner of the door has said of late that answers may be given.
    pub(crate) fn is_leased(&self, now: Instant) -> bool {
        let now = now.saturating_duration_since(self.began).as_nanos() as u64;
        now < self.lease_end_nanos.load(Ordering::SeqCst)
    }

    pub(crate) fn renew(&self, lease: Duration) {
        let end = self.began.elapsed().saturating_add(lease).as_nanos() as u64;
        self.lease_end_nanos.store(end, Ordering::SeqCst);
    }

    pub(crate) fn shut(&self) {
        self.lease_end_nanos.store(0, Ordering::SeqCst);
        self.epoch.fetch_add(1, Ordering::SeqCst);
        self.sections.await_end();
    }

    /// One more record is about to be complete.
    pub(crate) fn add_record(&self) {
        self.records.fetch_add(1, Ordering::SeqCst);
    }

    /// So many records, the first ones, outlive a crash.
    pub(crate) fn records_are_safe(&self, count: u64) {
        self.safe_records.fetch_max(count, Ordering::SeqCst);
    }

    /// How many records there are.
    pub(crate) fn records(&self) -> u64 {
        self.records.load(Ordering::SeqCst)
    }

    /// Whether all records outlive a crash that are complete by now.
    pub(crate) fn are_records_safe(&self) -> bool {
        self.safe_records.load(Ordering::SeqCst) >= self.records()
    }

    pub(crate) fn open_to_writes(&self, mut table: WrittenTable) {
        table.share(&self.ranges, &self.replicas);
        self.change(|routes| routes.written.insert(table.id, Arc::new(table)).is_some());
    }

    pub(crate) fn close_to_writes(&self, id: &TableId) {
        self.change(|routes| routes.written.remove(id).is_some());
    }

    pub(crate) fn put_modification(&self, modification: Modification) {
        self.change(|routes| {
            let id = *modification.id();
            routes.refused.remove(&id);
            routes.modifications.insert(id, Arc::new(modification)).is_some()
        });
    }

    pub(crate) fn open_table(&self, mut table: OpenTable) {
        table.share(&self.ranges, &self.replicas);
        self.change(|routes| routes.tables.insert(table.id, Arc::new(table)).is_some());
    }

    pub(crate) fn close_table(&self, id: &TableId) {
        self.change(|routes| routes.tables.remove(id).is_some());
    }

    pub(crate) fn put_recipe(&self, recipe: Recipe) {
        self.change(|routes| {
            let id = *recipe.id();
            routes.refused.remove(&id);
            routes.statements.insert(id, Arc::new(Prepared::new(recipe))).is_some()
        });
    }

    pub(crate) fn drop_recipe(&self, id: &Id) {
        self.change(|routes| {
            routes.refused.remove(id);
            routes.forget(id)
        });
    }

    pub(crate) fn refuse_recipe(&self, id: &Id) {
        self.change(|routes| {
            if routes.refused.len() >= MAX_REFUSED {
                routes.refused.clear();
            }
            routes.refused.insert(*id);
            routes.forget(id)
        });
    }

    pub(crate) fn forget_refused(&self) {
        self.change(|routes| {
            routes.refused.clear();
            false
        });
    }

    pub(crate) fn set_grants(&self, grants: HashSet<(u32, Id)>) {
        self.change(|routes| {
            let ends_one = !routes.grants.is_subset(&grants);
            routes.grants = grants;
            ends_one
        });
    }

    /// Makes a change, which says whether it ends a right.
    fn change(&self, change: impl FnOnce(&mut Snapshot) -> bool) {
        let changing = self.changing.lock().unwrap_or_else(PoisonError::into_inner);
        let mut routes = Snapshot::clone(&self.current.load());
        let ends_a_right = change(&mut routes);
        self.current.store(Arc::new(routes));
        // Behind the store: a loop that has read the new epoch sees the new routes.
        if ends_a_right {
            self.epoch.fetch_add(1, Ordering::SeqCst);
            drop(changing);
            self.sections.await_end();
        }
    }
}

#[cfg(test)]
mod tests;
