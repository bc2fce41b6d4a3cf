// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! For what a table is opened: ranges of tokens, and consistency levels.

/// Tokens of which this node is a replica: behind the left one, up to the right one; sorted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Ranges(Vec<(i64, i64)>);

impl Ranges {
    /// Reads a count and as many pairs; what follows them. `None` where they overlap, or are not sorted.
    pub(super) fn decode(bytes: &[u8]) -> Option<(Ranges, &[u8])> {
        let (count, rest) = bytes.split_first_chunk()?;
        let (tokens, rest) = rest.split_at_checked((u32::from_be_bytes(*count) as usize).checked_mul(16)?)?;
        let tokens = tokens.chunks_exact(8).filter_map(|token| token.try_into().ok()).map(i64::from_be_bytes);
        let tokens: Vec<i64> = tokens.collect();
        let ranges: Vec<_> = tokens.chunks_exact(2).filter_map(|pair| Some((*pair.first()?, *pair.get(1)?))).collect();
        let is_sorted = ranges.iter().all(|(left, right)| left < right)
            && ranges.windows(2).all(|two| matches!(two, [one, next] if one.1 <= next.0));
        is_sorted.then_some((Ranges(ranges), rest))
    }

    /// Whether a token is in one of them.
    pub(crate) fn has(&self, token: i64) -> bool {
        let at = self.0.partition_point(|(_, right)| *right < token);
        self.0.get(at).is_some_and(|(left, _)| *left < token)
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }
}

/// Consistency levels at which no other replica has to take part: bit n is the level with the code n.
#[derive(Clone, Copy, Debug)]
pub(super) struct Levels(u32);

impl Levels {
    pub(super) fn of(bytes: &[u8; 4]) -> Levels {
        Levels(u32::from_be_bytes(*bytes))
    }

    pub(super) fn has(self, level: u16) -> bool {
        level < 32 && self.0 >> level & 1 == 1
    }
}
