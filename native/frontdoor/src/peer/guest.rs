// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! A peer that asks this node.

use std::collections::HashMap;
use std::io::{self, ErrorKind};
use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::channel::{Channel, Received};
use super::link::MAX_SPECS;
use super::members::{Fingerprint, Members};
use super::message::{Message, VERSION};
use crate::refusal::Refusal;
use crate::rights::digest::Digest;
use crate::statement::PeerSpec;

/// No more is read of a peer while so many bytes wait for it, or so many of its reads for the pool.
const MAX_UNSENT_BYTES: usize = 256 << 10;
const MAX_POOLED: usize = 256;
const TURN_BYTES: usize = 64 << 10;
/// Reads of one turn, before others have theirs.
const TURN_READS: usize = 64;
/// A peer must have said who it is by then.
const MAX_GREETING: Duration = Duration::from_secs(5);

/// A read that a peer asks for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Asked<'a> {
    pub id: u64,
    pub spec: &'a Arc<PeerSpec>,
    pub contents: &'a [u8],
    pub budget: Duration,
}

/// What becomes of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Served {
    Digest(Digest),
    Refused(Refusal),
    /// The pool has it.
    Pooled,
}

/// Serves reads of peers.
pub(crate) trait Serving {
    fn serve(&mut self, asked: &Asked<'_>) -> Served;

    /// Whether the peer that has its turn may go on with it.
    fn has_time(&self) -> bool;
}

/// Whether there is more to do, once others have had their turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Left {
    Nothing,
    More,
}

/// One connection of a peer.
#[derive(Debug)]
pub(crate) struct Guest {
    channel: Channel,
    address: IpAddr,
    came_at: Instant,
    /// Of its door, once it has said which node it is.
    known_by: Option<Fingerprint>,
    /// `None`: one that this node does not understand.
    specs: HashMap<u64, Option<Arc<PeerSpec>>>,
    pooled: usize,
    has_ended: bool,
}

impl Guest {
    /// * `address` where the peer connects from
    pub(crate) fn new(channel: Channel, address: IpAddr, now: Instant) -> Guest {
        Guest { channel, address, came_at: now, known_by: None, specs: HashMap::new(), pooled: 0, has_ended: false }
    }

    /// Whether it has said which node it is.
    pub(crate) fn is_known(&self) -> bool {
        self.known_by.is_some()
    }

    /// Whether it may stay: it has said in time who it is, and is still a member.
    pub(crate) fn may_stay(&self, members: &Members, now: Instant) -> bool {
        match self.known_by {
            Some(fingerprint) => members.with_key(&fingerprint).is_some(),
            None => now.saturating_duration_since(self.came_at) < MAX_GREETING,
        }
    }

    /// Serves what the peer has asked, as far as this turn may.
    ///
    /// # Errors
    /// The connection is of no use any more.
    pub(crate) fn turn(&mut self, members: &Members, serving: &mut impl Serving) -> io::Result<Left> {
        self.channel.flush()?;
        let mut reads = 0;
        loop {
            let received = self.channel.take();
            let taken = self.take_all(&received, &mut reads, members, serving);
            // What is left keeps its place.
            let (from, is_cut) = taken?;
            self.channel.keep(received, from);
            if is_cut || self.is_full() {
                self.channel.flush()?;
                return Ok(if self.is_full() { Left::Nothing } else { Left::More });
            }
            if self.has_ended {
                return Err(ErrorKind::UnexpectedEof.into());
            }
            match self.channel.receive(TURN_BYTES)? {
                Received::Drained if !self.has_whole() => {
                    self.channel.flush()?;
                    return Ok(Left::Nothing);
                }
                Received::Ended => self.has_ended = true,
                Received::Drained | Received::More => {}
            }
        }
    }

    /// Whether it has received a message that was not dealt with.
    fn has_whole(&mut self) -> bool {
        let received = self.channel.take();
        let has_whole = !matches!(Message::first(&received), Ok(None));
        self.channel.keep(received, 0);
        has_whole
    }

    /// Whether the peer is to wait: for its own answers.
    fn is_full(&self) -> bool {
        self.channel.unsent_bytes() > MAX_UNSENT_BYTES || self.pooled >= MAX_POOLED
    }

    /// Deals with messages; where the rest begins, and whether that is for another turn.
    fn take_all(
        &mut self,
        received: &[u8],
        reads: &mut usize,
        members: &Members,
        serving: &mut impl Serving,
    ) -> io::Result<(usize, bool)> {
        let mut from = 0;
        while let Some(rest) = received.get(from..) {
            if self.is_full() {
                break;
            }
            if *reads >= TURN_READS || *reads > 0 && !serving.has_time() {
                return Ok((from, true));
            }
            let first = Message::first(rest).map_err(|error| io::Error::new(ErrorKind::InvalidData, error))?;
            let Some((message, length)) = first else { break };
            from += length;
            *reads += usize::from(matches!(message, Message::Read { .. }));
            self.take(message, members, serving)?;
        }
        Ok((from, false))
    }

    fn take(&mut self, message: Message<'_>, members: &Members, serving: &mut impl Serving) -> io::Result<()> {
        match message {
            Message::Hello { version, host } if self.known_by.is_none() => {
                let shown = self.channel.peer().and_then(|key| members.with_key(&key));
                let known = shown.filter(|known| known.host == host && known.addresses.contains(&self.address));
                let known = known.filter(|_| version == VERSION).ok_or(ErrorKind::PermissionDenied)?;
                self.known_by = Some(known.fingerprint);
                self.channel.send(&Message::Hello { version: VERSION, host: members.own });
            }
            Message::Spec { number, contents } if self.known_by.is_some() => {
                if self.specs.len() >= MAX_SPECS {
                    self.specs.clear();
                }
                self.specs.insert(number, PeerSpec::decode(contents).map(Arc::new));
            }
            Message::Read { id, spec, budget_micros, contents } if self.known_by.is_some() => {
                let spec = self.specs.get(&spec).ok_or(ErrorKind::InvalidData)?;
                let budget = Duration::from_micros(u64::from(budget_micros));
                let served = match spec {
                    Some(spec) => serving.serve(&Asked { id, spec, contents, budget }),
                    None => Served::Refused(Refusal::Spec),
                };
                self.answer(id, served);
            }
            _ => return Err(ErrorKind::InvalidData.into()),
        }
        Ok(())
    }

    fn answer(&mut self, id: u64, served: Served) {
        match served {
            Served::Digest(digest) => self.channel.send(&Message::Digest { id, digest }),
            Served::Refused(refusal) => self.channel.send(&Message::No { id, reason: refusal as u8 }),
            Served::Pooled => self.pooled += 1,
        }
    }

    /// Sends what the pool has made of a read. A turn is due afterwards: the peer may have waited for it.
    ///
    /// # Errors
    /// The connection is of no use any more.
    pub(crate) fn pooled(&mut self, id: u64, served: Served) -> io::Result<()> {
        self.pooled = self.pooled.saturating_sub(1);
        self.answer(id, served);
        self.channel.flush()
    }
}
