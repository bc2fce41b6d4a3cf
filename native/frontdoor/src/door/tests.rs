// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! A door that answers: when it does, and what a fault or a slow device costs.

#![allow(clippy::unwrap_used, clippy::panic)]

mod copies;
mod fixture;
mod hostile_peers;
mod nodes;
mod quorum;
mod rogue;
mod straight;

use super::*;
use crate::reason::Reason;
use crate::rights::prepared::tests::recipe;
use crate::session::MAX_UNSENT_BYTES;
use fixture::*;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::os::unix::net::UnixStream;
use std::sync::atomic::Ordering;
use std::sync::mpsc;
use std::thread;

/// F11, F21: each of the rights is needed, and an answer is Cassandra's from the moment on in which one has ended.
#[test]
fn without_any_one_of_its_rights_a_request_passes() {
    let fixture = Fixture::new(HAS_NOTHING);
    let mut pair = fixture.admitted();
    let mut assert_passed = |end: &dyn Fn(&Door), reason: Reason| {
        fixture.serve();
        pair.assert_answered_by_the_door(1);
        let before = fixture.passed(reason);
        end(&fixture.door);
        pair.assert_passed(2);
        assert_eq!(fixture.passed(reason), before + 1);
    };
    assert_passed(&|door| door.shut(), Reason::NodeGate);
    assert_passed(&|door| door.renew(Duration::ZERO), Reason::NodeGate);
    assert_passed(&|door| door.close_table(&TABLE), Reason::TableGate);
    assert_passed(&|door| door.set_grants([(LOGIN + 1, STATEMENT)].into()), Reason::NotGranted);
    assert_passed(&|door| door.drop_recipe(&STATEMENT), Reason::NoRecipe);
    assert_passed(&|door| door.refuse_recipe(&STATEMENT), Reason::RecipeRefused);
}

/// F12: neither before STARTUP is answered, whatever the door was told, nor before the connection is admitted.
#[test]
fn nobody_is_answered_before_the_login() {
    let fixture = Fixture::new(HAS_NOTHING);
    let mut pair = fixture.connect();
    fixture.door.admit(pair.number, LOGIN);
    pair.send(1);
    assert_eq!(read(&mut pair.cassandra, execute(1).len()), execute(1));

    let mut other = fixture.connect();
    other.start();
    other.assert_passed(2);
    fixture.door.admit(other.number + 1, LOGIN);
    other.assert_passed(3);
    fixture.door.admit(other.number, LOGIN);
    other.assert_answered_by_the_door(4);
    wait_until("the count", || fixture.door.counters().answered == 1);
}

/// F12: a connection that comes back is admitted anew, also where the door has not seen the USE that it has sent.
#[test]
fn a_connection_that_comes_back_is_admitted_anew() {
    const USE: &[u8] = b"\x04\x00\x00\x09\x07\x00\x00\x00\x01u";
    const SET_KEYSPACE: &[u8] = b"\x84\x00\x00\x09\x08\x00\x00\x00\x07\x00\x00\x00\x03\x00\x01k";
    let fixture = Fixture::new(HAS_NOTHING);
    let mut pair = fixture.admitted();
    pair.assert_answered_by_the_door(1);
    let given = fixture.handed_over(&pair);
    let mut socket = TcpStream::from(given.client.try_clone().unwrap());
    socket.set_nonblocking(false).unwrap();
    pair.client.write_all(USE).unwrap();
    assert_eq!(read(&mut socket, USE.len()), USE);
    let far = fixture.door.take_back(pair.number, given.client, given.negotiated.unwrap()).unwrap();
    pair.cassandra = UnixStream::from(far);
    pair.cassandra.set_nonblocking(false).unwrap();
    pair.assert_passed(2);
    fixture.door.admit(pair.number, LOGIN);
    pair.assert_answered_by_the_door(3);
    pair.cassandra.write_all(SET_KEYSPACE).unwrap();
    assert_eq!(read(&mut pair.client, SET_KEYSPACE.len()), SET_KEYSPACE);
    pair.assert_passed(4);
    fixture.door.admit(pair.number, LOGIN);
    pair.assert_answered_by_the_door(5);
    assert_eq!(fixture.door.counters().taken_back, 1);
}

