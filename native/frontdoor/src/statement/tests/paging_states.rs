// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Paging states are Cassandra's (tests/golden/README.md).

use super::support::unhex;
use crate::statement::paging::{Clustering, State};

const GOLDEN: &str = include_str!("../../../tests/golden/paging-states.txt");

#[test]
fn states_are_written_and_read_as_cassandra_does() {
    for line in GOLDEN.lines().filter(|line| !line.starts_with('#')) {
        let [values, rows, in_partition, state] = line.split(' ').collect::<Vec<_>>().try_into().unwrap();
        let value = |hex| match hex {
            "-" => None,
            "." => Some(vec![]),
            hex => Some(unhex(hex)),
        };
        let values: Vec<Option<Vec<u8>>> = values.split(',').map(value).collect();
        let state = unhex(state);
        let clustering: Clustering<'_> = values.iter().map(|value| value.as_deref()).collect();
        let (rows, in_partition) = (rows.parse().unwrap(), in_partition.parse().unwrap());
        let written = State { clustering: clustering.clone(), rows, in_partition }.encode();
        assert_eq!(written, state, "{line}");
        let read = State::read(&state, values.len()).unwrap();
        assert_eq!((read.clustering, read.rows, read.in_partition), (clustering, rows, in_partition), "{line}");
    }
}

#[test]
fn other_states_are_not_taken() {
    for state in [
        "",                   // nothing
        "0103020001",         // a partition key
        "0000ff01",           // no row
        "000300010100",       // cut short
        "0003000101010101",   // too long
        "0003000105010100",   // a value that is cut off
        "000380000101010101", // a length that is longer than it has to be
    ] {
        assert!(State::read(&unhex(state), 1).is_none(), "{state}");
    }
    assert!(State::read(&unhex("000300010a0101"), 1).is_some());
    assert!(State::read(&unhex("000300010a0101"), 2).is_none());
    assert!(State::read(&unhex("000300010a0101"), 0).is_none());
}
