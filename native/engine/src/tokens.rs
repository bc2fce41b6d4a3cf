// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Token ranges, and the keys that lie in them (docs/internals/boundary.md, Token ranges).

use crate::bytes::Bytes;
use crate::error::{EngineError, Result};
use cassiterite_codec::key;

/// What all keys begin with, before their token.
const KEY_START: u8 = 0x40;

/// Tokens behind `left` up to `right`, included. No key has the smallest token, so (`i64::MIN`, `i64::MAX`] is all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct TokenRange {
    pub left: i64,
    pub right: i64,
}

impl TokenRange {
    pub(crate) const ALL: TokenRange = TokenRange { left: i64::MIN, right: i64::MAX };

    /// `u32 count, count * (i64 left, i64 right)`, as they stand.
    pub(crate) fn list(request: &[u8]) -> Result<Vec<TokenRange>> {
        let mut bytes = Bytes::new(request, "list of token ranges");
        let ranges = Self::take_list(&mut bytes)?;
        bytes.end()?;
        Ok(ranges)
    }

    /// [`TokenRange::list`] in the middle of something else.
    pub(crate) fn take_list(bytes: &mut Bytes<'_>) -> Result<Vec<TokenRange>> {
        let mut ranges = Vec::new();
        for _ in 0..bytes.u32()? {
            let range = TokenRange { left: bytes.i64()?, right: bytes.i64()? };
            if range.left >= range.right {
                return Err(bytes.malformed(&format!("the range ({}, {}] is empty", range.left, range.right)));
            }
            ranges.push(range);
        }
        Ok(ranges)
    }

    /// No key of the range is smaller.
    pub(crate) fn first_key(&self) -> Vec<u8> {
        key_from(self.left.saturating_add(1))
    }

    /// Smaller than every key behind the range, and larger than all in it.
    pub(crate) fn end_key(&self) -> Vec<u8> {
        match self.right.checked_add(1) {
            Some(next) => key_from(next),
            None => vec![KEY_START + 1],
        }
    }

    fn contains(&self, token: i64) -> bool {
        token > self.left && token <= self.right
    }
}

/// The first bytes of all keys with this token.
fn key_from(token: i64) -> Vec<u8> {
    let mut key = vec![KEY_START];
    key.extend_from_slice(&ordered(token).to_be_bytes());
    key
}

/// The token as a number that sorts, unsigned, as keys do.
pub(crate) fn ordered(token: i64) -> u64 {
    (token as u64) ^ (1 << 63)
}

/// The token of a key that the store holds.
pub(crate) fn token_of(found: &[u8]) -> Result<i64> {
    key::token(found)
        .map_err(|error| EngineError::corruption(format!("a key of the table is not one: {error}")).caused_by(error))
}

/// A set of tokens: ascending ranges that neither overlap nor touch.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub(crate) struct TokenSet(Vec<TokenRange>);

impl TokenSet {
    /// Everything that is in any of the ranges.
    pub(crate) fn of(mut ranges: Vec<TokenRange>) -> TokenSet {
        ranges.sort_unstable();
        let mut joined: Vec<TokenRange> = Vec::with_capacity(ranges.len());
        for range in ranges {
            match joined.last_mut() {
                Some(last) if range.left <= last.right => last.right = last.right.max(range.right),
                _ => joined.push(range),
            }
        }
        TokenSet(joined)
    }

    pub(crate) fn all() -> TokenSet {
        TokenSet(vec![TokenRange::ALL])
    }

    /// The tokens from one to another, both included.
    pub(crate) fn between(first: i64, last: i64) -> TokenSet {
        TokenSet(vec![TokenRange { left: first.saturating_sub(1), right: last }])
    }

    pub(crate) fn ranges(&self) -> &[TokenRange] {
        &self.0
    }

    /// The part of all tokens that is in the set.
    pub(crate) fn share(&self) -> f64 {
        let tokens = |range: &TokenRange| range.right.wrapping_sub(range.left) as u64 as f64;
        self.0.iter().map(tokens).sum::<f64>() / 2f64.powi(64)
    }

    /// Everything else.
    pub(crate) fn complement(&self) -> TokenSet {
        let mut rest = Vec::with_capacity(self.0.len() + 1);
        let mut left = i64::MIN;
        for range in &self.0 {
            if range.left > left {
                rest.push(TokenRange { left, right: range.left });
            }
            left = range.right;
        }
        if left < i64::MAX {
            rest.push(TokenRange { left, right: i64::MAX });
        }
        TokenSet(rest)
    }

    /// What is in this set and not in the other one.
    pub(crate) fn minus(&self, other: &TokenSet) -> TokenSet {
        let rest = self.complement();
        TokenSet::of([rest.ranges(), other.ranges()].concat()).complement()
    }

    /// The range that holds `token`.
    fn around(&self, token: i64) -> Option<&TokenRange> {
        self.next(token).filter(|range| range.contains(token))
    }

    /// The first range that does not end before `token`.
    fn next(&self, token: i64) -> Option<&TokenRange> {
        self.0.get(self.0.partition_point(|range| range.right < token))
    }

    pub(crate) fn contains(&self, token: i64) -> bool {
        self.around(token).is_some()
    }

