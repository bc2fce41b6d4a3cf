// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The clients' P99 over all nodes, held against a bound.

use std::collections::HashMap;
use std::fmt;
use std::net::SocketAddr;

/// What a coordinator says of the requests of one table.
#[derive(Clone, Debug, PartialEq)]
pub struct Latency {
    /// The coordinator's address of CQL.
    pub node: SocketAddr,
    /// Its name.
    pub table: String,
    /// `read` or `write`.
    pub kind: &'static str,
    /// Requests since the node's start.
    pub count: u64,
    /// Milliseconds. Of a histogram of which Cassandra halves the weight each minute.
    pub p99_ms: f64,
}

impl fmt::Display for Latency {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:.3} ms ({} of {}, at {})", self.p99_ms, self.kind, self.table, self.node)
    }
}

/// What a look says.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// The worst, if there were requests since the last look.
    Within(Option<Latency>),
    /// The worst, and how many looks in a row have been so.
    Above(Latency, u32),
    /// So many that it is to stop.
    Passed(Latency),
}

/// A bound that must be passed in several looks in a row. What has had no request since the last look does not count: its
/// histogram tells of the past.
#[derive(Debug)]
pub struct Bound {
    max_ms: f64,
    looks: u32,
    above: u32,
    counts: HashMap<(SocketAddr, String, &'static str), u64>,
}

impl Bound {
    /// `looks` in a row above `max_ms` are too many; at least 1.
    pub fn new(max_ms: f64, looks: u32) -> Self {
        Self { max_ms, looks: looks.max(1), above: 0, counts: HashMap::new() }
    }

    /// Milliseconds.
    pub fn max_ms(&self) -> f64 {
        self.max_ms
    }

    /// How many looks in a row are too many.
    pub fn looks(&self) -> u32 {
        self.looks
    }

    /// Judges what the nodes have said at one time; `is_whole` if all have. What a silent node has not said ends no row of
    /// looks that were above.
    pub fn look(&mut self, seen: &[Latency], is_whole: bool) -> Verdict {
        let mut worst: Option<&Latency> = None;
        for latency in seen {
            let key = (latency.node, latency.table.clone(), latency.kind);
            let before = self.counts.insert(key, latency.count);
            // A node that has been started again counts anew.
            let asked = before.is_some_and(|before| before != latency.count);
            if asked && worst.is_none_or(|worst| latency.p99_ms > worst.p99_ms) {
                worst = Some(latency);
            }
        }
        match worst {
            Some(worst) if worst.p99_ms > self.max_ms => {
                self.above += 1;
                if self.above < self.looks {
                    Verdict::Above(worst.clone(), self.above)
                } else {
                    Verdict::Passed(worst.clone())
                }
            }
            within => {
                if is_whole {
                    self.above = 0;
                }
                Verdict::Within(within.cloned())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::panic)]
    use super::*;

    fn at(node: u8, count: u64, p99_ms: f64) -> Latency {
        let node = format!("10.0.0.{node}:9042").parse().unwrap();
        Latency { node, table: "orders".to_owned(), kind: "read", count, p99_ms }
    }

    #[test]
    fn only_so_many_looks_in_a_row_pass_it() {
        let mut bound = Bound::new(20.0, 2);
        assert_eq!(bound.look(&[at(1, 10, 30.0)], true), Verdict::Within(None), "nobody knows yet what is new");
        assert_eq!(bound.look(&[at(1, 11, 30.0)], true), Verdict::Above(at(1, 11, 30.0), 1));
        assert_eq!(bound.look(&[at(1, 12, 20.0)], true), Verdict::Within(Some(at(1, 12, 20.0))));
        assert_eq!(bound.look(&[at(1, 13, 21.0)], true), Verdict::Above(at(1, 13, 21.0), 1));
        assert_eq!(bound.look(&[at(1, 14, 21.0)], true), Verdict::Passed(at(1, 14, 21.0)));
    }

    #[test]
    fn the_worst_node_counts() {
        let mut bound = Bound::new(20.0, 1);
        bound.look(&[at(1, 1, 1.0), at(2, 1, 1.0)], true);
        assert_eq!(bound.look(&[at(1, 2, 1.0), at(2, 2, 25.0)], true), Verdict::Passed(at(2, 2, 25.0)));
    }

    #[test]
    fn what_nobody_asks_tells_of_the_past() {
        let mut bound = Bound::new(20.0, 1);
        bound.look(&[at(1, 7, 90.0), at(2, 1, 1.0)], true);
        assert_eq!(bound.look(&[at(1, 7, 90.0), at(2, 2, 3.0)], true), Verdict::Within(Some(at(2, 2, 3.0))));
    }

    #[test]
    fn a_node_that_says_nothing_is_not_calm() {
        let mut bound = Bound::new(20.0, 2);
        bound.look(&[at(1, 1, 30.0), at(2, 1, 1.0)], true);
        assert_eq!(bound.look(&[at(1, 2, 30.0), at(2, 2, 1.0)], true), Verdict::Above(at(1, 2, 30.0), 1));
        assert_eq!(bound.look(&[at(2, 3, 1.0)], false), Verdict::Within(Some(at(2, 3, 1.0))));
        assert_eq!(bound.look(&[at(1, 3, 30.0), at(2, 4, 1.0)], true), Verdict::Passed(at(1, 3, 30.0)));
    }
}
