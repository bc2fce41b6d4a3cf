// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! What the owner of the door has to take.

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::client::Client;

/// Clients that may wait, the kernel's backlog holds the others; and other notices, which come again.
const MOST: usize = 1024;
/// Writes that replicas lack and that may wait, about.
const MOST_MISSED: usize = 16_384;
/// How often the owner of the door hears of the same table.
const WANT_AGAIN: Duration = Duration::from_secs(1);

/// Something that the owner of the door has to see to.
#[derive(Debug)]
pub enum Notice {
    /// A client has come.
    Client(Client),
    /// A connection executes a statement that could be answered natively, if the owner said so.
    Wanted {
        /// The connection, which [`Client::connection`] names.
        connection: u64,
        /// The id of the prepared statement.
        statement: [u8; 16],
    },
    /// Nearly all that a connection asks is passed on: without the door it would be served as well, at less expense.
    /// Comes again while that is so; see [`Door::hand_over`](crate::Door::hand_over).
    Forwarded {
        /// The connection, which [`Client::connection`] names.
        connection: u64,
    },
    /// Another node would read a table that is not open here, or write to it.
    WantedTable {
        /// The table's id.
        table: [u8; 16],
        /// Whether it would write.
        writes: bool,
    },
    /// A write was acknowledged that replicas may lack. Whoever has this has to see to it.
    Missed(Missed),
    /// All that was missed before [`Door::end_copies`](crate::Door::end_copies) has been told.
    CopiesEnded,
}

/// A write that was acknowledged, and that some replicas may lack.
#[derive(Debug, PartialEq, Eq)]
pub struct Missed {
    /// The table's id.
    pub table: [u8; 16],
    /// Of the protocol.
    pub version: u8,
    /// Of the EXECUTE.
    pub body: Vec<u8>,
    /// When it was written, in milliseconds since the epoch.
    pub began_ms: i64,
    /// Host ids of the replicas.
    pub hosts: Vec<[u8; 16]>,
}

/// A bounded queue.
#[derive(Default)]
pub(crate) struct Notices {
    state: Mutex<State>,
    changed: Condvar,
    /// Writes that replicas lack, among what waits.
    missed: AtomicUsize,
}

#[derive(Default)]
struct State {
    waiting: VecDeque<Notice>,
    /// Since when the owner need not hear of a table again.
    told: HashMap<([u8; 16], bool), Instant>,
    is_closed: bool,
}

impl Notices {
    /// Adds a client, and waits for its place where too many are there. A closed queue drops it.
    pub(crate) fn add(&self, client: Client) {
        let state = self.state();
        let waited = self.changed.wait_while(state, |state| state.waiting.len() >= MOST && !state.is_closed);
        let mut state = waited.unwrap_or_else(PoisonError::into_inner);
        if !state.is_closed {
            state.waiting.push_back(Notice::Client(client));
            self.changed.notify_all();
        }
    }

    /// Adds a statement, unless too many notices wait.
    pub(crate) fn want(&self, connection: u64, statement: [u8; 16]) {
        self.offer(Notice::Wanted { connection, statement });
    }

    /// Adds a connection, unless too many notices wait.
    pub(crate) fn forwarded(&self, connection: u64) {
        self.offer(Notice::Forwarded { connection });
    }

    /// Adds a table, unless it was added of late, or too many notices wait.
    pub(crate) fn want_table(&self, table: [u8; 16], writes: bool) {
        let mut state = self.state();
        let now = Instant::now();
        if state.told.len() >= MOST {
            state.told.retain(|_, since| now.duration_since(*since) < WANT_AGAIN);
        }
        let is_told = state.told.get(&(table, writes)).is_some_and(|since| now.duration_since(*since) < WANT_AGAIN);
        if is_told || state.told.len() >= MOST {
            return;
        }
        state.told.insert((table, writes), now);
        self.push(state, Notice::WantedTable { table, writes });
    }

    /// Adds a write that replicas lack; never dropped, for it comes once.
    pub(crate) fn missed(&self, missed: Missed) {
        let mut state = self.state();
        if !state.is_closed {
            self.missed.fetch_add(1, Ordering::Relaxed);
            state.waiting.push_back(Notice::Missed(missed));
            self.changed.notify_all();
        }
    }

    /// Behind all that was missed until now; never dropped.
    pub(crate) fn copies_ended(&self) {
        let mut state = self.state();
        if !state.is_closed {
            state.waiting.push_back(Notice::CopiesEnded);
            self.changed.notify_all();
        }
    }

    /// Whether so many of these wait that no further write should come to it.
    pub(crate) fn has_many_missed(&self) -> bool {
        self.missed.load(Ordering::Relaxed) >= MOST_MISSED
    }

    fn offer(&self, notice: Notice) {
        self.push(self.state(), notice);
    }

    fn push(&self, mut state: MutexGuard<'_, State>, notice: Notice) {
        if !state.is_closed && state.waiting.len() < MOST {
            state.waiting.push_back(notice);
            self.changed.notify_all();
        }
    }

    /// All that wait; none after `timeout`. `None` for good once the queue is closed.
    pub(crate) fn take(&self, timeout: Duration) -> Option<Vec<Notice>> {
        let is_idle = |state: &mut State| state.waiting.is_empty() && !state.is_closed;
        let waited = self.changed.wait_timeout_while(self.state(), timeout, is_idle);
        let mut state = waited.unwrap_or_else(PoisonError::into_inner).0;
        if state.is_closed {
            return None;
        }
        self.missed.store(0, Ordering::Relaxed);
        let taken = state.waiting.drain(..).collect();
        self.changed.notify_all();
        Some(taken)
    }

    /// Drops all that wait, and wakes those who do.
    pub(crate) fn close(&self) {
        let mut state = self.state();
        state.is_closed = true;
        state.waiting.clear();
        self.changed.notify_all();
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_told_once_for_many_reads() {
        let notices = Notices::default();
        for table in [1, 2, 1, 2] {
            notices.want_table([table; 16], false);
        }
        let told = notices.take(Duration::ZERO).unwrap();
        let tables: Vec<u8> = told
            .iter()
            .map(|notice| match notice {
                Notice::WantedTable { table, .. } => table[0],
                _ => 0,
            })
            .collect();
        assert_eq!(tables, [1, 2]);
    }
}