    /// Where the set goes on behind a `token` that it does not hold: a key behind all where it does not.
    pub(crate) fn resume_key(&self, token: i64) -> Vec<u8> {
        self.next(token).map_or_else(|| TokenRange::ALL.end_key(), TokenRange::first_key)
    }

    /// Whether all tokens from one to another, included, are in the set.
    pub(crate) fn holds(&self, first: i64, last: i64) -> bool {
        self.around(first).is_some_and(|range| range.contains(last))
    }

    /// Whether any token from one to another, included, is in the set.
    pub(crate) fn touches(&self, first: i64, last: i64) -> bool {
        self.next(first).is_some_and(|range| range.left < last)
    }
}

#[cfg(test)]
mod tests {
    use super::{TokenRange, TokenSet};
    use crate::common::ranges;
    use cassiterite_testkit::spoilt::spoilt;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn arbitrary_bytes_never_panic(list in spoilt(vec![ranges(&[(i64::MIN, 3), (5, 9), (8, i64::MAX)])]), token: i64) {
            if let Ok(ranges) = TokenRange::list(&list) {
                let (set, keys) = (TokenSet::of(ranges.clone()), ranges.iter().map(|range| (range.first_key(), range.end_key())));
                prop_assert!(keys.into_iter().all(|(first, end)| first < end));
                prop_assert_ne!(set.contains(token), set.complement().contains(token));
                let _ = (set.resume_key(token), set.holds(token, i64::MAX), set.touches(i64::MIN, token));
            }
        }
    }

    fn set(ranges: &[(i64, i64)]) -> TokenSet {
        TokenSet::of(ranges.iter().map(|&(left, right)| TokenRange { left, right }).collect())
    }

    #[test]
    fn ranges_that_touch_or_overlap_are_joined() {
        assert_eq!(set(&[(5, 9), (0, 5), (20, 30), (8, 12)]), set(&[(0, 12), (20, 30)]));
        assert_eq!(set(&[(0, 100), (10, 20)]), set(&[(0, 100)]));
    }

    #[test]
    fn the_complement_of_the_complement_is_the_set() {
        let sets = [
            set(&[]),
            set(&[(i64::MIN, i64::MAX)]),
            set(&[(i64::MIN, 0)]),
            set(&[(0, i64::MAX)]),
            set(&[(-7, 3), (5, 6)]),
        ];
        for one in sets {
            assert_eq!(one.complement().complement(), one);
            for token in [i64::MIN + 1, -7, -6, 0, 1, 3, 4, 5, 6, 7, i64::MAX] {
                assert_ne!(one.contains(token), one.complement().contains(token), "{token} in {one:?}");
            }
        }
    }

    #[test]
    fn a_set_minus_another_is_what_only_it_holds() {
        assert_eq!(set(&[(0, 10), (20, 30)]).minus(&set(&[(5, 25)])), set(&[(0, 5), (25, 30)]));
        assert_eq!(set(&[(i64::MIN, 3)]).minus(&set(&[(-9, 0)])), set(&[(i64::MIN, -9), (0, 3)]));
        assert_eq!(set(&[(0, 10)]).minus(&set(&[(i64::MIN, i64::MAX)])), set(&[]));
        assert_eq!(set(&[(0, 10)]).minus(&set(&[])), set(&[(0, 10)]));
    }

    #[test]
    fn the_share_of_a_set_is_that_of_its_ranges() {
        assert_eq!(set(&[]).share(), 0.0);
        assert_eq!(set(&[(i64::MIN, i64::MAX)]).share(), 1.0);
        assert_eq!(set(&[(i64::MIN, -1), (1 << 62, i64::MAX)]).share(), 0.75);
    }

    #[test]
    fn left_ends_are_out_and_right_ends_in() {
        let one = set(&[(0, 10), (20, 30)]);
        assert!(!one.contains(0) && one.contains(1) && one.contains(10) && !one.contains(11));
        assert!(one.holds(1, 10) && !one.holds(0, 10) && !one.holds(5, 25));
        assert!(one.touches(-5, 1) && !one.touches(-5, 0) && one.touches(10, 15) && !one.touches(11, 20));
        assert!(one.touches(11, 21) && !one.touches(31, 40));
    }

    #[test]
    fn keys_bound_the_range() {
        let range = TokenRange { left: -1, right: 5 };
        let key = |token| {
            let mut key = Vec::new();
            cassiterite_codec::key::encode_partition(token, b"k", &mut key);
            key
        };
        assert!(key(-1) < range.first_key() && key(0) > range.first_key());
        assert!(key(5) < range.end_key() && key(6) > range.end_key());
        assert!(key(i64::MAX) < TokenRange::ALL.end_key());
        assert_eq!(set(&[(-1, 5), (9, 12)]).resume_key(7), TokenRange { left: 9, right: 12 }.first_key());
    }

    #[test]
    fn a_list_with_an_empty_range_is_refused() {
        let mut request = 1u32.to_le_bytes().to_vec();
        request.extend_from_slice(&5i64.to_le_bytes());
        request.extend_from_slice(&5i64.to_le_bytes());
        assert!(TokenRange::list(&request).is_err());
    }
}
