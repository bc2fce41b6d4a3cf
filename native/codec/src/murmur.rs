// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Cassandra's Murmur3Partitioner: MurmurHash3 x64 128 with signed bytes in the tail, first half.

const C1: u64 = 0x87c3_7b91_1142_53d5;
const C2: u64 = 0x4cf5_ad43_2745_937f;
const BLOCK_BYTES: usize = 16;

/// The token of a raw partition key.
pub fn murmur3_token(raw_key: &[u8]) -> i64 {
    if raw_key.is_empty() {
        return i64::MIN;
    }
    match hash(raw_key) as i64 {
        i64::MIN => i64::MAX,
        token => token,
    }
}

fn hash(key: &[u8]) -> u64 {
    let (mut h1, mut h2) = (0u64, 0u64);
    let mut blocks = key.chunks_exact(BLOCK_BYTES);
    for block in &mut blocks {
        let (low, high) = block.split_at(8);
        h1 ^= mix1(little_endian(low));
        h1 = h1.rotate_left(27).wrapping_add(h2).wrapping_mul(5).wrapping_add(0x52dc_e729);
        h2 ^= mix2(little_endian(high));
        h2 = h2.rotate_left(31).wrapping_add(h1).wrapping_mul(5).wrapping_add(0x3849_5ab5);
    }
    let tail = blocks.remainder();
    let (low, high) = tail.split_at(tail.len().min(8));
    if !high.is_empty() {
        h2 ^= mix2(signed_tail(high));
    }
    if !low.is_empty() {
        h1 ^= mix1(signed_tail(low));
    }
    h1 ^= key.len() as u64;
    h2 ^= key.len() as u64;
    h1 = h1.wrapping_add(h2);
    h2 = h2.wrapping_add(h1);
    finalize(h1).wrapping_add(finalize(h2))
}

fn mix1(k: u64) -> u64 {
    k.wrapping_mul(C1).rotate_left(31).wrapping_mul(C2)
}

fn mix2(k: u64) -> u64 {
    k.wrapping_mul(C2).rotate_left(33).wrapping_mul(C1)
}

fn little_endian(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |sum, &byte| sum << 8 | u64::from(byte))
}

/// Cassandra's bug, which all that place data as it does must share: tail bytes are sign-extended.
fn signed_tail(bytes: &[u8]) -> u64 {
    bytes.iter().enumerate().fold(0, |sum, (at, &byte)| sum ^ ((i64::from(byte as i8) << (8 * at)) as u64))
}

fn finalize(mut k: u64) -> u64 {
    k ^= k >> 33;
    k = k.wrapping_mul(0xff51_afd7_ed55_8ccd);
    k ^= k >> 33;
    k = k.wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    k ^ k >> 33
}
