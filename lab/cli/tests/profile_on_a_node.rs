// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Every generated value on a real node. Needs what `make build` makes; run by `make test-lab`.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "common/node.rs"]
mod node;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use lab_load::check::{Before, Ledger, Shape};
use lab_load::load::{connect, runtime, Answer, Target, Workload};
use lab_load::profile::{builtin, Distribution, Mix, Options, Population, Profile, Schema, UserWorkload};
use scylla::client::session::Session;
use scylla::statement::Consistency;

use crate::node::Node;

#[test]
#[ignore = "starts a node: make test-lab"]
fn what_profiles_make_is_taken_by_a_node_and_checked() {
    let node = Node::start(&[]);
    let target = Target { request_timeout: Duration::from_secs(30), ..Target::new([node.contact_point()]) };
    runtime(2).unwrap().block_on(async {
        let session = connect(&target).await.unwrap();
        every_type_is_taken_and_comes_back_as_it_was_made(&session).await;
        lost_and_changed_rows_are_found(&session).await;
        profiles_and_builtins_run(&session).await;
        rows_that_expire_are_not_checked(&session).await;
        a_query_says_its_own_level(&session).await;
        deleted_rows_may_be_gone_and_must_not_come_back(&session).await;
    });
}

fn profile(name: &str) -> Profile {
    Profile::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../load/tests/profiles").join(name)).unwrap()
}

fn ledger() -> Arc<Ledger> {
    Arc::new(Ledger::new(Shape::sparse(), Before::Absent))
}

async fn prepared(
    session: &Session,
    profile: &Profile,
    ops: &str,
    partitions: u64,
    ledger: Option<Arc<Ledger>>,
) -> UserWorkload {
    let mut options = Options::new(ops.parse::<Mix>().unwrap(), Population::sequence(partitions));
    options.ledger = ledger;
    if profile.table == "wide" {
        // As the file says, batches go beyond the server's batch_size_fail_threshold, with cassandra-stress too.
        options.insert.set("partitions", "fixed(2)").unwrap();
        options.insert.set("select-ratio", "fixed(1)/10").unwrap();
    }
    UserWorkload::prepare(session, profile, options).await.unwrap()
}

/// Runs operations one after the other; no answer may be wrong.
async fn run(session: &Session, workload: &UserWorkload, operations: u64) -> Answer {
    let mut total = Answer::default();
    for index in 0..operations {
        let operation = workload.plan(index).unwrap();
        let answer = operation.run(session).await.unwrap();
        total.rows += answer.rows;
        total.partitions += answer.partitions;
        total.rows_checked += answer.rows_checked;
        total.value_bytes += answer.value_bytes;
        total.faults.extend(answer.faults);
    }
    assert!(total.faults.is_empty(), "{:?}", &total.faults[..total.faults.len().min(3)]);
    total
}

async fn created(session: &Session, profile: &Profile) {
    let schema = Schema::of(profile);
    schema.create(session, None, "").await.unwrap();
    schema.create(session, None, "").await.unwrap(); // what is there already is no error
    schema.truncate(session).await.unwrap();
}

async fn every_type_is_taken_and_comes_back_as_it_was_made(session: &Session) {
    let profile = profile("every-type.yaml");
    created(session, &profile).await;
    let ledger = ledger();
    let inserts = prepared(session, &profile, "insert=1", 100, Some(Arc::clone(&ledger))).await;
    let written = run(session, &inserts, 150).await; // each partition three times
    assert_eq!(written.partitions, 300);
    let reads = prepared(session, &profile, "partition=1,one=1", 100, Some(ledger)).await;
    assert!(reads.unchecked().is_empty(), "{:?}", reads.unchecked());
    let read = run(session, &reads, 200).await;
    assert_eq!(read.rows_checked, read.rows);
    let scans = prepared(session, &profile, "all=1", 100, None).await;
    let scanned = run(session, &scans, 100).await;
    assert!(scanned.partitions >= 100 && scanned.rows >= read.rows / 4, "{scanned:?}");
}

async fn lost_and_changed_rows_are_found(session: &Session) {
    let profile = builtin::rows(200).unwrap();
    created(session, &profile).await;
    let ledger = ledger();
    let writes = prepared(session, &profile, "write=1", 10, Some(Arc::clone(&ledger))).await;
    run(session, &writes, 20).await;
    session.query_unpaged("DELETE FROM lab.rows WHERE k = 3", ()).await.unwrap();
    session.query_unpaged("UPDATE lab.rows SET v = 0x01 WHERE k = 4", ()).await.unwrap();
    session.query_unpaged("DELETE FROM lab.rows WHERE k = 5", ()).await.unwrap();
    let first = prepared(session, &profile, "write=1", 10, None).await; // writes version 0 again
    first.plan(4).unwrap().run(session).await.unwrap();
    let reads = prepared(session, &profile, "read=1", 10, Some(ledger)).await;
    let mut kinds = Vec::new();
    for index in 0..10 {
        let answer = reads.plan(index).unwrap().run(session).await.unwrap();
        assert_eq!(answer.rows_checked, 1);
        kinds.extend(answer.faults.into_iter().map(|fault| (fault.row.partition, format!("{:?}", fault.kind))));
    }
    let expected = [(3, "Lost"), (4, "MixedUp"), (5, "Stale")].map(|(key, kind)| (key, kind.to_owned()));
    assert_eq!(kinds, expected);
}

