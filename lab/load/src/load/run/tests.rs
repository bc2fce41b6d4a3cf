// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! A load against models of servers: one that stops for a second, one that fails, one that is too slow.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::Ordering;
use std::time::Duration;

use anyhow::bail;
use scylla::errors::{ExecutionError, RequestAttemptError};

use super::*;
use crate::load::running::Begin;
use crate::load::{Answer, Class, Fault, FaultKind, Kind, Operation, Row, Stop};

const SECOND: Duration = Duration::from_secs(1);

#[derive(Debug)]
struct Nothing;

impl Operation for Nothing {
    fn kind(&self) -> usize {
        0
    }

    fn run<'a>(self: Box<Self>, _: &'a Session) -> Pin<Box<dyn Future<Output = Result<Answer>> + Send + 'a>> {
        Box::pin(async { bail!("a model of a server answers") })
    }
}

struct Same {
    kinds: Vec<Kind>,
    most: u64,
}

fn workload(class: Class, most: u64) -> Arc<dyn Workload> {
    Arc::new(Same { kinds: vec![Kind { name: "same".to_owned(), class }], most })
}

impl Workload for Same {
    fn kinds(&self) -> &[Kind] {
        &self.kinds
    }

    fn plan(&self, index: u64) -> Option<Box<dyn Operation>> {
        (index < self.most).then(|| Box::new(Nothing) as Box<dyn Operation>)
    }
}

type Reply = dyn Fn(u64) -> Pin<Box<dyn Future<Output = Result<Answer>> + Send>> + Send + Sync;

/// Answers as a function of how many came before says.
struct Model {
    asked: AtomicU64,
    reply: Box<Reply>,
}

impl Model {
    fn new<F: Future<Output = Result<Answer>> + Send + 'static>(
        reply: impl Fn(u64) -> F + Send + Sync + 'static,
    ) -> Arc<Self> {
        Arc::new(Self { asked: AtomicU64::new(0), reply: Box::new(move |number| Box::pin(reply(number))) })
    }

    /// Returns when it has been asked so often.
    fn wait_for(&self, times: u64) {
        while self.asked.load(Ordering::Relaxed) < times {
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// Answers at once, but nobody from 0.5 s to 1.5 s after the first operation.
    fn stalled() -> Arc<Self> {
        let first = Arc::new(OnceLock::new());
        Self::new(move |_| {
            let first: Instant = *first.get_or_init(Instant::now);
            let (stops, resumes) = (first + SECOND / 2, first + SECOND * 3 / 2);
            async move {
                if (stops..resumes).contains(&Instant::now()) {
                    tokio::time::sleep_until(resumes.into()).await;
                }
                tokio::task::yield_now().await;
                Ok(Answer { partitions: 1, rows: 1, ..Answer::default() })
            }
        })
    }
}

impl Server for Model {
    fn send<'a>(&'a self, _: Box<dyn Operation>) -> Pin<Box<dyn Future<Output = Result<Answer>> + Send + 'a>> {
        (self.reply)(self.asked.fetch_add(1, Ordering::Relaxed))
    }
}

fn spec(pace: Pace, in_flight: usize, stop: Stop) -> LoadSpec {
    let interval = Duration::from_millis(100);
    LoadSpec { pace, in_flight, stop, interval, ctrl_c: false, ..LoadSpec::default() }
}

fn go(server: Arc<Model>, workload: Arc<dyn Workload>, spec: LoadSpec) -> (Outcome, Vec<Interval>) {
    let mut heard = Vec::new();
    let runtime = crate::load::runtime(1).unwrap();
    let outcome = runtime.block_on(drive(server, workload, spec, |interval| heard.push(interval.clone()))).unwrap();
    (outcome, heard)
}

/// Why the run is invalid, but for the client: the machine that runs the tests may be as busy as it likes.
fn reasons(outcome: &Outcome) -> Vec<&String> {
    outcome.invalid.iter().filter(|reason| !reason.starts_with("client:")).collect()
}

