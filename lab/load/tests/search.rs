// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The search for a level of service against a simulated server whose limit is known.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use lab_load::search::{search, Found, Length, Probe, Search};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use rand_distr::{Distribution, Normal};

const LIMIT_MS: f64 = 2.0;
const SEARCH: Search =
    Search { start_per_s: 4000.0, precision: 0.05, floor_per_s: 100.0, ceiling_per_s: 200_000.0, probes_max: 60 };
const CAPACITY_PER_S: f64 = 30_000.0;
const IDLE_P99_MS: f64 = 0.4;
/// A queue's P99 is the idle one over the idle share: 2 ms at a utilisation of 0.8.
const LIMIT_PER_S: f64 = CAPACITY_PER_S * (1.0 - IDLE_P99_MS / LIMIT_MS);

/// One run: its P99 is off by a tenth (a long one by a twentieth), and one in thirty meets a hiccup of the machine.
fn probe(rate_per_s: f64, length: Length, random: &mut StdRng) -> Probe {
    let spread = if length == Length::Long { 0.05 } else { 0.1 };
    let idle_share = (1.0 - rate_per_s / CAPACITY_PER_S).max(1e-3);
    let hiccup = if random.random_bool(1.0 / 30.0) { 50.0 } else { 1.0 };
    let quantile_ms = IDLE_P99_MS / idle_share * Normal::new(0.0_f64, spread).unwrap().sample(random).exp() * hiccup;
    Probe {
        rate_per_s,
        achieved_per_s: rate_per_s.min(CAPACITY_PER_S),
        met: quantile_ms <= LIMIT_MS,
        judged: Vec::new(),
        client_limited: None,
    }
}

fn found(seed: u64) -> Found {
    let mut random = StdRng::seed_from_u64(seed);
    search(SEARCH, &mut |rate, length| Ok(probe(rate, length, &mut random))).unwrap()
}

fn ends(found: &Found) -> (f64, f64) {
    (found.holds_per_s.unwrap(), found.fails_per_s.unwrap())
}

#[test]
fn the_limit_lies_in_the_interval_or_next_to_it() {
    let close = (0..400).filter(|seed| {
        let (low, high) = ends(&found(*seed));
        low / 1.05 <= LIMIT_PER_S && LIMIT_PER_S <= high * 1.05 && high / low < 1.3
    });
    assert!(close.count() >= 380);
}

#[test]
fn searches_repeat_within_their_interval() {
    let searches: Vec<(f64, f64)> = (0..400).map(|seed| ends(&found(seed))).collect();
    let overlapping = searches.chunks(2).filter(|pair| pair[0].0 <= pair[1].1 * 1.05 && pair[1].0 <= pair[0].1 * 1.05);
    assert!(overlapping.count() >= 190);
    assert!((0..400).all(|seed| found(seed).probes.len() <= SEARCH.probes_max + 2));
}

#[test]
fn without_noise_it_is_exact() {
    let exact = |rate_per_s: f64, _| {
        let quantile_ms = IDLE_P99_MS / (1.0 - rate_per_s / CAPACITY_PER_S).max(1e-3);
        Ok(Probe {
            rate_per_s,
            achieved_per_s: rate_per_s,
            met: quantile_ms <= LIMIT_MS,
            judged: Vec::new(),
            client_limited: None,
        })
    };
    let found = search(SEARCH, &mut { exact }).unwrap();
    let (low, high) = ends(&found);
    assert!(found.confirmed && low <= LIMIT_PER_S && LIMIT_PER_S <= high && high / low <= 1.05);
}

#[test]
fn a_level_that_never_or_always_holds_is_said_so() {
    let at = |quantile_ms: f64| {
        move |rate_per_s: f64, _| {
            Ok(Probe {
                rate_per_s,
                achieved_per_s: rate_per_s,
                met: quantile_ms <= LIMIT_MS,
                judged: Vec::new(),
                client_limited: None,
            })
        }
    };
    let never = search(SEARCH, &mut at(5.0)).unwrap();
    assert_eq!((never.holds_per_s, never.fails_per_s, never.confirmed), (None, Some(100.0), true));
    let always = search(SEARCH, &mut at(0.1)).unwrap();
    assert_eq!((always.holds_per_s, always.fails_per_s, always.confirmed), (Some(200_000.0), None, true));
}

#[test]
fn a_client_at_its_end_is_told_from_a_server_at_its_end() {
    let limited = |rate_per_s: f64, _| {
        let client_limited = (rate_per_s > 5000.0).then(|| "client CPU 97 %".to_owned());
        let quantile_ms = if rate_per_s > 9000.0 { 50.0 } else { 0.5 };
        Ok(Probe {
            rate_per_s,
            achieved_per_s: rate_per_s,
            met: quantile_ms <= LIMIT_MS,
            judged: Vec::new(),
            client_limited,
        })
    };
    let found = search(SEARCH, &mut { limited }).unwrap();
    assert!(found.client_limited && found.holds_per_s.unwrap() <= 9000.0);
    // What the client made longer, and was within the limit, is within it all the more.
    assert!(found.holds_per_s.unwrap() > 8500.0);
}

#[test]
fn limits_that_are_none_are_refused() {
    let nothing = |rate_per_s: f64, _| {
        Ok(Probe { rate_per_s, achieved_per_s: 0.0, met: true, judged: Vec::new(), client_limited: None })
    };
    assert!(search(Search { floor_per_s: 0.0, ..SEARCH }, &mut { nothing }).is_err());
    assert!(search(Search { start_per_s: 1e9, ..SEARCH }, &mut { nothing }).is_err());
}
