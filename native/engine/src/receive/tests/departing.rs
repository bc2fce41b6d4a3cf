// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Rows leave a table while it takes others: a crash or a failure between any two steps loses nothing that came later,
//! and of what leaves all or nothing.

use super::common::shipments::*;
use super::common::*;
use super::images::{copy, images_under_writes, steps, Image};
use super::world::*;
use super::writers::{tell, Ending, Writer};
use crate::faults::{Step, HOOK};
use crate::{EngineError, Kind, Store, Table};
use std::sync::Arc;

const BEGUN: [Step; 3] = [Step::FamilyMade, Step::SwapRecorded, Step::Swapped];
const FORGOTTEN: [Step; 2] = [Step::FamilyUnrecorded, Step::Unpublished];

/// A receiver with rows that are to leave, in several files and a memtable, and with a deletion.
fn filled() -> World {
    let world = World::empty();
    world.fill_receiver(3..6);
    world
}

/// Copies all that the table has, as its owner does with what departs.
fn copy_elsewhere(world: &World, name: &str) -> Arc<Store> {
    let elsewhere = open(&world.path(name));
    table(&elsewhere).receive(&ship_ranges(&table(&world.receiver), &[EVERYWHERE], world.folder.path())).unwrap();
    elsewhere
}

/// Compares what a table and other stores have together with what they are to have.
fn assert_together(found: &Arc<Table>, elsewhere: &[&Arc<Store>], wanted: &Arc<Table>) {
    let folder = tempfile::tempdir().unwrap();
    let both = open(&folder.path().join("both"));
    let all = elsewhere.iter().map(|store| table(store)).chain([Arc::clone(found)]);
    all.for_each(|one| {
        table(&both).receive(&ship_ranges(&one, &[EVERYWHERE], folder.path())).unwrap();
    });
    assert_same(&table(&both), wanted, &names(), CLUSTERINGS);
    both.close().unwrap();
}

#[test]
fn what_came_later_stays() {
    let world = filled();
    let receiver = table(&world.receiver);
    assert!(receiver.begin_departure(0).unwrap() > 0);
    assert_same(&receiver, &table(&world.after), &names(), CLUSTERINGS);
    let elsewhere = copy_elsewhere(&world, "elsewhere");
    let later = open(&world.path("later"));
    fill(&[&receiver, &table(&world.after), &table(&later)], 7);
    assert_same(&receiver, &table(&world.after), &names(), CLUSTERINGS);
    receiver.forget_departed().unwrap();
    assert_same(&receiver, &table(&later), &names(), CLUSTERINGS);
    assert_together(&receiver, &[&elsewhere], &table(&world.after));
    receiver.compact().unwrap();
    assert_together(&receiver, &[&elsewhere], &table(&world.after));
    drop(receiver);
    world.receiver.close().unwrap();
    let store = open(&world.path("receiver"));
    assert_same(&table(&store), &table(&later), &names(), CLUSTERINGS);
    store.close().unwrap();
    assert_eq!(families(&world.path("receiver")).len(), 1);
}

/// Their numbers tell whether what departs is still there.
#[test]
fn what_departs_has_a_number_until_it_is_forgotten() {
    let world = filled();
    let receiver = table(&world.receiver);
    let mut seen = receiver.families().unwrap();
    for _ in 0..3 {
        receiver.begin_departure(0).unwrap();
        let families = receiver.families().unwrap();
        let departing = &families[1..];
        assert!(!departing.is_empty() && !seen.contains(&families[0]), "{families:?} after {seen:?}");
        receiver.end_departure().unwrap();
        assert!(departing.iter().all(|number| receiver.families().unwrap().contains(number)));
        receiver.begin_departure(1 << 30).unwrap();
        receiver.forget_departed().unwrap();
        assert_eq!(receiver.families().unwrap(), [families[0]]);
        seen.extend(&families);
        fill(&[&receiver], 9);
    }
    let families = receiver.families().unwrap();
    drop(receiver);
    world.receiver.close().unwrap();
    let store = open(&world.path("receiver"));
    assert_eq!(table(&store).families().unwrap(), families);
    let truncated = table(&store);
    drop(truncated.truncate().unwrap());
    assert_eq!(truncated.families().unwrap_err().kind(), Kind::Closed);
    drop(truncated);
    store.close().unwrap();
}