fn at(latencies: &crate::load::Latencies, quantile: f64) -> Duration {
    Duration::from_nanos(latencies.value_at_quantile(quantile))
}

#[test]
fn an_open_loop_shows_the_second_in_which_the_server_stood_still() {
    let spec = spec(Pace::Open { per_s: 500.0 }, 32, Stop::Duration(SECOND * 3));
    let (outcome, heard) = go(Model::stalled(), workload(Class::Read, u64::MAX), spec);
    let same = &outcome.tallies[0];
    assert_eq!(same.operations, 1500, "no operation is skipped");
    assert!(at(&same.response_ns, 0.999) >= Duration::from_millis(980), "{:?}", at(&same.response_ns, 0.999));
    // A third of the operations were due in that second, and waited half of it on average.
    assert!(at(&same.response_ns, 0.83) >= Duration::from_millis(400), "{:?}", at(&same.response_ns, 0.83));
    // Those that could not start had a short service time: that alone would hide the second.
    assert!(at(&same.service_ns, 0.95) < Duration::from_millis(400), "{:?}", at(&same.service_ns, 0.95));
    let backlog = heard.iter().map(|interval| interval.backlog).max().unwrap();
    assert!(backlog >= 350, "{backlog} of the 500 due, less the 32 in flight");
    assert_eq!(heard.iter().map(|interval| interval.tallies[0].operations).sum::<u64>(), 1500);
    assert_eq!(heard.last().unwrap().backlog, 0);
    // Those that waited for room were late by the server's doing.
    assert!((1..=1150).contains(&outcome.late_ns.len()), "{}", outcome.late_ns.len());
    assert!(at(&outcome.late_ns, 0.9) < Duration::from_millis(200), "{:?}", at(&outcome.late_ns, 0.9));
}

#[test]
fn a_run_that_is_ended_while_the_server_stands_still_starts_what_was_due() {
    let spec = spec(Pace::Open { per_s: 500.0 }, 32, Stop::WorkloadEnds);
    let (end, server) = (spec.end.clone(), Model::stalled());
    let asked = Arc::clone(&server);
    let ending = std::thread::spawn(move || {
        asked.wait_for(1);
        std::thread::sleep(SECOND);
        end.raise();
    });
    let (outcome, _) = go(server, workload(Class::Read, u64::MAX), spec);
    ending.join().unwrap();
    let same = &outcome.tallies[0];
    assert!(same.operations >= 480, "{} of the 500 that were due", same.operations);
    assert_eq!(outcome.not_started, 0);
    // Half of them were due while it stood still, and waited for half a second at least.
    assert!(at(&same.response_ns, 0.6) >= Duration::from_millis(400), "{:?}", at(&same.response_ns, 0.6));
}

#[test]
fn a_server_that_is_too_slow_makes_the_run_invalid_however_the_run_ends() {
    let half_as_fast = || {
        Model::new(|_| async {
            tokio::time::sleep(Duration::from_millis(5)).await;
            Ok(Answer::default())
        })
    };
    let steady = Stop::Uncertainty { below: 0.5, min_intervals: 10, max_intervals: 20 };
    for stop in [Stop::Duration(SECOND), Stop::Count(400), steady] {
        let spec = spec(Pace::Open { per_s: 400.0 }, 1, stop);
        let (outcome, _) = go(half_as_fast(), workload(Class::Read, u64::MAX), spec);
        let missed = outcome.invalid.iter().any(|reason| reason.contains("rate not reached"));
        assert!(missed, "{stop:?}: {:?}", outcome.invalid);
    }
}

#[test]
fn a_closed_loop_hides_that_second() {
    let spec = spec(Pace::Closed, 1, Stop::Duration(SECOND * 5 / 2));
    let (outcome, heard) = go(Model::stalled(), workload(Class::Read, u64::MAX), spec);
    let same = &outcome.tallies[0];
    assert!(same.response_ns.max() >= 500_000_000);
    assert!(at(&same.response_ns, 0.999) < Duration::from_millis(100), "{:?}", at(&same.response_ns, 0.999));
    assert!(heard.iter().all(|interval| interval.backlog == 0));
    assert_eq!(outcome.rate_per_s, None);
}

