// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! A peer that asks this node.

use std::io::{self, ErrorKind};
use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::channel::{Channel, Left, Received};
use super::members::{Fingerprint, Members};
use super::message::{Message, VERSION};
use super::specs::Specs;
use crate::parting::Parting;
use crate::refusal::Refusal;
use crate::statement::{Digested, PeerSpec};
use crate::writing::Copy;

/// No more is read of a peer while so many bytes wait for it, or so many of its reads for the pool.
const MAX_UNSENT_BYTES: usize = 256 << 10;
const MAX_POOLED: usize = 256;
/// What is received in one turn, about.
const TURN_BYTES: usize = 64 << 10;
/// Messages of one turn, before others have theirs.
pub(crate) const TURN_MESSAGES: usize = 64;
/// A peer must have said who it is by then, and read of its answers what is too much.
const MAX_SILENCE: Duration = Duration::from_secs(5);

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
    Digest(Digested),
    Refused(Refusal),
    /// The pool has it.
    Pooled,
}

/// Serves reads and writes of peers.
pub(crate) trait Serving {
    fn serve(&mut self, asked: &Asked<'_>) -> Served;

    /// # Errors
    /// It has not written.
    fn write(&mut self, copy: &Copy<'_>) -> Result<(), Refusal>;

    /// Whether the peer that has its turn may go on with it.
    fn has_time(&self) -> bool;
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
    specs: Specs<Option<Arc<PeerSpec>>>,
    pooled: usize,
    /// Since when it leaves unread what is too much.
    unread_since: Option<Instant>,
    has_ended: bool,
}

impl Guest {
    /// * `address` where the peer connects from
    pub(crate) fn new(channel: Channel, address: IpAddr, now: Instant) -> Guest {
        Guest {
            channel,
            address,
            came_at: now,
            known_by: None,
            specs: Specs::default(),
            pooled: 0,
            unread_since: None,
            has_ended: false,
        }
    }

    /// Where it connects from.
    pub(crate) fn address(&self) -> IpAddr {
        self.address
    }

    /// Why it may not stay: it has not said in time who it is, is a member no more, or reads no answers.
    pub(crate) fn overdue(&self, members: &Members, now: Instant) -> Option<Parting> {
        let is_over = |since: Instant| now.saturating_duration_since(since) >= MAX_SILENCE;
        match self.known_by {
            None => is_over(self.came_at).then_some(Parting::Silent),
            Some(fingerprint) if members.with_key(&fingerprint).is_none() => Some(Parting::Departed),
            Some(_) => self.unread_since.is_some_and(is_over).then_some(Parting::Unread),
        }
    }

    /// Why a failure has ended the connection; `None` where the peer has left.
    pub(crate) fn parting(&self, error: &io::Error) -> Option<Parting> {
        let is_malformed = error.kind() == ErrorKind::InvalidData;
        match self.known_by {
            None => Some(Parting::Key),
            Some(_) => is_malformed.then_some(Parting::Malformed),
        }
    }

    /// Serves what the peer has asked, as far as one turn may.
    ///
    /// # Errors
    /// The connection is of no use any more: [`Guest::parting`] says why.
    pub(crate) fn turn(&mut self, members: &Members, serving: &mut impl Serving, now: Instant) -> io::Result<Left> {
        self.flush(now)?;
        let mut messages = 0;
        let mut left = self.serve(&mut messages, members, serving)?;
        if left == Left::Nothing && !self.is_full() {
            if self.has_ended {
                return Err(ErrorKind::UnexpectedEof.into());
            }
            let received = self.channel.receive(TURN_BYTES)?;
            self.has_ended = received == Received::Ended;
            left = self.serve(&mut messages, members, serving)?;
            if received != Received::Drained {
                left = Left::More;
            }
        }
        self.flush(now)?;
        // One that is full goes on when its answers are read, or have come from the pool.
        Ok(if self.is_full() { Left::Nothing } else { left })
    }

    fn flush(&mut self, now: Instant) -> io::Result<()> {
        self.channel.flush()?;
        self.unread_since = match self.channel.unsent_bytes() > MAX_UNSENT_BYTES {
            true => self.unread_since.or(Some(now)),
            false => None,
        };
        Ok(())
    }

    /// Deals with what was received; what is left keeps its place.
    fn serve(&mut self, messages: &mut usize, members: &Members, serving: &mut impl Serving) -> io::Result<Left> {
        let received = self.channel.take();
        let (from, left) = self.take_all(&received, messages, members, serving)?;
        self.channel.keep(received, from);
        Ok(left)
    }

    /// Whether the peer is to wait: for its own answers.
    fn is_full(&self) -> bool {
        self.channel.unsent_bytes() > MAX_UNSENT_BYTES || self.pooled >= MAX_POOLED
    }

    /// Deals with messages; where the rest begins, and whether a part of that is for another turn.
    fn take_all(
        &mut self,
        received: &[u8],
        messages: &mut usize,
        members: &Members,
        serving: &mut impl Serving,
    ) -> io::Result<(usize, Left)> {
        let mut from = 0;
        while let Some(rest) = received.get(from..).filter(|_| !self.is_full()) {
            let first = Message::first(rest).map_err(|error| io::Error::new(ErrorKind::InvalidData, error))?;
            let Some((message, length)) = first else { return Ok((from, Left::Nothing)) };
            if *messages >= TURN_MESSAGES || *messages > 0 && !serving.has_time() {
                return Ok((from, Left::More));
            }
            from += length;
            *messages += 1;
            self.take(message, members, serving)?;
        }
        Ok((from, Left::More))
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
                self.specs.insert(number, contents.len(), PeerSpec::decode(contents).map(Arc::new));
            }
            Message::Read { id, spec, budget_micros, contents } if self.known_by.is_some() => {
                let spec = self.specs.get(spec).ok_or(ErrorKind::InvalidData)?;
                let budget = Duration::from_micros(u64::from(budget_micros));
                let served = match spec {
                    Some(spec) => serving.serve(&Asked { id, spec, contents, budget }),
                    None => Served::Refused(Refusal::Spec),
                };
                self.answer(id, served);
            }
            Message::Write { id, spec, began_ms, budget_ms, contents } if self.known_by.is_some() => {
                let spec = self.specs.get(spec).ok_or(ErrorKind::InvalidData)?;
                let budget = Duration::from_millis(u64::from(budget_ms));
                let written = match spec {
                    Some(spec) => serving.write(&Copy { spec, began_ms, budget, contents }),
                    None => Err(Refusal::Spec),
                };
                self.channel.send(&match written {
                    Ok(()) => Message::Ack { id },
                    Err(refusal) => Message::No { id, reason: refusal as u8 },
                });
            }
            _ => return Err(ErrorKind::InvalidData.into()),
        }
        Ok(())
    }

    fn answer(&mut self, id: u64, served: Served) {
        match served {
            Served::Digest(Digested { digest, .. }) => self.channel.send(&Message::Digest { id, digest }),
            Served::Refused(refusal) => self.channel.send(&Message::No { id, reason: refusal as u8 }),
            Served::Pooled => self.pooled += 1,
        }
    }

    /// Adds what the pool has made of a read. A turn is due afterwards: it is sent, and the peer may have waited for it.
    pub(crate) fn pooled(&mut self, id: u64, served: Served) {
        self.pooled = self.pooled.saturating_sub(1);
        self.answer(id, served);
    }
}

#[cfg(test)]
mod tests;
