// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Makes values in the form of the CQL protocol from an identity.
//!
//! Two equal identities of a column give equal values, so a column has at most as many values as its population.
//! Scalars that can say a number say the identity (cassandra-stress's `generate/values`), others hash it.

use super::distribution::Distribution;
use super::seed::{join, mix, Words};
use super::types::Type;

/// The bytes of texts and blobs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Content {
    /// Noise: blobs do not compress, texts by a quarter.
    #[default]
    Noise,
    /// The first half noise, the second half zeros.
    HalfZero,
}

/// How the values of one column are made.
#[derive(Clone, Debug)]
pub struct Maker {
    /// The type.
    pub ty: Type,
    /// Identities, also those of a collection's elements.
    pub population: Distribution,
    /// Characters, bytes or elements.
    pub size: Distribution,
    /// Tells the columns of a table apart.
    pub salt: u64,
    /// Bytes of texts and blobs.
    pub content: Content,
}

const DAY_NS: i64 = 86_400_000_000_000;
const DAYS_TO_EPOCH: u32 = 1 << 31;
/// 100 ns steps from 1582-10-15, where version 1 UUIDs begin, to 1970.
const UUID_TO_EPOCH: u64 = 0x01b2_1dd2_1381_4000;

impl Maker {
    /// Appends the value of an identity to `out`; false says that it is null (a multi-cell collection without elements).
    pub fn make(&self, identity: i64, multicell: bool, out: &mut Vec<u8>) -> bool {
        let start = out.len();
        self.append(&self.ty, identity, out);
        let empty = matches!(self.ty, Type::List(_) | Type::Set(_) | Type::Map(..)) && out[start..] == [0; 4];
        if multicell && empty {
            out.truncate(start);
        }
        !(multicell && empty)
    }

    fn append(&self, ty: &Type, identity: i64, out: &mut Vec<u8>) {
        let seed = identity as u64;
        match ty {
            // '0' to 'o': 64 characters without a table to look them up in.
            Type::Ascii | Type::Text => {
                self.noise(seed, out, |word| (word & 0x3f3f_3f3f_3f3f_3f3f) + 0x3030_3030_3030_3030)
            }
            Type::Blob => self.noise(seed, out, |word| word),
            Type::Boolean => out.push(u8::from(identity & 1 == 1)),
            Type::Bigint | Type::Counter | Type::Timestamp => out.extend(identity.to_be_bytes()),
            Type::Int => out.extend((identity as i32).to_be_bytes()),
            Type::Smallint => out.extend((identity as i16).to_be_bytes()),
            Type::Tinyint => out.extend((identity as i8).to_be_bytes()),
            Type::Double => out.extend((identity as f64).to_be_bytes()),
            Type::Float => out.extend((identity as f32).to_be_bytes()),
            Type::Date => out.extend((identity as u32).wrapping_add(DAYS_TO_EPOCH).to_be_bytes()),
            Type::Time => out.extend(identity.rem_euclid(DAY_NS).to_be_bytes()),
            Type::Timeuuid => out.extend(timeuuid(identity)),
            Type::Uuid => out.extend(uuid(seed ^ self.salt)),
            Type::Inet => out.extend(inet(seed ^ self.salt)),
            Type::Varint => varint(identity, out),
            Type::Decimal => {
                out.extend(0i32.to_be_bytes());
                varint(identity, out);
            }
            Type::Duration => {
                for part in [identity % 1200, identity % 366, identity % DAY_NS] {
                    zigzag(part.abs(), out);
                }
            }
            Type::List(element) => self.elements(element, None, false, seed, out),
            Type::Set(element) => self.elements(element, None, true, seed, out),
            Type::Map(key, value) => self.elements(key, Some(value), true, seed, out),
            Type::Tuple(fields) => {
                for (i, field) in fields.iter().enumerate() {
                    sized(out, |out| self.append(field, self.inner(seed, i), out));
                }
            }
            Type::Vector(element, length) => {
                for i in 0..*length {
                    self.vector_element(element, self.inner(seed, i), out);
                }
            }
        }
    }

    fn inner(&self, seed: u64, i: usize) -> i64 {
        self.population.sample(mix(join(seed, i as u64) ^ self.salt))
    }

    fn length(&self, seed: u64) -> usize {
        usize::try_from(self.size.at(mix(seed ^ self.salt), 0)).unwrap_or(0)
    }