#[test]
fn the_count_is_exact_and_the_warmup_is_not_in_it() {
    for pace in [Pace::Open { per_s: 2000.0 }, Pace::Closed] {
        let server = Model::new(|_| async {
            tokio::time::sleep(Duration::from_millis(1)).await;
            Ok(Answer::default())
        });
        let spec = LoadSpec { warmup: WarmUp::For(SECOND), ..spec(pace, 8, Stop::Count(400)) };
        let (outcome, _) = go(Arc::clone(&server), workload(Class::Read, u64::MAX), spec);
        assert_eq!(outcome.tallies[0].operations, 400, "{pace:?}");
        assert!(server.asked.load(Ordering::Relaxed) > 500, "{pace:?}: warm-up operations run too");
        assert!(outcome.intervals[0].from >= SECOND);
        let warmup = outcome.warmup.unwrap();
        assert_eq!(
            warmup.operations + 400,
            server.asked.load(Ordering::Relaxed),
            "{pace:?}: each is in one of the two"
        );
    }
}

#[test]
fn a_warmup_ends_when_the_service_time_has_settled_or_its_time_is_over() {
    let slice = Duration::from_millis(30);
    // Three slices are too few to tell.
    for (pace, slices, settled) in
        [(Pace::Open { per_s: 1000.0 }, 500, true), (Pace::Closed, 500, true), (Pace::Closed, 3, false)]
    {
        let server = Model::new(|_| async {
            tokio::time::sleep(Duration::from_millis(1)).await;
            Ok(Answer::default())
        });
        let warmup = WarmUp::UntilSettled { slice, at_most: slice * slices };
        let spec = LoadSpec { warmup, ..spec(pace, 8, Stop::Count(400)) };
        let measuring = spec.measuring.clone();
        let (outcome, _) = go(Arc::clone(&server), workload(Class::Read, u64::MAX), spec);
        let warmup = outcome.warmup.unwrap();
        assert_eq!((outcome.tallies[0].operations, measuring.is_raised()), (400, true), "{pace:?}");
        assert_eq!(
            warmup.operations + 400,
            server.asked.load(Ordering::Relaxed),
            "{pace:?}: each is in one of the two"
        );
        assert_eq!(warmup.settled, Some(settled), "{warmup:?}");
        assert!(outcome.intervals[0].from >= slice * slices.min(6), "{warmup:?}");
        assert!(settled == (warmup.service_ms.len() >= 6), "{warmup:?}");
    }
}

/// Between the look at the clock and the operation the warm-up may end.
#[test]
fn an_operation_that_was_not_counted_when_it_began_is_of_the_warmup() {
    let server = Model::new(|_| async { Ok(Answer::default()) });
    let workload = workload(Class::Read, u64::MAX);
    let now = Instant::now();
    let shared = share(server, Arc::clone(&workload), spec(Pace::Closed, 1, Stop::Count(400)), now, None).unwrap();
    shared.measure_from(now, None);
    let runtime = crate::load::runtime(1).unwrap();
    for measured in [false, true, true] {
        runtime.block_on(shared.operate(0, workload.plan(0).unwrap(), Begin::Now { measured }));
    }
    let mut counted = crate::load::recorder::Counters::new(workload.kinds()).unwrap();
    shared.recorder.collect(&mut counted).unwrap();
    assert_eq!((counted.warmup.operations, counted.tallies[0].operations), (1, 2));
}

