// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Counter contexts: the shards of a counter, and how two contexts become one (CounterContext of Cassandra).
//!
//! Unlike all else here these bytes are Cassandra's own and big-endian: i16 count of marks, marks (shard index for a
//! local shard, index - 32768 for a global one), then shards of 16 bytes id, i64 clock, i64 count, ascending by id.

use std::cmp::{Ordering, Reverse};

use smallvec::SmallVec;

use crate::error::CodecError;

const MARK_BYTES: usize = 2;
const ID_BYTES: usize = 16;
const SHARD_BYTES: usize = ID_BYTES + 8 + 8;

/// The kind of a shard, by precedence; a greater one replaces a lesser one of the same id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Trust {
    Remote,
    Local,
    Global,
}

#[derive(Debug, Clone, Copy)]
struct Shard {
    id: [u8; ID_BYTES],
    clock: i64,
    count: i64,
    trust: Trust,
}

type Shards = SmallVec<[Shard; 8]>;

/// Merges counter contexts, one counter after the other in the same buffers.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    shards: Shards,
    context: Vec<u8>,
}

impl Tally {
    /// The merge of one counter's contexts.
    pub(crate) fn merge(&mut self, contexts: &[&[u8]], column: u32) -> Result<&[u8], CodecError> {
        self.shards.clear();
        for context in contexts {
            read(context, &mut self.shards)
                .ok_or(CodecError::Conflict { what: "malformed counter context", column })?;
        }
        self.shards.sort_by_key(|shard| shard.id);
        self.shards.dedup_by(|next, kept| {
            let same = next.id == kept.id;
            if same {
                *kept = stronger(kept, next);
            }
            same
        });
        write(&self.shards, column, &mut self.context)?;
        Ok(&self.context)
    }
}

/// What a client sees of a counter: the sum of its shards; `None` if the context is malformed.
pub fn counter_total(context: &[u8]) -> Option<i64> {
    let (head, rest) = context.split_first_chunk::<MARK_BYTES>()?;
    let marks = usize::from(i16::from_be_bytes(*head).unsigned_abs());
    let shards = rest.get(marks * MARK_BYTES..)?.chunks_exact(SHARD_BYTES);
    if !shards.remainder().is_empty() {
        return None;
    }
    let counts = shards.filter_map(|shard| shard.last_chunk().map(|count| i64::from_be_bytes(*count)));
    Some(counts.fold(0, i64::wrapping_add))
}

/// Whether a context is one that a node of this age writes: whole, sorted, without local shards.
pub(crate) fn is_canonical(context: &[u8]) -> bool {
    let mut shards = Shards::new();
    let mut again = Vec::with_capacity(context.len());
    read(context, &mut shards).is_some()
        && shards.is_sorted_by(|one, two| one.id < two.id)
        && shards.iter().all(|shard| shard.trust != Trust::Local)
        && write(&shards, 0, &mut again).is_ok()
        && again == context
}

fn stronger(one: &Shard, two: &Shard) -> Shard {
    let order = one.trust.cmp(&two.trust).then_with(|| match one.trust {
        Trust::Global => (one.clock, one.count).cmp(&(two.clock, two.count)),
        Trust::Remote => remote_rank(one).cmp(&remote_rank(two)),
        Trust::Local => Ordering::Equal,
    });
    match order {
        Ordering::Equal if one.trust == Trust::Local => {
            Shard { clock: one.clock.wrapping_add(two.clock), count: one.count.wrapping_add(two.count), ..*one }
        }
        Ordering::Less => *two,
        _ => *one,
    }
}

/// Negative clocks (very old counters, converted) beat the others, the lowest first.
fn remote_rank(shard: &Shard) -> (Reverse<i64>, i64, i64) {
    (Reverse(shard.clock.min(0)), shard.clock, shard.count)
}

fn read(context: &[u8], shards: &mut Shards) -> Option<()> {
    let (head, rest) = context.split_first_chunk::<MARK_BYTES>()?;
    // a negated count asks a receiver to forget local shards; it has the same length
    let marks = usize::from(i16::from_be_bytes(*head).unsigned_abs());
    let (marks, body) = rest.split_at_checked(marks * MARK_BYTES)?;
    let mut marks = marks.chunks_exact(MARK_BYTES).map(big_endian_i16).peekable();
    let bodies = body.chunks_exact(SHARD_BYTES);
    if !bodies.remainder().is_empty() {
        return None;
    }
    for (at, shard) in bodies.enumerate() {
        let at = i16::try_from(at).ok()?;
        let trust = match marks.peek() {
            Some(&mark) if mark == at => Trust::Local,
            Some(&mark) if mark == at + i16::MIN => Trust::Global,
            _ => Trust::Remote,
        };
        if trust != Trust::Remote {
            marks.next();
        }
        shards.push(read_shard(shard, trust)?);
    }
    marks.peek().is_none().then_some(())
}

