// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! A door on loopback, and what tests do with the clients that come through it.

#![allow(dead_code, clippy::unwrap_used, missing_docs)] // each test program uses a part

use cassiterite_frontdoor::{Client, Door, DoorOptions, HandedOver, ListenOptions, ListenerId, Notice, Tls, Way};
use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::thread;
use std::time::{Duration, Instant};

pub const PLAIN: ListenOptions = ListenOptions { backlog: 128, keep_alive: true, tls: Tls::Never };
pub const PATIENCE: Duration = Duration::from_secs(60);

/// A door with one listener.
pub struct Fixture {
    pub door: Door,
    pub listener: ListenerId,
    pub address: SocketAddr,
}

impl Fixture {
    /// A door that offers no connection back.
    pub fn new(options: ListenOptions) -> Self {
        Self::watching(Duration::MAX, options)
    }

    /// A door that watches its connections for so long.
    pub fn watching(window: Duration, options: ListenOptions) -> Self {
        Self::of(DoorOptions { loops: 2, window, ..DoorOptions::default() }, options)
    }

    pub fn of(door: DoorOptions, options: ListenOptions) -> Self {
        let door = Door::open(door).unwrap();
        let (listener, address) = door.listen("127.0.0.1:0".parse().unwrap(), options).unwrap();
        Self { door, listener, address }
    }

    pub fn connect(&self) -> TcpStream {
        let client = TcpStream::connect(self.address).unwrap();
        client.set_read_timeout(Some(PATIENCE)).unwrap();
        client
    }

    /// The one client that is to come next.
    pub fn next(&self) -> Client {
        loop {
            let mut notices = self.door.take(PATIENCE).unwrap();
            assert!(notices.len() <= 1, "{notices:?}");
            if let Some(Notice::Client(client)) = notices.pop() {
                return client;
            }
        }
    }

    /// A client and Cassandra's end of its connection.
    pub fn pair(&self) -> (TcpStream, UnixStream) {
        let client = self.connect();
        (client, cassandras_end(self.next()))
    }
}

/// Cassandra's end, made blocking.
pub fn cassandras_end(client: Client) -> UnixStream {
    match client.way {
        Way::Pair(end) | Way::Secured(end, _) => {
            let end = UnixStream::from(end);
            end.set_nonblocking(false).unwrap();
            end.set_read_timeout(Some(PATIENCE)).unwrap();
            end
        }
        Way::Direct(_) => unreachable!("no client here speaks TLS"),
    }
}

/// Bytes that tell where they belong.
pub fn pattern(seed: usize, length: usize) -> Vec<u8> {
    (0..length).map(|at| (at * 31 + at / 251 + seed) as u8).collect()
}

pub fn read(source: &mut impl Read, length: usize) -> Vec<u8> {
    let mut bytes = vec![0; length];
    source.read_exact(&mut bytes).unwrap();
    bytes
}

pub fn wait_until(what: &str, condition: impl Fn() -> bool) {
    let begin = Instant::now();
    while !condition() {
        assert!(begin.elapsed() < PATIENCE, "{what} did not happen");
        thread::sleep(Duration::from_millis(1));
    }
}

/// Numbers without order (S. Vigna's xorshift64*).
pub struct Dice(pub u64);

impl Dice {
    pub fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % end
    }
}

/// The count of a call that may find nothing to do.
pub fn moved(result: std::io::Result<usize>) -> usize {
    match result {
        Ok(count) => count,
        Err(error) if error.kind() == ErrorKind::WouldBlock => 0,
        Err(error) => unreachable!("{error}"),
    }
}

/// A client that sends `up` in pieces and reads `down`, while `serve` is its Cassandra. What that returns, such as its
/// end of the connection, lasts until the client has read all: SO_LINGER is 0, and an end would reset the connection.
pub fn under_traffic<T>(client: &TcpStream, up: &[u8], down: &[u8], mut dice: Dice, serve: impl FnOnce() -> T) -> T {
    let seed = dice.0;
    thread::scope(|scope| {
        scope.spawn(move || {
            let mut rest = up;
            while !rest.is_empty() {
                let (now, later) = rest.split_at(rest.len().min(1 + dice.below(20_000)));
                (&mut &*client).write_all(now).unwrap();
                rest = later;
                thread::sleep(Duration::from_micros(dice.below(200) as u64));
            }
        });
        scope.spawn(move || {
            let mut read = vec![0; down.len()];
            (&mut &*client).read_exact(&mut read).unwrap();
            assert!(read == down, "down, seed {seed}");
        });
        serve()
    })
}

/// Asks until the door gives the client's socket.
pub fn handed_over(door: &Door, connection: u64, far: &impl AsFd) -> HandedOver {
    let begin = Instant::now();
    loop {
        assert!(begin.elapsed() < PATIENCE, "the door keeps the connection");
        if let Some(given) = door.hand_over(connection, far.as_fd(), false) {
            return given;
        }
    }
}
