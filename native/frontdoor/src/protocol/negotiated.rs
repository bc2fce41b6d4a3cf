// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! What the two sides of a connection have agreed on, in a form that outlasts the connection's way through the door.

use super::frame::FrameKind;
use super::startup::Framing;
use super::Compression;

/// Version and framing of a connection whose STARTUP is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Negotiated {
    pub(crate) version: u8,
    pub(crate) framing: Framing,
}

/// Each framing, at the place that is its number.
const FRAMINGS: [Framing; 5] = [
    Framing::Envelopes(Compression::None),
    Framing::Envelopes(Compression::Lz4),
    Framing::Envelopes(Compression::Other),
    Framing::Frames(FrameKind::Plain),
    Framing::Frames(FrameKind::Lz4),
];

impl Negotiated {
    /// A number for [`Negotiated::from_number`] in the same process; never 0.
    pub fn number(self) -> u16 {
        let framing = FRAMINGS.iter().position(|framing| *framing == self.framing).unwrap_or_default();
        u16::from_be_bytes([framing as u8, self.version])
    }

    /// What has this number, if anything has.
    pub fn from_number(number: u16) -> Option<Negotiated> {
        let [framing, version] = number.to_be_bytes();
        let framing = *FRAMINGS.get(usize::from(framing))?;
        (version > 0).then_some(Negotiated { version, framing })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn every_agreement_has_a_number_of_its_own() {
        for version in 3..=5 {
            for framing in FRAMINGS {
                let negotiated = Negotiated { version, framing };
                assert_eq!(Negotiated::from_number(negotiated.number()), Some(negotiated));
            }
        }
        for number in [0, 0x0100, 0x0504, u16::MAX] {
            assert_eq!(Negotiated::from_number(number), None);
        }
    }
}
