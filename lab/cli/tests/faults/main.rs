// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Checked reads of a real node behind a proxy that lies: each lie is found and named, and nothing else is.
//!
//! Needs what `make build` makes; run by `make test-lab`.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod checked;
#[path = "../common/node.rs"]
mod node;
mod proxy;

use std::sync::Arc;
use std::time::Duration;

use lab_load::check::{Before, Ledger, Shape};
use lab_load::load::{connect, run, runtime, FaultKind, LoadSpec, Outcome, Pace, Stop, Target, WarmUp};

use crate::checked::Checked;
use crate::node::Node;
use crate::proxy::{Lie, Proxy};

async fn checked_run(node: &Node, lie: Lie, deletes: bool) -> Outcome {
    let proxy = Proxy::start(node.contact_point()).await;
    let target = Target { request_timeout: Duration::from_secs(30), ..Target::new([proxy.address.clone()]) };
    let session = Arc::new(connect(&target).await.unwrap());
    let ledger = Ledger::new(Shape::dense(0, 1000, 1), Before::Absent);
    let name = format!("{lie:?}_{deletes}").to_lowercase();
    let workload = Arc::new(Checked::new(&session, ledger, deletes, &name).await.unwrap());
    proxy.lie(lie);
    let spec = LoadSpec { pace: Pace::Closed, in_flight: 16, stop: Stop::Count(5000), ..LoadSpec::default() };
    run(session, workload, spec, |_| {}).await.unwrap()
}

fn count(outcome: &Outcome, kind: FaultKind) -> u64 {
    let kinds = [FaultKind::Lost, FaultKind::Stale, FaultKind::MixedUp, FaultKind::Resurrected];
    outcome.faults[kinds.iter().position(|&one| one == kind).unwrap()].rows
}

#[test]
#[ignore = "starts a node: make test-lab"]
fn each_lie_is_found_and_nothing_else() {
    use FaultKind::{Lost, MixedUp, Resurrected, Stale};
    let node = Node::start(&[]);
    runtime(2).unwrap().block_on(async {
        for (lie, deletes, found) in [
            (Lie::None, false, vec![]),
            (Lie::None, true, vec![]),
            (Lie::RepeatWrites, true, vec![]),
            (Lie::DropWrites, false, vec![Stale]),
            (Lie::DropWrites, true, vec![Lost, Stale, Resurrected]),
            (Lie::OldAnswers, false, vec![Stale]),
            (Lie::AlterBytes, false, vec![MixedUp]),
        ] {
            let outcome = checked_run(&node, lie, deletes).await;
            let words = format!("{lie:?}, deletes {deletes}: {:?}, {:?}", outcome.faults, outcome.first_faults.first());
            println!("{words}");
            assert!(outcome.rows_checked > 1000, "{words}");
            for kind in &found {
                assert!(count(&outcome, *kind) > 10, "{kind:?} is missing: {words}");
            }
            let all: u64 = outcome.faults.iter().map(|fault| fault.rows).sum();
            assert_eq!(all == 0, found.is_empty(), "{words}");
            assert_eq!(
                outcome.invalid.iter().any(|reason| reason.contains("wrong rows")),
                !found.is_empty(),
                "{words}"
            );
        }
    });
}

#[test]
#[ignore = "starts a node: make test-lab"]
fn a_password_is_asked_for_and_a_wrong_one_refused() {
    let node = Node::start(&["authenticator: PasswordAuthenticator"]);
    let user = |name: Option<&str>, password: Option<&str>| Target {
        username: name.map(str::to_owned),
        password: password.map(str::to_owned),
        ..Target::new([node.contact_point()])
    };
    runtime(1).unwrap().block_on(async {
        let refused = connect(&user(None, None)).await.unwrap_err().to_string();
        assert!(refused.ends_with("the cluster wants a user and a password"), "{refused}");
        let refused = connect(&user(Some("cassandra"), Some("wrong"))).await.unwrap_err().to_string();
        assert!(refused.contains("user 'cassandra' was refused"), "{refused}");
        assert!(!refused.contains('\n'), "{refused}");
        for _ in 0..180 {
            if connect(&user(Some("cassandra"), Some("cassandra"))).await.is_ok() {
                return;
            }
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
        panic!("the default user cannot log in");
    });
}

/// CPU of the client for one operation, beyond which a load tool measures itself.
const MOST_CPU_US: f64 = 12.0;

#[test]
#[ignore = "starts a node: make test-lab"]
fn an_operation_costs_the_client_little_cpu() {
    let node = Node::start(&[]);
    runtime(1).unwrap().block_on(async {
        let target = Target { request_timeout: Duration::from_secs(30), ..Target::new([node.contact_point()]) };
        let session = Arc::new(connect(&target).await.unwrap());
        for (pace, in_flight) in [(Pace::Closed, 64), (Pace::Open { per_s: 4000.0 }, 1024)] {
            let ledger = Ledger::new(Shape::dense(0, 1000, 1), Before::Absent);
            let name = format!("cost_{in_flight}");
            let workload = Arc::new(Checked::new(&session, ledger, false, &name).await.unwrap());
            let stop = Stop::Duration(Duration::from_secs(8));
            let spec =
                LoadSpec { pace, in_flight, stop, warmup: WarmUp::For(Duration::from_secs(4)), ..LoadSpec::default() };
            let outcome = run(Arc::clone(&session), workload, spec, |_| {}).await.unwrap();
            let operations: u64 = outcome.tallies.iter().map(|tally| tally.operations).sum();
            let cpu_us = outcome.client_cpu_s * 1e6 / operations as f64;
            let per_s = operations as f64 / outcome.elapsed.as_secs_f64();
            println!("{pace:?}: {per_s:.0} operations per second, {cpu_us:.1} us of CPU each, {:?}", outcome.invalid);
            assert!(cfg!(debug_assertions) || cpu_us <= MOST_CPU_US, "{cpu_us:.1} us of CPU for an operation");
        }
    });
}
