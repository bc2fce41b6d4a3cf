// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Numbers in Golomb-Rice codes, which are as short as may be for the gaps of random numbers (Rice and Plaunt, 1971).

/// Of a Rice code: more ones than this are an escape, and the number follows in 64 bits.
const UNARY_MAX: u32 = 24;
const WHOLE_BITS: u32 = 64;

/// The width at which numbers of this mean take the fewest bits, at most 63.
pub(super) fn width_of(sum: u128, count: usize) -> u32 {
    let mean = sum / count.max(1) as u128;
    (u128::BITS - mean.leading_zeros()).saturating_sub(1).min(WHOLE_BITS - 1)
}

/// Appends bits, the first one lowest.
#[derive(Default)]
pub(super) struct BitWriter {
    bytes: Vec<u8>,
    free_bits: u32,
}

impl BitWriter {
    /// The lowest `width` bits of a number.
    pub(super) fn bits(&mut self, number: u64, width: u32) {
        let (mut number, mut left) = (number, width);
        while left > 0 {
            if self.free_bits == 0 {
                self.bytes.push(0);
                self.free_bits = u8::BITS;
            }
            let taken = left.min(self.free_bits);
            let part = (number & ((1 << taken) - 1)) as u8;
            if let Some(last) = self.bytes.last_mut() {
                *last |= part << (u8::BITS - self.free_bits);
            }
            self.free_bits -= taken;
            number >>= taken;
            left -= taken;
        }
    }

    pub(super) fn rice(&mut self, number: u64, width: u32) {
        let ones = number >> width;
        if ones < u64::from(UNARY_MAX) {
            self.bits((1 << ones) - 1, ones as u32 + 1);
            self.bits(number, width);
        } else {
            self.bits((1 << UNARY_MAX) - 1, UNARY_MAX);
            self.bits(number, WHOLE_BITS);
        }
    }

    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }
}

/// Reads what a [`BitWriter`] wrote; nothing beyond its end.
pub(super) struct BitReader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> BitReader<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    pub(super) fn bits(&mut self, width: u32) -> Option<u64> {
        let (mut number, mut done) = (0u64, 0);
        while done < width {
            let byte = *self.bytes.get(self.at / 8)?;
            let from = (self.at % 8) as u32;
            let taken = (width - done).min(u8::BITS - from);
            let part = u64::from(byte >> from) & ((1 << taken) - 1);
            number |= part << done;
            self.at += taken as usize;
            done += taken;
        }
        Some(number)
    }

    pub(super) fn rice(&mut self, width: u32) -> Option<u64> {
        let mut ones = 0;
        while ones < UNARY_MAX && self.bits(1)? == 1 {
            ones += 1;
        }
        if ones == UNARY_MAX {
            return self.bits(WHOLE_BITS);
        }
        Some(u64::from(ones) << width | self.bits(width)?)
    }
}
