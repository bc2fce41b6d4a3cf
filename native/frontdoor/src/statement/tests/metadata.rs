// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! When a result has its metadata, as ExecuteMessage and ResultSet of Cassandra have it.

use super::support::*;

const OTHER_ID: [u8; 16] = [9; 16];

/// Flags, and what lies between the number of columns and the number of rows.
fn metadata(is_as_prepared: bool, execute: ExecuteBytes) -> (u32, Vec<u8>) {
    let recipe = RecipeBytes { is_as_prepared, ..RecipeBytes::default() }.recipe();
    let (response, _) = answered(&recipe, &execute, &[], 0).unwrap();
    assert_eq!(response[..4], 2i32.to_be_bytes());
    assert_eq!(response[8..12], 3i32.to_be_bytes());
    assert_eq!(response[response.len() - 4..], 0i32.to_be_bytes());
    (u32::from_be_bytes(response[4..8].try_into().unwrap()), response[12..response.len() - 4].to_vec())
}

fn execute(version: u8) -> ExecuteBytes {
    ExecuteBytes::new(version, &[&int(1), &int(2)])
}

#[test]
fn it_is_there_unless_a_client_says_otherwise() {
    for version in 3..=5 {
        assert_eq!(metadata(true, execute(version)), (1, tail(version)));
    }
    for version in 3..=4 {
        assert_eq!(metadata(false, execute(version)), (1, tail(version)));
    }
}

#[test]
fn until_version_4_it_may_be_left_out_while_it_is_that_of_the_preparation() {
    for version in 3..=4 {
        assert_eq!(metadata(true, execute(version).with(2, &[])), (1 | 4, vec![]));
        assert_eq!(metadata(false, execute(version).with(2, &[])), (1, tail(version)));
    }
}

#[test]
fn from_version_5_on_it_may_be_left_out_while_the_client_has_it() {
    for is_as_prepared in [true, false] {
        assert_eq!(metadata(is_as_prepared, execute(5)), (1, tail(5)));
        assert_eq!(metadata(is_as_prepared, execute(5).with(2, &[])), (1 | 4, vec![]));
        for flags in [1, 3] {
            let stale = ExecuteBytes { metadata_id: OTHER_ID, flags, ..execute(5) };
            let with_id = [&[0, 16][..], &METADATA_ID, &tail(5)].concat();
            assert_eq!(metadata(is_as_prepared, stale), (1 | 8, with_id));
        }
    }
}