/// F28: a fault in an answer costs nobody a connection; the second one of a statement ends its recipe.
#[test]
fn a_panic_costs_an_answer_and_the_second_one_the_recipe() {
    for behaviour in [PANICS, HAS_NOTHING] {
        let fixture = Fixture::new(PANICS);
        let (mut pair, mut other) = (fixture.admitted(), fixture.admitted());
        pair.assert_passed(1);
        fixture.engine.behaviour.store(behaviour, Ordering::SeqCst);
        if behaviour == HAS_NOTHING {
            other.assert_answered_by_the_door(2);
            pair.assert_answered_by_the_door(3);
            continue;
        }
        other.assert_passed(2);
        assert_eq!(fixture.passed(Reason::Panic), 2);
        fixture.engine.behaviour.store(HAS_NOTHING, Ordering::SeqCst);
        pair.assert_passed(3);
        assert_eq!((fixture.passed(Reason::AuditionFailed), fixture.engine.reads.load(Ordering::SeqCst)), (1, 2));
    }
}

/// F27: a read that waits for the device is the pool's; its loop serves others meanwhile.
#[test]
fn a_slow_read_holds_nobody_up() {
    let fixture = Fixture::new(IS_SLOW);
    let (mut slow, mut other) = (fixture.admitted(), fixture.admitted());
    fixture.begin_slow_read(&mut slow, 1);
    fixture.engine.behaviour.store(HAS_NOTHING, Ordering::SeqCst);
    other.assert_answered_by_the_door(2);
    slow.assert_answered_by_the_door(3);
    fixture.release.send(()).unwrap();
    assert_eq!(read(&mut slow.client, 9 + NOTHING.len()), result(1, NOTHING));
}

/// A device that stalls stops all threads of the pool.
#[test]
fn a_request_that_no_thread_takes_is_passed_on() {
    let fixture = Fixture::new(IS_SLOW);
    let mut stalled = fixture.admitted();
    (0..READERS).for_each(|stream| fixture.begin_slow_read(&mut stalled, stream as u8));
    fixture.admitted().assert_passed(100);
    (0..READERS).for_each(|_| fixture.release.send(()).unwrap());
}

/// As at `disablebinary`, which waits for the requests that Cassandra knows of.
#[test]
fn a_slow_read_is_answered_although_cassandra_has_ended() {
    let fixture = Fixture::new(IS_SLOW);
    let mut pair = fixture.admitted();
    fixture.begin_slow_read(&mut pair, 1);
    drop(pair.cassandra);
    thread::sleep(Duration::from_millis(100));
    fixture.release.send(()).unwrap();
    assert_eq!(read(&mut pair.client, 9 + NOTHING.len()), result(1, NOTHING));
    assert_eq!(pair.client.read(&mut [0]).unwrap_or(0), 0);
}

/// Whoever adds up what was answered may take as long as it likes.
#[test]
fn a_loop_waits_for_nobody_who_takes_its_figures() {
    let fixture = Fixture::new(HAS_NOTHING);
    let mut pair = fixture.admitted();
    let taking = fixture.door.loops[0].served.lock().unwrap();
    pair.assert_answered_by_the_door(1);
    pair.assert_answered_by_the_door(2);
    drop(taking);
    let reads = |bytes: &[u8]| u64::from_be_bytes(*bytes[4 + TABLE.len()..].first_chunk().unwrap());
    assert_eq!(reads(&fixture.door.served()), 2);
    pair.assert_answered_by_the_door(3);
    assert_eq!(reads(&fixture.door.served()), 1, "each answer once");
}

/// Also what the pool reads is compared with Cassandra's answers before it is sent.
#[test]
fn a_slow_read_is_auditioned_like_any_other() {
    let fixture = Fixture::new(IS_SLOW);
    fixture.door.shared.routes.put_recipe(recipe(STATEMENT, TABLE));
    let mut pair = fixture.admitted();
    let served = || fixture.door.counters().answered;
    let mut auditions = 0;
    while served() == 0 {
        fixture.begin_slow_read(&mut pair, 1);
        fixture.release.send(()).unwrap();
        wait_until("the pool's answer", || served() > 0 || fixture.passed(Reason::Auditioning) > auditions);
        if served() == 0 {
            auditions += 1;
            assert_eq!(read(&mut pair.cassandra, execute(1).len()), execute(1));
            pair.cassandra.write_all(&result(1, NOTHING)).unwrap();
        }
        assert_eq!(read(&mut pair.client, 9 + NOTHING.len()), result(1, NOTHING));
    }
    assert_eq!(auditions, 32);
}

