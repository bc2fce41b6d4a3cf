// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Keys: the partition, the kind of entry, and for rows the clustering (docs/internals/formats.md, Keys). In an index
//! the partition is a value, and the row that has it takes the place of the clustering (Index keys).

use crate::error::CodecError;

pub use crate::murmur::murmur3_token;

const NEXT_COMPONENT: u8 = 0x40;
const TERMINATOR: u8 = 0x38;
const ESCAPE: u8 = 0x00;
const ESCAPED_CONTINUES: u8 = 0xFE;
const ESCAPED_DONE: u8 = 0xFF;
const TOKEN_BYTES: usize = 8;
/// 0x40, the token, 0x40: what comes before the escaped partition key.
const PREFIX_BYTES: usize = 1 + TOKEN_BYTES + 1;
/// What keys of indexes begin with.
const VALUE: u8 = 0x41;
/// At the end of a key of an index: the length of its row does not fit into this byte, and comes before it.
const LONG: u8 = 0xFF;
const LONG_BYTES: usize = 4;

/// What a key holds; the byte after the partition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Kind {
    /// Partition deletion and range tombstones: a header fragment.
    Header = 0x10,
    /// The static row: a row fragment.
    Static = 0x20,
    /// A row: a row fragment.
    Row = 0x30,
    /// A row that has had a value: an index entry.
    Entry = 0x31,
}

impl Kind {
    /// What the keys are of that follow the header and the static row of this partition.
    #[inline]
    pub fn of_rows(partition: &[u8]) -> Kind {
        match partition.first() {
            Some(&VALUE) => Kind::Entry,
            _ => Kind::Row,
        }
    }
}

impl TryFrom<u8> for Kind {
    type Error = CodecError;

    fn try_from(byte: u8) -> Result<Self, CodecError> {
        match byte {
            0x10 => Ok(Kind::Header),
            0x20 => Ok(Kind::Static),
            0x30 => Ok(Kind::Row),
            0x31 => Ok(Kind::Entry),
            _ => Err(CodecError::malformed("kind of key", 0)),
        }
    }
}

impl From<Kind> for u8 {
    fn from(kind: Kind) -> u8 {
        kind as u8
    }
}

/// A key taken apart; borrows from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeyParts<'a> {
    /// The partition prefix, 0x38 included.
    pub partition: &'a [u8],
    /// What the key holds.
    pub kind: Kind,
    /// The clustering's order bytes, or the row of an index entry; empty of other kinds.
    pub clustering: &'a [u8],
}

/// Length in bytes of the partition prefix of `key`, its 0x38 included; `None` if malformed.
pub fn partition_len(key: &[u8]) -> Option<usize> {
    let (&first, rest) = key.split_first()?;
    if first == VALUE {
        return entry_lens(key).map(|(partition, _)| partition);
    }
    let second = *rest.get(TOKEN_BYTES)?;
    if first != NEXT_COMPONENT || second != NEXT_COMPONENT {
        return None;
    }
    let mut at = PREFIX_BYTES;
    loop {
        at += key.get(at..)?.iter().position(|&byte| byte == ESCAPE)? + 1;
        while *key.get(at)? == ESCAPED_CONTINUES {
            at += 1;
        }
        match *key.get(at)? {
            TERMINATOR => return Some(at + 1),
            ESCAPED_DONE if *key.get(at + 1)? != ESCAPE => at += 1,
            _ => return None,
        }
    }
}

/// Whether bytes are a partition, and nothing else.
pub fn is_partition(bytes: &[u8]) -> bool {
    match bytes {
        [VALUE, value @ .., TERMINATOR] => !value.is_empty(),
        [VALUE, ..] => false,
        _ => partition_len(bytes) == Some(bytes.len()),
    }
}

/// The lengths of the value and the row of an index's key.
fn entry_lens(key: &[u8]) -> Option<(usize, usize)> {
    let (rest, row) = match key.split_last()? {
        (&LONG, rest) => {
            let (rest, length) = rest.split_last_chunk::<LONG_BYTES>()?;
            (rest, usize::try_from(u32::from_le_bytes(*length)).ok().filter(|&length| length >= usize::from(LONG))?)
        }
        (&length, rest) => (rest, usize::from(length)),
    };
    let partition = rest.len().checked_sub(row)?.checked_sub(1)?;
    let is_one = row > 0 && is_partition(rest.get(..partition)?) && *rest.get(partition)? == Kind::Entry as u8;
    is_one.then_some((partition, row))
}

/// Appends the key of an index entry: of a value and of the row that has it.
pub fn put_entry(partition: &[u8], row: &[u8], out: &mut Vec<u8>) {
    out.extend_from_slice(partition);
    out.push(Kind::Entry as u8);
    out.extend_from_slice(row);
    match u8::try_from(row.len()) {
        Ok(length) if length < LONG => out.push(length),
        _ => {
            out.extend_from_slice(&(row.len() as u32).to_le_bytes());
            out.push(LONG);
        }
    }
}

