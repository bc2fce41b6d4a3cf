// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! A node that is a member and keeps to no rule.

use super::fixture::*;
use super::nodes::*;
use crate::answering::Answering;
use crate::peer::channel::{Channel, Received};
use crate::peer::cluster::QuorumReads;
use crate::peer::members::{tests::encode, Fingerprint, Member, Members};
use crate::peer::message::{Message, VERSION};
use crate::peer::node_key::NodeKey;
use crate::rights::table_reader::Reach;
use arc_swap::ArcSwap;
use mio::net::TcpListener;
use rustls::ServerConfig;
use std::io;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

pub(super) const ROGUE: [u8; 16] = [9; 16];

/// The node as a whole.
pub(super) struct Rogue {
    pub(super) key: NodeKey,
    /// What it may ask: a spec, and a read.
    pub(super) asked: (Vec<u8>, Vec<u8>),
}

impl Rogue {
    /// Of a node it is a member.
    pub(super) fn of(nodes: &Nodes, at: usize) -> Rogue {
        let key = NodeKey::new().unwrap();
        let member = Rogue::member(*key.fingerprint(), nodes.peers[0].port());
        let others = nodes.others(at).into_iter().chain([member]).collect();
        assert!(nodes.doors[at].door.set_peers(QuorumReads::On, &encode(&Members { own: host(at), others })));
        let routes = &nodes.doors[0].door.shared.routes;
        let request = at_level(LOCAL_QUORUM, 1);
        let asked = (4, 0, &request[9..]);
        let answer = Answering::default().answer(routes, Some(LOGIN), asked, Reach::Memory, &mut Vec::new()).unwrap();
        let read = answer.quorum.unwrap().read;
        Rogue { key, asked: (answer.prepared.spec().to_vec(), read) }
    }

    pub(super) fn member(fingerprint: Fingerprint, port: u16) -> Member {
        let addresses = vec!["127.0.0.1".parse().unwrap()];
        Member { host: ROGUE, fingerprint, is_up: false, port, addresses }
    }

    /// Connects to a node.
    pub(super) fn connect(&self, nodes: &Nodes, at: usize) -> Way {
        let poll = mio::Poll::new().unwrap();
        let config = self.key.client_config(nodes.doors[at].door.fingerprint()).unwrap();
        let channel = Channel::connect(nodes.peers[at], None, config, mio::Token(0), poll.registry()).unwrap();
        Way { channel, _poll: poll }
    }

    /// The same, and says who it is, and what its reads are about.
    pub(super) fn greeted(&self, nodes: &Nodes, at: usize) -> Way {
        let mut way = self.connect(nodes, at);
        way.channel.send(&Message::Hello { version: VERSION, host: ROGUE });
        way.channel.send(&Message::Spec { number: 1, contents: &self.asked.0 });
        assert!(way.hears_within(PATIENCE), "no greeting");
        way
    }
}

/// A member's door that answers as the test wants it.
pub(super) struct Liar {
    listener: TcpListener,
    config: Arc<ServerConfig>,
    poll: mio::Poll,
}

impl Liar {
    /// Takes the place of another one, as a node has it.
    pub(super) fn in_place_of(nodes: &Nodes, other: usize) -> Liar {
        let key = NodeKey::new().unwrap();
        let asker =
            Member { host: host(0), fingerprint: nodes.doors[0].door.fingerprint(), ..nodes.others(0)[0].clone() };
        let known = Arc::new(ArcSwap::from_pointee(Members { own: host(other), others: vec![asker] }));
        let config = key.server_config(known).unwrap();
        let listener = TcpListener::bind("127.0.0.1:0".parse().unwrap()).unwrap();
        let port = listener.local_addr().unwrap().port();
        let mut others = nodes.others(0);
        let place = others.iter_mut().find(|member| member.host == host(other)).unwrap();
        (place.fingerprint, place.port) = (*key.fingerprint(), port);
        assert!(nodes.doors[0].door.set_peers(QuorumReads::On, &encode(&Members { own: host(0), others })));
        Liar { listener, config, poll: mio::Poll::new().unwrap() }
    }

    /// The next connection of the node, greeted.
    pub(super) fn accept(&self, own: [u8; 16]) -> Channel {
        let begin = Instant::now();
        let socket = loop {
            assert!(begin.elapsed() < PATIENCE, "nobody connects");
            match self.listener.accept() {
                Ok((socket, _)) => break socket,
                Err(_) => thread::sleep(Duration::from_millis(1)),
            }
        };
        let mut channel =
            Channel::accepted(socket, Arc::clone(&self.config), mio::Token(0), self.poll.registry()).unwrap();
        channel.send(&Message::Hello { version: VERSION, host: own });
        channel
    }
}

/// The ids of the reads that have come.
pub(super) fn reads(channel: &mut Channel) -> Vec<u64> {
    channel.flush().unwrap();
    channel.receive(64 << 10).unwrap();
    let received = channel.take();
    let (mut from, mut ids) = (0, Vec::new());
    while let Ok(Some((message, length))) = Message::first(&received[from..]) {
        from += length;
        if let Message::Read { id, .. } = message {
            ids.push(id);
        }
    }
    channel.keep(received, from);
    ids
}

/// One of its connections.
pub(super) struct Way {
    pub(super) channel: Channel,
    _poll: mio::Poll,
}

impl Way {
    /// Sends what the socket takes; whether anything has come.
    pub(super) fn exchange(&mut self) -> io::Result<bool> {
        self.channel.flush()?;
        let received = self.channel.receive(64 << 10)?;
        let has_come = !self.channel.take().is_empty();
        match received {
            Received::Ended => Err(io::ErrorKind::UnexpectedEof.into()),
            _ => Ok(has_come),
        }
    }

    pub(super) fn hears_within(&mut self, patience: Duration) -> bool {
        let begin = Instant::now();
        while begin.elapsed() < patience {
            match self.exchange() {
                Ok(true) => return true,
                Ok(false) => thread::sleep(Duration::from_millis(1)),
                Err(_) => return false,
            }
        }
        false
    }

    /// Returns when the node has closed it.
    pub(super) fn await_end(&mut self) {
        let begin = Instant::now();
        while self.exchange().is_ok() {
            assert!(begin.elapsed() < PATIENCE, "the node keeps the connection");
            thread::sleep(Duration::from_millis(1));
        }
    }

    /// Asks for so many digests.
    pub(super) fn ask(&mut self, count: u64, read: &[u8]) {
        let budget_micros = 50_000;
        (0..count).for_each(|id| self.channel.send(&Message::Read { id, spec: 1, budget_micros, contents: read }));
    }
}
