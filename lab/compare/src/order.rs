// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The order of the engines in each round.

/// The order of `engines` slots in a round: rotated from round to round and turned around after each full turn, so that
/// over `2 * engines` rounds each has been in every place equally often, before and after each other.
pub fn order(round: usize, engines: usize) -> Vec<usize> {
    let turned = engines > 2 && (round / engines) % 2 == 1;
    (0..engines)
        .map(|place| {
            let place = if turned { engines - 1 - place } else { place };
            (place + round) % engines
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_engines_alternate() {
        assert_eq!([order(0, 2), order(1, 2), order(2, 2)], [[0, 1], [1, 0], [0, 1]]);
    }

    #[test]
    fn each_is_in_each_place_equally_often() {
        for engines in 1..=4 {
            for place in 0..engines {
                let mut seen = vec![0; engines];
                (0..2 * engines).for_each(|round| seen[order(round, engines)[place]] += 1);
                assert_eq!(seen, vec![2; engines]);
            }
        }
        let before = (0..6).filter(|round| {
            let order = order(*round, 3);
            order.iter().position(|slot| *slot == 0) < order.iter().position(|slot| *slot == 1)
        });
        assert_eq!(before.count(), 3);
    }
}
