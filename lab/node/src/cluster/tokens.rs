// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Tokens for the nodes of a new cluster: evenly spread, so that every node owns the same share from the start and all
//! may start without streaming.

/// The tokens of node `index` (from 0) of `nodes`, with `vnodes` each. Neighbours on the ring are different nodes, and
/// so different racks, as far as there are several.
pub(super) fn evenly(index: u32, nodes: u32, vnodes: u32) -> Vec<i64> {
    let all = i128::from(nodes) * i128::from(vnodes);
    (0..i128::from(vnodes))
        .map(|vnode| {
            let position = vnode * i128::from(nodes) + i128::from(index);
            let token = i128::from(i64::MIN) + ((2 * position + 1) << 64) / (2 * all);
            // Half a share from the ends of the ring: never the smallest token, which no node may have.
            i64::try_from(token).unwrap_or(i64::MAX)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_equal_and_neighbours_differ() {
        for (nodes, vnodes) in [(1, 1), (3, 1), (3, 16), (7, 256)] {
            let mut ring: Vec<(i64, u32)> = (0..nodes)
                .flat_map(|index| evenly(index, nodes, vnodes).into_iter().map(move |token| (token, index)))
                .collect();
            ring.sort_unstable();
            ring.dedup_by_key(|(token, _)| *token);
            assert_eq!(ring.len(), (nodes * vnodes) as usize);
            assert!(ring.iter().all(|(token, _)| *token != i64::MIN && *token != i64::MAX));
            if nodes > 1 {
                assert!(ring.windows(2).all(|pair| pair[0].1 != pair[1].1));
            }
            let gaps: Vec<i128> = ring.windows(2).map(|pair| i128::from(pair[1].0) - i128::from(pair[0].0)).collect();
            assert!(gaps.iter().max() <= gaps.iter().min().map(|least| least + 1).as_ref());
        }
    }
}
