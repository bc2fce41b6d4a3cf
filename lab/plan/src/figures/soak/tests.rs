// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

#![allow(clippy::unwrap_used)]

use super::*;

/// A minute each: P95 grows by so many per cent an hour, with a wave of so many on it.
fn windows(count: u32, per_hour: f64, wave: f64, cpu: bool) -> Vec<WindowFigures> {
    let window = |at: u32| {
        let hours = f64::from(at) / 60.0;
        // Neighbours differ: the sum of two waves that do not repeat.
        let noise = wave / 200.0 * ((f64::from(at) * 2.4).sin() + (f64::from(at) * 3.9).cos());
        WindowFigures {
            part: PartFigures {
                from_s: f64::from(at) * 60.0,
                to_s: f64::from(at + 1) * 60.0,
                throughput_per_s: 100.0,
                errors: 0,
                p50_ms: 1.0,
                p95_ms: 2.0 * (1.0 + per_hour / 100.0).powf(hours) * (1.0 + noise),
                p99_ms: 4.0,
            },
            cpu_us: cpu.then_some(300.0),
            pause_ms_per_s: None,
            memory_bytes: cpu.then_some(1 << (30 + at / 100)),
            stored_bytes: None,
            held: true,
            client: None,
        }
    };
    (0..count).map(window).collect()
}

#[test]
fn a_drift_beyond_the_tolerance_is_one_and_its_interval_has_the_truth() {
    let (drifts, verdict) = drifts(&windows(120, 20.0, 4.0, true), 0.1);
    assert_eq!(verdict, Drifts::Drifts, "{drifts:?}");
    let [change, low, high] = drifts[0].whole_percent.unwrap();
    assert!(low < 44.0 && 44.0 < high && (change - 44.0).abs() < 4.0, "{drifts:?}");
    assert!((drifts[0].per_hour_percent.unwrap() - 20.0).abs() < 2.0, "{drifts:?}");
    assert_eq!(drifts[1].verdict, Drifts::DoesNotDrift);
    assert!(drifts[0].sentence().starts_with("P95 drifts: +4"), "{}", drifts[0].sentence());
}

#[test]
fn what_stays_within_the_tolerance_does_not_drift_and_noise_cannot_be_told() {
    assert_eq!(drifts(&windows(120, 0.0, 4.0, false), 0.1).1, Drifts::DoesNotDrift);
    let (noisy, verdict) = drifts(&windows(20, 0.0, 90.0, false), 0.1);
    assert_eq!((noisy.len(), verdict), (1, Drifts::CannotTell), "{noisy:?}");
    assert_eq!(drifts(&windows(120, -20.0, 4.0, false), 0.1).1, Drifts::Drifts);
}

#[test]
fn what_grows_beside_is_told_and_is_no_drift_of_the_verdict() {
    let mut windows = windows(120, 0.0, 4.0, true);
    for (at, window) in windows.iter_mut().enumerate() {
        window.stored_bytes = Some((1 << 30) + at as u64 * (1 << 22));
    }
    assert_eq!(drifts(&windows, 0.1).1, Drifts::DoesNotDrift);
    let beside = beside(&windows, 0.1);
    let told: Vec<(&str, Drifts)> = beside.iter().map(|drift| (drift.of.as_str(), drift.verdict)).collect();
    assert_eq!(told[1], ("bytes of the table", Drifts::Drifts), "{beside:?}");
    assert_eq!((told[0].0, told.len()), ("memory", 2));
}

#[test]
fn windows_of_the_clients_own_limit_do_not_count() {
    let mut limited = windows(120, 20.0, 4.0, false);
    limited.iter_mut().skip(5).for_each(|window| window.client = Some("client: late".to_owned()));
    let (drifts, verdict) = drifts(&limited, 0.1);
    assert_eq!((drifts[0].whole_percent, verdict), (None, Drifts::CannotTell));
    assert!(drifts[0].sentence().contains("too few windows"), "{}", drifts[0].sentence());
}
