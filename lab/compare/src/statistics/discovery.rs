// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! False discovery rate: which of many differences count (Benjamini-Hochberg).

/// For each p-value whether it is a discovery at that rate of false ones (Benjamini and Hochberg 1995: the largest k with
/// `p(k) <= k * rate / m`). When nothing differs at all, as in an A/A run, the chance of any discovery is at most `rate`.
pub fn discoveries(p_values: &[f64], rate: f64) -> Vec<bool> {
    let mut sorted = p_values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let many = sorted.len() as f64;
    let limit = sorted
        .iter()
        .enumerate()
        .filter(|(rank, p)| **p <= (rank + 1) as f64 * rate / many)
        .map(|(_, p)| *p)
        .next_back();
    p_values.iter().map(|p| limit.is_some_and(|limit| *p <= limit)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_more_there_are_the_more_are_believed() {
        assert_eq!(discoveries(&[0.04, 0.5, 0.6, 0.9], 0.05), [false; 4]);
        assert_eq!(discoveries(&[0.04, 0.03, 0.02, 0.9], 0.05), [false; 4]);
        assert_eq!(discoveries(&[0.001, 0.01, 0.02, 0.9], 0.05), [true, true, true, false]);
        assert_eq!(discoveries(&[0.03, 0.001, 0.031, 0.04], 0.05), [true; 4]);
        assert!(discoveries(&[], 0.05).is_empty());
    }
}
