// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! What Cassandra sends to a client: where an answer of the door's may come between, and the responses that the door
//! wants to see.

use super::envelope::{ResponseHeader, HEADER_BYTES};
use super::frame::{FrameHeader, FrameKind};
use super::large_message::LargeMessage;
use super::startup::Framing;

/// A longer unit is not kept to be looked at.
const MAX_KEPT_BYTES: usize = 256 << 10;

/// The stream of Cassandra's responses on one connection.
#[derive(Debug, Default)]
pub(crate) struct Outbound {
    state: State,
    /// The framing that begins behind the response to STARTUP.
    next: Option<Framing>,
    /// The unit's header so far, and the whole unit where it is kept.
    unit: Vec<u8>,
    /// Bytes of the unit that are still to come behind its header; `None` while that is not complete.
    left_bytes: Option<usize>,
    is_kept: bool,
    large: LargeMessage,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Starting,
    Started(Framing),
    /// Nothing can be told any more.
    Lost,
}

/// A response that the door sees.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Response<'a> {
    Whole(ResponseHeader, &'a [u8]),
    /// The first part of one that is too large to be kept.
    Large(ResponseHeader),
}

impl Outbound {
    /// A stream that begins behind the response to STARTUP, with a whole unit.
    pub(crate) fn started(framing: Framing) -> Self {
        Outbound { state: State::Started(framing), ..Outbound::default() }
    }

    /// Tells what STARTUP has asked for. Its response is still to come.
    pub(crate) fn expect(&mut self, framing: Framing) {
        if self.state == State::Starting {
            self.next = Some(framing);
        }
    }

    /// Whether an answer may be put here, and how it is framed.
    pub(crate) fn gap(&self) -> Option<Framing> {
        self.framing().filter(|_| self.unit.is_empty() && self.large.is_over())
    }

    /// How responses are framed; `None` before STARTUP is answered.
    pub(crate) fn framing(&self) -> Option<Framing> {
        match self.state {
            State::Started(framing) => Some(framing),
            State::Starting | State::Lost => None,
        }
    }

    /// Whether no answer can be put anywhere any more.
    pub(crate) fn is_lost(&self) -> bool {
        self.state == State::Lost
    }

    /// Goes over bytes up to the end of a unit; how many. `see` gets the responses that ended, if `wants` to.
    pub(crate) fn advance(&mut self, bytes: &[u8], wants: bool, see: &mut impl FnMut(Response<'_>)) -> usize {
        let mut at = 0;
        while let Some(rest) = bytes.get(at..).filter(|rest| !rest.is_empty()) {
            if self.state == State::Lost {
                return bytes.len();
            }
            let Some(left_bytes) = self.left_bytes else {
                at += self.header(rest, wants);
                if self.left_bytes == Some(0) {
                    self.end(see);
                    return at;
                }
                continue;
            };
            let part = rest.get(..left_bytes).unwrap_or(rest);
            if self.is_kept {
                self.unit.extend_from_slice(part);
            }
            at += part.len();
            self.left_bytes = Some(left_bytes - part.len());
            if part.len() == left_bytes {
                self.end(see);
                return at;
            }
        }
        at
    }

    /// Takes bytes of a unit's header; how many.
    fn header(&mut self, bytes: &[u8], wants: bool) -> usize {
        let header_bytes = match self.state {
            State::Started(Framing::Frames(kind)) => kind.header_bytes(),
            _ => HEADER_BYTES,
        };
        let part = bytes.get(..header_bytes - self.unit.len()).unwrap_or(bytes);
        self.unit.extend_from_slice(part);
        if self.unit.len() == header_bytes {
            match self.body_bytes() {
                None => self.lose(),
                Some(body_bytes) => {
                    // Of an envelope over several frames the first part is needed, too, where it is packed.
                    let is_first = self.is_first_part();
                    self.is_kept = (wants || is_first) && body_bytes <= MAX_KEPT_BYTES;
                    self.left_bytes = Some(body_bytes);
                }
            }
        }
        part.len()
    }

    fn body_bytes(&self) -> Option<usize> {
        match self.state {
            State::Started(Framing::Frames(kind)) => {
                let header = FrameHeader::parse(kind, &self.unit).ok()?;
                Some(header.frame_bytes() - kind.header_bytes())
            }
            _ => Some(ResponseHeader::parse(self.unit.first_chunk()?)?.body_bytes as usize),
        }
    }

    fn is_first_part(&self) -> bool {
        let State::Started(Framing::Frames(kind)) = self.state else { return false };
        self.large.is_over() && FrameHeader::parse(kind, &self.unit).is_ok_and(|header| !header.is_self_contained)
    }

    fn end(&mut self, see: &mut impl FnMut(Response<'_>)) {
        let unit = std::mem::take(&mut self.unit);
        let is_kept = std::mem::take(&mut self.is_kept);
        self.left_bytes = None;
        match self.state {
            State::Started(Framing::Frames(kind)) => self.end_frame(kind, &unit, is_kept, see),
            State::Started(Framing::Envelopes(_)) => show(&unit, is_kept, see),
            State::Starting => self.end_start(&unit),
            State::Lost => {}
        }
        // Its memory serves the next unit, unless that was a large one.
        if unit.capacity() <= 64 {
            self.unit = unit;
            self.unit.clear();
        }
    }

    /// SUPPORTED answers OPTIONS; READY and AUTHENTICATE answer STARTUP.
    fn end_start(&mut self, unit: &[u8]) {
        let opcode = unit.first_chunk().and_then(ResponseHeader::parse).map(|header| header.opcode);
        match (opcode, self.next) {
            (Some(ResponseHeader::SUPPORTED), _) => {}
            (Some(ResponseHeader::READY | ResponseHeader::AUTHENTICATE), Some(framing)) => {
                self.state = State::Started(framing);
            }
            _ => self.lose(),
        }
    }

    fn end_frame(&mut self, kind: FrameKind, frame: &[u8], is_kept: bool, see: &mut impl FnMut(Response<'_>)) {
        let Ok(header) = FrameHeader::parse(kind, frame) else { return self.lose() };
        if !header.is_self_contained && !self.large.is_over() {
            return self.large.go_on(&header);
        }
        if !is_kept {
            return;
        }
        let mut envelopes = Vec::new();
        if header.unpack(frame, &mut envelopes).is_err() {
            return self.lose();
        }
        if header.is_self_contained {
            let mut rest = &envelopes[..];
            while let Some(first) = rest.first_chunk().and_then(ResponseHeader::parse) {
                let Some((envelope, behind)) = rest.split_at_checked(HEADER_BYTES + first.body_bytes as usize) else {
                    return;
                };
                show(envelope, true, see);
                rest = behind;
            }
            return;
        }
        let Some(first) = envelopes.first_chunk().and_then(ResponseHeader::parse) else { return self.lose() };
        self.large.begin(HEADER_BYTES + first.body_bytes as usize, &header);
        see(Response::Large(first));
    }

    fn lose(&mut self) {
        *self = Outbound { state: State::Lost, ..Outbound::default() };
    }
}

fn show(envelope: &[u8], is_kept: bool, see: &mut impl FnMut(Response<'_>)) {
    let Some((first, body)) = envelope.split_first_chunk() else { return };
    let Some(header) = ResponseHeader::parse(first) else { return };
    see(if is_kept { Response::Whole(header, body) } else { Response::Large(header) });
}
