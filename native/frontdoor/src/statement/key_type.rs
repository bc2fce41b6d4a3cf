// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The types that key columns may have: which values they take, and the byte-comparable form of a value (OSS50).

use super::decimal;
use cassiterite_codec::key::put_escaped;

/// A type, by its number in the native protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum KeyType {
    Ascii = 0x01,
    Bigint = 0x02,
    Blob = 0x03,
    Boolean = 0x04,
    Decimal = 0x06,
    Double = 0x07,
    Float = 0x08,
    Int = 0x09,
    Timestamp = 0x0B,
    Uuid = 0x0C,
    Text = 0x0D,
    Varint = 0x0E,
    Timeuuid = 0x0F,
    Inet = 0x10,
    Date = 0x11,
    Time = 0x12,
    Smallint = 0x13,
    Tinyint = 0x14,
}

/// From this many bytes on, without the sign's, a varint has its length written out.
const LONG_VARINT_BYTES: usize = 7;
const SIGN: u8 = 0x80;

impl KeyType {
    /// All types, by their numbers.
    pub(crate) const ALL: [KeyType; 18] = {
        use KeyType::*;
        [
            Ascii, Bigint, Blob, Boolean, Decimal, Double, Float, Int, Timestamp, Uuid, Text, Varint, Timeuuid, Inet,
            Date, Time, Smallint, Tinyint,
        ]
    };

    /// The type of this number.
    pub(crate) fn of(code: u8) -> Option<KeyType> {
        KeyType::ALL.into_iter().find(|of| *of as u8 == code)
    }

    /// Whether a client may bind these bytes. Empty ones, which Cassandra takes for many types, only where they are a
    /// value like any other.
    #[inline]
    pub(crate) fn takes(self, value: &[u8]) -> bool {
        let length = value.len();
        match self {
            KeyType::Ascii => value.is_ascii(),
            KeyType::Text => std::str::from_utf8(value).is_ok(),
            KeyType::Blob => true,
            KeyType::Boolean | KeyType::Tinyint => length == 1,
            KeyType::Smallint => length == 2,
            KeyType::Int | KeyType::Float | KeyType::Date => length == 4,
            KeyType::Bigint | KeyType::Double | KeyType::Timestamp | KeyType::Time => length == 8,
            KeyType::Uuid => length == 16,
            KeyType::Timeuuid => length == 16 && is_version_1(value),
            KeyType::Inet => length == 4 || length == 16,
            KeyType::Varint => length > 0,
            KeyType::Decimal => length > decimal::SCALE_BYTES,
        }
    }

    /// Whether an empty value has a form of its own.
    pub(crate) fn orders_empty(self) -> bool {
        matches!(self, KeyType::Ascii | KeyType::Text | KeyType::Blob | KeyType::Inet)
    }

    /// Appends the form of a value that is not empty, or [`KeyType::orders_empty`]; `None` where it has none, or none
    /// that the door knows. Then `out` may have a part of it.
    #[inline]
    pub(crate) fn put_form(self, value: &[u8], out: &mut Vec<u8>) -> Option<()> {
        match self {
            KeyType::Ascii | KeyType::Text | KeyType::Blob | KeyType::Inet => put_escaped(value, out),
            KeyType::Tinyint => put_signed::<1>(value, out)?,
            KeyType::Smallint => put_signed::<2>(value, out)?,
            KeyType::Int => put_signed::<4>(value, out)?,
            KeyType::Timestamp => put_signed::<8>(value, out)?,
            KeyType::Date => out.extend_from_slice(value.first_chunk::<4>()?),
            KeyType::Time => out.extend_from_slice(value.first_chunk::<8>()?),
            KeyType::Bigint => put_variable_long(i64::from_be_bytes(value.try_into().ok()?), out),
            KeyType::Boolean => out.push(u8::from(*value.first()? != 0)),
            KeyType::Float => {
                let number = f32::from_be_bytes(value.try_into().ok()?);
                let bits = if number.is_nan() { 0x7FC0_0000 } else { number.to_bits() };
                put_float(bits.to_be_bytes(), out);
            }
            KeyType::Double => {
                let number = f64::from_be_bytes(value.try_into().ok()?);
                let bits = if number.is_nan() { 0x7FF8_0000_0000_0000 } else { number.to_bits() };
                put_float(bits.to_be_bytes(), out);
            }
            KeyType::Uuid => put_uuid(value.try_into().ok()?, out),
            KeyType::Timeuuid => put_timeuuid(value.try_into().ok()?, out)?,
            KeyType::Varint => put_varint(value, out)?,
            KeyType::Decimal => decimal::put_form(value, out)?,
        }
        Some(())
    }
}

