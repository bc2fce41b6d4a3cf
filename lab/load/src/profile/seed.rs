// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Pseudo-random numbers that depend on their seed alone.

use rand::RngCore;

/// The finalizer of SplitMix64: each bit of the result depends on every bit of `x`; a bijection.
#[inline]
pub fn mix(x: u64) -> u64 {
    let x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// One seed out of two; their order matters.
#[inline]
pub fn join(a: u64, b: u64) -> u64 {
    mix(mix(a) ^ b.rotate_left(32))
}

/// A seed for a name, or for a cell's bytes.
pub fn of_bytes(bytes: &[u8]) -> u64 {
    let mut hash = mix(bytes.len() as u64);
    for chunk in bytes.chunks(8) {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        hash = mix(hash ^ u64::from_le_bytes(word));
    }
    hash
}

/// Uniform in the open interval (0, 1), 53 bits of it.
#[inline]
pub fn unit(word: u64) -> f64 {
    ((word >> 11) as f64 + 0.5) * (1.0 / (1u64 << 53) as f64)
}

/// Uniform in 0..n (n > 0), without a division.
#[inline]
pub fn below(word: u64, n: u64) -> u64 {
    ((u128::from(word) * u128::from(n)) >> 64) as u64
}

/// An endless stream of words, SplitMix64.
#[derive(Clone, Debug)]
pub struct Words(u64);

impl Words {
    /// The stream of a seed.
    #[inline]
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next word.
    #[inline]
    pub fn word(&mut self) -> u64 {
        let word = mix(self.0);
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        word
    }
}

impl RngCore for Words {
    fn next_u32(&mut self) -> u32 {
        (self.word() >> 32) as u32
    }

    fn next_u64(&mut self) -> u64 {
        self.word()
    }

    fn fill_bytes(&mut self, bytes: &mut [u8]) {
        for chunk in bytes.chunks_mut(8) {
            chunk.copy_from_slice(&self.word().to_le_bytes()[..chunk.len()]);
        }
    }
}

/// A bijection of 0..n onto itself, chosen by `seed`: unique picks without remembering those made.
///
/// Four rounds of a Feistel network over the smallest even number of bits that holds n, repeated until in range.
pub fn permuted(seed: u64, n: u64, i: u64) -> u64 {
    debug_assert!(i < n);
    let half = (64 - (n - 1).leading_zeros()).div_ceil(2).max(1);
    let mask = (1u64 << half) - 1;
    let mut x = i;
    loop {
        let (mut left, mut right) = (x >> half, x & mask);
        for round in 0..4 {
            (left, right) = (right, left ^ (join(seed.wrapping_add(round), right) & mask));
        }
        x = (left << half) | right;
        if x < n {
            return x;
        }
    }
}