#[test]
fn a_run_that_ends_in_its_warmup_has_measured_nothing() {
    let server = Model::new(|_| async { Ok(Answer::default()) });
    let warmup = WarmUp::UntilSettled { slice: SECOND * 60, at_most: SECOND * 600 };
    let spec = LoadSpec { warmup, ..spec(Pace::Closed, 2, Stop::Count(400)) };
    let (outcome, heard) = go(server, workload(Class::Read, 100), spec);
    assert_eq!((outcome.tallies[0].operations, outcome.warmup.as_ref().unwrap().operations), (0, 100));
    assert!(heard.is_empty() && reasons(&outcome)[0].contains("no operation ended well"), "{:?}", outcome.invalid);
}

#[test]
fn passing_errors_are_repeated_for_reads_only() {
    let timeout = || anyhow::Error::new(ExecutionError::RequestTimeout(SECOND)).context("reading");
    for (class, retries, errors) in [(Class::Read, 2, 0), (Class::Write, 0, 1)] {
        let server = Model::new(move |number| async move {
            if number < 2 {
                Err(timeout())
            } else {
                Ok(Answer::default())
            }
        });
        let (outcome, _) = go(server, workload(class, 1), spec(Pace::Closed, 1, Stop::WorkloadEnds));
        assert_eq!((outcome.tallies[0].retries, outcome.tallies[0].errors), (retries, errors));
        assert_eq!(reasons(&outcome).is_empty(), errors == 0, "{:?}", outcome.invalid);
    }
}

#[test]
fn what_the_cluster_refuses_is_not_repeated() {
    let refused = || RequestAttemptError::DbError(scylla::errors::DbError::Invalid, "no such column".to_owned());
    let server = Model::new(move |_| async move { Err(ExecutionError::LastAttemptError(refused()).into()) });
    let (outcome, _) = go(Arc::clone(&server), workload(Class::Read, 5), spec(Pace::Closed, 1, Stop::WorkloadEnds));
    assert_eq!(server.asked.load(Ordering::Relaxed), 5);
    assert_eq!(outcome.first_errors.len(), 1);
    assert_eq!(outcome.first_errors[0].1, 5);
    assert!(reasons(&outcome)[0].contains("5 of 5 operations failed"), "{:?}", outcome.invalid);
    assert_eq!(outcome.failed.as_ref(), reasons(&outcome).first().copied());
}

#[test]
fn wrong_rows_make_the_run_invalid_unless_the_levels_allow_them() {
    use crate::check::{Levels, Replication};
    use scylla::statement::Consistency::One;
    for (levels, valid) in [(None, false), (Some(Levels::new(One, One, Replication::one_datacenter(3))), true)] {
        let fault = || Fault { kind: FaultKind::Stale, row: Row { partition: 1, row: 0 }, detail: "old".to_owned() };
        let server =
            Model::new(
                move |_| async move { Ok(Answer { rows_checked: 1, faults: vec![fault()], ..Answer::default() }) },
            );
        let spec = LoadSpec { levels: levels.map(Arc::new), ..spec(Pace::Closed, 1, Stop::WorkloadEnds) };
        let (outcome, _) = go(server, workload(Class::Read, 3), spec);
        assert_eq!(outcome.faults[1].rows, 3);
        assert_eq!(outcome.faults[1].explained_by_consistency, if valid { 3 } else { 0 });
        assert_eq!(reasons(&outcome).is_empty(), valid, "{:?}", outcome.invalid);
        assert_eq!(outcome.first_faults.len(), 3);
    }
}

