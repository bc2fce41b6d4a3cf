// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! From a block to columns.

use super::bits::{width_of, BitWriter};
use super::block::Block;
use super::columns::{Entries, LARGE_GROUP, NUMBER_BYTES, TRAILER_BYTES, VERSION, VERSION_OF_LONG, WIDTH_BITS};
use super::row::{is_long, split, Row};
use super::stream::{put_counted, put_shared, put_uvarint};
use super::unpack::unpack;

/// The rows of one value, in the order of their lengths and keys.
struct Group<'a> {
    value: &'a [u8],
    rows: Vec<(Row<'a>, &'a [u8])>,
}

/// A block packed; None if it is not one of an index, or would not come back byte by byte. Larger or smaller than the block.
pub(crate) fn pack(block: &[u8]) -> Option<Vec<u8>> {
    let packed = columns(&Block::parse(block)?)?;
    (unpack(&packed, block.len())? == block).then_some(packed)
}

fn columns(block: &Block<'_>) -> Option<Vec<u8>> {
    let trailer = block.entries.first()?.0.last_chunk::<TRAILER_BYTES>()?;
    let groups = groups(block, trailer)?;
    let has_long = block.entries.iter().any(|(key, _)| is_long(&key[..key.len() - TRAILER_BYTES]));
    let mut out = vec![if has_long { VERSION_OF_LONG } else { VERSION }, block.flags as u8];
    out.extend_from_slice(trailer);
    put_uvarint(&mut out, block.restart_interval as u64);
    put_uvarint(&mut out, groups.len() as u64);
    for column in
        [values(&groups), lengths(&groups), numbers(&groups), names(&groups), rests(&groups), entries(&groups)]
    {
        put_counted(&mut out, &column);
    }
    Some(out)
}

fn groups<'a>(block: &'a Block<'a>, trailer: &[u8]) -> Option<Vec<Group<'a>>> {
    let mut groups: Vec<Group<'a>> = Vec::new();
    for (key, entry) in &block.entries {
        let (key, of_key) = key.split_last_chunk::<TRAILER_BYTES>()?;
        let (value, row) = split(key)?;
        if of_key != trailer {
            return None;
        }
        match groups.last_mut() {
            Some(group) if group.value == value => group.rows.push((row, *entry)),
            _ => groups.push(Group { value, rows: vec![(row, *entry)] }),
        }
    }
    groups.iter_mut().for_each(|group| group.rows.sort_by_key(|(row, _)| (row.partition.len(), *row)));
    Some(groups)
}

