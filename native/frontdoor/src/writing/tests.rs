// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

#![allow(clippy::unwrap_used, clippy::panic)]

use super::*;
use crate::rights::table_writer::TableWriter;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

const STATEMENT: Id = [1; 16];
pub(super) const TABLE: TableId = [2; 16];
pub(super) const LOGIN: u32 = 7;
const ONE: u16 = 1;
const TWO: u16 = 2;
pub(super) const SMALLEST: i64 = 1000;

/// An engine that counts, fails or panics.
#[derive(Default)]
struct Engine {
    written: AtomicUsize,
    fails: Mutex<Option<Unwritten>>,
    panics: AtomicBool,
}

impl TableWriter for Engine {
    fn write_at_once(&self, _: &[u8]) -> Result<(), Unwritten> {
        assert!(!self.panics.load(Ordering::SeqCst), "a panic of the test");
        if let Some(failure) = *self.fails.lock().unwrap() {
            return Err(failure);
        }
        self.written.fetch_add(1, Ordering::SeqCst);
        Ok(())
    }
}

pub(super) fn opening(smallest: i64, left: i64) -> Vec<u8> {
    let head = [&[1][..], &TABLE, &(1u32 << ONE).to_be_bytes(), &smallest.to_be_bytes(), &1u32.to_be_bytes()].concat();
    [&head[..], &left.to_be_bytes(), &i64::MAX.to_be_bytes()].concat()
}

/// `DELETE FROM t WHERE k = ?` of a table without clustering.
fn recipe() -> Vec<u8> {
    let head = [&[2][..], &STATEMENT, &TABLE, &[0, 1]].concat();
    [&head[..], &[0, 1, 0, 0, 0, 0x09], &[0], &[0, 0], &[2], &[0, 0], &[0]].concat()
}

/// So many of the other replicas can be sent a write.
pub(super) struct Ready(pub usize);

impl Ways for Ready {
    fn ready(&self, _: &[HostId], _: usize, _: usize) -> Result<usize, Reason> {
        Ok(self.0)
    }
}

pub(super) struct Node {
    pub routes: Routes,
    engine: Arc<Engine>,
}

impl Node {
    pub(super) fn new() -> Node {
        let node = Node { routes: Routes::default(), engine: Arc::default() };
        node.routes.renew(Duration::from_secs(1000));
        node.routes.put_modification(Modification::decode(&recipe()).unwrap());
        node.routes.set_grants([(LOGIN, STATEMENT)].into());
        node.open(&opening(SMALLEST, i64::MIN));
        node
    }

    pub(super) fn open(&self, opening: &[u8]) {
        self.routes.open_to_writes(WrittenTable::decode(Arc::clone(&self.engine) as _, opening).unwrap());
    }

    /// Of an EXECUTE of the statement.
    pub(super) fn body(level: u16, timestamp: i64) -> Vec<u8> {
        let body = [&[0, 16][..], &STATEMENT, &level.to_be_bytes(), &[0x21, 0, 1, 0, 0, 0, 4, 0, 0, 0, 3]].concat();
        [&body[..], &timestamp.to_be_bytes()].concat()
    }

    fn write_as(&self, login: Option<u32>, level: u16, timestamp: i64, flags: u8) -> Result<(), NotWritten> {
        let body = Self::body(level, timestamp);
        let written = Writing::new(&self.routes).write(&self.routes, login, (4, flags, &body), &Ready(0)).unwrap();
        written.map(|written| {
            assert_eq!((written.id, written.table, written.level), (STATEMENT, TABLE, level));
            assert!(written.copies.is_none());
        })
    }

    fn write(&self) -> Result<(), NotWritten> {
        self.write_as(Some(LOGIN), ONE, SMALLEST, 0)
    }

    fn passes(&self, reason: Reason) {
        assert_eq!(self.write(), Err(NotWritten::Passed(reason)));
    }
}

