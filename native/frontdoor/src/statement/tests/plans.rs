// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Bytes that are no plan are refused, and say why.

use super::slices::{bottom, slices, top};
use super::support::*;
use crate::statement::plan::Plan;

fn refusal(plan: PlanBytes) -> String {
    Plan::decode(&plan.encode()).unwrap_err().to_string()
}

#[test]
fn a_plan_is_known_by_its_ids() {
    let plan = PlanBytes::default().plan();
    assert_eq!((plan.id(), plan.table_id()), (&STATEMENT, &TABLE));
}

#[test]
fn a_plan_has_a_known_version_and_nothing_behind_it() {
    let good = PlanBytes::default().encode();
    let bad = |bytes: &[u8]| Plan::decode(bytes).unwrap_err().to_string();
    assert_eq!(bad(&[&[2], &good[1..]].concat()), "malformed plan: version");
    assert_eq!(bad(&[&good[..], &[0]].concat()), "malformed plan: bytes behind its end");
    for length in 0..good.len() {
        assert!(Plan::decode(&good[..length]).is_err(), "{length}");
    }
}

#[test]
fn values_have_known_types_and_variables() {
    let with = |value| PlanBytes { selection: rows(&[vec![value]]), ..PlanBytes::default() };
    assert_eq!(refusal(with(bind(2, INT))), "malformed plan: bind variable");
    assert_eq!(refusal(with(bind(1, 5))), "malformed plan: type of a value");
    assert_eq!(refusal(with(bind(1, TEXT))), "malformed plan: value of another type than its column's");
    assert_eq!(refusal(with(constant(b"xyz"))), "malformed plan: constant without a byte-comparable form");
    assert_eq!(refusal(with(vec![2])), "malformed plan: kind of value");
    let clustering = PlanBytes { clustering: vec![0x80 | 5], ..PlanBytes::default() };
    assert_eq!(refusal(clustering), "malformed plan: type of a clustering column");
    let keyless = PlanBytes { partition: vec![], columns: vec![], ..PlanBytes::default() };
    assert_eq!(refusal(keyless), "malformed plan: no partition key");
}

#[test]
fn selections_are_not_empty_and_bounds_have_their_sides() {
    let with = |selection| refusal(PlanBytes { selection, ..PlanBytes::default() });
    let bound = |kind: u8, values: u8| [&[kind, 0, values][..], &bind(1, INT).repeat(values.into())].concat();
    assert_eq!(with(rows(&[])), "malformed plan: no rows");
    assert_eq!(with(slices(&[])), "malformed plan: no slices");
    assert_eq!(with(vec![2]), "malformed plan: kind of selection");
    for (start, end) in [(top(), top()), (bottom(), bottom()), (bound(1, 0), top()), (bottom(), bound(3, 0))] {
        assert_eq!(with(slices(&[(start, end)])), "malformed plan: kind of bound");
    }
    assert_eq!(with(slices(&[(bound(0, 2), top())])), "malformed plan: values of a bound");
    let two = PlanBytes { clustering: vec![], selection: rows(&[vec![], vec![]]), ..PlanBytes::default() };
    assert_eq!(refusal(two), "malformed plan: rows without a clustering");
}

#[test]
fn limits_are_positive() {
    for limit in [vec![1, 0, 0, 0, 0], vec![1, 0x80, 0, 0, 0]] {
        assert_eq!(refusal(PlanBytes { limit, ..PlanBytes::default() }), "malformed plan: limit");
    }
    assert_eq!(refusal(PlanBytes { limit: vec![3], ..PlanBytes::default() }), "malformed plan: kind of limit");
    assert_eq!(
        refusal(PlanBytes { partition_limit: vec![2, 0, 2], ..PlanBytes::default() }),
        "malformed plan: bind variable"
    );
}

#[test]
fn the_columns_of_the_result_are_fetched_once_in_one_form() {
    let with = |columns, regulars, statics, flags| {
        refusal(PlanBytes { columns, regulars, statics, flags, ..PlanBytes::default() })
    };
    let not_fetched = "malformed plan: column that is not fetched, or in two forms";
    assert_eq!(with(vec![regular(3, &[0])], vec![1, 2], vec![], 0), not_fetched);
    assert_eq!(with(vec![static_column(1, &[0])], vec![1, 2], vec![], 2), not_fetched);
    assert_eq!(with(vec![regular(1, &[0]), regular(1, &[1])], vec![1], vec![], 0), not_fetched);
    assert_eq!(with(vec![regular(1, &[6])], vec![1], vec![], 0), "malformed plan: encoder");
    assert_eq!(with(vec![vec![4]], vec![1], vec![], 0), "malformed plan: kind of column");
    assert_eq!(with(vec![], vec![1, 2, 1], vec![], 0), "malformed plan: column that is fetched twice");
    assert_eq!(with(vec![], vec![], vec![4], 0), "malformed plan: static columns without their row");
    assert_eq!(with(vec![], vec![], vec![], 8), "malformed plan: flags");
    for column in [key(1), clustering(1)] {
        assert_eq!(with(vec![column], vec![], vec![], 0), "malformed plan: component of a key");
    }
}
