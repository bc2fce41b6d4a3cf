// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The ledger of acknowledged writes.

use std::collections::hash_map::Entry;
use std::collections::HashMap;
use std::hash::BuildHasher;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::check::history::{History, State, Version, Write};
use crate::check::{FaultKind, Row};

const SHARDS: usize = 256;
/// Memory of a row outside the dense part: key, state, and the hash map's spare room.
const SPARSE_BYTES_PER_ROW: u64 = 56;
const DENSE_BYTES_PER_ROW: u64 = 8;

/// How far back [`Ledger::candidates`] names versions that are wrong.
const MOST_WRONG: usize = 10_000;

/// The content of rows before the run writes them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Before {
    /// Nothing: the table was empty.
    Absent,
    /// Version 0, each of them: a load that wrote all rows came before.
    Written,
    /// Unknown: a row is judged from its first acknowledged write on.
    Unknown,
}

/// Where most rows are, and how much memory they may take.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// Lowest partition seed.
    pub first_partition: u64,
    /// Partitions from there on; 0 when the population is too spread for an array.
    pub partitions: u64,
    /// Rows of a partition, at most.
    pub rows_per_partition: u64,
    /// Memory that the ledger may take; 8 bytes a row within the shape (resident only once touched), 56 bytes a row that is
    /// outside of it or when the array would not fit.
    pub most_bytes: u64,
}

impl Shape {
    /// Partitions `first`, `first` + 1 ..., 4 GiB of memory at most.
    pub fn dense(first_partition: u64, partitions: u64, rows_per_partition: u64) -> Self {
        Self { first_partition, partitions, rows_per_partition, most_bytes: 4 << 30 }
    }

    /// Any partitions, 4 GiB of memory at most.
    pub fn sparse() -> Self {
        Self::dense(0, 0, 0)
    }
}

/// A row with nothing in flight and nothing in doubt; both 0: not written in this run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Settled {
    version: Version,
    last_delete: Version,
}

impl Settled {
    /// As the array holds it: one of plain zeros is memory that nobody has touched, one of copies of a struct is not.
    fn packed(self) -> u64 {
        u64::from(self.version) << 32 | u64::from(self.last_delete)
    }

    fn unpacked(packed: u64) -> Self {
        Self { version: (packed >> 32) as Version, last_delete: packed as Version }
    }

    fn history(self, before: Before) -> History {
        let (present, absent) = match (self.version, before) {
            (0, Before::Absent) => (false, true),
            (0, Before::Written) => (true, false),
            (0, Before::Unknown) => (true, true),
            (version, _) => (version != self.last_delete, version == self.last_delete),
        };
        History::settled(self.version, self.last_delete, Write::settled(self.version, present, absent))
    }
}

#[derive(Debug)]
struct Shard {
    /// See [`Settled::packed`].
    dense: Vec<u64>,
    sparse: HashMap<Row, Settled>,
    /// Rows with a write in flight or in doubt; they leave when the last doubt is gone.
    moving: HashMap<Row, History>,
}

impl Shard {
    fn settled(&self, slot: Option<usize>, row: Row) -> Option<Settled> {
        match slot {
            Some(slot) => self.dense.get(slot).map(|&packed| Settled::unpacked(packed)),
            None => self.sparse.get(&row).copied(),
        }
    }
}

/// The versions that a read which is about to start may show. Made by [`Ledger::begin_read`], used once the answer is there.
#[derive(Clone, Debug)]
pub struct Snapshot {
    row: Row,
    newest: Version,
    writes: Vec<Write>,
    /// Nothing is known: any answer will do.
    anything: bool,
}

impl Snapshot {
    /// Which row is read.
    pub fn row(&self) -> Row {
        self.row
    }

    /// Whether any answer will do, as nothing is known of the row.
    pub fn accepts_anything(&self) -> bool {
        self.anything
    }

    fn shows(&self, version: Version) -> bool {
        self.writes.iter().any(|w| w.present && (w.first..=w.last).contains(&version))
    }

    fn may_be_absent(&self) -> bool {
        self.writes.iter().any(|w| w.absent)
    }

    fn surely_deleted(&self) -> bool {
        self.writes.iter().any(|w| w.absent && w.state == State::Acknowledged)
    }
}

