// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! A cleanup leaves what comes while it runs.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use super::*;
use crate::common::shipments::*;
use crate::common::*;
use crate::faults::{at_once, Paused};
use crate::raw::LISTINGS;
use crate::{Kind, Store};
use std::time::Duration;

const LOWER: (i64, i64) = (i64::MIN, 0);
/// The table gets small files, on several levels.
const SMALL_FILES: &str = "write_buffer_size=64KiB\ntarget_file_size=64KiB\n";

fn is_outside(name: &str) -> bool {
    token(name) > 0
}

/// Names of partitions that the table does not own.
fn outside(prefix: &str) -> impl Iterator<Item = String> + '_ {
    (0..).map(move |number| format!("{prefix}{number}")).filter(|name| is_outside(name))
}

/// Fills the table on both sides: some in files, some in a memtable.
fn fill(table: &Table) {
    for number in 0..600 {
        put(table, &format!("p{number}"), 1, 1, &half_noise(number, 300));
        if number == 500 {
            table.flush().unwrap();
        }
    }
}

struct World {
    store: Arc<Store>,
    table: Arc<Table>,
    folder: tempfile::TempDir,
}

impl World {
    fn new(style: &str) -> World {
        let folder = tempfile::tempdir().unwrap();
        let store = open_with(&folder.path().join("store"), &format!("{SMALL_FILES}{style}"));
        let table = table(&store);
        fill(&table);
        World { store, table, folder }
    }

    /// A cleanup that has begun and is at this step. A compaction that RocksDB begins could do all of its work before.
    fn cleanup(&self, step: Step) -> Paused<()> {
        self.table.set_automatic_compaction(false).unwrap();
        let table = Arc::clone(&self.table);
        Paused::at(step, move || table.cleanup(&ranges(&[LOWER])))
    }

    fn has(&self, name: &str) -> bool {
        rows(&self.table, name).len() == 1
    }

    /// Whether the row from before is there, without the deletion of its partition.
    fn shows_what_was_deleted(&self, name: &str) -> bool {
        let found = read_all(&self.table, &read_request(0, 1 << 20, &partition(name), &everything()), 1 << 20);
        let is_deleted = found.iter().any(|entry| matches!(entry, Entry::Header(header) if !header.is_empty()));
        !is_deleted && rows(&self.table, name).len() > 1
    }

    /// What was there before is gone, where it is not owned, except in these partitions; what is owned is there.
    fn assert_cleaned(&self, late: &[String]) {
        for name in (0..600).map(|number| format!("p{number}")).filter(|name| !late.contains(name)) {
            assert_eq!(self.has(&name), !is_outside(&name), "{name}");
        }
    }
}

fn assert_busy(ended: Result<()>, why: &str) {
    let error = ended.unwrap_err();
    assert!(error.kind() == Kind::Busy && error.message().contains(why), "{error}");
}

/// What comes at either step stays, however it gets into files; the rest goes, and with the next cleanup that, too.
fn what_comes_meanwhile_stays(step: Step, mut come: impl FnMut(&World) -> Vec<String>) {
    for style in STYLES {
        let world = World::new(style);
        let paused = world.cleanup(step);
        let late = come(&world);
        assert_busy(paused.end(), "came while it was cleaned up");
        assert!(late.iter().all(|name| is_outside(name) && world.has(name)), "{style}");
        world.table.compact().unwrap();
        assert!(late.iter().all(|name| world.has(name)), "{style}");
        world.table.cleanup(&ranges(&[LOWER])).unwrap();
        world.assert_cleaned(&[]);
        assert!(!late.iter().any(|name| world.has(name)), "{style}");
        world.store.close().unwrap();
    }
}

fn write_all(world: &World, names: &[String]) {
    names.iter().for_each(|name| put(&world.table, name, 1, 2, b"late"));
}

#[test]
fn what_is_written_before_its_first_flush_stays() {
    what_comes_meanwhile_stays(Step::Cleaning, |world| {
        let late: Vec<String> = outside("late").take(5).chain(outside("p").take(2)).collect();
        write_all(world, &late);
        late
    });
}

#[test]
fn what_is_written_between_its_compactions_stays() {
    what_comes_meanwhile_stays(Step::Sweeping, |world| {
        let late: Vec<String> = outside("late").take(5).chain(outside("p").take(2)).collect();
        write_all(world, &late);
        world.table.flush().unwrap();
        late
    });
}

#[test]
fn what_is_written_and_compacted_while_it_runs_stays() {
    what_comes_meanwhile_stays(Step::Sweeping, |world| {
        let late: Vec<String> = outside("late").take(5).chain(outside("p").take(2)).collect();
        write_all(world, &late);
        world.table.compact().unwrap();
        world.table.compact().unwrap();
        late
    });
}

#[test]
fn what_is_streamed_meanwhile_stays() {
    for step in [Step::Cleaning, Step::Sweeping] {
        what_comes_meanwhile_stays(step, |world| {
            let sender = open(&world.folder.path().join("sender"));
            let late: Vec<String> = outside("sent").take(20).collect();
            late.iter().for_each(|name| put(&table(&sender), name, 1, 2, b"late"));
            let shipment = ship(&table(&sender), world.folder.path());
            let receiving = Arc::clone(&world.table);
            at_once(move || receiving.receive(&shipment)).unwrap();
            merge_in_refused(world);
            late
        });
    }
}

/// Else it would bring back what is removed.
fn merge_in_refused(world: &World) {
    let merging = Arc::clone(&world.table);
    assert_eq!(at_once(move || merging.merge_in()).unwrap_err().kind(), Kind::Busy);
}

