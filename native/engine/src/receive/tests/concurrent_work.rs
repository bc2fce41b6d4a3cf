// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Cleanup and loading take hours: neither a shipment nor other tables wait for them.

use super::common::shipments::*;
use super::common::*;
use super::world::*;
use crate::faults::{at_once, Paused, Step};
use crate::{Kind, Result, Table};
use std::sync::Arc;

/// The same table under another id.
fn other_table(store: &crate::Store) -> Arc<Table> {
    store.table(&schema(&[7; 16], &[(0, "v", "blob"), (0, "w", "blob"), (1, "s", "blob")])).unwrap()
}

/// Receives, and tries to merge in, while `paused` stays where it is.
fn goes_on_beside<T: Send + 'static>(world: &World, paused: Paused<T>) -> Result<T> {
    let receiver = table(&world.receiver);
    let shipment = ship(&table(&world.sender), world.folder.path());
    let receiving = Arc::clone(&receiver);
    at_once(move || receiving.receive(&shipment)).unwrap();
    let merging = Arc::clone(&receiver);
    let refused = at_once(move || merging.merge_in());
    assert_eq!(refused.unwrap_err().kind(), Kind::Busy);
    let other = other_table(&world.receiver);
    assert_eq!(at_once(move || other.merge_in()), Ok(0));
    let ended = paused.end();
    assert_same(&receiver, &table(&world.after), &names(), CLUSTERINGS);
    merge_in_all(&receiver);
    assert_same(&receiver, &table(&world.after), &names(), CLUSTERINGS);
    ended
}

#[test]
fn a_cleanup_delays_no_shipment_and_no_other_table() {
    let world = World::new(true);
    world.receive(); // so that there is something to merge in
    fill(&[&table(&world.sender), &table(&world.after)], 6);
    let cleaned = table(&world.receiver);
    let paused = Paused::at(Step::Cleaning, move || cleaned.cleanup(&ranges(&[EVERYWHERE])));
    goes_on_beside(&world, paused).unwrap();
}

#[test]
fn a_cleanup_that_is_stopped_meanwhile_ends() {
    let world = World::new(true);
    let cleaned = table(&world.receiver);
    let paused = Paused::at(Step::Cleaning, move || cleaned.cleanup(&ranges(&[EVERYWHERE])));
    let waiting = table(&world.receiver);
    let second = std::thread::spawn(move || waiting.cleanup(&ranges(&[EVERYWHERE])));
    table(&world.receiver).stop_cleanup().unwrap();
    assert_eq!(goes_on_beside(&world, paused).unwrap_err().kind(), Kind::Busy);
    // Whether it had begun by then or not.
    assert!(second.join().unwrap().err().is_none_or(|error| error.kind() == Kind::Busy));
}

#[test]
fn loading_delays_no_shipment_and_no_other_table() {
    let world = World::new(true);
    let loaded = table(&world.receiver);
    let elsewhere = open(&world.path("elsewhere"));
    fill(&[&table(&elsewhere), &table(&world.after)], 7);
    let snapshot = ship(&table(&elsewhere), world.folder.path());
    let paused = Paused::at(Step::Loading, move || loaded.load(&snapshot));
    assert!(goes_on_beside(&world, paused).unwrap() > 0);
}

/// A table that is empty takes over the ids of what it receives: not while it loads rows under its own.
#[test]
fn columns_that_are_being_loaded_keep_their_ids() {
    let world = World::empty();
    let renumbered = world.sender.table(&renumbered_schema()).unwrap();
    fill_large(&[(&renumbered, 3), (&table(&world.after), 1)], 1..2);
    let elsewhere = open(&world.path("elsewhere"));
    fill_large(&[(&table(&elsewhere), 1), (&table(&world.after), 1)], 2..3);
    let snapshot = ship(&table(&elsewhere), world.folder.path());
    let loaded = table(&world.receiver);
    let paused = Paused::at(Step::Loading, move || loaded.load(&snapshot));
    let shipment = ship(&renumbered, world.folder.path());
    let receiver = table(&world.receiver);
    at_once(move || receiver.receive(&shipment)).unwrap();
    paused.end().unwrap();
    assert_same(&table(&world.receiver), &table(&world.after), &names(), CLUSTERINGS);
}
