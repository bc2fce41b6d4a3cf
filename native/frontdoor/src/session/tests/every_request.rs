// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Whoever answers, every request has one answer, whole.

use std::collections::BTreeMap;
use std::io::{IoSlice, Read};

use proptest::prelude::*;

use super::cassandra::Cassandra;
use super::pipes::{Duplex, Pipe};
use super::scripted::{Scripted, ANSWERED, KINDS, POOLED};
use super::wire::{framing, received, sent, startup};
use crate::protocol::HEADER_BYTES;
use crate::session::{Session, Work, MAX_UNSENT_BYTES, TURN_READS};

fn steps() -> impl Strategy<Value = Vec<Option<usize>>> {
    prop::collection::vec(prop::option::of(1usize..300), 0..60)
}

fn groups() -> impl Strategy<Value = Vec<Vec<Vec<u8>>>> {
    let size = prop_oneof![12 => 1usize..200, 1 => 30_000usize..60_000, 1 => 140_000usize..300_000];
    let body = (0..KINDS, size).prop_map(|(kind, size)| [vec![kind], vec![7; size]].concat());
    let group = prop::collection::vec(body, 1..5).prop_map(|mut group| {
        // What does not fit into one frame is sent alone.
        if group.iter().map(Vec::len).sum::<usize>() > 100_000 {
            group.truncate(1);
        }
        group
    });
    prop::collection::vec(group, 1..12)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn every_request_has_one_answer(
        version in 3u8..=5,
        is_packed in any::<bool>(),
        groups in groups(),
        scripts in prop::collection::vec(steps(), 5),
        read_bytes in prop_oneof![1usize..300, Just(128 << 10)],
        turn_reads in prop_oneof![1usize..4, Just(TURN_READS)],
        order in prop::collection::vec(0u8..4, 0..200),
        // From this step on the client's socket is handed over as soon as that is possible.
        leaves in prop::option::of(0usize..250),
        // Cassandra's thread sends to the client itself what it may.
        is_straight in any::<bool>(),
    ) {
        let framing = framing(version, is_packed);
        let mut streams = 0..;
        let groups: Vec<Vec<(u16, Vec<u8>)>> =
            groups.into_iter().map(|group| group.into_iter().map(|body| (streams.next().unwrap(), body)).collect()).collect();
        let (up, down) = (Pipe::scripted(&scripts[0]), Pipe::scripted(&scripts[1]));
        let (to_cassandra, from_cassandra) = (Pipe::scripted(&scripts[2]), Pipe::scripted(&scripts[3]));
        // What Cassandra has not written yet: it stops in the middle of a response, too.
        let mut unwritten = Pipe::scripted(&scripts[4]);
        let mut client = Duplex { up: up.clone(), down: down.clone() };
        let mut cassandra = Cassandra::new(framing, version);
        let mut session = Session::new(1);
        let mut work = Work { turn_reads, ..Work::new(read_bytes) };
        let mut answerer = Scripted::default();
        let mut seen = Vec::new();
        up.put(&startup(version, is_packed));
        let mut bytes = sent(framing, version, &groups);
        let mut order = order.into_iter().chain([0, 1, 2, 3].into_iter().cycle().take(20_000));
        let mut idle = 0;
        let (mut step, mut has_left) = (0, false);
        while idle < 8 {
            step += 1;
            session.pause(leaves.is_some_and(|from| step >= from) && step % 64 < 32);
            let is_pair_empty = to_cassandra.is_empty() && from_cassandra.is_empty();
            if leaves.is_some_and(|from| step >= from) && session.is_clear() && is_pair_empty {
                has_left = true;
                prop_assert!(answerer.pooled.is_empty());
            }
            // A client sends requests once STARTUP is answered.
            if seen.len() >= HEADER_BYTES {
                up.put(&std::mem::take(&mut bytes));
            }
            let is_quiet = || up.is_empty() && to_cassandra.is_empty() && from_cassandra.is_empty();
            let before = (seen.len(), is_quiet(), unwritten.length(), answerer.pooled.len());
            match order.next() {
                Some(0) if has_left => to_cassandra.put(&up.drain()),
                Some(1) if has_left => down.put(&from_cassandra.drain()),
                Some(0) => drop(session.client_turn(&mut client, &mut to_cassandra.clone(), true, &mut work, &mut answerer).unwrap()),
                Some(1) => drop(session.cassandra_turn(&mut from_cassandra.clone(), &mut client, true, &mut work, &mut answerer).unwrap()),
                Some(2) => {
                    cassandra.serve(&to_cassandra.drain(), &unwritten);
                    let mut bytes = [0; 1000];
                    let count = unwritten.read(&mut bytes).unwrap_or_default();
                    let may_send = is_straight && !has_left && from_cassandra.is_empty() && session.may_send_straight();
                    let (one, other) = bytes[..count].split_at(count / 3);
                    let parts = [IoSlice::new(one), IoSlice::new(other)];
                    let sent = if may_send { session.send_straight(&mut client, &parts).unwrap() } else { 0 };
                    from_cassandra.put(&bytes[sent..count]);
                }
                Some(_) => {
                    if let Some(pooled) = answerer.pooled.pop() {
                        session.pooled(pooled, &mut client, &mut to_cassandra.clone(), &mut work).unwrap();
                    }
                }
                None => prop_assert!(false, "it does not end"),
            }
            seen.extend(down.drain());
            let after = (seen.len(), is_quiet(), unwritten.length(), answerer.pooled.len());
            let is_over = after.1 && after.2 == 0 && after.3 == 0 && session.is_blocked() == (false, false) && !session.is_cut() && bytes.is_empty();
            idle = if before == after && is_over { idle + 1 } else { 0 };
        }
        let all: BTreeMap<u16, Vec<u8>> = groups.concat().into_iter().collect();
        let answers = received(framing, &seen);
        prop_assert_eq!(answers.len(), all.len());
        let is_doors = |body: &[u8]| {
            let is_small = body.len() <= 60_000 || version == 5 && body.len() < 100_000;
            is_small && matches!(body[0], ANSWERED | POOLED)
        };
        // While much waits for the client, requests are Cassandra's; its own responses may wait there, too.
        let doors_bytes: usize = all.values().filter(|body| is_doors(body)).map(Vec::len).sum();
        let may_pass = has_left || doors_bytes > MAX_UNSENT_BYTES / 2;
        for (stream, body) in &all {
            let is_by = |by: &[u8]| answers[stream] == [by, body].concat();
            let is_right = if is_doors(body) { is_by(b"door") || may_pass && is_by(b"cassandra") } else { is_by(b"cassandra") };
            prop_assert!(is_right, "stream {}", stream);
        }
        prop_assert!(leaves.is_none_or(|from| has_left || step < from));
        prop_assert!(answerer.judged.iter().all(|(_, is_equal)| *is_equal));
    }
}
