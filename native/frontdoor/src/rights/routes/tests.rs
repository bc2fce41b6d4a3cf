// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! What ends a right spoils the answers that were begun under it, and nothing else does.

#![allow(clippy::unwrap_used)]

use super::*;
use crate::rights::open_table::tests::{spec, NoReader};

const STATEMENT: Id = [1; 16];
const TABLE: TableId = [2; 16];

fn open(routes: &Routes) {
    routes.open_table(OpenTable::decode(Arc::new(NoReader), &spec(TABLE, 2, &[(i64::MIN, i64::MAX)])).unwrap());
}

fn granted(pairs: &[(u32, Id)]) -> HashSet<(u32, Id)> {
    pairs.iter().copied().collect()
}

fn routes() -> Routes {
    let routes = Routes::default();
    open(&routes);
    routes.set_grants(granted(&[(1, STATEMENT), (2, STATEMENT)]));
    routes.renew(Duration::from_secs(1000));
    routes
}

/// Whether an answer that was begun before `change` may be sent after it.
fn survives(change: impl FnOnce(&Routes)) -> bool {
    let routes = routes();
    let view = routes.view();
    change(&routes);
    routes.holds(&view, Instant::now())
}

#[test]
fn the_end_of_a_right_spoils_answers_in_the_making() {
    assert!(!survives(Routes::shut));
    assert!(!survives(|routes| {
        routes.shut();
        routes.renew(Duration::from_secs(1000));
    }));
    assert!(!survives(|routes| routes.close_table(&TABLE)));
    assert!(!survives(open));
    assert!(!survives(|routes| routes.set_grants(granted(&[(1, STATEMENT)]))));
}

#[test]
fn other_changes_do_not() {
    assert!(survives(|_| {}));
    assert!(survives(|routes| routes.renew(Duration::from_secs(2000))));
    assert!(survives(|routes| routes.close_table(&[9; 16])));
    assert!(survives(|routes| routes.refuse_recipe(&STATEMENT)));
    assert!(survives(Routes::forget_refused));
    assert!(survives(|routes| routes.set_grants(granted(&[(1, STATEMENT), (2, STATEMENT), (3, STATEMENT)]))));
}

#[test]
fn a_lease_ends_by_itself() {
    let routes = routes();
    let later = Instant::now() + Duration::from_secs(999);
    assert!(routes.is_leased(later));
    assert!(!routes.is_leased(later + Duration::from_secs(2)));
    assert!(!routes.holds(&routes.view(), later + Duration::from_secs(2)));
    assert!(!Routes::default().is_leased(Instant::now()));
}

#[test]
fn refused_statements_are_remembered_until_they_are_forgotten() {
    let routes = Routes::default();
    let is_refused = || routes.view().snapshot.refused.contains(&STATEMENT);
    for forget in [Routes::forget_refused, |routes: &Routes| routes.drop_recipe(&STATEMENT)] {
        routes.refuse_recipe(&STATEMENT);
        assert!(is_refused());
        forget(&routes);
        assert!(!is_refused());
    }
}
