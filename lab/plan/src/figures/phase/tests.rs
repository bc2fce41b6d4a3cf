// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

#![allow(clippy::unwrap_used)]

use super::*;
use crate::trials::observed::KindObserved;
use lab_load::load::Latencies;
use lab_load::report::encoded;

/// A second of 100 operations of two kinds at 1 ms, `slow` of them at 50 ms, and of `failed` that failed.
fn second(at: usize, ok: u64, slow: u64, failed: u64) -> Second {
    let mut response = Latencies::new(3).unwrap();
    response.record_n(1_000_000, ok - slow).unwrap();
    response.record_n(50_000_000, slow).unwrap();
    let kind = |name: &str, operations: u64| KindObserved {
        name: name.to_owned(),
        operations,
        errors: failed,
        response: encoded(&response).unwrap(),
        parts: Vec::new(),
    };
    let observed = Observed {
        rate_per_s: Some((2 * (ok + failed)) as f64),
        elapsed_s: 1.0,
        kinds: vec![kind("insert", ok), kind("get", ok)],
        ..Observed::default()
    };
    Second { from_s: at as f64, to_s: at as f64 + 1.0, observed }
}

/// 20 good seconds, 5 in which nothing succeeds, 5 slow ones, 30 good ones.
fn course(kill_at_s: f64) -> Course {
    let part = |at: usize| match at {
        0..20 | 30.. => second(at, 50, 0, 0),
        20..25 => second(at, 0, 0, 50),
        25..30 => second(at, 50, 25, 0),
    };
    let seconds: Vec<Second> = (0..60).map(part).collect();
    let mut whole = seconds[0].observed.clone();
    seconds.iter().skip(1).for_each(|second| whole.add(&second.observed).unwrap());
    let moved = |step: &str, from_s: f64, to_s: f64| Moved::well(step.parse().unwrap(), from_s, to_s);
    let moved = vec![
        moved("wait 20s", 0.0, kill_at_s),
        moved("kill 2", kill_at_s, kill_at_s + 0.2),
        moved("start 2", 40.0, 47.0),
    ];
    Course { whole, seconds, moved, whole_again: true }
}

fn slas() -> Vec<Sla> {
    vec!["p95<=5ms".parse().unwrap(), "errors<=1%".parse().unwrap()]
}

#[test]
fn stretches_are_cut_at_the_moves() {
    let found = stretches(&slas(), &course(20.1)).unwrap();
    let cut: Vec<_> = found.iter().map(|stretch| (stretch.after.as_str(), stretch.part.from_s, stretch.held)).collect();
    assert_eq!(cut, [("steady", 0.0, true), ("kill 2", 20.1, false), ("start 2", 40.0, true)]);
    assert_eq!((found[1].part.errors, found[2].part.errors), (500, 0));
    assert!((found[0].part.p95_ms - 1.0).abs() < 0.01 && found[1].max_ms > 49.0, "{found:?}");
}

#[test]
fn recovery_counts_from_the_fault_until_the_sla_holds_for_ten_seconds() {
    let found = effects(&slas(), &course(20.1)).unwrap();
    // The second that begins at 30 is the first of ten that are good; of two slow ones in forty nobody notices.
    let recovery_s = found[0].recovery_s.unwrap();
    assert!((8.8..=10.0).contains(&recovery_s), "{recovery_s}");
    assert_eq!(found[0].unavailable_s, [("insert".to_owned(), 5.0), ("get".to_owned(), 5.0)]);
    assert_eq!((found[1].recovery_s, found[1].took_s), (Some(0.0), 7.0));
    assert_eq!(found[1].unavailable_s[0].1.to_string(), "0");
}

#[test]
fn what_does_not_hold_by_the_end_has_no_recovery() {
    let mut course = course(20.1);
    course.seconds.truncate(35);
    assert_eq!(effects(&slas(), &course).unwrap()[0].recovery_s, None);
}

#[test]
fn a_kind_that_is_seldom_asked_has_no_outage() {
    let mut course = course(20.1);
    course.whole.kinds[1].operations = 60;
    course.whole.kinds[1].errors = 0;
    let found = effects(&slas(), &course).unwrap();
    assert_eq!(found[0].unavailable_s, [("insert".to_owned(), 5.0)]);
}