/// Remembers, for each row, the last acknowledged write and those in flight or in doubt. Safe to share between threads.
///
/// One ledger sees all writes of the rows: another client that writes the same rows makes it accuse wrongly. It judges rows
/// without TTL whose writes carry timestamps of this client (as `load::connect` sets them up), so that a write which
/// begins after another has ended wins.
#[derive(Debug)]
pub struct Ledger {
    shape: Shape,
    before: Before,
    dense_rows: u64,
    most_sparse_rows_per_shard: usize,
    shards: Vec<Mutex<Shard>>,
    hasher: std::hash::RandomState,
    forgotten: AtomicU64,
}

impl Ledger {
    /// An empty ledger. The array of the dense part is reserved but takes no memory before it is touched.
    pub fn new(shape: Shape, before: Before) -> Self {
        let rows = shape.partitions.saturating_mul(shape.rows_per_partition);
        let dense_rows = if rows.saturating_mul(DENSE_BYTES_PER_ROW) <= shape.most_bytes { rows } else { 0 };
        let sparse_bytes = shape.most_bytes - dense_rows * DENSE_BYTES_PER_ROW;
        let slots = usize::try_from(dense_rows.div_ceil(SHARDS as u64)).unwrap_or(0);
        let shard = || Mutex::new(Shard { dense: vec![0; slots], sparse: HashMap::new(), moving: HashMap::new() });
        Self {
            shape,
            before,
            dense_rows,
            most_sparse_rows_per_shard: usize::try_from(sparse_bytes / SPARSE_BYTES_PER_ROW).unwrap_or(usize::MAX)
                / SHARDS,
            shards: (0..SHARDS).map(|_| shard()).collect(),
            hasher: std::hash::RandomState::new(),
            forgotten: AtomicU64::new(0),
        }
    }

    /// Whether the table had no rows at first: then it has none but those of which the ledger heard.
    pub fn began_empty(&self) -> bool {
        self.before == Before::Absent
    }

    /// A write of `row` is about to be sent: the version that it writes, from 1 up.
    pub fn begin_write(&self, row: Row) -> Version {
        self.begin(row, false)
    }

    /// A delete of `row` is about to be sent; end it with the others.
    pub fn begin_delete(&self, row: Row) -> Version {
        self.begin(row, true)
    }

    /// The write was acknowledged.
    pub fn acknowledge(&self, row: Row, version: Version) {
        self.end(row, version, State::Acknowledged);
    }

    /// The write failed or timed out: it may be there, now or later, or not.
    pub fn fail(&self, row: Row, version: Version) {
        self.end(row, version, State::Failed);
    }

    /// A read of `row` is about to be sent.
    pub fn begin_read(&self, row: Row) -> Snapshot {
        let (slot, shard) = self.open(row);
        match self.history_of(&shard, slot, row) {
            Some(history) => {
                let anything = history.writes.iter().any(|w| w.last == 0 && w.present && w.absent);
                Snapshot { row, newest: history.newest, writes: history.writes, anything }
            }
            None => Snapshot { row, newest: 0, writes: Vec::new(), anything: true },
        }
    }

    /// The versions that the answer may show by now, newest first; then, for `all`, the newest of those that it may not.
    ///
    /// Whoever makes rows finds the version of an answer by making these and comparing.
    pub fn candidates(&self, snapshot: &Snapshot, all: bool) -> Vec<Version> {
        let (newest, _) = self.now(snapshot.row);
        let right = |version: Version| version > snapshot.newest || snapshot.shows(version);
        let mut versions: Vec<Version> = ((snapshot.newest + 1)..=newest).rev().collect();
        let mut shown: Vec<Version> =
            snapshot.writes.iter().filter(|w| w.present).flat_map(|w| w.first..=w.last).collect();
        shown.sort_unstable_by(|a, b| b.cmp(a));
        versions.extend(shown);
        if all {
            versions.extend((0..=snapshot.newest).rev().take(MOST_WRONG).filter(|&version| !right(version)));
        }
        versions
    }

    /// The fault of an answer that showed version `seen`, or no row. Call it before the answer is thrown away: it
    /// counts writes that began up to now as concurrent with the read.
    pub fn judge(&self, snapshot: &Snapshot, seen: Option<Version>) -> Option<FaultKind> {
        if snapshot.anything {
            return None;
        }
        let (newest, last_delete) = self.now(snapshot.row);
        match seen {
            None if snapshot.may_be_absent() || last_delete > snapshot.newest => None,
            None => Some(FaultKind::Lost),
            Some(version) if version > newest => Some(FaultKind::MixedUp),
            Some(version) if version > snapshot.newest || snapshot.shows(version) => None,
            Some(_) if snapshot.surely_deleted() => Some(FaultKind::Resurrected),
            Some(_) => Some(FaultKind::Stale),
        }
    }

