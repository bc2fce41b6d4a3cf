// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

#![allow(clippy::unwrap_used)]

use hdrhistogram::Histogram;

use super::*;
use crate::trials::observed::KindObserved;
use lab_load::report::encoded;

/// So many parts of 1,000 operations, all of one length in each part.
fn observed(part_ms: &[u64], errors: u64) -> Observed {
    let (mut whole, mut parts) = (Histogram::<u64>::new(3).unwrap(), Vec::new());
    for ms in part_ms {
        let mut part = Histogram::<u64>::new(2).unwrap();
        part.record_n(ms * 1_000_000, 1000).unwrap();
        whole.record_n(ms * 1_000_000, 1000).unwrap();
        parts.push(encoded(&part).unwrap());
    }
    let operations = part_ms.len() as u64 * 1000 - errors;
    let kind = KindObserved { name: "get".to_owned(), operations, errors, response: encoded(&whole).unwrap(), parts };
    Observed {
        rate_per_s: Some(1000.0),
        elapsed_s: part_ms.len() as f64,
        kinds: vec![kind],
        rows_checked: operations,
        ..Observed::default()
    }
}

fn standing(slas: &[&str], observed: &Observed) -> Standing {
    let slas: Vec<Sla> = slas.iter().map(|sla| sla.parse().unwrap()).collect();
    judge(&slas, observed).unwrap().standing
}

#[test]
fn the_whole_interval_decides() {
    assert_eq!(standing(&["p95<=5ms"], &observed(&[3; 20], 0)), Standing::Holds);
    assert_eq!(standing(&["p95<=5ms"], &observed(&[9; 20], 0)), Standing::Fails);
    // Two parts of 30 are slow: more or fewer of them are drawn.
    let mut waves = [3; 30];
    waves[4] = 9;
    waves[19] = 9;
    assert_eq!(standing(&["p95<=5ms"], &observed(&waves, 0)), Standing::TooNoisy);
    assert_eq!(standing(&["get:p50<=5ms", "max<=10ms"], &observed(&waves, 0)), Standing::Holds);
}

#[test]
fn errors_are_figures_where_they_are_bounded_and_failures_where_not() {
    let some = observed(&[3; 20], 10);
    assert_eq!(standing(&["p95<=5ms"], &some), Standing::Fails);
    assert_eq!(standing(&["p95<=5ms", "errors<=1%"], &some), Standing::Holds);
    assert_eq!(standing(&["p95<=5ms", "errors<=0.05%"], &some), Standing::TooNoisy);
    assert_eq!(standing(&["p95<=5ms", "errors<=0.01%"], &some), Standing::Fails);
    // None of 20,000 does not show one of 100,000.
    assert_eq!(standing(&["errors<=0.001%"], &observed(&[3; 20], 0)), Standing::TooNoisy);
}

#[test]
fn wrong_rows_fail_whatever_else_and_a_client_at_its_end_fails_nobody() {
    let client = Some("client: its 1 threads used 0.99 cores".to_owned());
    let slow = Observed { client: client.clone(), ..observed(&[9; 20], 0) };
    assert_eq!(standing(&["p95<=5ms"], &slow), Standing::ClientLimited);
    // What the client made longer, and is within the limit, is so all the more.
    let quick = Observed { client: client.clone(), ..observed(&[3; 20], 0) };
    assert_eq!(standing(&["p95<=5ms"], &quick), Standing::Holds);
    let wrong = Observed { client, unexplained: 1, ..observed(&[3; 20], 0) };
    assert_eq!(standing(&["p95<=5ms"], &wrong), Standing::Fails);
    let explained = Observed { explained: 5, ..observed(&[3; 20], 0) };
    assert_eq!(standing(&["p95<=5ms", "unexplained<=0"], &explained), Standing::Holds);
}

#[test]
fn a_rate_that_was_not_reached_fails_and_nothing_keeps_nothing() {
    let slow = Observed { elapsed_s: 30.0, ..observed(&[3; 20], 0) };
    let judged = judge(&["p95<=5ms".parse().unwrap()], &slow).unwrap();
    assert_eq!(judged.standing, Standing::Fails);
    assert!(judged.reasons[0].contains("667/s of 1000/s"), "{:?}", judged.reasons);
    let late = Observed { after_s: 10.0, ..slow };
    assert_eq!(standing(&["p95<=5ms"], &late), Standing::Holds, "only the last operations were waited for");
    assert_eq!(standing(&["errors<=1%"], &Observed { rate_per_s: None, ..Observed::default() }), Standing::Fails);
}

#[test]
fn operations_without_an_answer_have_failed() {
    let silent = Observed { unfinished: 100, ..observed(&[3; 20], 0) };
    assert_eq!(standing(&["p95<=5ms"], &silent), Standing::Fails);
    assert_eq!(standing(&["p95<=5ms", "get:errors<=1%"], &silent), Standing::Fails, "nobody knows of which kind");
    assert_eq!(standing(&["p95<=5ms", "errors<=0.1%"], &silent), Standing::Fails);
    assert_eq!(standing(&["p95<=5ms", "errors<=1%"], &silent), Standing::Holds);
}

#[test]
fn few_operations_do_not_show_that_none_is_slow() {
    assert_eq!(standing(&["p99.9<=5ms"], &observed(&[3; 2], 0)), Standing::TooNoisy);
    assert_eq!(standing(&["p99.9<=5ms"], &observed(&[3; 4], 0)), Standing::Holds);
    assert_eq!(standing(&["p99.9<=5ms"], &observed(&[9; 2], 0)), Standing::Fails);
}

#[test]
fn the_wait_for_the_last_operations_is_no_time_of_the_rate() {
    let late = Observed { elapsed_s: 30.0, after_s: 10.0, ..observed(&[3; 20], 500) };
    assert_eq!(late.reached_per_s(), 1000.0, "failed operations were taken, too");
}

#[test]
fn two_stretches_of_one_load_are_one() {
    let mut both = observed(&[3; 5], 1);
    both.add(&observed(&[4; 5], 2)).unwrap();
    assert_eq!((both.counts(None), both.elapsed_s, both.kinds[0].parts.len()), ((9_997, 3), 10.0, 10));
    assert_eq!(both.response(Some("get")).unwrap().len(), 10_000);
    assert_eq!(both.blocks(None).unwrap().parts().len(), 10);
}
