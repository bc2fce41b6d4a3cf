// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! A door with one loop, and the client, the Cassandra and the engine that it works between.

use crate::client::{Client, Way};
use crate::door::{Door, DoorOptions};
use crate::reason::Reason;
use crate::rights::open_table::tests::spec;
use crate::rights::prepared::tests::recipe;
use crate::rights::table_reader::{Entries, Reach, TableReader, Unread};
use crate::rights::table_writer::{TableWriter, Unwritten};
use crate::sockets::hand_over::HandedOver;
use crate::{ListenOptions, Notice, Tls};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering};
use std::sync::{mpsc, Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

pub(super) const PATIENCE: Duration = Duration::from_secs(60);
pub(super) const LONG: Duration = Duration::from_secs(100_000);
pub(super) const STATEMENT: [u8; 16] = [1; 16];
pub(super) const TABLE: [u8; 16] = [2; 16];
pub(super) const LOGIN: u32 = 7;
pub(super) const READERS: usize = 4;
pub(super) const READY: &[u8] = &[0x84, 0, 0, 0, 2, 0, 0, 0, 0];
/// RESULT rows: one column, no row.
pub(super) const NOTHING: &[u8] = &[0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0];

/// How the engine behaves.
pub(super) const HAS_NOTHING: u8 = 0;
pub(super) const PANICS: u8 = 1;
/// A read of files waits until the test lets it go.
pub(super) const IS_SLOW: u8 = 2;

#[derive(Default)]
pub(super) struct Engine {
    pub(super) behaviour: AtomicU8,
    pub(super) reads: AtomicUsize,
    /// Write requests that were applied.
    pub(super) written: Mutex<Vec<Vec<u8>>>,
    /// Reads of files that have begun, and those that may end.
    pub(super) begun: Mutex<Option<mpsc::Sender<()>>>,
    pub(super) release: Mutex<Option<mpsc::Receiver<()>>>,
}

impl TableReader for Engine {
    fn read(&self, _: &[u8], _: usize, reach: Reach, _: &mut Vec<u8>) -> Result<Entries, Unread> {
        self.reads.fetch_add(1, Ordering::SeqCst);
        match (self.behaviour.load(Ordering::SeqCst), reach) {
            (PANICS, _) => panic!("as the test wants it"),
            (IS_SLOW, Reach::Memory) => return Err(Unread::NotInMemory),
            (IS_SLOW, Reach::Files) => {
                self.begun.lock().unwrap().as_ref().unwrap().send(()).unwrap();
                self.release.lock().unwrap().as_ref().unwrap().recv().unwrap();
            }
            _ => {}
        }
        Ok(Entries { range: 0..0, is_all: true })
    }
}

impl TableWriter for Engine {
    fn write_at_once(&self, request: &[u8]) -> Result<(), Unwritten> {
        match self.behaviour.load(Ordering::SeqCst) {
            PANICS => panic!("as the test wants it"),
            IS_SLOW => return Err(Unwritten::WouldWait),
            _ => {}
        }
        self.written.lock().unwrap().push(request.to_vec());
        Ok(())
    }
}

pub(super) struct Fixture {
    pub(super) door: Arc<Door>,
    pub(super) address: SocketAddr,
    pub(super) engine: Arc<Engine>,
    pub(super) begun: mpsc::Receiver<()>,
    pub(super) release: mpsc::Sender<()>,
}

/// A client and Cassandra's end of its connection.
pub(super) struct Pair {
    pub(super) number: u64,
    pub(super) client: TcpStream,
    pub(super) cassandra: UnixStream,
}

impl Fixture {
    /// A door with a table and a statement that it serves.
    pub(super) fn new(behaviour: u8) -> Self {
        let door = Arc::new(Door::open(DoorOptions { readers: READERS, ..DoorOptions::default() }).unwrap());
        let options = ListenOptions { backlog: 128, keep_alive: true, tls: Tls::Never };
        let (_, address) = door.listen("127.0.0.1:0".parse().unwrap(), options).unwrap();
        let (begin, begun) = mpsc::channel();
        let (release, released) = mpsc::channel();
        let engine = Arc::new(Engine {
            behaviour: AtomicU8::new(behaviour),
            reads: AtomicUsize::new(0),
            written: Mutex::default(),
            begun: Mutex::new(Some(begin)),
            release: Mutex::new(Some(released)),
        });
        let fixture = Fixture { door, address, engine, begun, release };
        fixture.serve();
        fixture
    }

    /// Gives all rights.
    pub(super) fn serve(&self) {
        let engine = Arc::clone(&self.engine);
        assert!(self.door.open_table(engine, &spec(TABLE, 1 << 1, &[(i64::MIN, i64::MAX)])));
        self.door.shared.routes.put_recipe(recipe(STATEMENT, TABLE));
        let view = self.door.shared.routes.view();
        (0..100).for_each(|_| view.snapshot.statements.get(&STATEMENT).unwrap().judged(true));
        self.door.set_grants([(LOGIN, STATEMENT)].into());
        self.door.renew(LONG);
    }

    pub(super) fn connect(&self) -> Pair {
        let client = TcpStream::connect(self.address).unwrap();
        client.set_read_timeout(Some(PATIENCE)).unwrap();
        loop {
            // Others want a statement.
            let notices = self.door.take(PATIENCE).unwrap();
            let come = notices.into_iter().find_map(|notice| match notice {
                Notice::Client(Client { connection, way: Way::Pair(end), .. }) => Some((connection, end)),
                _ => None,
            });
            if let Some((number, end)) = come {
                let cassandra = UnixStream::from(end);
                cassandra.set_nonblocking(false).unwrap();
                cassandra.set_read_timeout(Some(PATIENCE)).unwrap();
                return Pair { number, client, cassandra };
            }
        }
    }

    /// A client that has logged in, and that Cassandra's owner has admitted.
    pub(super) fn admitted(&self) -> Pair {
        let mut pair = self.connect();
        pair.start();
        self.door.admit(pair.number, LOGIN);
        pair
    }

    /// What the door gives once nothing of the connection is on its way.
    pub(super) fn handed_over(&self, pair: &Pair) -> HandedOver {
        let begin = Instant::now();
        loop {
            assert!(begin.elapsed() < PATIENCE, "the door keeps the connection");
            if let Some(given) = self.door.hand_over(pair.number, pair.cassandra.as_fd(), false) {
                return given;
            }
        }
    }

    /// Returns when a read of files is going on for the pair's request. What waits too long for a thread is passed on.
    pub(super) fn begin_slow_read(&self, pair: &mut Pair, stream: u8) {
        let begin = Instant::now();
        loop {
            let busy = self.passed(Reason::PoolBusy);
            pair.send(stream);
            while self.passed(Reason::PoolBusy) == busy {
                assert!(begin.elapsed() < PATIENCE, "no read begins");
                if self.begun.recv_timeout(Duration::from_millis(1)).is_ok() {
                    return;
                }
            }
            pair.answer_by_cassandra(stream);
        }
    }

    pub(super) fn passed(&self, reason: Reason) -> u64 {
        let name = format!("executes_passed_{}", reason.name());
        self.door.counters().named().into_iter().find(|(counter, _)| *counter == name).unwrap().1
    }
}

impl Pair {
    pub(super) fn start(&mut self) {
        let startup = b"\x04\x00\x00\x00\x01\x00\x00\x00\x02\x00\x00";
        self.client.write_all(startup).unwrap();
        assert_eq!(read(&mut self.cassandra, startup.len()), startup);
        self.cassandra.write_all(READY).unwrap();
        assert_eq!(read(&mut self.client, READY.len()), READY);
    }

    pub(super) fn send(&mut self, stream: u8) {
        self.client.write_all(&execute(stream)).unwrap();
    }

    pub(super) fn assert_answered_by_the_door(&mut self, stream: u8) {
        self.send(stream);
        assert_eq!(read(&mut self.client, 9 + NOTHING.len()), result(stream, NOTHING));
    }

    pub(super) fn assert_passed(&mut self, stream: u8) {
        self.send(stream);
        self.answer_by_cassandra(stream);
    }

    pub(super) fn answer_by_cassandra(&mut self, stream: u8) {
        assert_eq!(read(&mut self.cassandra, execute(stream).len()), execute(stream));
        let answer = result(stream, b"by Cassandra");
        self.cassandra.write_all(&answer).unwrap();
        assert_eq!(read(&mut self.client, answer.len()), answer);
    }
}

/// `SELECT v FROM t WHERE k = 5` at ONE.
pub(super) fn execute(stream: u8) -> Vec<u8> {
    let body = [&[0, 16][..], &STATEMENT, &[0, 1, 1, 0, 1, 0, 0, 0, 4, 0, 0, 0, 5]].concat();
    [&[4, 0, 0, stream, 10, 0, 0, 0, body.len() as u8][..], &body].concat()
}

pub(super) fn result(stream: u8, body: &[u8]) -> Vec<u8> {
    [&[0x84, 0, 0, stream, 8, 0, 0, 0, body.len() as u8][..], body].concat()
}

pub(super) fn read(source: &mut impl Read, length: usize) -> Vec<u8> {
    let mut bytes = vec![0; length];
    source.read_exact(&mut bytes).unwrap();
    bytes
}

pub(super) fn wait_until(what: &str, condition: impl Fn() -> bool) {
    let begin = Instant::now();
    while !condition() {
        assert!(begin.elapsed() < PATIENCE, "{what} did not happen");
        thread::sleep(Duration::from_millis(1));
    }
}