#[test]
fn a_base_that_is_small_does_not_depart() {
    let world = filled();
    let receiver = table(&world.receiver);
    assert_eq!(receiver.begin_departure(1 << 30).unwrap(), 0);
    receiver.forget_departed().unwrap();
    assert_same(&receiver, &table(&world.before), &names(), CLUSTERINGS);
    assert_eq!(receiver.family_bytes().unwrap().1, 0);
}

/// A departure that has not ended is taken back, and the next one has everything.
#[test]
fn what_departs_may_stay_after_all() {
    let world = filled();
    let receiver = table(&world.receiver);
    receiver.begin_departure(0).unwrap();
    assert_eq!(receiver.merge_in().unwrap_err().kind(), Kind::Busy);
    fill(&[&receiver, &table(&world.before)], 7);
    receiver.end_departure().unwrap();
    receiver.forget_departed().unwrap(); // of nothing
    assert_same(&receiver, &table(&world.before), &names(), CLUSTERINGS);
    merge_in_all(&receiver);
    assert_same(&receiver, &table(&world.before), &names(), CLUSTERINGS);
    let elsewhere = {
        receiver.begin_departure(0).unwrap();
        copy_elsewhere(&world, "elsewhere")
    };
    receiver.forget_departed().unwrap();
    assert_eq!(whole(&receiver), []);
    assert_same(&table(&elsewhere), &table(&world.before), &names(), CLUSTERINGS);
}

/// However often a crash has cut a departure short.
#[test]
fn departures_that_are_cut_short_do_not_add_up() {
    let world = filled();
    for seed in 7..15 {
        let receiver = table(&world.receiver);
        receiver.begin_departure(0).unwrap();
        receiver.end_departure().unwrap();
        fill(&[&receiver, &table(&world.before)], seed);
        let side_families = receiver.shared(|core| Ok(core.side_families().len())).unwrap();
        assert!(side_families <= 4, "{side_families}");
        assert_same(&receiver, &table(&world.before), &names(), CLUSTERINGS);
    }
    merge_in_all(&table(&world.receiver));
    assert_same(&table(&world.receiver), &table(&world.before), &names(), CLUSTERINGS);
}

/// The two halves of the ring's partitions.
fn halves() -> [(i64, i64); 2] {
    let mut tokens: Vec<i64> = names().iter().map(|name| token(name)).collect();
    tokens.sort_unstable();
    let middle = tokens[tokens.len() / 2 - 1];
    [(i64::MIN, middle), (middle, i64::MAX)]
}

/// Also where no key of what departs is in its way.
#[test]
fn a_shipment_that_comes_meanwhile_stays() {
    let [left, right] = halves();
    for (range, seeds) in [(left, 1..6), (right, 1..2), (right, 1..6), (EVERYWHERE, 1..6)] {
        let world = World::empty();
        let (receiver, sender) = (table(&world.receiver), table(&world.sender));
        fill_within(&[&receiver, &table(&world.after)], 3, left);
        receiver.begin_departure(0).unwrap();
        let elsewhere = copy_elsewhere(&world, "elsewhere");
        for seed in seeds {
            fill_within(&[&sender, &table(&world.after)], seed, range);
            // Whole files, and rows.
            let shipment = match seed < 4 {
                true => ship(&sender, world.folder.path()),
                false => ship_ranges(&sender, &[range], world.folder.path()),
            };
            receiver.receive(&shipment).unwrap();
        }
        receiver.forget_departed().unwrap();
        assert_same(&receiver, &sender, &names(), CLUSTERINGS);
        assert_together(&receiver, &[&elsewhere], &table(&world.after));
        merge_in_all(&receiver);
        assert_same(&receiver, &sender, &names(), CLUSTERINGS);
    }
}

#[test]
fn a_scan_that_has_begun_shows_what_is_forgotten() {
    let world = filled();
    let receiver = table(&world.receiver);
    receiver.begin_departure(0).unwrap();
    let wanted = whole(&receiver);
    let mut buffer = vec![0; 300];
    let bytes = receiver.scan(&scan_request(WHOLE | WITH_STATIC, 100, b"", b"", &[]), &mut buffer).unwrap();
    let (cursor, mut found) = parse(&buffer[..usize::try_from(bytes).unwrap()]);
    assert!(cursor != 0, "it has not ended");
    receiver.forget_departed().unwrap();
    found.extend(drain(300, |open, answer| crate::cursor_next(open.unwrap_or(cursor), 0, answer).unwrap()));
    assert_eq!(found, wanted);
    assert_eq!(whole(&receiver), []);
}

