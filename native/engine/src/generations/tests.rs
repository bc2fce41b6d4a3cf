// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! A column family that could not be dropped blocks nothing later, and is dropped.
#![allow(clippy::unwrap_used)]

use super::new_generation;
use crate::common::*;
use crate::error::{EngineError, Kind, Result};
use crate::raw::sys::set_db_option;
use crate::schema::SchemaRequest;
use crate::store::Live;
use crate::store_core::StoreCore;
use crate::{Store, Table};
use std::collections::HashSet;
use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

const OTHER: [u8; 16] = *b"another table...";

/// Does work while nothing can be written to the manifest: each change of it begins a new one, in a folder that was
/// moved.
fn without_manifest<T>(store: &Store, directory: &Path, work: impl FnOnce() -> T) -> T {
    store.shared(|core| lengthen_manifest(core)).unwrap();
    store.shared(|core| limit_manifest(core, "1", "0")).unwrap();
    let done = without_new_files(directory, work);
    store.shared(|core| limit_manifest(core, "1000000", "100")).unwrap();
    done
}

/// Does work while no file can be made in the folder of the database, as for the options of its column families.
fn without_new_files<T>(directory: &Path, work: impl FnOnce() -> T) -> T {
    let (here, away) = (directory.join("db"), directory.join("away"));
    std::fs::rename(&here, &away).unwrap();
    let done = work();
    std::fs::rename(&away, &here).unwrap();
    done
}

/// Does work while the options of the column families cannot be written: folders have the names of the next files.
fn without_options<T>(directory: &Path, work: impl FnOnce() -> T) -> T {
    let taken: Vec<_> = (0..500).map(|number| directory.join(format!("db/OPTIONS-{number:06}.dbtmp"))).collect();
    taken.iter().for_each(|path| std::fs::create_dir(path).unwrap());
    let done = work();
    taken.iter().for_each(|path| std::fs::remove_dir(path).unwrap());
    done
}

fn limit_manifest(core: &StoreCore, bytes: &str, percent_above_contents: &str) -> Result<()> {
    set_db_option(&core.db, "max_manifest_space_amp_pct", percent_above_contents)?;
    set_db_option(&core.db, "max_manifest_file_size", bytes)
}

/// To well above its contents: within a quarter more than that, column families come and go without a new one.
fn lengthen_manifest(core: &StoreCore) -> Result<()> {
    for _ in 0..20 {
        core.db.create_cf("one that comes and goes", &rocksdb::Options::default())?;
        core.db.drop_cf("one that comes and goes")?;
    }
    Ok(())
}

fn families(store: &Store) -> Vec<String> {
    let path = store.shared(|core| Ok(core.db.path().to_owned())).unwrap();
    let mut names = rocksdb::DB::list_cf(&rocksdb::Options::default(), path).unwrap();
    names.retain(|name| name != "default");
    names
}

/// A table with an older generation that could not be dropped.
fn with_leftover(directory: &Path) -> (Arc<Store>, Arc<Table>) {
    let store = open(directory);
    let old = table(&store);
    put(&old, "a", 1, 1, b"v");
    let new = old.truncate().unwrap();
    let error = without_manifest(&store, directory, || old.retire()).unwrap_err();
    assert!(error.message().contains("will be tried again"), "{error}");
    assert_eq!(families(&store).len(), 2);
    (store, new)
}

#[test]
fn what_could_not_be_dropped_goes_with_the_next_family_that_is_made() {
    let directory = tempfile::tempdir().unwrap();
    let (store, table) = with_leftover(directory.path());
    let newer = table.truncate().unwrap();
    table.retire().unwrap();
    assert_eq!(families(&store).len(), 1);
    drop(newer);
    store.close().unwrap();
}

#[test]
fn what_could_not_be_dropped_goes_with_the_next_family_that_is_dropped() {
    let directory = tempfile::tempdir().unwrap();
    let (store, _) = with_leftover(directory.path());
    store.drop_table(&TABLE).unwrap();
    assert!(families(&store).is_empty());
    store.close().unwrap();
}

#[test]
fn what_could_not_be_dropped_goes_when_the_store_resumes() {
    let directory = tempfile::tempdir().unwrap();
    let (store, _) = with_leftover(directory.path());
    store.resume().unwrap();
    assert_eq!(families(&store).len(), 1);
    store.close().unwrap();
}