#[test]
fn a_write_goes_through_all_gates() {
    let node = Node::new();
    assert_eq!(node.write(), Ok(()));
    let passed = |reason| Err(NotWritten::Passed(reason));
    let wanted = |reason| Err(NotWritten::Wanted(reason, STATEMENT));
    assert_eq!(node.write_as(None, ONE, SMALLEST, 0), wanted(Reason::NotAdmitted));
    assert_eq!(node.write_as(Some(8), ONE, SMALLEST, 0), wanted(Reason::NotGranted));
    assert_eq!(node.write_as(Some(LOGIN), TWO, SMALLEST, 0), passed(Reason::Consistency));
    assert_eq!(node.write_as(Some(LOGIN), ONE, SMALLEST - 1, 0), passed(Reason::OldTimestamp));
    assert_eq!(node.write_as(Some(LOGIN), ONE, SMALLEST, 2), passed(Reason::HeaderFlags));
    node.open(&opening(SMALLEST, i64::MAX - 1));
    node.passes(Reason::NotReplica);
    node.routes.close_to_writes(&TABLE);
    node.passes(Reason::TableGate);
    node.routes.shut();
    node.passes(Reason::NodeGate);
    assert_eq!(node.engine.written.load(Ordering::SeqCst), 1);
}

#[test]
fn a_paging_state_is_cassandras_to_refuse() {
    let node = Node::new();
    let body = [&[0, 16][..], &STATEMENT, &ONE.to_be_bytes(), &[0x29, 0, 1, 0, 0, 0, 4, 0, 0, 0, 3]].concat();
    let body = [&body[..], &[0, 0, 0, 2, 7, 7], &SMALLEST.to_be_bytes()].concat();
    let written = Writing::new(&node.routes).write(&node.routes, Some(LOGIN), (4, 0, &body), &Ready(0)).unwrap();
    assert_eq!(written.map(|written| written.level), Err(NotWritten::Passed(Reason::PagingState)));
    assert_eq!(node.engine.written.load(Ordering::SeqCst), 0);
}

#[test]
fn a_statement_that_is_not_known_to_write_is_nobodys() {
    let node = Node::new();
    node.routes.drop_recipe(&STATEMENT);
    let body = [&[0, 16][..], &STATEMENT].concat();
    assert!(Writing::new(&node.routes).write(&node.routes, Some(LOGIN), (4, 0, &body), &Ready(0)).is_none());
}

#[test]
fn what_the_engine_does_not_take_is_cassandras() {
    let node = Node::new();
    for (failure, reason) in [(Unwritten::WouldWait, Reason::WriteWaits), (Unwritten::Failed, Reason::EngineFailure)] {
        *node.engine.fails.lock().unwrap() = Some(failure);
        node.passes(reason);
    }
    node.engine.panics.store(true, Ordering::SeqCst);
    node.passes(Reason::Panic);
    node.passes(Reason::Panic);
    node.passes(Reason::AuditionFailed);
    // The section has ended: this would wait for ever.
    node.routes.close_to_writes(&TABLE);
}

/// F32
#[test]
fn a_row_waits_for_the_records_before_it() {
    let node = Node::new();
    node.routes.add_record();
    node.routes.add_record();
    node.passes(Reason::UnsafeRecords);
    node.routes.records_are_safe(1);
    node.passes(Reason::UnsafeRecords);
    node.routes.records_are_safe(node.routes.records());
    assert_eq!(node.write(), Ok(()));
}

#[test]
fn other_bytes_open_nothing() {
    let good = opening(SMALLEST, 3);
    let opened = |bytes: &[u8]| WrittenTable::decode(Arc::new(Engine::default()), bytes).is_some();
    assert!(opened(&good));
    assert!((0..good.len()).all(|length| !opened(&good[..length])));
    assert!(!opened(&[&good[..], &[0]].concat()) && !opened(&opening(SMALLEST, i64::MAX)));
}