    fn noise(&self, seed: u64, out: &mut Vec<u8>, bytes_of: impl Fn(u64) -> u64) {
        let length = self.length(seed);
        let start = out.len();
        let noisy = if self.content == Content::HalfZero { length.div_ceil(2) } else { length };
        out.resize(start + length, 0);
        let mut words = Words::new(seed ^ self.salt);
        let mut chunks = out[start..start + noisy].chunks_exact_mut(8);
        for chunk in &mut chunks {
            chunk.copy_from_slice(&bytes_of(words.word()).to_le_bytes());
        }
        let last = chunks.into_remainder();
        last.copy_from_slice(&bytes_of(words.word()).to_le_bytes()[..last.len()]);
    }

    /// Count, then elements; what a set or map holds only once is made only once.
    fn elements(&self, key: &Type, value: Option<&Type>, unique: bool, seed: u64, out: &mut Vec<u8>) {
        let wanted = self.length(seed);
        let count_at = out.len();
        out.extend([0; 4]);
        let mut keys: Vec<(usize, usize)> = Vec::new();
        let mut count = 0u32;
        for i in 0..wanted {
            let start = out.len();
            sized(out, |out| self.append(key, self.inner(seed, i), out));
            if unique {
                if keys.iter().any(|&(from, to)| out[from..to] == out[start..]) {
                    out.truncate(start);
                    continue;
                }
                keys.push((start, out.len()));
            }
            if let Some(value) = value {
                sized(out, |out| self.append(value, self.inner(!seed, i), out));
            }
            count += 1;
        }
        out[count_at..count_at + 4].copy_from_slice(&count.to_be_bytes());
    }

    fn vector_element(&self, element: &Type, identity: i64, out: &mut Vec<u8>) {
        if element.vector_bytes().is_some() {
            return self.append(element, identity, out);
        }
        let mut bytes = Vec::new();
        self.append(element, identity, &mut bytes);
        unsigned_vint(bytes.len() as u64, out);
        out.extend(bytes);
    }
}

fn sized(out: &mut Vec<u8>, append: impl FnOnce(&mut Vec<u8>)) {
    let at = out.len();
    out.extend([0; 4]);
    append(out);
    let bytes = (out.len() - at - 4) as i32;
    out[at..at + 4].copy_from_slice(&bytes.to_be_bytes());
}

fn timeuuid(millis: i64) -> [u8; 16] {
    let ticks = (millis as u64).wrapping_mul(10_000).wrapping_add(UUID_TO_EPOCH);
    let mut bytes = [0; 16];
    bytes[..4].copy_from_slice(&(ticks as u32).to_be_bytes());
    bytes[4..6].copy_from_slice(&((ticks >> 32) as u16).to_be_bytes());
    bytes[6..8].copy_from_slice(&(((ticks >> 48) as u16 & 0x0fff) | 0x1000).to_be_bytes());
    bytes[8..].copy_from_slice(&((mix(millis as u64) & 0x3fff_ffff_ffff_ffff) | 0x8000_0000_0000_0000).to_be_bytes());
    bytes
}

fn uuid(seed: u64) -> [u8; 16] {
    let mut words = Words::new(seed);
    let mut bytes = [0; 16];
    bytes[..8].copy_from_slice(&words.word().to_be_bytes());
    bytes[8..].copy_from_slice(&words.word().to_be_bytes());
    bytes[6] = (bytes[6] & 0x0f) | 0x40;
    bytes[8] = (bytes[8] & 0x3f) | 0x80;
    bytes
}

/// One in four is IPv6.
fn inet(seed: u64) -> impl Iterator<Item = u8> {
    let mut words = Words::new(seed);
    let (first, second) = (words.word(), words.word());
    let length = if first & 3 == 0 { 16 } else { 4 };
    let high = first | (1 << 61);
    high.to_be_bytes().into_iter().chain(second.to_be_bytes()).take(length)
}

/// Big-endian two's complement in as few bytes as hold it.
fn varint(value: i64, out: &mut Vec<u8>) {
    let unused = if value < 0 { value.leading_ones() } else { value.leading_zeros() };
    let bytes = (65 - unused).div_ceil(8) as usize;
    out.extend(&value.to_be_bytes()[8 - bytes..]);
}

fn zigzag(value: i64, out: &mut Vec<u8>) {
    unsigned_vint(((value << 1) ^ (value >> 63)) as u64, out);
}

/// The protocol's vint: the leading ones of the first byte say how many follow.
fn unsigned_vint(value: u64, out: &mut Vec<u8>) {
    let bits = 64 - value.leading_zeros().min(63);
    let more = ((bits - 1) / 7).min(8) as usize;
    if more == 8 {
        out.push(0xff);
        out.extend(value.to_be_bytes());
        return;
    }
    let ones = !(0xffu8.checked_shr(more as u32).unwrap_or(0));
    let bytes = value.to_be_bytes();
    out.push(bytes[7 - more] | ones);
    out.extend(&bytes[8 - more..]);
}
