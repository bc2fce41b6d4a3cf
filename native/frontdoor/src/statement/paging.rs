// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Pages of a result: how many rows one has, from where it continues, and whether others follow.
//!
//! The rules are those of `AbstractQueryPager`, `SinglePartitionPager` and `DataLimits`; states are in the form of
//! `PagingState.modernSerialize`, of versions 4 and 5 of the protocol.

use super::bytes::Bytes;
use super::execute::Execute;
use super::recipe::Recipe;
use crate::reason::Reason;
use smallvec::SmallVec;

/// The values of a clustering; `None` for null.
pub(super) type Clustering<'a> = SmallVec<[Option<&'a [u8]>; 8]>;

/// Since this version states have the form that is read and written here.
const MODERN: u8 = 4;
/// A clustering is written in groups of so many values; here it is one group at most.
const VALUES_MAX: usize = 32;

/// The page that a request wants.
#[derive(Debug)]
pub(super) struct Page<'a> {
    /// At most so many rows are read.
    pub rows_max: u32,
    /// The last row of the page before.
    pub after: Option<Clustering<'a>>,
    /// What is left, if the result comes in pages at all.
    left: Option<Left>,
}

/// What is left before a page.
#[derive(Clone, Copy, Debug)]
struct Left {
    /// Rows of a full page.
    page: u32,
    /// Rows by the limit.
    rows: u32,
    /// Rows by the limit per partition.
    in_partition: u32,
}

impl<'a> Page<'a> {
    /// The page that `execute` wants.
    pub(super) fn of(recipe: &Recipe, execute: &Execute<'a>) -> Result<Self, Reason> {
        let (limit, partition_limit) = (recipe.limit.rows(execute)?, recipe.partition_limit.rows(execute)?);
        let Some(size) = execute.page_size.filter(|size| limit > *size) else {
            return match execute.paging_state {
                Some(_) => Err(Reason::PagingState),
                None => Ok(Page { rows_max: limit.min(partition_limit), after: None, left: None }),
            };
        };
        let (after, rows, in_partition) = match execute.paging_state {
            None => (None, limit, partition_limit),
            Some(_) if execute.version < MODERN => return Err(Reason::PagingState),
            Some(state) => {
                let state = State::read(state, recipe.clustering.len()).ok_or(Reason::PagingState)?;
                let is_possible =
                    (1..=limit).contains(&state.rows) && (1..=partition_limit).contains(&state.in_partition);
                if !is_possible {
                    return Err(Reason::PagingState);
                }
                (Some(state.clustering), state.rows, state.in_partition)
            }
        };
        let page = size.min(rows);
        Ok(Page { rows_max: page.min(in_partition), after, left: Some(Left { page, rows, in_partition }) })
    }

    /// The state behind a page of `rows` rows that ended with `last`; `None` if it was the last page.
    pub(super) fn next(&self, version: u8, rows: u32, last: &Clustering<'_>) -> Result<Option<Vec<u8>>, Reason> {
        let Some(left) = self.left else { return Ok(None) };
        let (more, more_in_partition) = (left.rows.saturating_sub(rows), left.in_partition.saturating_sub(rows));
        let is_exhausted = rows < left.page || more == 0 || more_in_partition == 0 || last.is_empty();
        if is_exhausted {
            return Ok(None);
        }
        if version < MODERN || last.len() > VALUES_MAX {
            return Err(Reason::MorePages);
        }
        Ok(Some(State { clustering: last.clone(), rows: more, in_partition: more_in_partition }.encode()))
    }
}

/// What a paging state says.
pub(super) struct State<'a> {
    pub clustering: Clustering<'a>,
    pub rows: u32,
    pub in_partition: u32,
}

impl<'a> State<'a> {
    /// Reads the state of a read of one partition with so many clustering columns.
    pub(super) fn read(state: &'a [u8], columns: usize) -> Option<Self> {
        let mut bytes = Bytes::new(state);
        if vint(&mut bytes)? != 0 {
            return None; // a partition key, which such a read does not have
        }
        let length = usize::try_from(vint(&mut bytes)?).ok()?;
        let clustering = read_clustering(bytes.take(length)?, columns)?;
        let rows = u32::try_from(vint(&mut bytes)?).ok()?;
        let in_partition = u32::try_from(vint(&mut bytes)?).ok()?;
        bytes.is_done().then_some(State { clustering, rows, in_partition })
    }

    pub(super) fn encode(&self) -> Vec<u8> {
        let mut mark = Vec::new();
        put_clustering(&self.clustering, &mut mark);
        let mut out = Vec::with_capacity(mark.len() + 20);
        put_vint(0, &mut out);
        put_vint(mark.len() as u64, &mut out);
        out.extend_from_slice(&mark);
        put_vint(u64::from(self.rows), &mut out);
        put_vint(u64::from(self.in_partition), &mut out);
        out
    }
}

/// A clustering in the form of `Clustering.serializer`, all values being blobs: two bits for each say whether it is empty
/// or null.
fn read_clustering(bytes: &[u8], columns: usize) -> Option<Clustering<'_>> {
    if !(1..=VALUES_MAX).contains(&columns) {
        return None;
    }
    let mut bytes = Bytes::new(bytes);
    let kinds = vint(&mut bytes)?;
    let mut clustering = Clustering::new();
    for at in 0..columns {
        clustering.push(match kinds >> (2 * at) & 3 {
            0 => {
                let length = usize::try_from(vint(&mut bytes)?).ok()?;
                Some(bytes.take(length)?)
            }
            1 => Some(&[][..]),
            _ => None,
        });
    }
    bytes.is_done().then_some(clustering)
}

fn put_clustering(clustering: &Clustering<'_>, out: &mut Vec<u8>) {
    let kind = |value: &Option<&[u8]>| match value {
        None => 2,
        Some([]) => 1,
        Some(_) => 0,
    };
    put_vint(clustering.iter().rev().fold(0, |kinds, value| kinds << 2 | kind(value)), out);
    for value in clustering.iter().flatten().filter(|value| !value.is_empty()) {
        put_vint(value.len() as u64, out);
        out.extend_from_slice(value);
    }
}

/// Cassandra's unsigned vint: as many leading ones as there are bytes beyond the first, then the number. The shortest
/// form only.
fn vint(bytes: &mut Bytes<'_>) -> Option<u64> {
    let first = bytes.u8()?;
    let more = first.leading_ones();
    let start = u64::from(first) & (0xFF_u64 >> more);
    let number = bytes.take(more as usize)?.iter().fold(start, |number, byte| number << 8 | u64::from(*byte));
    (vint_bytes(number) == more as usize + 1).then_some(number)
}

fn put_vint(number: u64, out: &mut Vec<u8>) {
    let more = vint_bytes(number) - 1;
    let ones = !(0xFF_u64 >> more) as u8;
    match more {
        8 => out.push(0xFF),
        _ => out.push(ones | (number >> (8 * more)) as u8),
    }
    out.extend(number.to_be_bytes().iter().skip(8 - more));
}

fn vint_bytes(number: u64) -> usize {
    (63 - (number | 1).leading_zeros() as usize).min(62) / 7 + 1
}
