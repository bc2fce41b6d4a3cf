// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The native protocol, as far as it tells where requests and responses begin and end.

mod compression;
mod crc24;
mod envelope;
mod extras;
mod frame;
mod inbound;
mod large_message;
mod negotiated;
mod outbound;
mod startup;

pub(crate) use compression::{pack, unpack, Compression};
pub(crate) use envelope::{put_result_header, Header, Opcode, ResponseHeader, COMPRESSED, HEADER_BYTES};
pub(crate) use extras::without_extras;
#[cfg(test)]
pub(crate) use frame::FrameHeader;
pub(crate) use frame::{put_frames, FrameKind, MAX_PAYLOAD_BYTES};
pub(crate) use inbound::{Envelopes, Inbound, Unit};
pub use negotiated::Negotiated;
pub(crate) use outbound::{Outbound, Response};
pub(crate) use startup::Framing;

/// Kinds of requests.
pub(crate) const REQUESTS: usize = Opcode::ALL.len();
