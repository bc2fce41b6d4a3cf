// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The checksum of a frame's header (native_protocol_v5.spec, section 2.2.2).

const START: u32 = 0x0087_5060;
const POLYNOMIAL: u32 = 0x0197_4F0B;

/// The CRC-24 of a header's first bytes, of which the frame has the least significant byte first.
pub(super) fn crc24(bytes: &[u8]) -> u32 {
    bytes.iter().fold(START, |crc, byte| {
        (0..8).fold(crc ^ (u32::from(*byte) << 16), |crc, _| {
            let shifted = crc << 1;
            if shifted & 0x0100_0000 == 0 {
                shifted
            } else {
                shifted ^ POLYNOMIAL
            }
        })
    })
}