fn put_signed<const N: usize>(value: &[u8], out: &mut Vec<u8>) -> Option<()> {
    let bytes: &[u8; N] = value.try_into().ok()?;
    let (first, rest) = bytes.split_first()?;
    out.push(first ^ SIGN);
    out.extend_from_slice(rest);
    Some(())
}

/// A number below zero is inverted, so that the larger magnitude sorts first.
fn put_float<const N: usize>(bytes: [u8; N], out: &mut Vec<u8>) {
    match bytes.first() {
        Some(first) if first & SIGN != 0 => out.extend(bytes.iter().map(|byte| !byte)),
        Some(first) => {
            out.push(first | SIGN);
            out.extend_from_slice(bytes.get(1..).unwrap_or_default());
        }
        None => {}
    }
}

/// As many leading ones (zeros, if negative) as there are bytes beyond the first, then the number.
fn put_variable_long(number: i64, out: &mut Vec<u8>) {
    let sign = number >> 63;
    let magnitude = (number ^ sign) as u64;
    let count = (64 - (magnitude | 1).leading_zeros() as usize) / 7 + 1;
    if count >= 9 {
        out.push(if sign < 0 { 0x00 } else { 0xFF });
        out.extend_from_slice(&((magnitude | 1 << 63) ^ sign as u64).to_be_bytes());
    } else {
        let ones = (0xFF00_u64 >> count) & 0xFF;
        let coded = (magnitude | ones << (8 * (count - 1))) ^ sign as u64;
        out.extend_from_slice(coded.to_be_bytes().get(8 - count..).unwrap_or_default());
    }
}

/// As many leading ones as there are bytes beyond the first, then the number; each byte under `mask`.
fn put_variable_unsigned(number: u32, mask: u8, out: &mut Vec<u8>) {
    let number = u64::from(number);
    let more = (63 - (number | 1).leading_zeros() as usize) / 7;
    let ones = !0xFF_u64 >> more & 0xFF;
    let coded = number | ones << (8 * more);
    out.extend(coded.to_be_bytes().iter().skip(7 - more).map(|byte| byte ^ mask));
}

fn put_varint(value: &[u8], out: &mut Vec<u8>) -> Option<()> {
    let first = *value.first()?;
    let sign_bytes = match first {
        0x00 | 0xFF => value.iter().take(value.len() - 1).take_while(|byte| **byte == first).count(),
        _ => 0,
    };
    let digits = value.get(sign_bytes..)?;
    if digits.len() < LONG_VARINT_BYTES {
        // Cassandra has no form of a short number behind so many sign bytes.
        let mut bytes = if first & SIGN != 0 { [0xFF; 8] } else { [0; 8] };
        bytes.get_mut(8_usize.checked_sub(value.len())?..)?.copy_from_slice(value);
        put_variable_long(i64::from_be_bytes(bytes), out);
        return Some(());
    }
    let sign = if first & SIGN != 0 { 0xFF } else { 0x00 };
    out.push(!sign);
    put_variable_unsigned(u32::try_from(digits.len() - LONG_VARINT_BYTES).ok()?, sign, out);
    out.extend_from_slice(digits);
    Some(())
}

fn put_uuid(value: &[u8; 16], out: &mut Vec<u8>) {
    let (high, low) = halves(value);
    let version = high >> 12 & 0xF;
    let high = match version {
        1 => by_time(high),
        _ => version << 60 | high >> 4 & 0x0FFF_FFFF_FFFF_F000 | high & 0xFFF,
    };
    out.extend_from_slice(&high.to_be_bytes());
    out.extend_from_slice(&low.to_be_bytes());
}

fn put_timeuuid(value: &[u8; 16], out: &mut Vec<u8>) -> Option<()> {
    if !is_version_1(value) {
        return None;
    }
    let (high, low) = halves(value);
    out.extend_from_slice(&by_time(high).to_be_bytes());
    out.extend_from_slice(&(low ^ 0x8080_8080_8080_8080).to_be_bytes());
    Some(())
}

fn is_version_1(uuid: &[u8]) -> bool {
    uuid.get(6).is_some_and(|byte| byte & 0xF0 == 0x10)
}

fn halves(uuid: &[u8; 16]) -> (u64, u64) {
    let all = u128::from_be_bytes(*uuid);
    ((all >> 64) as u64, all as u64)
}

/// The first half of a UUID of version 1, the most significant bits of its time first.
fn by_time(high: u64) -> u64 {
    high << 48 | (high << 16 & 0xFFFF_0000_0000) | high >> 32
}
