// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

#![allow(clippy::unwrap_used, clippy::panic)]

use super::*;
use crate::refusal::Refusal;
use crate::rights::digest::HostId;
use crate::rights::open_table::tests::spec as alone;
use crate::rights::prepared::tests::recipe;
use crate::rights::replicas::tests::bytes as replicas;
use crate::rights::table_reader::{Entries, TableReader};
use cassiterite_codec::row::{Cell, Head, RowWriter};
use std::sync::Mutex;
use std::time::Duration;

const STATEMENT: Id = [1; 16];
const TABLE: TableId = [2; 16];
const LOGIN: u32 = 7;
const ONE: u16 = 1;
const TWO: u16 = 2;
const QUORUM: u16 = 4;
const ALL: u16 = 5;
const LOCAL_QUORUM: u16 = 6;
const HOSTS: [HostId; 2] = [[8; 16], [9; 16]];
const EVERYWHERE: (i64, i64) = (i64::MIN, i64::MAX);

/// An engine with one row, or none.
#[derive(Default)]
struct Engine {
    entries: Mutex<Vec<u8>>,
    is_cold: Mutex<bool>,
    /// Ends a right in the midst of a read.
    ending: Mutex<Option<Arc<Routes>>>,
}

impl TableReader for Engine {
    fn read(&self, _: &[u8], _: usize, reach: Reach, answer: &mut Vec<u8>) -> Result<Entries, Unread> {
        if *self.is_cold.lock().unwrap() && reach == Reach::Memory {
            return Err(Unread::NotInMemory);
        }
        if let Some(routes) = self.ending.lock().unwrap().as_ref() {
            routes.close_table(&[99; 16]);
            routes.shut();
            routes.renew(Duration::from_secs(1000));
        }
        answer.clear();
        answer.extend_from_slice(&self.entries.lock().unwrap());
        Ok(Entries { range: 0..answer.len(), is_all: true })
    }
}

fn row(timestamp: i64) -> Vec<u8> {
    let mut fragment = Vec::new();
    let mut writer = RowWriter::new(&Head::NOTHING, &mut fragment);
    writer.simple(1, &Cell::live(timestamp, b"abcd"));
    writer.finish();
    [&[3][..], &(fragment.len() as u32).to_le_bytes(), &fragment].concat()
}

fn layout(name: &str) -> Vec<u8> {
    let text = |text: &str| [&(text.len() as u16).to_be_bytes()[..], text.as_bytes()].concat();
    [&[1, 0, 1][..], &text("int"), &[0, 0, 0, 1, 0, 0, 0, 1, 0], &text(name), &text("blob")].concat()
}

/// A table of which all levels of several replicas may be answered with two others.
fn compared(layout: &[u8], ranges: &[(i64, i64)]) -> Vec<u8> {
    let mut opening = alone(TABLE, 1 << ONE, ranges);
    opening[0] = 2;
    opening.extend(10u32.to_be_bytes());
    opening.extend((layout.len() as u32).to_be_bytes());
    opening.extend(layout);
    let levels = [(TWO as u8, 2), (QUORUM as u8, 2), (ALL as u8, 4), (LOCAL_QUORUM as u8, 3)];
    opening.extend(replicas(&levels, &HOSTS, &[&[0, 1]], &[(i64::MIN, i64::MAX, 0)]));
    opening
}

/// One node.
struct Node {
    routes: Arc<Routes>,
    engine: Arc<Engine>,
}

impl Node {
    fn new() -> Node {
        let node = Node { routes: Arc::default(), engine: Arc::default() };
        node.routes.renew(Duration::from_secs(1000));
        node.routes.put_recipe(recipe(STATEMENT, TABLE));
        node.routes.set_grants([(LOGIN, STATEMENT)].into());
        node.open(&compared(&layout("v"), &[EVERYWHERE]));
        node.has(&row(5));
        node
    }

    fn open(&self, opening: &[u8]) {
        self.routes.open_table(OpenTable::decode(Arc::clone(&self.engine) as _, opening).unwrap());
    }

    fn has(&self, entries: &[u8]) {
        *self.engine.entries.lock().unwrap() = entries.to_vec();
    }

    fn answer(&self, level: u16) -> Result<Answer, Unanswered> {
        let body = [&[0, 16][..], &STATEMENT, &level.to_be_bytes(), &[1, 0, 1, 0, 0, 0, 4, 0, 0, 0, 3]].concat();
        Answering::default().answer(&self.routes, Some(LOGIN), (4, 0, &body), Reach::Files, &mut Vec::new())
    }

    fn asked(&self) -> (PeerSpec, Quorum) {
        let answer = self.answer(QUORUM).unwrap();
        (PeerSpec::decode(answer.prepared.spec()).unwrap(), *answer.quorum.unwrap())
    }

    fn digest(&self, (spec, quorum): &(PeerSpec, Quorum)) -> Result<Digest, NoDigest> {
        let digested = Answering::default().digest(&self.routes, spec, &quorum.read, Reach::Memory);
        digested.map(|digested| digested.digest)
    }
}

