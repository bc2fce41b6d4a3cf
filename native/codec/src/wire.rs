// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Reading and writing the small pieces: bytes, little-endian integers, LEB128.

use crate::error::CodecError;

const CONTINUES: u8 = 0x80;
const GROUP_BITS: u32 = 7;

/// Reads forward over borrowed bytes and knows its offset.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reader<'a> {
    rest: &'a [u8],
    total: usize,
}

impl<'a> Reader<'a> {
    #[inline]
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Reader { rest: bytes, total: bytes.len() }
    }

    #[inline]
    pub(crate) fn offset(&self) -> usize {
        self.total - self.rest.len()
    }

    #[inline]
    pub(crate) fn is_done(&self) -> bool {
        self.rest.is_empty()
    }

    #[cold]
    pub(crate) fn fail(&self, what: &'static str) -> CodecError {
        CodecError::malformed(what, self.offset())
    }

    #[inline]
    pub(crate) fn u8(&mut self, what: &'static str) -> Result<u8, CodecError> {
        let Some((&byte, rest)) = self.rest.split_first() else { return Err(self.fail(what)) };
        self.rest = rest;
        Ok(byte)
    }

    #[inline]
    pub(crate) fn i64(&mut self, what: &'static str) -> Result<i64, CodecError> {
        let Some((bytes, rest)) = self.rest.split_first_chunk::<8>() else { return Err(self.fail(what)) };
        self.rest = rest;
        Ok(i64::from_le_bytes(*bytes))
    }

    #[inline]
    pub(crate) fn take(&mut self, length: u64, what: &'static str) -> Result<&'a [u8], CodecError> {
        let split = usize::try_from(length).ok().and_then(|length| self.rest.split_at_checked(length));
        let Some((bytes, rest)) = split else { return Err(self.fail(what)) };
        self.rest = rest;
        Ok(bytes)
    }

    #[inline]
    pub(crate) fn uvarint(&mut self, what: &'static str) -> Result<u64, CodecError> {
        match self.rest.split_first() {
            Some((&byte, rest)) if byte < CONTINUES => {
                self.rest = rest;
                Ok(u64::from(byte))
            }
            _ => self.long_uvarint(what),
        }
    }

    fn long_uvarint(&mut self, what: &'static str) -> Result<u64, CodecError> {
        let mut value = 0u64;
        for (at, &byte) in self.rest.iter().take(10).enumerate() {
            let shift = GROUP_BITS * at as u32;
            let group = u64::from(byte & !CONTINUES);
            if group << shift >> shift != group {
                break;
            }
            value |= group << shift;
            if byte < CONTINUES {
                if byte == 0 {
                    break; // not the shortest form: equal values must be equal bytes
                }
                self.rest = self.rest.get(at + 1..).unwrap_or_default();
                return Ok(value);
            }
        }
        Err(self.fail(what))
    }

    /// A varint that is at most `limit`.
    #[inline]
    pub(crate) fn bounded(&mut self, limit: u64, what: &'static str) -> Result<u64, CodecError> {
        let before = *self;
        match self.uvarint(what)? {
            value if value <= limit => Ok(value),
            _ => Err(before.fail(what)),
        }
    }

    /// Bytes after their length.
    #[inline]
    pub(crate) fn prefixed(&mut self, what: &'static str) -> Result<&'a [u8], CodecError> {
        let length = self.uvarint(what)?;
        self.take(length, what)
    }
}

#[inline]
pub(crate) fn put_uvarint(out: &mut Vec<u8>, mut value: u64) {
    while value >= u64::from(CONTINUES) {
        out.push(value as u8 | CONTINUES);
        value >>= GROUP_BITS;
    }
    out.push(value as u8);
}

pub(crate) fn uvarint_len(value: u64) -> usize {
    (64 - (value | 1).leading_zeros()).div_ceil(GROUP_BITS) as usize
}

#[inline]
pub(crate) fn put_i64(out: &mut Vec<u8>, value: i64) {
    out.extend_from_slice(&value.to_le_bytes());
}

#[inline]
pub(crate) fn put_prefixed(out: &mut Vec<u8>, bytes: &[u8]) {
    put_uvarint(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

/// Local deletion times end where Cassandra's do: its unsigned 32 bits, less the value that says "none".
pub(crate) const LOCAL_DELETION_S_MAX: u64 = u32::MAX as u64 - 1;
/// TTLs are Java ints.
pub(crate) const TTL_S_MAX: u64 = i32::MAX as u64;

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn varints_come_back_in_their_shortest_form_only() {
        for value in [0, 1, 127, 128, 300, 16_383, 16_384, u64::from(u32::MAX), u64::MAX >> 1, u64::MAX] {
            let mut bytes = Vec::new();
            put_uvarint(&mut bytes, value);
            assert_eq!(bytes.len(), uvarint_len(value));
            let mut reader = Reader::new(&bytes);
            assert_eq!(reader.uvarint("value"), Ok(value));
            assert!(reader.is_done());
        }
        for bytes in [&[0x80, 0x00][..], &[0x80], &[], &[0xFF; 10], &[0xFF; 11], &[0x81, 0x80, 0x00]] {
            assert!(Reader::new(bytes).uvarint("value").is_err(), "{bytes:?}");
        }
    }

    #[test]
    fn reading_past_the_end_names_the_offset() {
        let mut reader = Reader::new(&[3, 1, 2]);
        assert_eq!(reader.prefixed("value"), Err(CodecError::Malformed { what: "value", offset: 1 }));
    }
}
