// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! A client's request that this node has written, and that is held until other replicas have, too.

use std::time::Instant;

use super::event_loop::{Done, Given};
use crate::protocol::{Framing, Header};
use crate::reason::Reason;
use crate::request::{PoolVerdict, Pooled};
use crate::rights::open_table::TableId;
use crate::rights::routes::Routes;
use crate::statement::Id;
use crate::writing::VOID;

/// One request.
#[derive(Debug)]
pub(crate) struct HeldWrite {
    pub slot: usize,
    pub connection: u64,
    pub since: Instant,
    pub framing: Framing,
    pub header: Header,
    pub envelope: Vec<u8>,
    /// Statement, table and consistency level.
    pub written: (Id, TableId, u16),
    /// Of the rights under which it was written.
    pub epoch: u64,
}

impl HeldWrite {
    /// What becomes of it. Where Cassandra gets it, it writes the same at the same time of writing: once or twice is one.
    ///
    /// * `outcome` whether enough replicas have written
    pub(crate) fn end(self, outcome: Result<(), Reason>, routes: &Routes) -> Done {
        let outcome = outcome.and_then(|()| match routes.holds_epoch(self.epoch, Instant::now()) {
            true => Ok(()),
            false => Err(Reason::RightsMoved),
        });
        let (id, table, level) = self.written;
        let (verdict, answer) = match outcome {
            Ok(()) => (PoolVerdict::Answered(VOID.to_vec()), Ok(Given::Write { id, table, level })),
            Err(reason) => (PoolVerdict::Passed, Err(reason)),
        };
        let pooled = Pooled { header: self.header, envelope: self.envelope, framing: self.framing, verdict };
        let (slot, connection, since) = (self.slot, self.connection, self.since);
        Done { slot, connection, since, request: Vec::new(), pooled, answer }
    }
}
