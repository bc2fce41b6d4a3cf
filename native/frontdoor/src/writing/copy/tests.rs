// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

#![allow(clippy::unwrap_used)]

use super::*;
use crate::rights::replicas::tests::bytes as replicas;
use crate::writing::tests::{Node, Ready, LOGIN, SMALLEST, TABLE};

const BUDGET: Duration = Duration::from_secs(2);

/// Of a table with a column, whose rows are here and on another node.
fn opening(column: u8, smallest: i64, left: i64) -> Vec<u8> {
    let layout = [&[1, 0, 1, 0, 3][..], b"int", &[0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1], &[column, 0, 3], b"int"].concat();
    let head = [&[2][..], &TABLE, &0u32.to_be_bytes(), &smallest.to_be_bytes(), &0u32.to_be_bytes()].concat();
    let others = replicas(&[(1, 1)], &[[5; 16]], &[&[0]], &[(left, i64::MAX, 0)]);
    [&head[..], &(layout.len() as u32).to_be_bytes(), &layout, &others].concat()
}

fn good() -> Vec<u8> {
    opening(b'v', SMALLEST, i64::MIN)
}

/// What this node would have another one write.
struct Asked {
    spec: PeerSpec,
    contents: Vec<u8>,
}

impl Asked {
    fn of(node: &Node) -> Asked {
        let mut writing = Writing::new(&node.routes);
        let written =
            writing.write(&node.routes, Some(LOGIN), (4, 0, &Node::body(1, SMALLEST)), &Ready(1)).unwrap().unwrap();
        let copied = written.copies.unwrap();
        let spec = PeerSpec::decode(&copied.table.copied.as_ref().unwrap().spec).unwrap();
        Asked { spec, contents: writing.request().to_vec() }
    }

    fn write(&self, node: &Node, began_ms: i64) -> Result<(), Refusal> {
        let copy = Copy { spec: &self.spec, began_ms, budget: BUDGET, contents: &self.contents };
        Writing::new(&node.routes).write_copy(&node.routes, &copy)
    }
}

#[test]
fn a_write_of_another_node_goes_through_all_gates() {
    let node = Node::new();
    node.open(&good());
    let mut asked = Asked::of(&node);
    assert_eq!(asked.write(&node, now_ms()), Ok(()));
    let refused = |opening: &[u8], refusal| {
        node.open(opening);
        assert_eq!(asked.write(&node, now_ms()), Err(refusal));
    };
    refused(&opening(b'w', SMALLEST, i64::MIN), Refusal::Spec);
    refused(&opening(b'v', SMALLEST + 1, i64::MIN), Refusal::OldTimestamp);
    refused(&opening(b'v', SMALLEST, i64::MAX - 1), Refusal::NotReplica);
    node.open(&good());
    node.routes.add_record();
    assert_eq!(asked.write(&node, now_ms()), Err(Refusal::UnsafeRecords));
    node.routes.records_are_safe(node.routes.records());
    let request = std::mem::replace(&mut asked.contents, vec![9]);
    assert_eq!(asked.write(&node, now_ms()), Err(Refusal::Malformed));
    asked.contents = request;
    node.routes.close_to_writes(&TABLE);
    assert_eq!(asked.write(&node, now_ms()), Err(Refusal::TableGate));
    node.open(&good());
    node.routes.shut();
    assert_eq!(asked.write(&node, now_ms()), Err(Refusal::NodeGate));
}

/// F38: a node that was frozen, and one whose clock says that the write has yet to begin.
#[test]
fn what_began_at_another_time_is_not_written() {
    let node = Node::new();
    node.open(&good());
    let asked = Asked::of(&node);
    for away_ms in [-10_000, 10_000] {
        assert_eq!(asked.write(&node, now_ms() + away_ms), Err(Refusal::Late));
    }
    for away_ms in [-500, 500] {
        assert_eq!(asked.write(&node, now_ms() + away_ms), Ok(()));
    }
}

/// Rows that have this node alone are nobody else's to write.
#[test]
fn a_table_with_one_replica_takes_nothing() {
    let node = Node::new();
    node.open(&good());
    let asked = Asked::of(&node);
    node.open(&crate::writing::tests::opening(SMALLEST, i64::MIN));
    assert_eq!(asked.write(&node, now_ms()), Err(Refusal::TableGate));
}
