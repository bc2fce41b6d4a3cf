// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The engine's read requests.

use super::support::*;
use crate::reason::Reason;
use crate::statement::execute::Execute;
use crate::statement::recipe::Recipe;
use cassiterite_codec::key::{encode_partition, murmur3_token};

const CHUNK_BYTES: u32 = 1 << 20;

fn request(recipe: &Recipe, execute: &ExecuteBytes) -> Result<(i64, Vec<u8>), Reason> {
    let body = execute.encode();
    let execute = Execute::parse(execute.version, &body)?;
    let mut request = b"left over".to_vec();
    recipe.read_request(&execute, &mut request).map(|token| (token, request))
}

fn little(bytes: &[u8]) -> Vec<u8> {
    [&(bytes.len() as u32).to_le_bytes()[..], bytes].concat()
}

/// The request for some points.
fn points(flags: u8, key: &[u8], points: &[&[u8]]) -> Vec<u8> {
    let mut partition = Vec::new();
    encode_partition(murmur3_token(key), key, &mut partition);
    let head = [&[2, flags | 4][..], &CHUNK_BYTES.to_le_bytes(), &[0; 4], &little(&partition)].concat();
    let points: Vec<_> = points.iter().map(|point| little(point)).collect();
    [head, (points.len() as u32).to_le_bytes().to_vec(), points.concat()].concat()
}

#[test]
fn one_row_by_its_whole_key() {
    let (token, bytes) = request(&RecipeBytes::default().recipe(), &ExecuteBytes::new(4, &[&int(7), &int(5)])).unwrap();
    assert_eq!(token, murmur3_token(&int(7)));
    assert_eq!(bytes, points(0, &int(7), &[&[0x40, 0x80, 0, 0, 5, 0x38]]));
}

#[test]
fn a_key_of_several_components_with_a_constant() {
    let recipe = RecipeBytes { partition: vec![bind(1, TEXT), constant(b"xyz")], ..RecipeBytes::default() };
    let recipe = RecipeBytes { selection: rows(&[vec![bind(0, INT)]]), clustering: vec![INT | 0x80], ..recipe };
    let (_, bytes) = request(&recipe.recipe(), &ExecuteBytes::new(3, &[&int(-1), b""])).unwrap();
    let key = [0, 0, 0, 0, 3, b'x', b'y', b'z', 0];
    assert_eq!(bytes, points(0, &key, &[&[0x40, 0x80, 0, 0, 0, 0x38]]));
}

#[test]
fn a_table_without_clustering_columns_with_static_row_asked_for() {
    let recipe =
        RecipeBytes { clustering: vec![], selection: rows(&[vec![]]), binds: 1, flags: 2, ..RecipeBytes::default() };
    let recipe = RecipeBytes { columns: vec![key(0)], ..recipe };
    let (_, bytes) = request(&recipe.recipe(), &ExecuteBytes::new(3, &[&int(7)])).unwrap();
    assert_eq!(bytes, points(2, &int(7), &[&[0x38]]));
}

#[test]
fn values_that_need_cassandra() {
    let recipe =
        RecipeBytes { limit: [&[2][..], &2u16.to_be_bytes()].concat(), binds: 3, ..RecipeBytes::default() }.recipe();
    let text = RecipeBytes { partition: vec![bind(0, TEXT)], ..RecipeBytes::default() }.recipe();
    let two = RecipeBytes { partition: vec![bind(0, TEXT), bind(0, TEXT)], ..RecipeBytes::default() }.recipe();
    let (one, long, half) = (int(1), vec![b'x'; 65_536], vec![b'x'; 40_000]);
    for (recipe, values, reason) in [
        (&recipe, &[&one[..], &one][..], Reason::ValueCount),
        (&recipe, &[&one, &one, &one, &one], Reason::ValueCount),
        (&recipe, &[&[1], &one, &one], Reason::InvalidValue),
        (&recipe, &[&[], &one, &one], Reason::InvalidValue),
        (&recipe, &[&one, &[], &one], Reason::InvalidValue),
        (&recipe, &[&one, &one, &[]], Reason::Limit),
        (&recipe, &[&one, &one, &[0; 4]], Reason::Limit),
        (&recipe, &[&one, &one, &[0xFF; 4]], Reason::Limit),
        (&text, &[&[0xFF], &one], Reason::InvalidValue),
        (&text, &[&[], &one], Reason::KeyLength),
        (&text, &[&long, &one], Reason::KeyLength),
        (&two, &[&long, &one], Reason::KeyLength),
        (&two, &[&half, &one], Reason::KeyLength),
    ] {
        assert_eq!(request(recipe, &ExecuteBytes::new(4, values)), Err(reason));
    }
    let clustered =
        RecipeBytes { clustering: vec![TEXT], selection: rows(&[vec![bind(1, TEXT)]]), ..Default::default() };
    assert_eq!(request(&clustered.recipe(), &ExecuteBytes::new(4, &[&one, &long])), Err(Reason::KeyLength));
    assert!(request(&text, &ExecuteBytes::new(4, &[&long[1..], &one])).is_ok());
    assert!(request(&recipe, &ExecuteBytes::new(4, &[&one, &one, &one])).is_ok());
}
