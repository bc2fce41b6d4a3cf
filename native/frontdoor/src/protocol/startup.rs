// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! What a STARTUP says of the bytes that follow.

use super::envelope::Header;
use super::frame::FrameKind;
use super::Compression;

/// The first version whose envelopes are in frames.
const FRAMED_SINCE: u8 = 5;

/// How a connection's bytes are laid out, once STARTUP is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Framing {
    /// Envelopes follow one another (versions 3 and 4).
    Envelopes(Compression),
    /// Envelopes are in frames (version 5).
    Frames(FrameKind),
}

/// The framing that a STARTUP asks for; `None` where the door does not know it.
pub(super) fn framing(header: &Header, body: &[u8]) -> Option<Framing> {
    let compression = compression(body)?;
    if header.version < FRAMED_SINCE {
        return Some(Framing::Envelopes(compression));
    }
    match compression {
        Compression::None => Some(Framing::Frames(FrameKind::Plain)),
        Compression::Lz4 => Some(Framing::Frames(FrameKind::Lz4)),
        Compression::Other => None,
    }
}

/// The compression in a string map; `None` where this is no string map.
fn compression(mut body: &[u8]) -> Option<Compression> {
    let entries = u16::from_be_bytes(*take_array(&mut body)?);
    let mut compression = Compression::None;
    for _ in 0..entries {
        let key = take_string(&mut body)?;
        let value = take_string(&mut body)?;
        if key == b"COMPRESSION" && !value.is_empty() {
            compression = match value.eq_ignore_ascii_case(b"lz4") {
                true => Compression::Lz4,
                false => Compression::Other,
            };
        }
    }
    Some(compression)
}

fn take_string<'a>(bytes: &mut &'a [u8]) -> Option<&'a [u8]> {
    let length = usize::from(u16::from_be_bytes(*take_array(bytes)?));
    let (string, rest) = bytes.split_at_checked(length)?;
    *bytes = rest;
    Some(string)
}

fn take_array<'a>(bytes: &mut &'a [u8]) -> Option<&'a [u8; 2]> {
    let (array, rest) = bytes.split_first_chunk()?;
    *bytes = rest;
    Some(array)
}