#[test]
fn rows_that_would_be_lost_or_come_back_do_not_depart() {
    let refused = |table: &Table, why: &str| {
        let error = table.begin_departure(0).unwrap_err();
        assert!(error.kind() == Kind::Invalid && error.message().contains(why), "{error}");
    };
    let world = filled();
    let receiver = table(&world.receiver);
    receiver.set_purge(0, 5, 0).unwrap();
    refused(&receiver, "may purge deletions");
    receiver.set_purge(0, i64::MIN, 0).unwrap();
    receiver.create_index("by_v").unwrap();
    refused(&receiver, "indexes");
    receiver.drop_index("by_v").unwrap();
    let lacks_v = schema(&TABLE, &[(0, "w", "blob"), (1, "s", "blob")]);
    world.receiver.table(&lacks_v).unwrap();
    refused(&receiver, "lacks column v");
    let receiver = table(&world.receiver); // has it again
    assert!(receiver.begin_departure(0).unwrap() > 0);
    receiver.set_purge(0, 5, 0).unwrap();
    assert_eq!(receiver.forget_departed().unwrap_err().kind(), Kind::Invalid);
    receiver.set_purge(0, i64::MIN, 0).unwrap();
    receiver.create_index("by_v").unwrap();
    assert_eq!(receiver.forget_departed().unwrap_err().kind(), Kind::Invalid);
    assert_same(&receiver, &table(&world.before), &names(), CLUSTERINGS);
}

/// A deletion in the new base hides rows that depart: it must be there when they are read elsewhere.
#[test]
fn deletions_of_what_has_left_are_not_purged() {
    let world = filled();
    let receiver = table(&world.receiver);
    receiver.begin_departure(0).unwrap();
    let elsewhere = copy_elsewhere(&world, "elsewhere");
    for name in names() {
        let deletion = update(&partition(&name), &[(HEADER, b"", &partition_deletion(100))]);
        [&receiver, &table(&world.after)].iter().for_each(|table| table.write(&deletion, 0).unwrap());
    }
    receiver.compact().unwrap();
    receiver.forget_departed().unwrap();
    receiver.compact().unwrap();
    assert_together(&receiver, &[&elsewhere], &table(&world.after));
}

#[test]
fn truncating_takes_all_of_it() {
    for begun in [false, true] {
        let world = filled();
        let receiver = table(&world.receiver);
        if begun {
            receiver.begin_departure(0).unwrap();
        }
        let truncated = receiver.truncate().unwrap();
        assert_eq!(receiver.begin_departure(0).unwrap_err().kind(), Kind::Closed);
        assert_eq!(receiver.forget_departed().unwrap_err().kind(), Kind::Closed);
        assert_same(&receiver, &table(&world.before), &names(), CLUSTERINGS);
        receiver.retire().unwrap();
        assert_eq!(whole(&truncated), []);
        drop((receiver, truncated));
        world.receiver.close().unwrap();
        assert_eq!(families(&world.path("receiver")).len(), 1, "{begun}");
    }
}

/// Each image has what was acknowledged by then, with what was copied before; and a departure begins anew there.
fn check(world: &World, images: &[Image], elsewhere: &[Arc<Store>], told: &mut u32) {
    for image in images {
        tell(&[&world.after], told, image.acknowledged);
        let store = open(&image.path);
        let (found, copies) = (table(&store), elsewhere.iter().collect::<Vec<_>>());
        assert_together(&found, &copies, &table(&world.after));
        let is_forgotten = found.family_bytes().unwrap().1 == 0;
        assert_eq!(is_forgotten, image.step == Step::FamilyMade || FORGOTTEN.contains(&image.step), "{:?}", image.step);
        found.begin_departure(0).unwrap();
        assert_together(&found, &copies, &table(&world.after));
        found.end_departure().unwrap();
        merge_in_all(&found);
        assert_together(&found, &copies, &table(&world.after));
        drop(found);
        store.close().unwrap();
        assert_eq!(families(&image.path).len(), 1, "{:?}", image.step);
    }
}