async fn rows_that_expire_are_not_checked(session: &Session) {
    let profile = profile("types.yaml");
    let table = Schema::of(&profile).table();
    created(session, &profile).await;
    session.query_unpaged(format!("ALTER TABLE {table} WITH default_time_to_live = 1"), ()).await.unwrap();
    let options = |ledger| {
        let mut options = Options::new("insert=1".parse::<Mix>().unwrap(), Population::sequence(10));
        options.ledger = ledger;
        options
    };
    let refused = UserWorkload::prepare(session, &profile, options(Some(ledger()))).await.unwrap_err();
    assert!(refused.to_string().contains("its rows expire after 1 s"), "{refused:#}");
    UserWorkload::prepare(session, &profile, options(None)).await.unwrap();
}

/// What is wrong with an answer is judged by the level that it was asked at.
async fn a_query_says_its_own_level(session: &Session) {
    let mut profile = profile("counter.yaml");
    created(session, &profile).await;
    for (message, level) in [(Some("QUORUM"), Some(Consistency::Quorum)), (None, None)] {
        let query = profile.queries.0.iter_mut().find(|(name, _)| name == "total");
        query.unwrap().1.consistency_level = message.map(str::to_owned);
        let reads = prepared(session, &profile, "total=1", 10, None).await;
        assert_eq!(reads.plan(0).unwrap().consistency(), level);
    }
}

async fn profiles_and_builtins_run(session: &Session) {
    for (profile, write, read) in [
        (profile("types.yaml"), "insert=1", "first=1,since=1"),
        (profile("counter.yaml"), "insert=1", "total=1"),
        (profile("lwt.yaml"), "insert=1", "newest=1,recent=1"),
        (profile("plain.yaml"), "insert=1", "first=1"),
        (profile("diary.yaml"), "insert=1", "all_days=1,latest_day=1"),
        (profile("changes.yaml"), "insert=1", "latest=1,lend=1,lendif=1"),
        (builtin::standard("keyspace1", &builtin::StandardColumns::default()).unwrap(), "write=1", "read=1"),
        (builtin::counter("keyspace1", 5, &Distribution::fixed(1)).unwrap(), "counter_write=1", "counter_read=1"),
        (builtin::emp(6144).unwrap(), "write=1", "read=1"),
        (builtin::rows(1000).unwrap(), "write=1", "read=1"),
    ] {
        created(session, &profile).await;
        let writes = prepared(session, &profile, write, 20, None).await;
        let written = run(session, &writes, 20).await;
        let reads = prepared(session, &profile, read, 20, None).await;
        let answered = run(session, &reads, 40).await;
        println!("{}.{}: {written:?} then {answered:?}", profile.keyspace, profile.table);
        assert!(answered.rows > 0 && written.value_bytes > 0);
    }
}

async fn deleted_rows_may_be_gone_and_must_not_come_back(session: &Session) {
    let profile = profile("deletes.yaml");
    created(session, &profile).await;
    let ledger = ledger();
    let mixed = prepared(session, &profile, "insert=4,one=4,all=4,drop=2,clear=1", 20, Some(Arc::clone(&ledger))).await;
    assert!(mixed.unchecked().is_empty(), "{:?}", mixed.unchecked());
    let answer = run(session, &mixed, 1500).await;
    assert!(answer.rows_checked > 2000, "{answer:?}");

    let clears = prepared(session, &profile, "clear=1", 20, Some(Arc::clone(&ledger))).await;
    let cleared = run(session, &clears, 20).await;
    assert_eq!((cleared.partitions, cleared.rows), (20, 20 * 5));
    let reads = prepared(session, &profile, "all=1", 20, Some(Arc::clone(&ledger))).await;
    assert_eq!(run(session, &reads, 20).await.rows_checked, 20 * 5);
    // Nobody tells the ledger that version 0 is written again.
    let again = prepared(session, &profile, "insert=1", 20, None).await;
    run(session, &again, 1).await;
    let mut kinds = Vec::new();
    for index in 0..20 {
        let answer = reads.plan(index).unwrap().run(session).await.unwrap();
        kinds.extend(answer.faults.into_iter().map(|fault| format!("{:?}", fault.kind)));
    }
    assert_eq!(kinds, ["Resurrected"; 5]);

    for (ops, why) in [("all=1,column=1", "query column writes"), ("all=1,prefix=1", "query prefix writes")] {
        let mut options = Options::new(ops.parse::<Mix>().unwrap(), Population::sequence(20));
        options.ledger = Some(Arc::clone(&ledger));
        let refused = UserWorkload::prepare(session, &profile, options.clone()).await.unwrap_err();
        assert!(refused.to_string().starts_with(why), "{refused:#}");
        options.ledger = None;
        let workload = UserWorkload::prepare(session, &profile, options).await.unwrap();
        run(session, &workload, 4).await;
    }
}