fn read_shard(bytes: &[u8], trust: Trust) -> Option<Shard> {
    let (id, rest) = bytes.split_first_chunk::<ID_BYTES>()?;
    let (clock, rest) = rest.split_first_chunk::<8>()?;
    let count = rest.first_chunk::<8>()?;
    Some(Shard { id: *id, clock: i64::from_be_bytes(*clock), count: i64::from_be_bytes(*count), trust })
}

fn big_endian_i16(bytes: &[u8]) -> i16 {
    bytes.iter().fold(0, |sum: i16, &byte| sum << 8 | i16::from(byte))
}

fn write(shards: &[Shard], column: u32, out: &mut Vec<u8>) -> Result<(), CodecError> {
    out.clear();
    out.extend_from_slice(&[0; MARK_BYTES]);
    let mut marks = 0i16;
    for (at, shard) in shards.iter().enumerate() {
        let too_many = CodecError::Conflict { what: "counter with more than 32767 shards", column };
        let at = i16::try_from(at).map_err(|_| too_many)?;
        let mark = match shard.trust {
            Trust::Remote => continue,
            Trust::Local => at,
            Trust::Global => at + i16::MIN,
        };
        out.extend_from_slice(&mark.to_be_bytes());
        marks += 1;
    }
    if let Some(head) = out.first_chunk_mut::<MARK_BYTES>() {
        *head = marks.to_be_bytes();
    }
    for shard in shards {
        out.extend_from_slice(&shard.id);
        out.extend_from_slice(&shard.clock.to_be_bytes());
        out.extend_from_slice(&shard.count.to_be_bytes());
    }
    Ok(())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn context(shards: &[(u8, i64, i64, Trust)]) -> Vec<u8> {
        let shards: Shards =
            shards.iter().map(|&(id, clock, count, trust)| Shard { id: [id; 16], clock, count, trust }).collect();
        let mut out = Vec::new();
        write(&shards, 1, &mut out).unwrap();
        out
    }

    fn merged(one: &[u8], two: &[u8]) -> Vec<u8> {
        let mut tally = Tally::default();
        let out = tally.merge(&[one, two], 1).unwrap().to_vec();
        assert_eq!(tally.merge(&[two, one], 1).unwrap(), out);
        out
    }

    #[test]
    fn one_global_shard_is_laid_out_as_cassandra_does() {
        let mut expected = vec![0, 1, 0x80, 0];
        expected.extend_from_slice(&[7; 16]);
        expected.extend_from_slice(&[0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 5]);
        assert_eq!(context(&[(7, 2, 5, Trust::Global)]), expected);
        assert!(is_canonical(&expected));
    }

    #[test]
    fn shards_of_one_id_merge_by_trust_then_clock_then_count() {
        use Trust::{Global, Local, Remote};
        let cases = [
            ((1, 5, Global), (2, 3, Global), (2, 3, Global)),
            ((2, 5, Global), (2, 3, Global), (2, 5, Global)),
            ((1, 5, Global), (9, 9, Local), (1, 5, Global)),
            ((1, 5, Global), (9, 9, Remote), (1, 5, Global)),
            ((1, 5, Local), (9, 9, Remote), (1, 5, Local)),
            ((1, 5, Local), (2, 9, Local), (3, 14, Local)),
            ((1, 5, Remote), (2, 3, Remote), (2, 3, Remote)),
            ((2, 5, Remote), (2, 3, Remote), (2, 5, Remote)),
            ((-2, 5, Remote), (7, 3, Remote), (-2, 5, Remote)),
            ((-2, 5, Remote), (-9, 3, Remote), (-9, 3, Remote)),
            ((0, 5, Remote), (4, 3, Remote), (4, 3, Remote)),
        ];
        for (one, two, expected) in cases {
            let of = |(clock, count, trust)| context(&[(1, clock, count, trust)]);
            assert_eq!(merged(&of(one), &of(two)), of(expected), "{one:?} {two:?}");
        }
    }

    #[test]
    fn shards_of_different_ids_are_all_kept_and_marks_renumbered() {
        use Trust::{Global, Remote};
        let one = context(&[(1, 1, 1, Remote), (3, 3, 3, Global)]);
        let two = context(&[(2, 2, 2, Global)]);
        let both = context(&[(1, 1, 1, Remote), (2, 2, 2, Global), (3, 3, 3, Global)]);
        assert_eq!(merged(&one, &two), both);
    }

    #[test]
    fn broken_contexts_are_errors() {
        let whole = context(&[(1, 1, 1, Trust::Global), (2, 2, 2, Trust::Remote)]);
        for length in 0..whole.len() {
            let cut = &whole[..length];
            let merged = Tally::default().merge(&[cut], 1).is_ok();
            assert_eq!(merged, length == whole.len() - SHARD_BYTES, "{length}");
        }
        assert!(!is_canonical(&context(&[(2, 1, 1, Trust::Global), (1, 1, 1, Trust::Global)])));
        assert!(!is_canonical(&context(&[(2, 1, 1, Trust::Local)])));
    }
}
