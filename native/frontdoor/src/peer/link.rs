// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The way of one loop to one peer, which it asks for digests, and to write what this node has written.

use std::collections::BTreeMap;
use std::io::{self, ErrorKind};
use std::time::{Duration, Instant};

use mio::{Registry, Token};

use super::channel::{Channel, Left, Received};
use super::cluster::Cluster;
use super::latency::Latency;
use super::members::Member;
use super::message::{Message, VERSION};
use super::specs::Specs;
use super::waiting::{Reply, Ticket};

/// Reads and writes that a peer may have at a time, and their bytes.
const MAX_ASKED: usize = 1024;
const MAX_ASKED_BYTES: usize = 16 << 20;
/// A connection must be ready after so long, and an answer must have come.
const MAX_SILENCE: Duration = Duration::from_secs(5);
/// For so long a peer that has given no digest comes behind the others.
const REFUSES: Duration = Duration::from_millis(100);
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(10);
const TURN_BYTES: usize = 256 << 10;

/// A read or a write that a peer has.
#[derive(Clone, Copy, Debug)]
struct Asked {
    ticket: Ticket,
    is_write: bool,
    since: Instant,
    bytes: usize,
}

/// A write that a peer is asked for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sent<'a> {
    /// When it began, in milliseconds since the epoch.
    pub began_ms: i64,
    /// Nobody may do it any more once it is older.
    pub budget: Duration,
    pub request: &'a [u8],
}

/// The way to a peer, also where there is none at present.
#[derive(Debug)]
pub(crate) struct Link {
    pub member: Member,
    token: Token,
    channel: Option<Channel>,
    /// When the connection began, while the peer has not said who it is.
    greeting_since: Option<Instant>,
    next_id: u64,
    /// By their ids, so that the oldest is the first.
    asked: BTreeMap<u64, Asked>,
    asked_bytes: usize,
    specs: Specs<()>,
    latency: Latency,
    refused_at: Option<Instant>,
    write_refused_at: Option<Instant>,
    pause: Duration,
    retry_at: Instant,
}

impl Link {
    /// One that is not connected yet. `token` is that of its events.
    pub(crate) fn new(member: Member, token: Token, now: Instant) -> Link {
        Link {
            member,
            token,
            channel: None,
            greeting_since: None,
            next_id: 0,
            asked: BTreeMap::new(),
            asked_bytes: 0,
            specs: Specs::default(),
            latency: Latency::default(),
            refused_at: None,
            write_refused_at: None,
            pause: FIRST_PAUSE,
            retry_at: now,
        }
    }

    /// Whether it can be asked for so many bytes more.
    pub(crate) fn is_ready(&self, bytes: usize) -> bool {
        self.member.is_up
            && self.channel.is_some()
            && self.greeting_since.is_none()
            && self.asked.len() < MAX_ASKED
            && self.asked_bytes + bytes <= MAX_ASKED_BYTES
    }

    /// Whether the connection stands, so that reads may be asked.
    pub(crate) fn is_connected(&self) -> bool {
        self.channel.is_some() && self.greeting_since.is_none()
    }

    pub(crate) fn latency(&self) -> &Latency {
        &self.latency
    }

    /// How long its answers take: at least as long as the oldest one is waited for already.
    pub(crate) fn expected(&self, now: Instant) -> Duration {
        let oldest = self.asked.first_key_value().map(|(_, asked)| now.saturating_duration_since(asked.since));
        self.latency.mean().max(oldest.unwrap_or_default())
    }

    /// Whether it has given no digest of late: that takes less time than giving one.
    pub(crate) fn refuses(&self, now: Instant) -> bool {
        self.refused_at.is_some_and(|at| now.saturating_duration_since(at) < REFUSES)
    }

    /// Whether it has refused a write of late: Cassandra does better than to write, and to write again.
    pub(crate) fn refuses_writes(&self, now: Instant) -> bool {
        self.write_refused_at.is_some_and(|at| now.saturating_duration_since(at) < REFUSES)
    }

    /// Whether it has a connection, or a try at one.
    pub(crate) fn has_connection(&self) -> bool {
        self.channel.is_some()
    }

    /// Asks for a digest. It goes with the next [`Link::flush`].
    ///
    /// * `spec` what the read is about: its number, and its contents
    pub(crate) fn ask(&mut self, ticket: Ticket, spec: (u64, &[u8]), read: &[u8], budget: Duration, now: Instant) {
        let budget_micros = u32::try_from(budget.as_micros()).unwrap_or(u32::MAX);
        let asked = Asked { ticket, is_write: false, since: now, bytes: read.len() };
        self.send(spec, asked, |id| Message::Read { id, spec: spec.0, budget_micros, contents: read });
    }

    /// Asks for a write. It goes with the next [`Link::flush`].
    ///
    /// * `spec` what the write is about: its number, and its contents
    pub(crate) fn write(&mut self, ticket: Ticket, spec: (u64, &[u8]), write: &Sent<'_>, now: Instant) {
        let budget_ms = u32::try_from(write.budget.as_millis()).unwrap_or(u32::MAX);
        let asked = Asked { ticket, is_write: true, since: now, bytes: write.request.len() };
        let (began_ms, contents) = (write.began_ms, write.request);
        self.send(spec, asked, |id| Message::Write { id, spec: spec.0, began_ms, budget_ms, contents });
    }

