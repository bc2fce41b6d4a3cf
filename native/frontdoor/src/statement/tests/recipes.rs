// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Bytes that are no recipe are refused, and say why.

use super::slices::{bottom, slices, top};
use super::support::*;
use crate::statement::recipe::Recipe;

fn refusal(recipe: RecipeBytes) -> String {
    Recipe::decode(&recipe.encode()).unwrap_err().to_string()
}

#[test]
fn a_recipe_is_known_by_its_ids() {
    let recipe = RecipeBytes::default().recipe();
    assert_eq!((recipe.id(), recipe.table_id()), (&STATEMENT, &TABLE));
}

#[test]
fn a_recipe_has_a_known_version_and_nothing_behind_it() {
    let good = RecipeBytes::default().encode();
    let bad = |bytes: &[u8]| Recipe::decode(bytes).unwrap_err().to_string();
    assert_eq!(bad(&[&[2], &good[1..]].concat()), "malformed recipe: version");
    assert_eq!(bad(&[&good[..], &[0]].concat()), "malformed recipe: bytes behind its end");
    for length in 0..good.len() {
        assert!(Recipe::decode(&good[..length]).is_err(), "{length}");
    }
}

#[test]
fn values_have_known_types_and_variables() {
    let with = |value| RecipeBytes { selection: rows(&[vec![value]]), ..RecipeBytes::default() };
    assert_eq!(refusal(with(bind(2, INT))), "malformed recipe: bind variable");
    assert_eq!(refusal(with(bind(1, 5))), "malformed recipe: type of a value");
    assert_eq!(refusal(with(bind(1, TEXT))), "malformed recipe: value of another type than its column's");
    assert_eq!(refusal(with(constant(b"xyz"))), "malformed recipe: constant without a byte-comparable form");
    assert_eq!(refusal(with(vec![2])), "malformed recipe: kind of value");
    let clustering = RecipeBytes { clustering: vec![0x80 | 5], ..RecipeBytes::default() };
    assert_eq!(refusal(clustering), "malformed recipe: type of a clustering column");
    let keyless = RecipeBytes { partition: vec![], columns: vec![], ..RecipeBytes::default() };
    assert_eq!(refusal(keyless), "malformed recipe: no partition key");
}

#[test]
fn selections_are_not_empty_and_bounds_have_their_sides() {
    let with = |selection| refusal(RecipeBytes { selection, ..RecipeBytes::default() });
    let bound = |kind: u8, values: u8| [&[kind, 0, values][..], &bind(1, INT).repeat(values.into())].concat();
    assert_eq!(with(rows(&[])), "malformed recipe: no rows");
    assert_eq!(with(slices(&[])), "malformed recipe: no slices");
    assert_eq!(with(vec![2]), "malformed recipe: kind of selection");
    for (start, end) in [(top(), top()), (bottom(), bottom()), (bound(1, 0), top()), (bottom(), bound(3, 0))] {
        assert_eq!(with(slices(&[(start, end)])), "malformed recipe: kind of bound");
    }
    assert_eq!(with(slices(&[(bound(0, 2), top())])), "malformed recipe: values of a bound");
    let two = RecipeBytes { clustering: vec![], selection: rows(&[vec![], vec![]]), ..RecipeBytes::default() };
    assert_eq!(refusal(two), "malformed recipe: rows without a clustering");
}

#[test]
fn limits_are_positive() {
    for limit in [vec![1, 0, 0, 0, 0], vec![1, 0x80, 0, 0, 0]] {
        assert_eq!(refusal(RecipeBytes { limit, ..RecipeBytes::default() }), "malformed recipe: limit");
    }
    assert_eq!(refusal(RecipeBytes { limit: vec![3], ..RecipeBytes::default() }), "malformed recipe: kind of limit");
    assert_eq!(
        refusal(RecipeBytes { partition_limit: vec![2, 0, 2], ..RecipeBytes::default() }),
        "malformed recipe: bind variable"
    );
}

#[test]
fn the_columns_of_the_result_are_fetched_once_in_one_form() {
    let with = |columns, regulars, statics, flags| {
        refusal(RecipeBytes { columns, regulars, statics, flags, ..RecipeBytes::default() })
    };
    let not_fetched = "malformed recipe: column that is not fetched, or in two forms";
    assert_eq!(with(vec![regular(3, &[0])], vec![1, 2], vec![], 0), not_fetched);
    assert_eq!(with(vec![static_column(1, &[0])], vec![1, 2], vec![], 2), not_fetched);
    assert_eq!(with(vec![regular(1, &[0]), regular(1, &[1])], vec![1], vec![], 0), not_fetched);
    assert_eq!(with(vec![regular(1, &[6])], vec![1], vec![], 0), "malformed recipe: encoder");
    assert_eq!(with(vec![vec![4]], vec![1], vec![], 0), "malformed recipe: kind of column");
    assert_eq!(with(vec![], vec![1, 2, 1], vec![], 0), "malformed recipe: column that is fetched twice");
    assert_eq!(with(vec![], vec![], vec![4], 0), "malformed recipe: static columns without their row");
    assert_eq!(with(vec![], vec![], vec![], 8), "malformed recipe: flags");
    for column in [key(1), clustering(1)] {
        assert_eq!(with(vec![column], vec![], vec![], 0), "malformed recipe: component of a key");
    }
}
