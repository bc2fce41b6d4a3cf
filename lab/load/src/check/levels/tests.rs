// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! R + W > RF, over data centres and lost replicas.

use super::*;

fn overlap(read: Consistency, write: Consistency, replication: &Replication) -> bool {
    Levels::new(read, write, replication.clone()).overlap()
}

#[test]
fn one_datacenter() {
    use Consistency::{All, Any, LocalOne, LocalQuorum, One, Quorum, Serial, Two};
    let three = Replication::one_datacenter(3);
    for (read, write, meets) in [
        (One, One, false),
        (One, All, true),
        (All, One, true),
        (Quorum, Quorum, true),
        (LocalQuorum, Quorum, true),
        (Serial, Quorum, true),
        (One, Quorum, false),
        (Two, Two, true),
        (LocalOne, Two, false),
        (All, Any, false),
    ] {
        assert_eq!(overlap(read, write, &three), meets, "reads at {read}, writes at {write}");
    }
    assert!(overlap(LocalOne, LocalOne, &Replication::one_datacenter(1)));
    assert!(!overlap(One, One, &Replication::one_datacenter(2)));
}

#[test]
fn several_datacenters() {
    use Consistency::{EachQuorum, LocalOne, LocalQuorum, One, Quorum};
    let two = Replication { local: 3, others: vec![3] };
    assert!(overlap(LocalQuorum, LocalQuorum, &two));
    assert!(overlap(LocalQuorum, EachQuorum, &two));
    assert!(overlap(Quorum, Quorum, &two));
    assert!(!overlap(LocalQuorum, Quorum, &two), "a quorum of 4 may hold but 1 of the local 3");
    assert!(!overlap(One, LocalQuorum, &two));
    assert!(!overlap(LocalOne, EachQuorum, &two));
}

#[test]
fn a_client_of_several_datacenters_is_local_in_none() {
    use Consistency::{All, EachQuorum, LocalOne, LocalQuorum, One, Quorum};
    let two = Replication { local: 0, others: vec![3, 1] };
    for (read, write, meets) in [
        (LocalQuorum, LocalQuorum, false),
        (LocalOne, LocalOne, false),
        (Quorum, LocalQuorum, false),
        (Quorum, Quorum, true),
        (LocalOne, All, true),
        (One, EachQuorum, false),
        (All, LocalOne, true),
    ] {
        assert_eq!(overlap(read, write, &two), meets, "reads at {read}, writes at {write}");
    }
}

#[test]
fn a_replica_that_lost_its_data_does_not_count() {
    let levels = Levels::new(Consistency::Quorum, Consistency::Quorum, Replication::one_datacenter(3));
    assert!(!levels.explain(FaultKind::Lost));
    assert!(levels.explain_at(FaultKind::Lost, Some(Consistency::One)));
    levels.replica_lost();
    assert!(levels.explain(FaultKind::Lost) && levels.explain(FaultKind::Stale));
    assert!(!levels.explain(FaultKind::MixedUp));
    assert!(levels.reason().contains("R = 2, W = 2, RF = 3, replicas that lost data = 1"), "{}", levels.reason());
    levels.repaired();
    assert!(!levels.explain(FaultKind::Resurrected));
    let alone = Levels::new(Consistency::One, Consistency::One, Replication::one_datacenter(1));
    alone.replica_lost();
    assert!(alone.explain(FaultKind::Lost));
}

#[test]
fn writes_at_several_levels_must_all_be_met() {
    use Consistency::{One, Quorum};
    let levels = Levels::new(Quorum, Quorum, Replication::one_datacenter(3));
    assert!(!levels.explain(FaultKind::Resurrected));
    let levels = levels.and_writes_at(One);
    assert!(levels.explain(FaultKind::Resurrected) && !levels.explain_at(FaultKind::Lost, Some(Consistency::All)));
    assert!(levels.reason().contains("W = 1"), "{}", levels.reason());
}
