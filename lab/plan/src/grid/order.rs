// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Which cell is harder than which: what one cell shows of another that was not measured.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use serde_json::Value;

use crate::grid::cell::{replicas, Cell};
use crate::words::label;
use lab_load::profile::Distribution;

/// How hard two cells are, compared axis by axis. `None`: they cannot be compared, or are the same.
///
/// Levels, sizes of columns, nodes and heaps are ordered; whatever else differs cannot be compared.
pub fn hardness(a: &Cell, b: &Cell) -> Option<Ordering> {
    // The default of RF follows the nodes: more copies are more work.
    if a.replication_factor().ok()? != b.replication_factor().ok()? {
        return None;
    }
    let axes: BTreeSet<&String> = a.settings().keys().chain(b.settings().keys()).collect();
    let mut order = Ordering::Equal;
    for axis in axes {
        if a.settings().get(axis) == b.settings().get(axis) {
            continue;
        }
        match (order, on_axis(axis, a, b)?) {
            (_, Ordering::Equal) => {}
            (Ordering::Equal, other) => order = other,
            (so_far, other) if so_far == other => {}
            _ => return None,
        }
    }
    (order != Ordering::Equal).then_some(order)
}

/// The ordered axes on which two cells differ.
pub fn differing(a: &Cell, b: &Cell) -> BTreeSet<String> {
    let axes = a.settings().keys().chain(b.settings().keys());
    axes.filter(|axis| a.settings().get(*axis) != b.settings().get(*axis)).cloned().collect()
}

fn on_axis(axis: &str, a: &Cell, b: &Cell) -> Option<Ordering> {
    match axis {
        // In an open loop; with few threads in a closed one, fewer nodes may be faster.
        "nodes" => Some(b.nodes().ok()?.cmp(&a.nodes().ok()?)),
        "heap" => {
            let bytes = |cell: &Cell| cell.text("heap").ok()??.parse::<crate::quantity::Bytes>().ok();
            Some(bytes(b)?.0.cmp(&bytes(a)?.0))
        }
        "cl" => levels(a, b),
        _ if axis.starts_with("profile.columnspec.") && axis.ends_with(".size") => {
            let size = |cell: &Cell| cell.settings().get(axis).map(label)?.parse::<Distribution>().ok();
            let (a, b) = (size(a)?, size(b)?);
            match (a.min().cmp(&b.min()), a.max().cmp(&b.max())) {
                (low, high) if low == high => Some(low),
                (Ordering::Equal, other) | (other, Ordering::Equal) => Some(other),
                _ => None,
            }
        }
        _ => None,
    }
}

fn levels(a: &Cell, b: &Cell) -> Option<Ordering> {
    let copies = (a.replication_factor().ok()?, b.replication_factor().ok()?);
    let (of_a, of_b) = (a.levels().ok()?, b.levels().ok()?);
    let named = |cell: &Cell| match cell.settings().get("cl") {
        Some(Value::Object(map)) => map.keys().cloned().collect::<Vec<_>>(),
        _ => Vec::new(),
    };
    let mut operations: BTreeSet<String> =
        named(a).into_iter().chain(named(b)).map(|name| name.to_lowercase()).collect();
    if operations.is_empty() {
        operations.insert(String::new());
    }
    let mut order = Ordering::Equal;
    for operation in operations {
        let (a, b) = (of_a.of(&operation)?, of_b.of(&operation)?);
        match (order, replicas(a, copies.0).cmp(&replicas(b, copies.1))) {
            (_, Ordering::Equal) => {}
            (Ordering::Equal, other) => order = other,
            (so_far, other) if so_far == other => {}
            _ => return None,
        }
    }
    Some(order)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use serde_json::json;

    fn cell(settings: Value) -> Cell {
        let settings = settings.as_object().unwrap().clone().into_iter().collect();
        Cell::new(settings, Vec::new()).unwrap()
    }

    fn order(a: Value, b: Value) -> Option<Ordering> {
        hardness(&cell(a), &cell(b))
    }

    #[test]
    fn fewer_nodes_stricter_levels_larger_columns_and_less_heap_are_harder() {
        use Ordering::{Greater, Less};
        assert_eq!(order(json!({"nodes": 3}), json!({"nodes": 6})), Some(Greater));
        assert_eq!(order(json!({"nodes": 3, "cl": "ONE"}), json!({"nodes": 3, "cl": "QUORUM"})), Some(Less));
        assert_eq!(order(json!({"heap": "512m"}), json!({"heap": "1g"})), Some(Greater));
        let size = |text: &str| json!({"profile.columnspec.value.size": text});
        assert_eq!(order(size("fixed(1000)"), size("gaussian(10..100)")), Some(Greater));
        assert_eq!(order(size("uniform(1..1000)"), size("fixed(500)")), None);
    }

    #[test]
    fn what_pulls_both_ways_or_has_no_order_cannot_be_compared() {
        let (few_lax, many_strict) = (json!({"nodes": 3, "cl": "ONE"}), json!({"nodes": 6, "cl": "QUORUM"}));
        assert_eq!(order(few_lax, many_strict), None);
        assert_eq!(order(json!({"engine": "stock"}), json!({"engine": "cassiterite"})), None);
        assert_eq!(order(json!({"nodes": 3}), json!({"nodes": 3})), None);
        let mixed = json!({"nodes": 3, "cl": {"insert": "ONE", "get": "QUORUM"}});
        assert_eq!(order(mixed.clone(), json!({"nodes": 3, "cl": "ONE"})), Some(Ordering::Greater));
        assert_eq!(order(mixed, json!({"nodes": 3, "cl": {"insert": "QUORUM", "get": "ONE"}})), None);
    }
}