/// What hides a row may be in another column family than the row: the partition stays whole, or neither stays.
#[test]
fn what_a_deletion_hides_stays_hidden_in_a_partition_that_is_written_to() {
    for style in STYLES {
        let world = World::new(style);
        let name = outside("p").next().unwrap();
        let sender = open(&world.folder.path().join("sender"));
        let deletion = partition_deletion(5);
        table(&sender).write(&update(&partition(&name), &[(HEADER, &[], &deletion)]), 0).unwrap();
        world.table.receive(&ship(&table(&sender), world.folder.path())).unwrap();

        let paused = world.cleanup(Step::Sweeping);
        put(&world.table, &name, 2, 7, b"late");
        assert_busy(paused.end(), "came while it was cleaned up");
        assert!(!world.shows_what_was_deleted(&name), "{style}");
        merge_in_all(&world.table);
        world.table.compact().unwrap();
        assert!(!world.shows_what_was_deleted(&name) && !rows(&world.table, &name).is_empty(), "{style}");
        world.store.close().unwrap();
    }
}

#[test]
fn what_is_loaded_meanwhile_stays() {
    what_comes_meanwhile_stays(Step::Sweeping, |world| {
        let other = open(&world.folder.path().join("other"));
        let late: Vec<String> = outside("loaded").take(20).collect();
        late.iter().for_each(|name| put(&table(&other), name, 1, 2, b"late"));
        let taken = world.folder.path().join("taken");
        table(&other).snapshot(&taken).unwrap();
        world.table.load(&taken).unwrap();
        late
    });
}

#[test]
fn a_writer_loses_nothing_while_compactions_of_all_kinds_go_on() {
    for style in STYLES {
        let world = World::new(style);
        let paused = world.cleanup(Step::Cleaning);
        let late: Vec<String> = outside("late").take(60).collect();
        let ended = std::thread::scope(|scope| {
            let writing = scope.spawn(|| {
                for (at, name) in late.iter().enumerate() {
                    put(&world.table, name, 1, 2, &half_noise(at as u64, 3000));
                    put(&world.table, &format!("p{at}"), 2, 2, &half_noise(at as u64, 3000));
                    if at % 10 == 9 {
                        world.table.flush().unwrap();
                    }
                }
            });
            let ended = paused.end();
            writing.join().unwrap();
            ended
        });
        assert!(ended.is_ok() || ended.as_ref().unwrap_err().kind() == Kind::Busy, "{ended:?}");
        assert!(late.iter().all(|name| world.has(name)), "{style}");
        world.table.compact().unwrap();
        assert!(late.iter().all(|name| world.has(name)), "{style}");
        world.store.close().unwrap();
    }
}

#[test]
fn too_much_that_is_written_outside_ends_it() {
    let world = World::new("");
    let paused = world.cleanup(Step::Sweeping);
    let late: Vec<String> = outside("late").take(100).collect();
    write_all(&world, &late);
    assert_busy(paused.end(), "when the ring has settled");
    world.table.compact().unwrap();
    assert!(late.iter().all(|name| world.has(name)));
}

#[test]
fn writes_inside_do_not_keep_it_from_completing() {
    for style in STYLES {
        let world = World::new(style);
        let paused = world.cleanup(Step::Sweeping);
        for number in 0..600 {
            let name = format!("p{number}");
            if !is_outside(&name) {
                put(&world.table, &name, 1, 2, &half_noise(number, 300));
            }
        }
        world.table.flush().unwrap();
        paused.end().unwrap();
        world.assert_cleaned(&[]);
    }
}

#[test]
fn files_are_listed_again_only_where_some_have_changed() {
    let world = World::new("");
    world.table.compact().unwrap();
    let vnodes: Vec<(i64, i64)> = (-128..128).map(|at: i64| (at << 56, (at << 56) + (1 << 55))).collect();
    world.table.cleanup(&ranges(&vnodes)).unwrap();
    LISTINGS.set(0);
    world.table.cleanup(&ranges(&vnodes)).unwrap();
    assert!(LISTINGS.get() <= 2, "{} listings for 256 ranges", LISTINGS.get());
}

#[test]
fn a_compaction_that_runs_drops_nothing_more_once_a_cleanup_is_stopped() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path());
    let table = crate::common::table(&store);
    let names: Vec<String> = (0..100).map(|number| format!("p{number}")).collect();
    names.iter().zip(0..).for_each(|(name, seed)| put(&table, name, 1, 1, &half_noise(seed, 200_000)));
    table.flush().unwrap();
    store.set("compaction_rate_limit=1MiB/s").unwrap();

    let purge = table.shared(|core| Ok(Arc::clone(core.purge()))).unwrap();
    let dropping = purge
        .drop_outside(&Arc::new(TokenSet::of(vec![TokenRange { left: i64::MIN, right: 0 }])), &AtomicBool::new(false))
        .unwrap();
    std::thread::scope(|scope| {
        let compacting = scope.spawn(|| table.compact());
        std::thread::sleep(Duration::from_millis(500)); // the half that the table owns comes first, and takes seconds
        assert!(!compacting.is_finished());
        table.stop_cleanup().unwrap();
        store.set("compaction_rate_limit=0B/s").unwrap();
        compacting.join().unwrap().unwrap();
    });
    let left = names.iter().filter(|name| rows(&table, name).len() == 1);
    assert_eq!(left.count(), names.len());
    assert!(names.iter().any(|name| token_of(&partition(name)).unwrap() > 0));
    drop(dropping);
    store.close().unwrap();
}
