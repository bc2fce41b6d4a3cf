// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! A crash, or a failure, between any two steps leaves everything that was acknowledged, and of a shipment all or nothing.
#![allow(clippy::unwrap_used, clippy::panic, clippy::expect_used)]

#[path = "../../tests/common/mod.rs"]
mod common;

use super::faults::{Step, HOOK};
use crate::{EngineError, Store, Table};
use common::shipments::*;
use common::*;
use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use std::{fs, io};

const CLUSTERINGS: u32 = 6;

fn names() -> Vec<String> {
    (0..8).map(|number| format!("p{number}")).collect()
}

fn fill(tables: &[&Arc<Table>], seed: u32) {
    for (number, name) in names().iter().enumerate() {
        for at in 0..CLUSTERINGS {
            let fragment =
                row(i64::from((seed * 5 + at) % 7), 1 + (seed + at) % 2, format!("{seed} {number}").as_bytes());
            for table in tables {
                table.write(&update(&partition(name), &[(ROW, &clustering(at), &fragment)]), 0).unwrap();
            }
        }
        if number % 3 == 0 {
            let deletion = partition_deletion(-i64::from(seed));
            for table in tables {
                table.write(&update(&partition(name), &[(HEADER, b"", &deletion)]), 0).unwrap();
            }
        }
    }
}

/// More than an empty memtable takes, and not compressible.
fn large() -> Vec<u8> {
    let mut state = 1u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 56) as u8
    };
    (0..4_000_000).map(|_| next()).collect()
}

/// What is in a directory, as far as that is one moment.
fn listing(directory: &Path) -> io::Result<Vec<(PathBuf, u64)>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            found.extend(listing(&entry.path())?);
        } else if entry.file_name() != "LOCK" {
            found.push((entry.path(), entry.metadata()?.len()));
        }
    }
    found.sort();
    Ok(found)
}

fn copy(from: &Path, to: &Path) -> io::Result<bool> {
    let before = listing(from)?;
    for (path, _) in &before {
        let target = to.join(path.strip_prefix(from).unwrap());
        fs::create_dir_all(target.parent().unwrap())?;
        fs::copy(path, target)?;
    }
    Ok(listing(from)? == before)
}