/// What of an index's key names the row: the row, and its length behind it. Empty for keys of rows: their fragments do.
#[inline]
pub fn row_name<'a>(key: &'a [u8], partition: &[u8]) -> &'a [u8] {
    match Kind::of_rows(partition) {
        Kind::Entry => key.get(partition.len() + 1..).unwrap_or_default(),
        _ => &[],
    }
}

/// Takes a key apart.
pub fn split(key: &[u8]) -> Result<KeyParts<'_>, CodecError> {
    if key.first() == Some(&VALUE) {
        let (length, row) = entry_lens(key).ok_or(CodecError::malformed("key of an index", 0))?;
        let (partition, rest) = key.split_at(length);
        let clustering = rest.get(1..=row).unwrap_or_default();
        return Ok(KeyParts { partition, kind: Kind::Entry, clustering });
    }
    let length = partition_len(key).ok_or(CodecError::malformed("partition of key", 0))?;
    let (partition, rest) = key.split_at(length);
    let (&kind, clustering) = rest.split_first().ok_or(CodecError::malformed("key without a kind", length))?;
    let kind = Kind::try_from(kind).ok().filter(|&kind| kind != Kind::Entry);
    let kind = kind.ok_or(CodecError::malformed("kind of key", length))?;
    if (kind == Kind::Row) == clustering.is_empty() {
        return Err(CodecError::malformed("clustering of key", length + 1));
    }
    Ok(KeyParts { partition, kind, clustering })
}

/// The token of a partition prefix (or of a whole key); 0 of an index's, which are not in the order of tokens.
pub fn token(partition: &[u8]) -> Result<i64, CodecError> {
    if partition.first() == Some(&VALUE) {
        return Ok(0);
    }
    let bytes: [u8; TOKEN_BYTES] = partition
        .get(1..=TOKEN_BYTES)
        .and_then(|bytes| bytes.try_into().ok())
        .ok_or(CodecError::malformed("token of key", 0))?;
    Ok((u64::from_be_bytes(bytes) ^ (1 << 63)) as i64)
}

/// Appends the raw partition key of exactly one partition prefix to `out`; of an index's, the form of the value.
pub fn raw_partition_key(partition: &[u8], out: &mut Vec<u8>) -> Result<(), CodecError> {
    if !is_partition(partition) {
        return Err(CodecError::malformed("partition of key", 0));
    }
    if let [VALUE, value @ .., _] = partition {
        out.extend_from_slice(value);
        return Ok(());
    }
    let escaped = partition.get(PREFIX_BYTES..partition.len() - 1).unwrap_or_default();
    out.reserve(escaped.len());
    let mut rest = escaped;
    while let Some(zero) = rest.iter().position(|&byte| byte == ESCAPE) {
        let (plain, run) = rest.split_at(zero);
        out.extend_from_slice(plain);
        let more_zeros = run.iter().skip(1).take_while(|&&byte| byte == ESCAPED_CONTINUES).count();
        let after = 1 + more_zeros;
        let ends_key = after == run.len();
        // the last zero byte of the key is the escaping's own end, not one of the key
        out.resize(out.len() + after - usize::from(ends_key), 0);
        rest = run.get(after + 1..).unwrap_or_default();
    }
    out.extend_from_slice(rest);
    Ok(())
}

/// Appends the partition prefix of a partition key under its token to `out`.
pub fn encode_partition(token: i64, raw_key: &[u8], out: &mut Vec<u8>) {
    out.reserve(PREFIX_BYTES + raw_key.len() + 2);
    out.push(NEXT_COMPONENT);
    out.extend_from_slice(&((token as u64) ^ (1 << 63)).to_be_bytes());
    out.push(NEXT_COMPONENT);
    put_escaped(raw_key, out);
    out.push(TERMINATOR);
}

/// Appends bytes so escaped that they sort as they are whatever follows them; ends with the escape.
pub fn put_escaped(raw: &[u8], out: &mut Vec<u8>) {
    let mut rest = raw;
    while let Some(zero) = rest.iter().position(|&byte| byte == ESCAPE) {
        let (plain, behind) = rest.split_at(zero);
        let zeros = behind.iter().take_while(|&&byte| byte == ESCAPE).count();
        out.extend_from_slice(plain);
        out.push(ESCAPE);
        out.resize(out.len() + zeros - 1, ESCAPED_CONTINUES);
        rest = behind.get(zeros..).unwrap_or_default();
        if rest.is_empty() {
            out.push(ESCAPED_CONTINUES);
            return;
        }
        out.push(ESCAPED_DONE);
    }
    out.extend_from_slice(rest);
    out.push(ESCAPE);
}