/// F11: also a read of files that has taken long.
#[test]
fn a_slow_read_is_not_sent_when_its_right_has_ended() {
    let fixture = Fixture::new(IS_SLOW);
    let mut pair = fixture.admitted();
    fixture.begin_slow_read(&mut pair, 1);
    fixture.door.set_grants([].into());
    fixture.release.send(()).unwrap();
    assert_eq!(read(&mut pair.cassandra, execute(1).len()), execute(1));
    wait_until("the count", || fixture.passed(Reason::RightsMoved) == 1);
    assert_eq!(fixture.door.counters().answered, 0);
}

/// F10: the next client has the place of the one that has gone, and none of its answers.
#[test]
fn an_answer_for_a_client_that_has_gone_reaches_nobody() {
    let fixture = Fixture::new(IS_SLOW);
    let event_loop = &fixture.door.loops[0];
    let users = Arc::strong_count(event_loop);
    let mut gone = fixture.admitted();
    fixture.begin_slow_read(&mut gone, 1);
    drop(gone);
    wait_until("the end of the connection", || fixture.door.counters().open == 0);
    let mut next = fixture.admitted();
    fixture.release.send(()).unwrap();
    wait_until("the pool's answer", || Arc::strong_count(event_loop) == users);
    fixture.begin_slow_read(&mut next, 2);
    fixture.release.send(()).unwrap();
    assert_eq!(read(&mut next.client, 9 + NOTHING.len()), result(2, NOTHING));
}

/// What a client has sent meanwhile is read, though neither side has anything more to tell of.
#[test]
fn a_client_is_read_on_when_the_response_has_ended_that_its_answers_waited_for() {
    const REQUESTS: usize = 20_000;
    let fixture = Fixture::new(HAS_NOTHING);
    let mut pair = fixture.admitted();
    let answer_bytes = 9 + NOTHING.len();
    let response = result(1, &[7; 100]);
    let (begin, end) = response.split_at(50);
    pair.cassandra.write_all(begin).unwrap();
    assert_eq!(read(&mut pair.client, begin.len()), begin);
    pair.client.write_all(&execute(2).repeat(REQUESTS)).unwrap();
    // The last answer that goes beyond the bound may be the last one of its turn: then nothing is passed on for that reason.
    let is_backlogged = || fixture.door.counters().answered as usize * answer_bytes > MAX_UNSENT_BYTES;
    wait_until("a backlog", || fixture.passed(Reason::Backlog) > 0 || is_backlogged());
    let mut cassandra = pair.cassandra.try_clone().unwrap();
    cassandra.write_all(end).unwrap();
    // It answers what is passed on, until the client has all and goes.
    let answering = thread::spawn(move || {
        let mut request = vec![0; execute(2).len()];
        while cassandra.read_exact(&mut request).is_ok() && cassandra.write_all(&result(2, NOTHING)).is_ok() {}
    });
    assert_eq!(read(&mut pair.client, end.len()), end);
    assert_eq!(read(&mut pair.client, REQUESTS * answer_bytes), result(2, NOTHING).repeat(REQUESTS));
    drop(pair);
    answering.join().unwrap();
}

/// F29: when the door has closed, nobody reads, and nobody holds the table.
#[test]
fn nobody_reads_when_the_door_has_closed() {
    let fixture = Fixture::new(IS_SLOW);
    let mut pair = fixture.admitted();
    fixture.begin_slow_read(&mut pair, 1);
    let door = Arc::clone(&fixture.door);
    let (ended, end) = mpsc::channel();
    let closing = thread::spawn(move || {
        door.close();
        ended.send(()).unwrap();
    });
    assert_eq!(pair.client.read(&mut [0]).unwrap_or(0), 0);
    assert!(end.try_recv().is_err(), "a read is still going on");
    fixture.release.send(()).unwrap();
    end.recv_timeout(PATIENCE).unwrap();
    closing.join().unwrap();
    let Fixture { door, engine, .. } = fixture;
    drop(door);
    assert_eq!(Arc::strong_count(&engine), 1);
}