    /// The expected versions, as text.
    pub fn expected(&self, snapshot: &Snapshot) -> String {
        let of = |w: &Write| {
            let state = match w.state {
                State::InFlight => "in flight",
                State::Failed => "failed, may be there",
                State::Acknowledged => "acknowledged",
            };
            let what = if w.present { "version" } else { "no row since version" };
            let last = if w.first == w.last { String::new() } else { format!(" to {}", w.last) };
            format!("{what} {}{last} ({state})", w.first)
        };
        let mut words: Vec<String> = snapshot.writes.iter().map(of).collect();
        let (newest, _) = self.now(snapshot.row);
        if newest > snapshot.newest {
            words.push(format!("versions {} to {newest} (begun during the read)", snapshot.newest + 1));
        }
        words.join(" or ")
    }

    /// Warnings about rows that the ledger could not remember.
    pub fn warnings(&self) -> Vec<String> {
        match self.forgotten.load(Ordering::Relaxed) {
            0 => Vec::new(),
            writes => vec![format!(
                "checked reads: {writes} writes went to rows that the ledger could not remember within {} MiB; these rows are not checked",
                self.shape.most_bytes >> 20
            )],
        }
    }

    fn begin(&self, row: Row, deletes: bool) -> Version {
        let (slot, mut shard) = self.open(row);
        let begun = self.history(&mut shard, slot, row).and_then(|history| history.begin(deletes));
        begun.unwrap_or_else(|| {
            self.forgotten.fetch_add(1, Ordering::Relaxed);
            1
        })
    }

    fn end(&self, row: Row, version: Version, state: State) {
        let (slot, mut shard) = self.open(row);
        let Entry::Occupied(mut moving) = shard.moving.entry(row) else { return };
        moving.get_mut().end(version, state);
        if moving.get().only().is_some() {
            let history = moving.remove();
            let settled = Settled { version: history.newest, last_delete: history.last_delete };
            match slot.and_then(|slot| shard.dense.get_mut(slot)) {
                Some(place) => *place = settled.packed(),
                None => drop(shard.sparse.insert(row, settled)),
            }
        }
    }

    /// Newest version and newest delete that have begun.
    fn now(&self, row: Row) -> (Version, Version) {
        let (slot, shard) = self.open(row);
        self.history_of(&shard, slot, row).map_or((0, 0), |history| (history.newest, history.last_delete))
    }

    fn history_of(&self, shard: &Shard, slot: Option<usize>, row: Row) -> Option<History> {
        if let Some(history) = shard.moving.get(&row) {
            return Some(history.clone());
        }
        match shard.settled(slot, row) {
            Some(settled) => Some(settled.history(self.before)),
            None if self.forgotten.load(Ordering::Relaxed) > 0 => None,
            None => Some(Settled::default().history(self.before)),
        }
    }

    /// The row's history to change; `None` when there is no room for it.
    fn history<'a>(&self, shard: &'a mut Shard, slot: Option<usize>, row: Row) -> Option<&'a mut History> {
        let known = slot.is_some() || shard.sparse.contains_key(&row) || shard.moving.contains_key(&row);
        if !known && shard.sparse.len() + shard.moving.len() >= self.most_sparse_rows_per_shard {
            return None;
        }
        let settled = shard.settled(slot, row);
        let before = self.before;
        Some(shard.moving.entry(row).or_insert_with(|| settled.unwrap_or_default().history(before)))
    }

    fn open(&self, row: Row) -> (Option<usize>, MutexGuard<'_, Shard>) {
        let (shard, slot) = match self.dense_index(row) {
            Some(index) => (index % SHARDS, Some(index / SHARDS)),
            None => (self.hasher.hash_one(row) as usize % SHARDS, None),
        };
        (slot, self.shards[shard].lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn dense_index(&self, row: Row) -> Option<usize> {
        let partition = row.partition.checked_sub(self.shape.first_partition)?;
        if row.row >= self.shape.rows_per_partition {
            return None;
        }
        let index = partition.checked_mul(self.shape.rows_per_partition)?.checked_add(row.row)?;
        usize::try_from(index).ok().filter(|_| index < self.dense_rows)
    }
}

#[cfg(test)]
mod tests;
