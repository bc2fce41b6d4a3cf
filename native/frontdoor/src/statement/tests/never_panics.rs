// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Bytes of any kind are answered or forwarded, never more.

use super::slices::{bottom, slices, top};
use super::support::*;
use crate::statement::execute::Execute;
use crate::statement::recipe::Recipe;
use crate::statement::response::Answer;
use cassiterite_codec::header::{self, Position, Range};
use cassiterite_codec::row::{Cell, Liveness};
use cassiterite_codec::DeletionTime;
use proptest::prelude::*;
use proptest::sample::Index;

/// Good bytes, with some of them changed, cut off or added; or any bytes.
fn spoilt(good: Vec<Vec<u8>>) -> impl Strategy<Value = Vec<u8>> {
    let changes = prop::collection::vec((any::<Index>(), any::<u8>()), 0..4);
    let changed = (prop::sample::select(good), changes, any::<Index>(), any::<bool>());
    let changed = changed.prop_map(|(mut bytes, changes, end, is_cut)| {
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        if is_cut {
            bytes.truncate(end.index(bytes.len() + 1));
        }
        bytes
    });
    prop_oneof![4 => changed, 1 => prop::collection::vec(any::<u8>(), 0..200)]
}

fn executes() -> Vec<Vec<u8>> {
    let execute = |version| ExecuteBytes::new(version, &[&int(7), &int(5)]);
    vec![
        execute(3).encode(),
        execute(4).with(4, &9i32.to_be_bytes()).with(8, &counted(&[0, 2, 0, 5, 9, 9])).encode(),
        execute(5).with(0x100, &[1; 4]).encode(),
    ]
}

fn recipes() -> Vec<Vec<u8>> {
    let with_static = RecipeBytes { statics: vec![4], flags: 6, ..RecipeBytes::default() };
    let encoders: [&[u8]; 6] = [&[0], &[1], &[2], &[3], &[4, 0, 3], &[5]];
    let of = |encoder: &&[u8]| RecipeBytes { columns: vec![regular(1, encoder)], ..RecipeBytes::default() }.encode();
    let sliced = RecipeBytes { selection: slices(&[(bottom(), top())]), binds: 2, ..RecipeBytes::default() };
    let all = encoders.iter().map(of).chain([with_static.encode(), sliced.encode()]);
    all.chain([RecipeBytes::default().encode()]).collect()
}

fn answers() -> Vec<Vec<u8>> {
    let row = |clustering: Option<&[u8]>, kind| {
        let columns = [(1, Cell::live(T, b"value")), (2, Cell::tombstone(T, NOW_S))];
        entry(kind, &fragment(clustering, Liveness::without_ttl(T), DeletionTime::LIVE, &columns))
    };
    let header = |start: &[u8], end: &[u8]| {
        let position = |order| Position { order, raw: &[] };
        let (start, end, deletion) = (position(start), position(end), DeletionTime::new(T - 1, NOW_S));
        let range = Range { start, end, deletion };
        let mut out = Vec::new();
        header::write(&DeletionTime::LIVE, &[range], &mut out);
        entry(HEADER, &out)
    };
    let rows = [row(Some(&raw_int(5)), ROW), row(Some(&raw_int(6)), ROW), entry(SLICE_END, &[])].concat();
    let many = many_cells(
        DeletionTime::LIVE,
        DeletionTime::LIVE,
        &[(b"a", Cell::live(T, b"x")), (&[0, 1], Cell::tombstone(T, NOW_S)), (&[0, 2], Cell::live(T, b"y"))],
    );
    vec![entry(ROW, &many), [header(&[0x20], &[0x60]), row(None, STATIC), rows.clone()].concat(), rows]
}

/// Whether the response is as long as it says.
fn is_whole(response: &[u8]) -> bool {
    response.len() >= 16
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn requests(version in 0..7u8, body in spoilt(executes())) {
        let recipe = RecipeBytes::default().recipe();
        let _ = Execute::statement_id(&body);
        if let Ok(execute) = Execute::parse(version, &body) {
            let mut request = Vec::new();
            let _ = recipe.read_request(&execute, &mut request);
        }
    }

    #[test]
    fn recipes_with_answers(recipe in spoilt(recipes()), execute in spoilt(executes()), answer in spoilt(answers())) {
        let recipe = Recipe::decode(&recipe).unwrap_or_else(|_| RecipeBytes::default().recipe());
        if let Ok(execute) = Execute::parse(4, &execute) {
            let (mut request, mut body) = (Vec::new(), Vec::new());
            let _ = recipe.read_request(&execute, &mut request);
            let served = recipe.rows(&execute, Answer { entries: &answer, is_complete: true }, NOW_S, 10, &mut body);
            prop_assert!(served.is_err() == body.is_empty() && (served.is_err() || is_whole(&body)));
        }
    }
}