#[test]
fn a_crash_at_any_step_loses_no_acknowledged_row() {
    let world = World::empty();
    let receiver = table(&world.receiver);
    fill(&[&receiver, &table(&world.after)], 10);
    let (writer, path) = (Writer::default(), world.path("receiver"));
    let (mut told, mut elsewhere) = (0, Vec::new());
    std::thread::scope(|scope| {
        let _ending = Ending(&writer);
        scope.spawn(|| writer.write(&receiver));
        for round in 0..3 {
            let begun = images_under_writes(&path, &world.path(&format!("begun {round}")), &writer, || {
                assert!(receiver.begin_departure(0).unwrap() > 0);
            });
            assert_eq!(steps(&begun), BEGUN);
            check(&world, &begun, &elsewhere, &mut told);
            elsewhere.push(copy_elsewhere(&world, &format!("elsewhere {round}")));
            let forgotten = images_under_writes(&path, &world.path(&format!("forgotten {round}")), &writer, || {
                receiver.forget_departed().unwrap();
            });
            assert_eq!(steps(&forgotten), FORGOTTEN);
            check(&world, &forgotten, &elsewhere, &mut told);
        }
    });
    tell(&[&world.after], &mut told, writer.pause(|| ()));
    assert!(told > 100, "{told} rows were written");
    assert_together(&receiver, &elsewhere.iter().collect::<Vec<_>>(), &table(&world.after));
}

/// A failure anywhere, and what the next try does: as often as it takes.
#[test]
fn what_failed_is_repeated() {
    for fails_at in [&BEGUN[..], &FORGOTTEN[..]].concat() {
        let world = World::empty();
        let receiver = table(&world.receiver);
        let [left, right] = halves();
        fill_within(&[&receiver, &table(&world.before)], 3, left);
        HOOK.set(Some(Box::new(move |step| match step == fails_at {
            true => Err(EngineError::io("a test fails")),
            false => Ok(()),
        })));
        let begun = receiver.begin_departure(0);
        let elsewhere = copy_elsewhere(&world, "elsewhere");
        let failed = begun.is_err() | receiver.forget_departed().is_err();
        assert!(failed, "{fails_at:?}");
        HOOK.set(None);
        receiver.end_departure().unwrap();
        let later = open(&world.path("later"));
        fill(&[&receiver, &table(&world.before), &table(&later)], 7);
        // A shipment must not go where a start may not find it, though there it would lie beside all keys.
        fill_within(&[&table(&world.sender), &table(&world.before), &table(&later)], 8, right);
        receiver.receive(&ship(&table(&world.sender), world.folder.path())).unwrap();
        assert_together(&receiver, &[&elsewhere], &table(&world.before));
        assert!(copy(&world.path("receiver"), &world.path("killed")).unwrap());
        let killed = open(&world.path("killed"));
        assert_together(&table(&killed), &[&elsewhere], &table(&world.before));
        killed.close().unwrap();
        receiver.begin_departure(0).unwrap();
        let again = copy_elsewhere(&world, "again");
        receiver.forget_departed().unwrap();
        assert_together(&receiver, &[&elsewhere, &again], &table(&world.before));
        assert_eq!(whole(&receiver), [], "{fails_at:?}");
        drop(receiver);
        world.receiver.close().unwrap();
        let store = open(&world.path("receiver"));
        assert_eq!(whole(&table(&store)), []);
        store.close().unwrap();
        assert_eq!(families(&world.path("receiver")).len(), 1, "{fails_at:?}");
    }
}

/// Else reads merged it with the rest until the next start, and nothing was purged.
#[test]
fn what_could_not_be_forgotten_is_merged_in() {
    for ends in [true, false] {
        let world = World::empty();
        let receiver = table(&world.receiver);
        fill(&[&receiver, &table(&world.before)], 3);
        receiver.begin_departure(0).unwrap();
        let hook = Step::WritingCatalog.hook();
        hook.set(Some(Box::new(|step| match step {
            Step::WritingCatalog => Err(EngineError::io("a test fails")),
            _ => Ok(()),
        })));
        receiver.forget_departed().unwrap_err();
        receiver.end_departure().unwrap_err();
        assert_eq!(receiver.families().unwrap_err().kind(), Kind::Busy);
        hook.set(None);
        if ends {
            receiver.end_departure().unwrap();
        }
        while receiver.merge_in().unwrap() > 0 {}
        assert_eq!(whole(&receiver), whole(&table(&world.before)));
        drop(receiver);
        world.receiver.close().unwrap();
        let store = open(&world.path("receiver"));
        assert_eq!(whole(&table(&store)), whole(&table(&world.before)));
        store.close().unwrap();
    }
}
