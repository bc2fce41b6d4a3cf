// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! From a write of another node to this node's engine, through all gates of this node.

use std::panic::{catch_unwind, AssertUnwindSafe};
use std::time::{Duration, Instant};

use super::{now_ms, Writing};
use crate::refusal::Refusal;
use crate::rights::routes::Routes;
use crate::rights::table_writer::Unwritten;
use crate::statement::{PeerSpec, WriteHead};

/// A write that another node has begun.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Copy<'a> {
    pub spec: &'a PeerSpec,
    /// When it began there, in milliseconds since the epoch.
    pub began_ms: i64,
    /// Once it is older than that, nobody may do it: rows that were truncated meanwhile would be back (danger F38).
    pub budget: Duration,
    /// The write request.
    pub contents: &'a [u8],
}

impl Copy<'_> {
    /// Also where it has yet to begin: by clocks that differ so much nobody can tell.
    fn is_late(&self) -> bool {
        u128::from(now_ms().abs_diff(self.began_ms)) > self.budget.as_millis()
    }
}

impl Writing {
    /// Writes it, too.
    ///
    /// # Errors
    /// This node does not have it. The node that asks sees to that.
    pub(crate) fn write_copy(&mut self, routes: &Routes, copy: &Copy<'_>) -> Result<(), Refusal> {
        // Whoever ends a right from here on waits for the end of this.
        let _section = self.writer.enter();
        // If it was written, and is asked for again: once or twice is one.
        catch_unwind(AssertUnwindSafe(|| try_copy(routes, copy))).unwrap_or(Err(Refusal::Panic))
    }
}

fn try_copy(routes: &Routes, copy: &Copy<'_>) -> Result<(), Refusal> {
    if copy.is_late() {
        return Err(Refusal::Late);
    }
    if !routes.is_leased(Instant::now()) {
        return Err(Refusal::NodeGate);
    }
    let view = routes.view();
    let table = view.snapshot.written.get(copy.spec.table_id()).ok_or(Refusal::TableGate)?;
    let copied = table.copied.as_ref().ok_or(Refusal::TableGate)?;
    if copied.layout != *copy.spec.layout() {
        return Err(Refusal::Spec);
    }
    let head = WriteHead::of(copy.contents).ok_or(Refusal::Malformed)?;
    if !table.has(head.token) {
        return Err(Refusal::NotReplica);
    }
    if !table.knows(head.timestamp) {
        return Err(Refusal::OldTimestamp);
    }
    if !routes.are_records_safe() {
        return Err(Refusal::UnsafeRecords);
    }
    table.writer.write_at_once(copy.contents).map_err(|unwritten| match unwritten {
        Unwritten::WouldWait => Refusal::WriteWaits,
        Unwritten::Failed => Refusal::EngineFailure,
    })
}

#[cfg(test)]
mod tests;
