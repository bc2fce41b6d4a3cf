// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Each reason for which a run is not believed, alone.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use super::*;
use crate::load::cost::LoadThreads;
use crate::load::recorder::latencies;
use crate::load::Stop;

fn cost(cpu_s: u64, run_queue_s: u64) -> Cost {
    let cpu = Duration::from_secs(cpu_s);
    Cost { cpu, load_threads: Some(LoadThreads { cpu, run_queue: Duration::from_secs(run_queue_s) }) }
}

struct Run {
    spec: LoadSpec,
    cost: Cost,
    response_ms: u64,
    service_ms: u64,
    longest_service_ms: Option<u64>,
    late_ms: u64,
    queued: u64,
    errors: u64,
    not_started: u64,
    elapsed: Duration,
    starting: Duration,
    faults: [FaultCount; 4],
}

impl Run {
    /// 10 s at 1000 operations per second, nothing wrong.
    fn good() -> Self {
        let stop = Stop::Duration(Duration::from_secs(10));
        Self {
            spec: LoadSpec { pace: Pace::Open { per_s: 1000.0 }, threads: 2, stop, ..LoadSpec::default() },
            cost: cost(1, 1),
            response_ms: 4,
            service_ms: 4,
            longest_service_ms: None,
            late_ms: 0,
            queued: 0,
            errors: 0,
            not_started: 0,
            elapsed: Duration::from_secs(10),
            starting: Duration::from_secs(10),
            faults: [FaultCount::default(); 4],
        }
    }

    fn judge(&self) -> (Vec<String>, Option<String>) {
        let of = |value_ms: u64| {
            let mut all = latencies().unwrap();
            all.record_n((value_ms * 1_000_000).max(1), 10_000).unwrap();
            all
        };
        let (response_ns, mut service_ns, late_ns) = (of(self.response_ms), of(self.service_ms), of(self.late_ms));
        if let Some(longest_ms) = self.longest_service_ms {
            service_ns.record(longest_ms * 1_000_000).unwrap();
        }
        let evidence = Evidence {
            spec: &self.spec,
            elapsed: self.elapsed,
            starting: self.starting,
            cost: self.cost,
            response_ns: &response_ns,
            service_ns: &service_ns,
            late_ns: &late_ns,
            queued: self.queued,
            operations: 10_000 - self.errors - self.not_started,
            errors: self.errors,
            not_started: self.not_started,
            halted: false,
            faults: &self.faults,
        };
        (evidence.invalid(), evidence.saturated())
    }

    fn only_reason(&self) -> String {
        let (mut reasons, _) = self.judge();
        assert_eq!(reasons.len(), 1, "{reasons:?}");
        reasons.remove(0)
    }
}

#[test]
fn a_good_run_is_believed() {
    assert_eq!(Run::good().judge(), (Vec::new(), None));
}

#[test]
fn the_client_ran_out_of_cpu() {
    let reason = Run { cost: cost(19, 1), ..Run::good() }.only_reason();
    assert!(reason.contains("its 2 threads used 1.90 cores"), "{reason}");
    let unnamed = Cost { load_threads: None, ..cost(19, 0) };
    assert_eq!(Run { cost: unnamed, ..Run::good() }.only_reason(), reason);
}

#[test]
fn the_client_waited_for_a_core() {
    assert!(Run { cost: cost(1, 8), ..Run::good() }.only_reason().contains("without a core for 40 % of the run"));
}

#[test]
fn late_starts_count_when_they_are_much_of_the_response_time() {
    assert!(Run { late_ms: 2, ..Run::good() }.only_reason().contains("started operations late"));
    assert_eq!(Run { late_ms: 2, response_ms: 50, ..Run::good() }.judge().0, Vec::<String>::new());
}

#[test]
fn the_rate_was_missed_by_the_servers_or_by_the_client() {
    // The last operation waited for all the time that the servers were behind.
    let slow = Run { elapsed: Duration::from_secs(12), response_ms: 2000, queued: 5000, ..Run::good() };
    assert!(slow.only_reason().contains("833 of 1000 operations per second; all 64 in flight were busy"));
    assert_eq!(slow.judge().1, Some(slow.only_reason()));
    let client = Run { elapsed: Duration::from_secs(12), response_ms: 2000, ..Run::good() };
    assert!(client.only_reason().contains("client: the backlog grew"));
    assert_eq!(client.judge().1, None);
    let cut = Run { not_started: 3000, queued: 5000, elapsed: Duration::from_secs(10), ..Run::good() };
    assert!(cut.only_reason().contains("3000 operations never started"));
    assert_eq!(cut.judge().1, Some(cut.only_reason()));
    let both = Run { cost: cost(19, 1), ..cut };
    assert_eq!((both.judge().0.len(), both.judge().1), (2, None), "a client at its end may be why they were busy");
}

#[test]
fn a_last_slow_answer_does_not_make_a_short_run_miss_its_rate() {
    let run = Run { elapsed: Duration::from_millis(10_900), response_ms: 900, service_ms: 900, ..Run::good() };
    assert_eq!(run.judge().0, Vec::<String>::new());
}

#[test]
fn a_pause_of_the_servers_at_the_end_does_not_either() {
    let run = Run { elapsed: Duration::from_millis(10_450), longest_service_ms: Some(500), ..Run::good() };
    assert_eq!(run.judge().0, Vec::<String>::new());
}

#[test]
fn a_slow_answer_does_not_excuse_servers_that_work_off_a_backlog() {
    let (elapsed, starting) = (Duration::from_secs(11), Duration::from_millis(10_900));
    let run = Run { elapsed, starting, response_ms: 1000, longest_service_ms: Some(1000), queued: 5000, ..Run::good() };
    assert!(run.only_reason().contains("all 64 in flight were busy"), "{}", run.only_reason());
    assert_eq!(run.judge().1, Some(run.only_reason()));
}

#[test]
fn nothing_that_ended_well_is_nothing_to_judge() {
    let mut run = Run { errors: 10_000, elapsed: Duration::from_secs(20), queued: 10_000, ..Run::good() };
    run.spec.limits.error_share = 1.0;
    let (reasons, saturated) = run.judge();
    assert!(reasons[0].starts_with("no operation ended well in the measured time"), "{reasons:?}");
    assert_eq!(saturated, None, "servers that never answered well are not merely too slow");
}

#[test]
fn errors_beyond_the_limit_and_wrong_rows() {
    let mut run = Run { errors: 5, ..Run::good() };
    assert!(run.only_reason().contains("5 of 10000 operations failed (0.050 %, limit 0.000 %)"));
    run.spec.limits.error_share = 0.001;
    assert_eq!(run.judge().0, Vec::<String>::new());
    run.faults[1] = FaultCount { rows: 3, explained_by_consistency: 2 };
    assert!(run.only_reason().contains("1 wrong rows"));
}