/// The first operation fails twice in the middle of its answer, the second one for good.
#[test]
fn what_is_wrong_with_a_part_of_an_answer_counts_once() {
    let part = |wrong: &[u64]| {
        let fault =
            |&partition| Fault { kind: FaultKind::Stale, row: Row { partition, row: 0 }, detail: "old".to_owned() };
        Answer { faults: wrong.iter().map(fault).collect(), rows_checked: wrong.len() as u64, ..Answer::default() }
    };
    let timeout = || anyhow::Error::new(ExecutionError::RequestTimeout(SECOND));
    let server = Model::new(move |number| async move {
        match number {
            0 => Err(part(&[1, 2]).followed_by(timeout())),
            1 => Err(part(&[2, 3]).followed_by(timeout()).context("reading")),
            2 => Ok(part(&[3, 4, 4])),
            _ => Err(part(&[1]).followed_by(anyhow::anyhow!("refused"))),
        }
    });
    let (outcome, _) = go(server, workload(Class::Read, 2), spec(Pace::Closed, 1, Stop::WorkloadEnds));
    assert_eq!((outcome.tallies[0].retries, outcome.tallies[0].errors), (2, 1));
    assert_eq!(outcome.faults[1].rows, 6, "{:?}", outcome.first_faults);
    assert_eq!(outcome.rows_checked, 8, "of each try");
    assert_eq!(outcome.first_errors, [("after a part of the answer: refused".to_owned(), 1)]);
}

#[test]
fn a_server_that_is_too_slow_is_named_and_the_run_does_not_go_on_forever() {
    let server = Model::new(|_| async {
        tokio::time::sleep(Duration::from_millis(100)).await;
        Ok(Answer::default())
    });
    let spec = LoadSpec { drain: SECOND / 2, ..spec(Pace::Open { per_s: 1000.0 }, 4, Stop::Duration(SECOND)) };
    let begun = Instant::now();
    let (outcome, _) = go(server, workload(Class::Read, u64::MAX), spec);
    assert!(begun.elapsed() < SECOND * 15, "all that is due takes 25 s");
    assert!(outcome.not_started > 800, "{}", outcome.not_started);
    let reasons = outcome.saturated.join("; ");
    assert!(reasons.contains("rate not reached") && reasons.contains("all 4 in flight were busy"), "{reasons}");
    assert!(outcome.saturated.iter().all(|reason| outcome.invalid.contains(reason)), "{:?}", outcome.invalid);
}

#[test]
fn operations_that_never_end_are_told_of() {
    let server = Model::new(|_| async {
        tokio::time::sleep(SECOND * 600).await;
        Ok(Answer::default())
    });
    let spec = LoadSpec { drain: SECOND / 4, ..spec(Pace::Open { per_s: 100.0 }, 64, Stop::Count(3)) };
    let (outcome, _) = go(server, workload(Class::Read, u64::MAX), spec);
    let reasons = outcome.invalid.join("; ");
    assert!(reasons.contains("3 operations had not ended 0.25 s after"), "{reasons}");
    assert!(reasons.contains("no operation ended well"), "{reasons}");
}

#[test]
fn a_client_that_stood_still_is_not_taken_for_servers_that_did() {
    let server = Model::new(|number| async move {
        if number == 300 {
            // On the only thread of the client.
            std::thread::sleep(SECOND);
        }
        Ok(Answer::default())
    });
    let spec = spec(Pace::Open { per_s: 1000.0 }, 64, Stop::Duration(SECOND * 2));
    let (outcome, _) = go(server, workload(Class::Read, u64::MAX), spec);
    assert!(at(&outcome.late_ns, 0.9) > SECOND / 2, "{:?}", at(&outcome.late_ns, 0.9));
    let reasons = outcome.invalid.join("; ");
    assert!(reasons.contains("client: it started operations late"), "{reasons}");
}

#[test]
fn the_last_operation_of_a_closed_loop_does_not_lower_its_rate() {
    let server = Model::new(|number| async move {
        let time = if number == 20 { SECOND * 3 } else { SECOND / 50 };
        tokio::time::sleep(time).await;
        Ok(Answer::default())
    });
    let (outcome, heard) = go(server, workload(Class::Read, u64::MAX), spec(Pace::Closed, 2, Stop::Duration(SECOND)));
    assert!(outcome.elapsed > SECOND * 2, "{:?}", outcome.elapsed);
    assert!((SECOND..SECOND * 3 / 2).contains(&outcome.loaded()), "{:?}", outcome.loaded());
    let empty = heard.iter().filter(|interval| interval.tallies[0].operations == 0).count();
    assert!(empty < 3, "{empty} intervals in which nothing was to start");
}