/// Copies a store whose background work may not have ended.
fn image(from: &Path, to: &Path) {
    while !copy(from, to).is_ok_and(|one_moment| one_moment) {
        fs::remove_dir_all(to).unwrap();
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
}

/// Copies the store at every step that `work` reaches; the steps and the copies.
fn images(store: &Path, into: &Path, work: impl FnOnce()) -> Vec<(Step, PathBuf)> {
    let taken: Rc<RefCell<Vec<(Step, PathBuf)>>> = Rc::default();
    let (images, store, into) = (Rc::clone(&taken), store.to_owned(), into.to_owned());
    HOOK.set(Some(Box::new(move |step| {
        let path = into.join(format!("image-{}", images.borrow().len()));
        image(&store, &path);
        images.borrow_mut().push((step, path));
        Ok(())
    })));
    work();
    HOOK.set(None);
    Rc::into_inner(taken).unwrap().into_inner()
}

struct World {
    folder: tempfile::TempDir,
    sender: Arc<Store>,
    receiver: Arc<Store>,
    before: Arc<Store>,
    after: Arc<Store>,
}

impl World {
    /// A receiver with data, beside a sender; and what the receiver's answers must be before and after a shipment.
    fn new(receiver_has_data: bool) -> World {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| open(&folder.path().join(name));
        let world =
            World { sender: at("sender"), receiver: at("receiver"), before: at("before"), after: at("after"), folder };
        fill(&[&table(&world.sender), &table(&world.after)], 1);
        table(&world.sender).compact().unwrap();
        fill(&[&table(&world.sender), &table(&world.after)], 2);
        if receiver_has_data {
            let receiver = table(&world.receiver);
            fill(&[&receiver, &table(&world.before), &table(&world.after)], 3);
            receiver.flush().unwrap();
            fill(&[&receiver, &table(&world.before), &table(&world.after)], 4);
        }
        world
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn receive(&self) -> Vec<(Step, PathBuf)> {
        let shipment = ship(&table(&self.sender), self.folder.path());
        let images_at = self.path(&format!("images {}", shipment.display().to_string().len()));
        images(&self.path("receiver"), &images_at, || _ = table(&self.receiver).receive(&shipment).unwrap())
    }

    /// Opens an image; whether the shipment is in it, all or nothing of it.
    fn has_shipment(&self, image: &Path) -> bool {
        let store = open(image);
        let found = table(&store);
        let has = whole(&found) == whole(&table(&self.after));
        let wanted = if has { &self.after } else { &self.before };
        assert_same(&found, &table(wanted), &names(), CLUSTERINGS);
        // And the store goes on from there.
        absorb_all(&found);
        assert_same(&found, &table(wanted), &names(), CLUSTERINGS);
        has
    }
}

#[test]
fn a_crash_while_receiving_leaves_all_or_nothing() {
    for receiver_has_data in [true, false] {
        let world = World::new(receiver_has_data);
        let images = world.receive();
        let steps: Vec<Step> = images.iter().map(|(step, _)| *step).collect();
        assert_eq!(steps, [Step::Announced, Step::Imported, Step::Topped, Step::Named, Step::Shown]);
        for (step, image) in images {
            assert_eq!(world.has_shipment(&image), matches!(step, Step::Named | Step::Shown), "{step:?}");
        }
    }
}

#[test]
fn a_crash_while_absorbing_loses_nothing() {
    for receiver_is_larger in [true, false] {
        let world = World::new(true);
        let receiver = table(&world.receiver);
        let value = large();
        put(&table(&world.after), "large", 1, 1, &value);
        if receiver_is_larger {
            put(&receiver, "large", 1, 1, &value);
            put(&table(&world.before), "large", 1, 1, &value);
        } else {
            put(&table(&world.sender), "large", 1, 1, &value);
        }
        world.receive();
        let images = images(&world.path("receiver"), &world.path("images"), || {
            absorb_all(&receiver);
        });
        let mut steps: Vec<Step> = images.iter().map(|(step, _)| *step).collect();
        let before = steps.len();
        steps.sort_by_key(|step| *step as u8); // the files of rows are ingested one after the other
        steps.dedup();
        assert!(before > steps.len() + 2, "several files: {before}");
        let swap = [Step::SwapNamed, Step::Swapped];
        let rewrite = [Step::Absorbed, Step::Unnamed, Step::Hidden];
        let swap = if receiver_is_larger { &[][..] } else { &swap[..] };
        let expected = [&[Step::Ingested], swap, &rewrite[..]].concat();
        assert_eq!(steps, expected);
        for (step, image) in images {
            assert!(world.has_shipment(&image), "{step:?}");
        }
    }
}

/// A shipment of another table with the same content, whose columns have other ids: it is rewritten.
fn ship_renumbered(world: &World, name: &str, seeds: std::ops::Range<u32>) -> PathBuf {
    let store = open(&world.path(name));
    let columns = [(1, "s", "blob"), (0, "w", "blob"), (0, "v", "blob")];
    let table = store.table(&schema(&TABLE, &columns)).unwrap();
    let after = common::table(&world.after);
    common::table(&world.receiver).column_ids().unwrap(); // known from now on, so that they stay
    for seed in seeds {
        for (number, name) in names().iter().enumerate() {
            for at in 0..CLUSTERINGS {
                let stamp = i64::from(seed * 3 + at);
                for (table, id) in [(&table, 3), (&after, 1)] {
                    let fragment = row(stamp, id, format!("{seed} {number} {}", "x".repeat(60)).as_bytes());
                    let request = update(&partition(name), &[(ROW, &clustering(at), &fragment)]);
                    table.write(&request, 0).unwrap();
                }
            }
        }
    }
    ship(&table, world.folder.path())
}

#[test]
fn many_rows_become_an_arrival_and_more_go_onto_it() {
    for receiver_has_data in [true, false] {
        let world = World::new(receiver_has_data);
        world.receive();
        absorb_all(&table(&world.receiver));
        let (before, after) = (&world.before, &world.after);
        for seed in 1..3 {
            fill(&[&table(before)], seed);
        }
        let receiver = table(&world.receiver);
        let shipment = ship_renumbered(&world, "renumbered", 3..5);
        let images =
            images(&world.path("receiver"), &world.path("images"), || _ = receiver.receive(&shipment).unwrap());
        let steps: Vec<Step> = images.iter().map(|(step, _)| *step).collect();
        assert_eq!(steps, [Step::Announced, Step::Imported, Step::Topped, Step::Named, Step::Shown]);
        for (step, image) in images {
            assert_eq!(world.has_shipment(&image), matches!(step, Step::Named | Step::Shown), "{step:?}");
        }
        assert_same(&receiver, &table(after), &names(), CLUSTERINGS);
        // Absorption that has begun does not pass over what comes onto its arrival.
        receiver.absorb().unwrap();
        receiver.absorb().unwrap();
        let shipment = ship_renumbered(&world, "renumbered again", 6..8);
        let images = self::images(&world.path("receiver"), &world.path("more images"), || {
            receiver.receive(&shipment).unwrap();
        });
        assert_eq!(images.last().unwrap().0, Step::Ingested);
        assert_same(&receiver, &table(after), &names(), CLUSTERINGS);
        absorb_all(&receiver);
        assert_same(&receiver, &table(after), &names(), CLUSTERINGS);
    }
}

#[test]
fn a_failure_at_any_step_can_be_repeated() {
    for fails_at in [Step::Announced, Step::Imported, Step::Topped, Step::Named] {
        let world = World::new(true);
        let receiver = table(&world.receiver);
        let shipment = ship(&table(&world.sender), world.folder.path());
        HOOK.set(Some(Box::new(move |step| match step == fails_at {
            true => Err(EngineError::NoSpace("a test has none".into())),
            false => Ok(()),
        })));
        assert!(matches!(receiver.receive(&shipment), Err(EngineError::NoSpace(_))), "{fails_at:?}");
        HOOK.set(None);
        assert!(shipment.exists());
        assert_same(&receiver, &table(&world.before), &names(), CLUSTERINGS);
        receiver.receive(&shipment).unwrap();
        assert_same(&receiver, &table(&world.after), &names(), CLUSTERINGS);
        drop(receiver);
        world.receiver.close().unwrap();
        let store = open(&world.path("receiver"));
        assert_same(&table(&store), &table(&world.after), &names(), CLUSTERINGS);
        absorb_all(&table(&store));
        assert_same(&table(&store), &table(&world.after), &names(), CLUSTERINGS);
        store.close().unwrap();
        assert_eq!(families(&world.path("receiver")).len(), 1, "{fails_at:?}");
    }
}

#[test]
fn a_failed_absorption_is_repeated() {
    for fails_at in [Step::SwapNamed, Step::Swapped, Step::Ingested, Step::Absorbed, Step::Unnamed, Step::Hidden] {
        let world = World::new(true);
        let receiver = table(&world.receiver);
        let value = large();
        put(&table(&world.after), "large", 1, 1, &value);
        put(&table(&world.sender), "large", 1, 1, &value);
        world.receive();
        HOOK.set(Some(Box::new(move |step| match step == fails_at {
            true => Err(EngineError::Io("a test fails".into())),
            false => Ok(()),
        })));
        let failed = (0..4).any(|_| receiver.absorb().is_err());
        assert!(failed, "{fails_at:?}");
        HOOK.set(None);
        assert_same(&receiver, &table(&world.after), &names(), CLUSTERINGS);
        absorb_all(&receiver);
        assert_same(&receiver, &table(&world.after), &names(), CLUSTERINGS);
        drop(receiver);
        world.receiver.close().unwrap();
        let store = open(&world.path("receiver"));
        assert_same(&table(&store), &table(&world.after), &names(), CLUSTERINGS);
        store.close().unwrap();
        assert_eq!(families(&world.path("receiver")).len(), 1, "{fails_at:?}");
    }
}
