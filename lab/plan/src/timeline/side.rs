// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! One side of a network: the nodes that a disturbance is between, and all others.

use std::fmt;
use std::str::FromStr;

use anyhow::{Context, Result};

const MOST: u32 = u64::BITS;

/// Nodes by number, with spaces between, for a comma ends a word in a list of YAML; none: the disturbance is between any two nodes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Side(u64);

impl Side {
    /// Their numbers, from the lowest.
    pub fn numbers(self) -> impl Iterator<Item = u32> {
        (1..=MOST).filter(move |number| self.has(*number))
    }

    /// Whether none is named.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether a node is named.
    pub fn has(self, node: u32) -> bool {
        (1..=MOST).contains(&node) && self.0 >> (node - 1) & 1 == 1
    }
}

impl FromStr for Side {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<Self> {
        let mut nodes = 0;
        for word in text.split_whitespace() {
            let number: Option<u32> = word.strip_prefix("node").unwrap_or(word).parse().ok();
            let number = number.filter(|number| (1..=MOST).contains(number));
            nodes |= 1 << (number.with_context(|| format!("'{word}': a node from 1 to {MOST} is expected"))? - 1);
        }
        Ok(Self(nodes))
    }
}

impl fmt::Display for Side {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let numbers: Vec<String> = self.numbers().map(|number| number.to_string()).collect();
        formatter.write_str(&numbers.join(" "))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn nodes_are_read_once_each_and_in_their_order() {
        let side: Side = "node3 1 3".parse().unwrap();
        assert_eq!((side.to_string().as_str(), side.has(1), side.has(2), side.has(65)), ("1 3", true, false, false));
        assert_eq!("64".parse::<Side>().unwrap().numbers().collect::<Vec<_>>(), [64]);
        assert!(["0", "65", "1,2", "a"].iter().all(|text| text.parse::<Side>().is_err()));
        assert!(Side::default().is_empty() && !side.is_empty());
    }
}
