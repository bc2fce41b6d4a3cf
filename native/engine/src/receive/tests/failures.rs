// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! A failure at any step leaves the table as it was, and what failed can be repeated.

use super::common::shipments::*;
use super::common::*;
use super::merging_in::large;
use super::world::*;
use crate::disk_space::{pretend_free, FREE, RESERVE_BYTES};
use crate::faults::{Step, HOOK};
use crate::receive::rows::FILE_BYTES;
use crate::{EngineError, Kind};

#[test]
fn a_failure_at_any_step_can_be_repeated() {
    for fails_at in [Step::ContentsRecorded, Step::Imported, Step::RowsIngested, Step::FamilyRecorded] {
        let world = World::new(true);
        let receiver = table(&world.receiver);
        let shipment = ship(&table(&world.sender), world.folder.path());
        HOOK.set(Some(Box::new(move |step| match step == fails_at {
            true => Err(EngineError::no_space("a test has none")),
            false => Ok(()),
        })));
        assert!(matches!(receiver.receive(&shipment), Err(EngineError { kind: Kind::NoSpace, .. })), "{fails_at:?}");
        HOOK.set(None);
        assert!(shipment.exists());
        assert_same(&receiver, &table(&world.before), &names(), CLUSTERINGS);
        receiver.receive(&shipment).unwrap();
        assert_same(&receiver, &table(&world.after), &names(), CLUSTERINGS);
        drop(receiver);
        world.receiver.close().unwrap();
        let store = open(&world.path("receiver"));
        assert_same(&table(&store), &table(&world.after), &names(), CLUSTERINGS);
        merge_in_all(&table(&store));
        assert_same(&table(&store), &table(&world.after), &names(), CLUSTERINGS);
        store.close().unwrap();
        assert_eq!(families(&world.path("receiver")).len(), 1, "{fails_at:?}");
    }
}

#[test]
fn a_failed_merge_in_is_repeated() {
    for fails_at in
        [Step::SwapRecorded, Step::Swapped, Step::Ingested, Step::MergedIn, Step::FamilyUnrecorded, Step::Unpublished]
    {
        let world = World::new(true);
        let receiver = table(&world.receiver);
        let value = large();
        put(&table(&world.after), "large", 1, 1, &value);
        put(&table(&world.sender), "large", 1, 1, &value);
        world.receive();
        HOOK.set(Some(Box::new(move |step| match step == fails_at {
            true => Err(EngineError::io("a test fails")),
            false => Ok(()),
        })));
        let failed = (0..4).any(|_| receiver.merge_in().is_err());
        assert!(failed, "{fails_at:?}");
        HOOK.set(None);
        assert_same(&receiver, &table(&world.after), &names(), CLUSTERINGS);
        merge_in_all(&receiver);
        assert_same(&receiver, &table(&world.after), &names(), CLUSTERINGS);
        drop(receiver);
        world.receiver.close().unwrap();
        let store = open(&world.path("receiver"));
        assert_same(&table(&store), &table(&world.after), &names(), CLUSTERINGS);
        store.close().unwrap();
        assert_eq!(families(&world.path("receiver")).len(), 1, "{fails_at:?}");
    }
}

/// A receiver whose side column family takes many steps to merge in.
fn with_much_to_merge_in() -> World {
    let world = World::new(true);
    let (receiver, sender) = (table(&world.receiver), table(&world.sender));
    let (before, after) = (table(&world.before), table(&world.after));
    put(&receiver, "large", 1, 1, &large());
    put(&before, "large", 1, 1, &large());
    put(&after, "large", 1, 1, &large());
    fill_large(&[(&sender, 1), (&after, 1)], 30..33);
    world.receive();
    world
}

#[test]
fn a_merge_in_that_fails_again_and_again_gets_on() {
    let world = with_much_to_merge_in();
    let receiver = table(&world.receiver);
    let mut number = 0;
    HOOK.set(Some(Box::new(move |step| match step {
        Step::Ingested => {
            number += 1;
            match number % 2 {
                0 => Err(EngineError::no_space("a test has none")),
                _ => Ok(()),
            }
        }
        _ => Ok(()),
    })));
    let outcomes: Vec<_> = (0..100).map(|_| receiver.merge_in()).take_while(|left| *left != Ok(0)).collect();
    HOOK.set(None);
    let failed = outcomes.iter().filter(|outcome| outcome.is_err()).count();
    assert!(failed > 2 && outcomes.len() < 100, "{failed} of {} steps failed", outcomes.len());
    assert_same(&receiver, &table(&world.after), &names(), CLUSTERINGS);
}