fn ssts(directory: &Path) -> HashSet<OsString> {
    let names = std::fs::read_dir(directory.join("db")).unwrap().map(|file| file.unwrap().file_name());
    names.filter(|name| name.to_string_lossy().ends_with(".sst")).collect()
}

/// RocksDB would write the options of the others, to a new file.
#[test]
fn a_drop_makes_no_file_and_leaves_none() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path());
    let old = table(&store);
    put(&old, "a", 1, 1, b"v");
    let before = ssts(directory.path());
    old.flush().unwrap();
    let own = &ssts(directory.path()) - &before;
    assert!(!own.is_empty());
    let _new = old.truncate().unwrap();
    without_new_files(directory.path(), || old.retire()).unwrap();
    let deadline = Instant::now() + Duration::from_secs(120);
    while !own.is_disjoint(&ssts(directory.path())) {
        assert!(Instant::now() < deadline, "the files of a dropped column family stay");
        std::thread::sleep(Duration::from_millis(20));
    }
    store.close().unwrap();
}

#[test]
fn what_could_not_be_dropped_goes_at_the_next_start() {
    let directory = tempfile::tempdir().unwrap();
    let (store, _) = with_leftover(directory.path());
    store.close().unwrap();
    let store = open(directory.path());
    assert_eq!(families(&store).len(), 1);
    store.close().unwrap();
}

#[test]
fn a_table_whose_drop_failed_halfway_may_be_made_again() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path());
    let first = table(&store);
    put(&first, "a", 1, 1, b"v");
    let second = first.truncate().unwrap();
    store.shared(|core| core.catalog.remove(&TABLE)).unwrap();
    without_manifest(&store, directory.path(), || store.drop_table(&TABLE)).unwrap_err();
    for generation in [first, second] {
        assert!(matches!(generation.flush(), Err(EngineError { kind: Kind::Closed, .. })), "all of them are closed");
    }
    assert_eq!(rows(&table(&store), "a").len(), 0);
    assert_eq!(families(&store).len(), 1);
    store.close().unwrap();
}

/// RocksDB would write the options of all, and on a full device make the column family and then fail.
#[test]
fn a_family_is_made_where_the_options_of_all_cannot_be_written() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path());
    let first = table(&store);
    put(&first, "a", 1, 1, b"v");
    let second = without_options(directory.path(), || first.truncate()).unwrap();
    let other = without_options(directory.path(), || store.table(&schema(&OTHER, &[(0, "v", "blob")]))).unwrap();
    assert_eq!([rows(&first, "a").len(), rows(&second, "a").len(), rows(&other, "a").len()], [1, 0, 0]);
    without_options(directory.path(), || first.retire()).unwrap();
    assert_eq!(families(&store).len(), 2);
    store.close().unwrap();
}

#[test]
fn settings_that_could_not_be_written_are_as_before() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path());
    let table = table(&store);
    let cache = || table.shared(|core| Ok(core.family().property("rocksdb.block-cache-capacity"))).unwrap();
    let before = cache();
    let set = || store.set("block_cache_size=900MiB\nmax_wal_size=9MiB");
    let error = without_options(directory.path(), || set().unwrap_err());
    assert!(matches!(error, EngineError { kind: Kind::Io, .. }), "{error}");
    assert_eq!(cache(), before);
    store.resume().unwrap();
    set().unwrap();
    assert_eq!(cache(), 900 << 20);
    store.close().unwrap();
}

/// Makes a table whose record cannot be written.
fn unnamed(Live { core, tables, .. }: &Live) -> Result<Arc<Table>> {
    let request = schema(&OTHER, &[(0, "v", "blob")]);
    let record = SchemaRequest::parse(&request)?.new_record()?;
    let failing = |_| Err(EngineError::io("a test has none"));
    new_generation((core, tables), &mut *tables.lock()?, (&OTHER, &record), true, failing)
}

#[test]
fn a_family_without_its_record_is_replaced_also_if_that_fails_at_first() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path());
    let make = || store.live(unnamed).map(drop).unwrap_err();
    assert_eq!(make().message(), "a test has none");
    without_manifest(&store, directory.path(), make);
    assert_eq!(make().message(), "a test has none", "it was made again");
    let table = store.table(&schema(&OTHER, &[(0, "v", "blob")])).unwrap();
    assert_eq!(rows(&table, "a").len(), 0);
    assert_eq!(families(&store).len(), 1);
    store.close().unwrap();
}