#[test]
fn a_closed_loop_does_not_wait_for_ever_for_its_last_operation() {
    let server = Model::new(|number| async move {
        if number == 0 {
            tokio::time::sleep(SECOND * 600).await;
        }
        tokio::time::sleep(SECOND / 50).await;
        Ok(Answer::default())
    });
    let spec = LoadSpec { drain: SECOND / 4, ..spec(Pace::Closed, 2, Stop::Duration(SECOND / 2)) };
    let (outcome, _) = go(server, workload(Class::Read, u64::MAX), spec);
    let reasons = outcome.invalid.join("; ");
    assert!(reasons.contains("1 operations had not ended 0.25 s after"), "{reasons}");
}

#[test]
fn a_limited_closed_loop_ends_with_its_time() {
    let server = Model::new(|_| async { Ok(Answer::default()) });
    let begun = Instant::now();
    let spec = spec(Pace::Limited { per_s: 2.0 }, 100, Stop::Duration(SECOND));
    let (outcome, _) = go(server, workload(Class::Read, u64::MAX), spec);
    assert!(begun.elapsed() < SECOND * 20, "the turns of all loops take 50 s");
    assert!(outcome.tallies[0].operations <= 3, "{}", outcome.tallies[0].operations);
}

#[test]
fn a_run_goes_on_where_another_ended() {
    let server = || Model::new(|_| async { Ok(Answer::default()) });
    let first = spec(Pace::Closed, 2, Stop::Count(10));
    let position = first.position.clone();
    go(server(), workload(Class::Read, u64::MAX), first.clone());
    let ended = position.get();
    assert!((10..=12).contains(&ended), "{ended}");
    let (outcome, _) = go(server(), workload(Class::Read, ended + 5), LoadSpec { stop: Stop::WorkloadEnds, ..first });
    assert_eq!(outcome.tallies[0].operations, 5, "so many are left of the workload");
}

#[test]
fn it_ends_when_told_and_still_reports() {
    let halt = Signal::default();
    let spec = LoadSpec { halt: halt.clone(), ..spec(Pace::Open { per_s: 1000.0 }, 4, Stop::WorkloadEnds) };
    let server = Model::new(|_| async { Ok(Answer::default()) });
    let asked = Arc::clone(&server);
    let ended = std::thread::spawn(move || {
        asked.wait_for(200);
        std::thread::sleep(SECOND / 2);
        halt.raise();
    });
    let (outcome, _) = go(server, workload(Class::Read, u64::MAX), spec);
    ended.join().unwrap();
    assert!(outcome.tallies[0].operations > 100);
    assert!(!outcome.invalid.iter().any(|reason| reason.contains("rate")), "{:?}", outcome.invalid);
}

#[test]
fn it_ends_when_the_rate_is_steady() {
    let server = Model::new(|_| async { Ok(Answer::default()) });
    let stop = Stop::Uncertainty { below: 0.5, min_intervals: 5, max_intervals: 50 };
    let (outcome, heard) = go(server, workload(Class::Read, u64::MAX), spec(Pace::Open { per_s: 500.0 }, 4, stop));
    assert!((5..50).contains(&heard.len()), "{}", heard.len());
    assert!(!outcome.interrupted);
}

#[test]
fn specs_that_cannot_run_are_refused() {
    let runtime = crate::load::runtime(1).unwrap();
    for spec in [
        spec(Pace::Open { per_s: 0.0 }, 1, Stop::Count(1)),
        spec(Pace::Open { per_s: f64::NAN }, 1, Stop::Count(1)),
        spec(Pace::Closed, 0, Stop::Count(1)),
    ] {
        let server = Model::new(|_| async { Ok(Answer::default()) });
        assert!(runtime.block_on(drive(server, workload(Class::Read, 1), spec, |_| {})).is_err());
    }
}