    fn send<'m>(&mut self, spec: (u64, &[u8]), asked: Asked, message: impl FnOnce(u64) -> Message<'m>) {
        let Some(channel) = &mut self.channel else { return };
        if self.specs.get(spec.0).is_none() {
            self.specs.insert(spec.0, spec.1.len(), ());
            channel.send(&Message::Spec { number: spec.0, contents: spec.1 });
        }
        self.next_id += 1;
        channel.send(&message(self.next_id));
        self.asked_bytes += asked.bytes;
        self.asked.insert(self.next_id, asked);
    }

    /// Begins a connection, if it is time to. False if it cannot be had.
    pub(crate) fn connect(&mut self, cluster: &Cluster, registry: &Registry, now: Instant) -> bool {
        if self.channel.is_some() || !self.member.is_up || now < self.retry_at {
            return true;
        }
        let connected = self.try_connect(cluster, registry);
        match connected {
            Ok(channel) => {
                self.channel = Some(channel);
                self.greeting_since = Some(now);
                true
            }
            Err(_) => {
                self.wait(now);
                false
            }
        }
    }

    fn try_connect(&self, cluster: &Cluster, registry: &Registry) -> io::Result<Channel> {
        let to = self.member.address().ok_or(ErrorKind::AddrNotAvailable)?;
        let from = cluster.address.get().copied();
        let config = cluster.key.client_config(self.member.fingerprint)?;
        let mut channel = Channel::connect(to, from, config, self.token, registry)?;
        channel.send(&Message::Hello { version: VERSION, host: cluster.members.load().own });
        Ok(channel)
    }

    fn wait(&mut self, now: Instant) {
        self.retry_at = now + self.pause;
        self.pause = (self.pause * 2).min(LONGEST_PAUSE);
    }

    /// Takes what the peer has said, into `replies`: what one turn may take.
    ///
    /// # Errors
    /// The connection is of no use any more.
    pub(crate) fn receive(&mut self, now: Instant, replies: &mut Vec<(Ticket, Reply)>) -> io::Result<Left> {
        let Some(channel) = &mut self.channel else { return Ok(Left::Nothing) };
        let came = channel.receive(TURN_BYTES)?;
        let received = channel.take();
        let mut from = 0;
        while let Some((message, length)) = Message::first(received.get(from..).unwrap_or_default()).map_err(invalid)? {
            from += length;
            self.take(message, now, replies)?;
        }
        if let Some(channel) = &mut self.channel {
            channel.keep(received, from);
        }
        match came {
            Received::More => Ok(Left::More),
            Received::Drained => Ok(Left::Nothing),
            Received::Ended => Err(ErrorKind::UnexpectedEof.into()),
        }
    }

    fn take(&mut self, message: Message<'_>, now: Instant, replies: &mut Vec<(Ticket, Reply)>) -> io::Result<()> {
        if self.greeting_since.is_some() {
            let Message::Hello { version, host } = message else { return Err(ErrorKind::InvalidData.into()) };
            // Its key was pinned to this very node.
            if version != VERSION || host != self.member.host {
                return Err(ErrorKind::InvalidData.into());
            }
            self.greeting_since = None;
            self.pause = FIRST_PAUSE;
            return Ok(());
        }
        let (id, reply) = match message {
            Message::Digest { id, digest } => (id, Reply::Digest(digest)),
            Message::Ack { id } => (id, Reply::Ack),
            Message::No { id, .. } => (id, Reply::No),
            _ => return Err(ErrorKind::InvalidData.into()),
        };
        let asked = self.asked.remove(&id).ok_or(ErrorKind::InvalidData)?;
        self.asked_bytes -= asked.bytes;
        if matches!(reply, Reply::Ack) != asked.is_write && reply != Reply::No {
            return Err(ErrorKind::InvalidData.into());
        }
        match reply {
            Reply::No if asked.is_write => self.write_refused_at = Some(now),
            // Whom to ask for digests is decided by them alone.
            _ if asked.is_write => {}
            Reply::No => self.refused_at = Some(now),
            _ => self.latency.add(now.saturating_duration_since(asked.since)),
        }
        replies.push((asked.ticket, reply));
        Ok(())
    }

    /// Whether the peer says nothing, though it should.
    pub(crate) fn is_silent(&self, now: Instant) -> bool {
        let oldest = self.asked.first_key_value().map(|(_, asked)| asked.since);
        let since = self.greeting_since.or(oldest);
        since.is_some_and(|since| now.saturating_duration_since(since) > MAX_SILENCE)
    }

    /// Sends what the socket takes.
    ///
    /// # Errors
    /// The connection is of no use any more.
    pub(crate) fn flush(&mut self) -> io::Result<()> {
        self.channel.as_mut().map_or(Ok(()), Channel::flush)
    }

    /// Ends the connection. What the peer had is lost, at once.
    pub(crate) fn end(&mut self, now: Instant, replies: &mut Vec<(Ticket, Reply)>) {
        if self.channel.take().is_some() {
            self.wait(now);
        }
        self.greeting_since = None;
        self.specs = Specs::default();
        replies.extend(std::mem::take(&mut self.asked).into_values().map(|asked| (asked.ticket, Reply::Lost)));
        self.asked_bytes = 0;
    }
}

fn invalid(error: impl std::error::Error + Send + Sync + 'static) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, error)
}
