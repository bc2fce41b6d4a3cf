// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Which other nodes have a token's rows, and how many replicas a consistency level wants.

use smallvec::SmallVec;

use super::digest::HostId;

/// The other natural replicas in the local data center, by token.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Replicas {
    /// Replicas that must have answered, this node included, by the code of the consistency level.
    block_for: Box<[(u8, u16)]>,
    hosts: Box<[HostId]>,
    /// Numbers of hosts.
    sets: Box<[Box<[u16]>]>,
    /// Behind the left token, up to the right one; sorted. And the number of the set.
    ranges: Box<[(i64, i64, u32)]>,
}

impl Replicas {
    /// Reads the part of a table's opening; what follows it. `None` where the bytes are not that.
    pub(super) fn decode(bytes: &[u8]) -> Option<(Replicas, &[u8])> {
        let mut rest = bytes;
        let levels = list(&mut rest, 3, |of| Some((*of.first()?, u16::from_be_bytes(*of.last_chunk()?))))?;
        let hosts = list(&mut rest, 16, |of| of.first_chunk().copied())?;
        let mut sets = Vec::new();
        for _ in 0..count(&mut rest)? {
            let set = list(&mut rest, 2, |of| of.first_chunk().copied().map(u16::from_be_bytes))?;
            if set.iter().any(|host| usize::from(*host) >= hosts.len()) {
                return None;
            }
            sets.push(set);
        }
        let ranges = list(&mut rest, 20, |of| {
            let (left, of) = of.split_first_chunk()?;
            let (right, of) = of.split_first_chunk()?;
            Some((i64::from_be_bytes(*left), i64::from_be_bytes(*right), u32::from_be_bytes(*of.first_chunk()?)))
        })?;
        let are_known = ranges.iter().all(|(left, right, set)| left < right && (*set as usize) < sets.len());
        let are_sorted = ranges.windows(2).all(|two| matches!(two, [one, next] if one.1 <= next.0));
        let replicas = Replicas { block_for: levels, hosts, sets: sets.into(), ranges };
        (are_known && are_sorted).then_some((replicas, rest))
    }

    /// How many other replicas must agree at a consistency level; `None` if none or too many of them would have to.
    pub(crate) fn needed(&self, level: u16) -> Option<usize> {
        self.acknowledging(level).filter(|others| *others > 0)
    }

    /// How many other replicas must have a write at a consistency level before it is acknowledged; `None` where Cassandra decides.
    pub(crate) fn acknowledging(&self, level: u16) -> Option<usize> {
        let (_, wanted) = self.block_for.iter().find(|(code, _)| u16::from(*code) == level)?;
        usize::from(*wanted).checked_sub(1)
    }

    /// Whether this node has the rows of a token.
    pub(crate) fn has(&self, token: i64) -> bool {
        self.range_of(token).is_some()
    }

    fn range_of(&self, token: i64) -> Option<&(i64, i64, u32)> {
        let at = self.ranges.partition_point(|(_, right, _)| *right < token);
        self.ranges.get(at).filter(|(left, ..)| *left < token)
    }

    /// The other replicas of a token.
    pub(crate) fn of(&self, token: i64) -> SmallVec<[HostId; 4]> {
        let set = self.range_of(token).and_then(|range| self.sets.get(range.2 as usize));
        let hosts = set.map_or(&[][..], |set| &**set);
        hosts.iter().filter_map(|host| self.hosts.get(usize::from(*host)).copied()).collect()
    }
}

fn count(bytes: &mut &[u8]) -> Option<usize> {
    let (count, rest) = bytes.split_first_chunk()?;
    *bytes = rest;
    usize::try_from(u32::from_be_bytes(*count)).ok()
}

/// As many elements of so many bytes as a count says.
fn list<T>(bytes: &mut &[u8], each: usize, read: impl Fn(&[u8]) -> Option<T>) -> Option<Box<[T]>> {
    let count = count(bytes)?;
    let (all, rest) = bytes.split_at_checked(count.checked_mul(each)?)?;
    *bytes = rest;
    all.chunks_exact(each).map(read).collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
pub(crate) mod tests {
    use super::*;

    /// Levels with their numbers of replicas, hosts, sets of these, ranges with their sets.
    pub(crate) fn bytes(
        levels: &[(u8, u16)],
        hosts: &[HostId],
        sets: &[&[u16]],
        ranges: &[(i64, i64, u32)],
    ) -> Vec<u8> {
        let mut out = Vec::new();
        let count = |count: usize, out: &mut Vec<u8>| out.extend_from_slice(&(count as u32).to_be_bytes());
        count(levels.len(), &mut out);
        levels.iter().for_each(|(code, wanted)| out.extend([&[*code][..], &wanted.to_be_bytes()].concat()));
        count(hosts.len(), &mut out);
        hosts.iter().for_each(|host| out.extend(host));
        count(sets.len(), &mut out);
        for set in sets {
            count(set.len(), &mut out);
            set.iter().for_each(|host| out.extend(host.to_be_bytes()));
        }
        count(ranges.len(), &mut out);
        for (left, right, set) in ranges {
            out.extend([&left.to_be_bytes()[..], &right.to_be_bytes(), &set.to_be_bytes()].concat());
        }
        out
    }

    const HOSTS: [HostId; 3] = [[1; 16], [2; 16], [3; 16]];

    fn three() -> Vec<u8> {
        bytes(&[(4, 2), (5, 3), (10, 1)], &HOSTS, &[&[0, 1], &[2, 1]], &[(i64::MIN, 0, 0), (0, 10, 1), (20, 30, 0)])
    }

    #[test]
    fn a_token_has_the_replicas_of_the_range_that_ends_with_it() {
        let bytes = three();
        let (replicas, rest) = Replicas::decode(&bytes).unwrap();
        assert!(rest.is_empty());
        let [one, two, three] = HOSTS;
        for (token, hosts) in [
            (i64::MIN + 1, vec![one, two]),
            (0, vec![one, two]),
            (1, vec![three, two]),
            (10, vec![three, two]),
            (11, vec![]),
            (20, vec![]),
            (30, vec![one, two]),
            (31, vec![]),
            (i64::MAX, vec![]),
        ] {
            assert_eq!(replicas.of(token).to_vec(), hosts, "{token}");
        }
    }

    #[test]
    fn levels_want_others_but_for_this_node() {
        let bytes = three();
        let (replicas, _) = Replicas::decode(&bytes).unwrap();
        assert_eq!([1, 4, 5, 10].map(|level| replicas.needed(level)), [None, Some(1), Some(2), None]);
    }

    #[test]
    fn other_bytes_are_refused() {
        let good = three();
        for length in 0..good.len() {
            assert!(Replicas::decode(&good[..length]).is_none(), "{length} bytes");
        }
        let refused = |sets: &[&[u16]], ranges: &[(i64, i64, u32)]| {
            Replicas::decode(&bytes(&[(4, 2)], &HOSTS, sets, ranges)).is_none()
        };
        assert!(refused(&[&[3]], &[]) && refused(&[], &[(0, 1, 0)]));
        assert!(refused(&[&[0]], &[(5, 5, 0)]) && refused(&[&[0]], &[(0, 5, 0), (4, 9, 0)]));
    }
}
