// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! A run that never was: two kinds of operations, a server that stands still for a second.

use std::time::Duration;

use lab_load::load::{FaultCount, Interval, Latencies, Outcome, Tally, WarmedUp};
use lab_load::observe::{text_hash, Environment, Record, Sample};
use lab_load::report::{About, Judgement, Run};

/// A histogram of these milliseconds.
pub fn latencies(ms: impl IntoIterator<Item = f64>) -> Latencies {
    let mut histogram = Latencies::new(3).unwrap();
    histogram.auto(true);
    for ms in ms {
        histogram.record((ms * 1e6) as u64).unwrap();
    }
    histogram
}

pub fn tally(name: &str, ms: &[f64], errors: u64) -> Tally {
    let operations = ms.len() as u64;
    Tally {
        name: name.to_owned(),
        operations,
        partitions: operations,
        rows: operations * 2,
        errors,
        retries: errors * 3,
        response_ns: latencies(ms.iter().copied()),
        service_ns: latencies(ms.iter().map(|ms| ms.min(8.0))),
    }
}

fn sum(intervals: &[Interval], kind: usize) -> Tally {
    let mut sum = intervals[0].tallies[kind].clone();
    for interval in &intervals[1..] {
        let tally = &interval.tallies[kind];
        sum.operations += tally.operations;
        sum.partitions += tally.partitions;
        sum.rows += tally.rows;
        sum.errors += tally.errors;
        sum.retries += tally.retries;
        sum.response_ns.add(&tally.response_ns).unwrap();
        sum.service_ns.add(&tally.service_ns).unwrap();
    }
    sum
}

fn interval(second: u64, factor: f64) -> Interval {
    let stalled = (60..63).contains(&second);
    let ms = |kind: u64, n: u64| {
        // A pseudo-random uniform number out of (0, 1), then the quantile of something with a tail.
        let x = (second * 7919 + n * 104_729 + kind * 31).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
        let u = (x as f64 + 0.5) / (1u64 << 24) as f64;
        let quiet = factor * (0.35 + 0.25 * (1.0 / (1.0 - u)).powf(0.55) + kind as f64 * 0.2);
        if stalled {
            quiet + u * 950.0 / (second - 59) as f64
        } else {
            quiet
        }
    };
    let each = |kind: u64, count: u64| (0..count).map(|n| ms(kind, n)).collect::<Vec<_>>();
    let fewer = if second == 60 { 4 } else { 1 };
    Interval {
        from: Duration::from_secs(second),
        to: Duration::from_secs(second + 1),
        backlog: if second == 60 { 3600 } else { 0 },
        tallies: vec![
            tally("insert", &each(0, 960 / fewer), if second == 61 { 7 } else { 0 }),
            tally("get", &each(1, 40 / fewer), 0),
        ],
    }
}

pub fn outcome(factor: f64) -> Outcome {
    let intervals: Vec<_> = (0..120).map(|second| interval(second, factor)).collect();
    Outcome {
        rate_per_s: Some(1000.0),
        in_flight: 256,
        elapsed: Duration::from_secs(120),
        after: Duration::ZERO,
        warmup: Some(WarmedUp { elapsed_s: 12.0, operations: 11_845, ..WarmedUp::default() }),
        tallies: vec![sum(&intervals, 0), sum(&intervals, 1)],
        intervals,
        value_bytes_written: 98_765_432,
        rows_checked: 4800,
        faults: [
            FaultCount::default(),
            FaultCount { rows: 3, explained_by_consistency: 3 },
            FaultCount::default(),
            FaultCount::default(),
        ],
        first_faults: vec!["stale: user 'a</script><b>' had version 7, version 6 came".to_owned()],
        first_errors: vec![("write timeout: 1 of 2 replicas answered".to_owned(), 7)],
        late_ns: latencies([0.06, 0.06, 2.0]),
        client_cpu_s: 1.1,
        not_started: 0,
        unfinished: 0,
        interrupted: false,
        invalid: Vec::new(),
        saturated: Vec::new(),
        failed: None,
    }
}

pub fn servers() -> Record {
    let mut record = Record {
        nodes: vec!["127.0.0.1".to_owned(), "127.0.0.2".to_owned()],
        absent: vec!["127.0.0.2: GC pauses and allocation (no GC log here)".to_owned()],
        ..Record::default()
    };
    for second in -2..121 {
        for node in 0..2 {
            let wave = ((second as f64 / 9.0 + node as f64).sin() + 1.2) / 4.0;
            let first = node == 0;
            record.samples.push(Sample {
                from_s: second as f64 + 0.25,
                to_s: second as f64 + 1.25,
                node,
                cpu_s: Some(0.4 + wave),
                resident_bytes: Some(1_500_000_000 + node as u64 * 200_000_000 + (second.max(0) as u64) * 2_000_000),
                disk_written_bytes: Some((wave * 30e6) as u64 + if second % 30 > 24 { 60_000_000 } else { 0 }),
                disk_read_bytes: None,
                gc_pause_s: first.then_some({
                    if second == 60 {
                        0.93
                    } else if second % 8 == 0 {
                        0.012
                    } else {
                        0.0
                    }
                }),
                gc_pauses: first.then_some(u64::from(second % 8 == 0)),
                allocated_bytes: first.then_some((wave * 90e6) as u64),
                compactions: first.then_some(u64::from(second % 30 > 24)),
            });
        }
    }
    record
}

pub fn run(name: &str, factor: f64) -> Run {
    let about = About {
        name: name.to_owned(),
        operation: "user ops(insert=24,get=1)".to_owned(),
        engine: Some("cassiterite".to_owned()),
        consistency: "LOCAL_ONE".to_owned(),
        pace: "open loop, 1000 operations due per second".to_owned(),
        checked: true,
    };
    let mut environment = Environment {
        command: "cassiterite stress user".to_owned(),
        when_unix_s: 1_795_311_644,
        ..Environment::now(None)
    };
    environment.add(text_hash("profile", "x"));
    let outcome = outcome(factor);
    let judgement = Judgement::of(&["p99<=10ms".parse().unwrap()], &outcome).unwrap();
    Run::new(about, &outcome, judgement, servers(), environment)
}
