// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! A crash between any two steps of receiving leaves all of the shipment or nothing of it.

use super::common::shipments::*;
use super::common::*;
use super::images::steps;
use super::world::*;
use crate::faults::{Step, HOOK};
use crate::receive::SIDE_FAMILIES_MAX;

const NAMED: [Step; 2] = [Step::FamilyRecorded, Step::Published];

#[test]
fn as_a_side_family() {
    for receiver_has_data in [true, false] {
        let world = World::new(receiver_has_data);
        let images = world.receive();
        assert_eq!(
            steps(&images),
            [Step::ContentsRecorded, Step::Imported, Step::RowsIngested, Step::FamilyRecorded, Step::Published]
        );
        world.check(&images, &NAMED);
    }
}

#[test]
fn after_taking_over_the_ids_of_the_sender() {
    let world = World::empty();
    let sender = world.sender.table(&renumbered_schema()).unwrap();
    let after = world.after.table(&renumbered_schema()).unwrap();
    fill(&[&sender, &after], 1);
    sender.compact().unwrap();
    fill(&[&sender, &after], 2);
    let shipment = ship_ranges(&sender, &[EVERYWHERE], world.folder.path());
    table(&world.receiver);
    let images = world.receive_shipment(&shipment);
    let side_family =
        [Step::ContentsRecorded, Step::Imported, Step::RowsIngested, Step::FamilyRecorded, Step::Published];
    assert_eq!(steps(&images), [&[Step::Adopted], &side_family[..]].concat());
    world.check(&images, &NAMED);
}

#[test]
fn beside_a_side_family() {
    let world = World::empty();
    let mut tokens: Vec<i64> = names().iter().map(|name| token(name)).collect();
    tokens.sort_unstable();
    let middle = tokens[tokens.len() / 2];
    let (low, high) = ((i64::MIN, middle), (middle, i64::MAX));
    let (sender, before, after) = (table(&world.sender), table(&world.before), table(&world.after));
    world.sender.set_ring(&[&1u32.to_le_bytes()[..], &middle.to_le_bytes()].concat()).unwrap();
    fill(&[&sender, &after], 1);
    sender.compact().unwrap();
    fill(&[&sender, &after], 2);
    (1..3).for_each(|seed| fill_within(&[&before], seed, low));
    world.fill_receiver(3..5);
    table(&world.receiver).receive(&ship_ranges(&sender, &[low], world.folder.path())).unwrap();
    let images = world.receive_shipment(&ship_ranges(&sender, &[high], world.folder.path()));
    assert_eq!(steps(&images), [Step::ContentsRecorded, Step::Ingested]);
    world.check(&images, &[Step::Ingested]);
    world.receiver.close().unwrap();
    assert_eq!(families(&world.path("receiver")).len(), 2, "one side column family has both");
}

#[test]
fn over_as_many_side_families_as_there_may_be() {
    let world = World::empty();
    world.fill_receiver(10..12);
    let sender = table(&world.sender);
    for number in 0..=SIDE_FAMILIES_MAX + 1 {
        let seed = number as u32 + 1;
        fill(&[&sender, &table(&world.after)], seed);
        sender.compact().unwrap();
        let images = world.receive_shipment(&ship_ranges(&sender, &[EVERYWHERE], world.folder.path()));
        if number < SIDE_FAMILIES_MAX {
            assert_eq!(steps(&images).last(), Some(&Step::Published));
            world.check(&images, &NAMED);
        } else {
            assert_eq!(steps(&images), [Step::ContentsRecorded, Step::ImportedForRewrite, Step::Ingested]);
            world.check(&images, &[Step::Ingested]);
        }
        fill(&[&table(&world.before)], seed);
    }
    world.receiver.close().unwrap();
    assert_eq!(families(&world.path("receiver")).len(), 1 + SIDE_FAMILIES_MAX);
}

#[test]
fn many_rows_become_a_side_family_and_more_go_onto_it() {
    for receiver_has_data in [true, false] {
        let world = World::new(receiver_has_data);
        world.receive();
        let receiver = table(&world.receiver);
        merge_in_all(&receiver);
        let (before, after) = (table(&world.before), table(&world.after));
        (1..3).for_each(|seed| fill(&[&before], seed));
        let images = world.receive_shipment(&ship_renumbered(&world, "renumbered", 3..5));
        let side_family = [Step::Imported, Step::RowsIngested, Step::FamilyRecorded, Step::Published];
        assert_eq!(steps(&images), [&[Step::ContentsRecorded, Step::ImportedForRewrite], &side_family[..]].concat());
        world.check(&images, &NAMED);
        assert_same(&receiver, &after, &names(), CLUSTERINGS);
        // The merge-in that has begun does not pass over what comes onto its side column family.
        receiver.merge_in().unwrap();
        receiver.merge_in().unwrap();
        fill_large(&[(&before, 1)], 3..5);
        let images = world.receive_shipment(&ship_renumbered(&world, "renumbered again", 6..8));
        assert_eq!(steps(&images), [Step::ContentsRecorded, Step::ImportedForRewrite, Step::Ingested]);
        world.check(&images, &[Step::Ingested]);
        assert_same(&receiver, &after, &names(), CLUSTERINGS);
        merge_in_all(&receiver);
        assert_same(&receiver, &after, &names(), CLUSTERINGS);
    }
}

#[test]
fn received_headers_are_read_while_the_mark_is_being_cleared() {
    for receiver_has_data in [true, false] {
        let world = World::new(receiver_has_data);
        let receiver = table(&world.receiver);
        let shipment = ship(&table(&world.sender), world.folder.path());
        let checking = table(&world.receiver);
        HOOK.set(Some(Box::new(move |_| {
            checking.clear_headers_if_due();
            Ok(())
        })));
        receiver.receive(&shipment).unwrap();
        assert_same(&receiver, &table(&world.after), &names(), CLUSTERINGS);
        merge_in_all(&receiver);
        HOOK.set(None);
        assert_same(&receiver, &table(&world.after), &names(), CLUSTERINGS);
    }
}
