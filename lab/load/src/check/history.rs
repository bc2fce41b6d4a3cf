// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The writes of one row that a read may still show.

/// Counts the writes of one row, deletes included; 0 is the row as it was before the run.
pub type Version = u32;

/// How many writes of one row are told apart; beyond it the oldest failed ones are joined into one range, which accepts
/// more answers than it should and so never accuses wrongly.
const TOLD_APART: usize = 32;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    InFlight,
    /// It may have been applied, or may be later.
    Failed,
    Acknowledged,
}

/// One write, or several failed ones in a row.
#[derive(Clone, Copy, Debug)]
pub(super) struct Write {
    pub(super) first: Version,
    pub(super) last: Version,
    /// The newest version that had begun when this write ended: any later one followed it.
    ended: Version,
    pub(super) state: State,
    /// The row is there after it.
    pub(super) present: bool,
    /// The row is not there after it.
    pub(super) absent: bool,
}

impl Write {
    pub(super) fn settled(version: Version, present: bool, absent: bool) -> Self {
        Self { first: version, last: version, ended: version, state: State::Acknowledged, present, absent }
    }
}

/// One row: the writes that no acknowledged write has surely replaced.
///
/// A write replaces another when it began after the other had ended and was acknowledged: timestamps come from the client
/// and grow. Of writes that overlap either may win, so both stay.
#[derive(Clone, Debug)]
pub(super) struct History {
    pub(super) newest: Version,
    pub(super) last_delete: Version,
    pub(super) writes: Vec<Write>,
}

impl History {
    /// A row whose writes all ended, the last of them well.
    pub(super) fn settled(version: Version, last_delete: Version, write: Write) -> Self {
        Self { newest: version, last_delete, writes: vec![write] }
    }

    /// Starts a write. `None` when the versions are used up.
    pub(super) fn begin(&mut self, deletes: bool) -> Option<Version> {
        let version = self.newest.checked_add(1)?;
        self.newest = version;
        if deletes {
            self.last_delete = version;
        }
        self.writes.push(Write {
            first: version,
            last: version,
            ended: Version::MAX,
            state: State::InFlight,
            present: !deletes,
            absent: deletes,
        });
        Some(version)
    }

    /// Ends a write; one that is not in flight is left alone.
    pub(super) fn end(&mut self, version: Version, state: State) {
        let newest = self.newest;
        let Some(write) = self.writes.iter_mut().find(|w| w.last == version && w.state == State::InFlight) else {
            return;
        };
        write.state = state;
        write.ended = newest;
        if state == State::Acknowledged {
            self.writes.retain(|w| w.ended >= version);
        } else if self.writes.len() > TOLD_APART {
            self.join_failed();
        }
    }

    /// The one write left, when all ended and nothing is in doubt.
    pub(super) fn only(&self) -> Option<&Write> {
        match self.writes.as_slice() {
            [write] if write.state == State::Acknowledged => Some(write),
            _ => None,
        }
    }

    fn join_failed(&mut self) {
        let mut failed = self.writes.iter().enumerate().filter(|(_, w)| w.state == State::Failed).map(|(i, _)| i);
        let (Some(first), Some(second)) = (failed.next(), failed.next()) else { return };
        let taken = self.writes.remove(second);
        if let Some(kept) = self.writes.get_mut(first) {
            kept.first = kept.first.min(taken.first);
            kept.last = kept.last.max(taken.last);
            kept.ended = kept.ended.max(taken.ended);
            kept.present |= taken.present;
            kept.absent |= taken.absent;
        }
    }
}