/// Each value, and how many rows it has.
fn values(groups: &[Group<'_>]) -> Vec<u8> {
    let (mut out, mut before): (_, &[u8]) = (Vec::new(), &[]);
    for group in groups {
        put_shared(&mut out, before, group.value);
        put_uvarint(&mut out, group.rows.len() as u64);
        before = group.value;
    }
    out
}

/// Runs of keys of one length.
fn lengths(groups: &[Group<'_>]) -> Vec<u8> {
    let mut runs: Vec<(usize, u64)> = Vec::new();
    for (row, _) in groups.iter().flat_map(|group| &group.rows) {
        match runs.last_mut() {
            Some((length, count)) if *length == row.partition.len() => *count += 1,
            _ => runs.push((row.partition.len(), 1)),
        }
    }
    let mut out = Vec::new();
    for (length, count) in runs {
        put_uvarint(&mut out, length as u64);
        put_uvarint(&mut out, count);
    }
    out
}

/// Of short keys: the first of each group and length, and the gaps between the others.
fn numbers(groups: &[Group<'_>]) -> Vec<u8> {
    let gaps: Vec<Gaps> = groups.iter().map(Gaps::of).collect();
    let firsts = gaps.iter().flat_map(|gaps| &gaps.firsts);
    let first_width = width_of(firsts.clone().map(|&first| u128::from(first)).sum(), firsts.count());
    let small = gaps.iter().filter(|gaps| !gaps.is_large).flat_map(|gaps| &gaps.others);
    let small_width = width_of(small.clone().map(|&gap| u128::from(gap)).sum(), small.count());
    let mut bits = BitWriter::default();
    bits.bits(u64::from(first_width), WIDTH_BITS);
    bits.bits(u64::from(small_width), WIDTH_BITS);
    for gaps in &gaps {
        let own_width = width_of(gaps.others.iter().map(|&gap| u128::from(gap)).sum(), gaps.others.len());
        let width = if gaps.is_large { own_width } else { small_width };
        if gaps.is_large {
            bits.bits(u64::from(own_width), WIDTH_BITS);
        }
        for &(number, is_first) in &gaps.all {
            bits.rice(number, if is_first { first_width } else { width });
        }
    }
    bits.into_bytes()
}

struct Gaps {
    is_large: bool,
    all: Vec<(u64, bool)>,
    firsts: Vec<u64>,
    others: Vec<u64>,
}

impl Gaps {
    fn of(group: &Group<'_>) -> Self {
        let mut before = None;
        let short = group.rows.iter().map(|(row, _)| row.partition).filter(|key| key.len() <= NUMBER_BYTES);
        let all: Vec<(u64, bool)> = short
            .map(|key| {
                let number = number(key);
                let gap = match before {
                    Some((length, earlier)) if length == key.len() => (number - earlier, false),
                    _ => (number, true),
                };
                before = Some((key.len(), number));
                gap
            })
            .collect();
        let numbers =
            |first: bool| all.iter().filter(move |(_, is_first)| *is_first == first).map(|(number, _)| *number);
        let (firsts, others) = (numbers(true).collect(), numbers(false).collect());
        Self { is_large: group.rows.len() >= LARGE_GROUP, all, firsts, others }
    }
}

fn number(key: &[u8]) -> u64 {
    key.iter().fold(0, |number, &byte| number << 8 | u64::from(byte))
}

/// Long keys, by what differs from the one before in the group.
fn names(groups: &[Group<'_>]) -> Vec<u8> {
    let mut out = Vec::new();
    for group in groups {
        let mut before: &[u8] = &[];
        for (row, _) in group.rows.iter().filter(|(row, _)| row.partition.len() > NUMBER_BYTES) {
            let shared = before.iter().zip(row.partition).take_while(|(a, b)| a == b).count();
            put_uvarint(&mut out, shared as u64);
            out.extend_from_slice(&row.partition[shared..]);
            before = row.partition;
        }
    }
    out
}

/// Clusterings and paths; nothing if no row has any.
fn rests(groups: &[Group<'_>]) -> Vec<u8> {
    let rows = || groups.iter().flat_map(|group| &group.rows).map(|(row, _)| row.rest);
    let mut out = Vec::new();
    if rows().all(<[u8]>::is_empty) {
        return out;
    }
    rows().fold(&[][..], |before, rest| {
        put_shared(&mut out, before, rest);
        rest
    });
    out
}

/// The entries themselves: once if they are equal, byte by byte if they are of one length, else one after the other.
fn entries(groups: &[Group<'_>]) -> Vec<u8> {
    let entries: Vec<&[u8]> = groups.iter().flat_map(|group| &group.rows).map(|(_, entry)| *entry).collect();
    let (Some(first), mut out) = (entries.first(), Vec::new()) else { return Vec::new() };
    if entries.iter().all(|entry| entry == first) {
        out.push(Entries::Equal as u8);
        out.extend_from_slice(first);
    } else if entries.iter().all(|entry| entry.len() == first.len()) {
        out.push(Entries::Transposed as u8);
        put_uvarint(&mut out, first.len() as u64);
        (0..first.len()).for_each(|at| out.extend(entries.iter().map(|entry| entry[at])));
    } else {
        out.push(Entries::Counted as u8);
        entries.iter().for_each(|entry| put_counted(&mut out, entry));
    }
    out
}