fn refused(refusal: Refusal) -> Result<Digest, NoDigest> {
    Err(NoDigest::Refused(refusal))
}

#[test]
fn one_replica_needs_nobody() {
    assert_eq!(Node::new().answer(ONE).unwrap().quorum, None);
}

#[test]
fn other_levels_need_as_many_others_as_they_want() {
    let node = Node::new();
    for (level, needed) in [(TWO, 1), (QUORUM, 1), (LOCAL_QUORUM, 2)] {
        let quorum = node.answer(level).unwrap().quorum.unwrap();
        assert_eq!((quorum.needed, quorum.replicas.to_vec()), (needed, HOSTS.to_vec()), "{level}");
    }
    let passed = |level| node.answer(level).map(|_| ());
    assert_eq!(passed(ALL), Err(Unanswered::Passed(Reason::Consistency)), "there are not so many");
    assert_eq!(passed(3), Err(Unanswered::Passed(Reason::Consistency)), "a level that was not named");
    node.open(&alone(TABLE, 1 << ONE, &[EVERYWHERE]));
    assert_eq!(passed(QUORUM), Err(Unanswered::Passed(Reason::Consistency)), "replicas are not compared");
}

#[test]
fn replicas_with_the_same_rows_agree() {
    let (node, other) = (Node::new(), Node::new());
    let asked = node.asked();
    assert_eq!(other.digest(&asked), Ok(asked.1.digest));
    other.has(&row(6));
    assert_ne!(other.digest(&asked), Ok(asked.1.digest));
    other.has(&[]);
    assert_ne!(other.digest(&asked), Ok(asked.1.digest));
}

/// Nothing counts of what a right was for that has ended since.
#[test]
fn an_epoch_tells_whether_all_rights_hold() {
    let node = Node::new();
    let (_, quorum) = node.asked();
    let now = Instant::now();
    assert!(node.routes.holds_epoch(quorum.epoch, now));
    node.routes.close_table(&TABLE);
    assert!(!node.routes.holds_epoch(quorum.epoch, now));
    let (node, now) = (Node::new(), Instant::now());
    let (_, quorum) = node.asked();
    node.routes.renew(Duration::ZERO);
    assert!(!node.routes.holds_epoch(quorum.epoch, now + Duration::from_secs(1)));
}

/// Each gate of the node that is asked is needed.
#[test]
fn without_any_one_of_its_rights_a_node_gives_no_digest() {
    let (node, other) = (Node::new(), Node::new());
    let asked = node.asked();
    let reopen = || other.open(&compared(&layout("v"), &[EVERYWHERE]));
    other.routes.shut();
    assert_eq!(other.digest(&asked), refused(Refusal::NodeGate));
    other.routes.renew(Duration::from_secs(1000));
    other.routes.close_table(&TABLE);
    assert_eq!(other.digest(&asked), refused(Refusal::TableGate));
    other.open(&alone(TABLE, 1 << ONE, &[EVERYWHERE]));
    assert_eq!(other.digest(&asked), refused(Refusal::TableGate));
    other.open(&compared(&layout("w"), &[EVERYWHERE]));
    assert_eq!(other.digest(&asked), refused(Refusal::Spec));
    other.open(&compared(&layout("v"), &[]));
    assert_eq!(other.digest(&asked), refused(Refusal::NotReplica));
    reopen();
    other.has(&[3]);
    assert_eq!(other.digest(&asked), refused(Refusal::EngineFailure));
    other.has(&row(5));
    *other.engine.is_cold.lock().unwrap() = true;
    assert_eq!(other.digest(&asked), Err(NoDigest::NotInMemory));
    *other.engine.is_cold.lock().unwrap() = false;
    *other.engine.ending.lock().unwrap() = Some(Arc::clone(&other.routes));
    assert_eq!(other.digest(&asked), refused(Refusal::RightsMoved));
    *other.engine.ending.lock().unwrap() = None;
    assert_eq!(other.digest(&asked), Ok(asked.1.digest));
    let malformed = Answering::default().digest(&other.routes, &asked.0, &asked.1.read[1..], Reach::Memory);
    assert_eq!(malformed.map(|digested| digested.digest), refused(Refusal::Malformed));
}

/// A recipe of another schema than the table was opened with is no recipe for other nodes.
#[test]
fn a_recipe_of_another_layout_is_passed_on() {
    let node = Node::new();
    node.asked();
    node.open(&compared(&layout("w"), &[EVERYWHERE]));
    assert_eq!(node.answer(QUORUM).map(|_| ()), Err(Unanswered::Passed(Reason::TableGate)));
    assert!(node.answer(ONE).is_ok());
    node.open(&compared(&layout("v"), &[EVERYWHERE]));
    assert!(node.answer(QUORUM).is_ok());
}

#[test]
fn no_two_statements_have_a_number() {
    let node = Node::new();
    let first = node.answer(QUORUM).unwrap().prepared.number;
    node.routes.put_recipe(recipe(STATEMENT, TABLE));
    assert_ne!(node.answer(QUORUM).unwrap().prepared.number, first);
}