#[test]
fn merge_in_waits_for_free_space_and_goes_on_where_it_was() {
    let world = with_much_to_merge_in();
    let receiver = table(&world.receiver);
    let left = receiver.merge_in().unwrap();
    assert!(left > 0);
    let steps = std::rc::Rc::new(std::cell::Cell::new(0));
    let counted = std::rc::Rc::clone(&steps);
    HOOK.set(Some(Box::new(move |_| {
        counted.set(counted.get() + 1);
        Ok(())
    })));
    FREE.set(Some(Box::new(|| RESERVE_BYTES + FILE_BYTES - 1)));
    for _ in 0..3 {
        assert_eq!(receiver.merge_in().unwrap_err().kind(), Kind::NoSpace);
    }
    assert_eq!(steps.get(), 0, "nothing was written");
    assert_eq!(std::fs::read_dir(world.path("receiver").join("staging")).unwrap().count(), 0);
    assert_same(&receiver, &table(&world.after), &names(), CLUSTERINGS);
    FREE.set(Some(Box::new(|| RESERVE_BYTES + FILE_BYTES)));
    merge_in_all(&receiver);
    FREE.set(None);
    HOOK.set(None);
    assert!(steps.get() > 3);
    assert_same(&receiver, &table(&world.after), &names(), CLUSTERINGS);
}

#[test]
fn a_shipment_that_is_rewritten_spares_the_reserve() {
    let world = World::empty();
    let shipment = ship_renumbered(&world, "renumbered", 0..3);
    let receiver = table(&world.receiver);
    pretend_free(2, RESERVE_BYTES + FILE_BYTES, RESERVE_BYTES + FILE_BYTES - 1);
    assert_eq!(receiver.receive(&shipment).unwrap_err().kind(), Kind::NoSpace);
    FREE.set(None);
    assert_eq!(std::fs::read_dir(world.path("receiver").join("staging")).unwrap().count(), 0);
    assert_same(&receiver, &table(&world.before), &names(), CLUSTERINGS);
    receiver.receive(&shipment).unwrap();
    assert_same(&receiver, &table(&world.after), &names(), CLUSTERINGS);
}

#[test]
fn a_failed_receive_leaves_nothing_behind() {
    let world = World::empty();
    let sender = world.sender.table(&renumbered_schema()).unwrap();
    let receiver = table(&world.receiver);
    receiver.column_ids().unwrap(); // known from now on, so that the shipment is rewritten
    fill(&[&sender], 1);
    sender.compact().unwrap();
    fill(&[&sender], 2);
    let shipment = ship_ranges(&sender, &[EVERYWHERE], world.folder.path());
    let rows = shipment.join("rows-000001.sst");
    let bytes = std::fs::metadata(&rows).unwrap().len() as usize;
    std::fs::write(&rows, vec![0; bytes]).unwrap();
    assert_eq!(receiver.receive(&shipment).unwrap_err().kind(), Kind::Corruption);
    drop(receiver);
    world.receiver.close().unwrap();
    assert_eq!(families(&world.path("receiver")).len(), 1, "that of the whole files has gone");
}

#[test]
fn ids_that_were_taken_over_are_used_also_if_nothing_else_was() {
    let world = World::empty();
    let sender = world.sender.table(&renumbered_schema()).unwrap();
    let after = world.after.table(&renumbered_schema()).unwrap();
    fill(&[&sender, &after], 1);
    sender.compact().unwrap();
    let shipment = ship_ranges(&sender, &[EVERYWHERE], world.folder.path());
    let receiver = table(&world.receiver);
    HOOK.set(Some(Box::new(|step| match step {
        Step::Adopted => Err(EngineError::io("a test fails")),
        _ => Ok(()),
    })));
    receiver.receive(&shipment).unwrap_err();
    HOOK.set(None);
    assert_eq!(receiver.column_ids().unwrap(), sender.column_ids().unwrap());
    fill(&[&receiver, &after], 2);
    receiver.receive(&shipment).unwrap();
    assert_same(&receiver, &after, &names(), CLUSTERINGS);
}
