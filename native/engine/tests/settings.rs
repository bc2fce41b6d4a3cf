// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Settings are parsed strictly, reported as they are in effect, and documented as the code has them.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic)]

mod common;

use cassiterite_engine::{settings_documentation, Kind, Store};
use common::*;

fn refused(directory: &std::path::Path, more: &str) -> String {
    let error = Store::open(&format!("directory={}\n{more}", directory.display())).map(drop).unwrap_err();
    assert_eq!(error.kind(), Kind::Invalid, "{error}");
    error.message().to_owned()
}

fn setting(store: &Store, name: &str) -> String {
    let report = store.report("settings").unwrap();
    let line = report.lines().find(|line| line.split('\t').next() == Some(name)).unwrap();
    line.split('\t').nth(1).unwrap().to_owned()
}

#[test]
fn the_documentation_is_that_of_the_code() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/settings.md");
    if std::env::var_os("CASSITERITE_WRITE_DOCS").is_some() {
        std::fs::write(path, settings_documentation()).unwrap();
    }
    let text = std::fs::read_to_string(path).unwrap();
    assert_eq!(text, settings_documentation(), "run this test with CASSITERITE_WRITE_DOCS=1");
}

#[test]
fn what_is_not_understood_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    assert!(refused(path, "block_cache=1MiB").contains("block_cache_size"), "lists what is known");
    assert!(refused(path, "block_cache_size=512MB").contains("512MiB"));
    assert!(refused(path, "block_cache_size=-1").contains("block_cache_size"));
    assert!(refused(path, "compaction_rate_limit=64MiB").contains("24MiB/s"));
    assert!(refused(path, "periodic_compaction=10").contains("250ms"));
    assert!(refused(path, "compression=snappy").contains("lz4"));
    assert!(refused(path, "bloom_bits=100").contains("bloom_bits"));
    assert!(refused(path, "node.commitlog_sync=sometimes").contains("periodic"));
    assert!(refused(path, "level0_files_unread=3").contains("4 to 9"));
    assert!(refused(path, "flushed_blocks=never").contains("cached_if_read"));
    assert!(refused(path, "no equals sign").contains("name=value"));
    assert!(refused(path, "bloom_bits=8\nbloom_bits=9").contains("twice"));
    assert!(refused(path, "block_cache_size=64MiB\nwrite_buffers_total=64MiB").contains("write_buffers_total"));
    assert!(refused(path, "max_open_files=3").contains("max_open_files"));
    assert_eq!(Store::open("bloom_bits=8").map(drop).unwrap_err().kind(), Kind::Invalid);
    assert_eq!(Store::open("directory=relative").map(drop).unwrap_err().kind(), Kind::Invalid);
    assert!(!path.join("db").exists(), "nothing is created before the settings are right");
}

/// What somebody may write, as text.
const VALUES: &str = "|-1|0|1|64|99999999999999999999|1.5|1e3|off|on|true|null|none|8MiB|8 MiB|8MB|8mib|-8MiB|0B|\
     16384GiB|17179869183GiB|18446744073709551615GiB|0ms|1ms|1m|1h|10d|366d|1y|10|0B/s|\
     1B/s|64MiB/s|1024GiB/s|1025GiB/s|64MiB/m|[1]|{a: 1}|/d|d|~/d|lz4 |strict|STRICT";

#[test]
fn every_value_of_every_parameter_is_taken_or_refused() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path());
    let report = store.report("settings").unwrap();
    let mut taken = Vec::new();
    for name in report.lines().skip(1).filter_map(|line| line.split('\t').next()).filter(|name| *name != "crc32c") {
        for value in VALUES.split('|') {
            let directory = if name == "directory" { "" } else { "directory=/d" };
            match Store::check(&format!("{directory}\n{name}={value}")) {
                Ok(()) => taken.push(format!("{name}={}", value.trim())),
                Err(error) => {
                    assert_eq!(error.kind(), Kind::Invalid, "{name}={value}: {error}");
                    let message = error.message();
                    assert!(
                        message.starts_with(&format!("parameter {name}")) && message.len() < 200,
                        "{name}={value}: {message}"
                    );
                }
            }
        }
    }
    assert_eq!(taken.join("\n"), include_str!("golden/taken-settings.txt").trim_end());
}

#[test]
fn the_ends_of_each_range_work() {
    for ends in [
        "block_cache_size=8MiB\nwrite_buffer_size=64KiB\nwrite_buffers_total=1MiB\ntarget_file_size=64KiB\nmax_wal_size=1MiB\nbackground_jobs=1\n\
         compaction_rate_limit=64KiB/s\nperiodic_compaction=1h\nblock_size=1KiB\nbloom_bits=2\nmax_open_files=64\nlevel0_files_unread=4\nnode.commitlog_sync_period=1ms\n\
         node.periodic_commitlog_sync_lag_block=0ms",
        "block_cache_size=1GiB\nwrite_buffer_size=4GiB\nwrite_buffers_total=768MiB\ntarget_file_size=4GiB\nmax_wal_size=16384GiB\n\
         background_jobs=64\ncompaction_rate_limit=1024GiB/s\nperiodic_compaction=365d\nblock_size=256KiB\nbloom_bits=20\n\
         max_open_files=2147483647\nlevel0_files_unread=9\nnode.commitlog_sync_period=1h\nnode.periodic_commitlog_sync_lag_block=30d",
        "compaction_rate_limit=0B/s\nnode.commitlog_sync=group\nnode.commitlog_sync_group_window=1ms",
    ] {
        let directory = tempfile::tempdir().unwrap();
        for round in 0..2 {
            let store = Store::open(&format!("directory={}\n{ends}", directory.path().display())).unwrap();
            assert_eq!(rows(&table(&store), "a").len(), round, "{ends}");
            put(&table(&store), "a", 1, 1, b"v");
            store.close().unwrap();
        }
    }
}

#[test]
fn settings_in_effect_are_reported_and_live_ones_change() {
    let directory = tempfile::tempdir().unwrap();
    let store = Store::open(&options(directory.path(), "bloom_bits=12\nnode.commitlog_sync_period=250ms")).unwrap();
    assert_eq!(setting(&store, "bloom_bits"), "12");
    assert_eq!(setting(&store, "block_cache_size"), "32MiB");
    assert_eq!(setting(&store, "compaction_rate_limit"), "64MiB/s");
    assert_eq!(setting(&store, "node.commitlog_sync_period"), "250ms");
    store
        .set("compaction_rate_limit=1MiB/s\nblock_cache_size=64MiB\nbackground_jobs=3\nmax_wal_size=8MiB\nstats_level=tickers\nwrite_buffers_total=16MiB")
        .unwrap();
    assert_eq!(setting(&store, "compaction_rate_limit"), "1MiB/s");
    assert_eq!(setting(&store, "block_cache_size"), "64MiB");
    assert_eq!(store.set("bloom_bits=3").unwrap_err().kind(), Kind::Invalid);
    store.set("bloom_bits=12").unwrap();
    assert_eq!(store.set("unheard_of=3").unwrap_err().kind(), Kind::Invalid);
    assert_eq!(store.set("max_wal_size=1GiB\nwrite_buffers_total=63MiB").unwrap_err().kind(), Kind::Invalid);
    assert_eq!(setting(&store, "max_wal_size"), "8MiB", "all are taken, or none");
}

#[test]
fn the_log_may_lie_elsewhere() {
    let directory = tempfile::tempdir().unwrap();
    let log = tempfile::tempdir().unwrap();
    let with_log = options(directory.path(), &format!("wal_directory={}", log.path().display()));
    for round in 0..2 {
        let store = Store::open(&with_log).unwrap();
        assert_eq!(rows(&table(&store), "a").len(), round);
        put(&table(&store), "a", 1, 1, b"v");
        let logs = std::fs::read_dir(log.path()).unwrap().count();
        assert!(logs > 0);
        store.close().unwrap();
    }
}

#[test]
fn reports_have_one_line_per_thing_under_their_columns() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path());
    let table = table(&store);
    put(&table, "a", 1, 7, b"v");
    table.flush().unwrap();
    table.compact().unwrap();
    for topic in ["tables", "levels", "stalls", "caches", "settings", "work", "compactions"] {
        let report = store.report(topic).unwrap();
        let columns = report.lines().next().unwrap().split('\t').count();
        assert!(report.lines().count() > 1, "{topic}: {report}");
        assert!(report.lines().all(|line| line.split('\t').count() == columns), "{topic}: {report}");
    }
    assert!(store.report("weather").unwrap_err().message().contains("tables levels"));
    let stats = table.stats().unwrap();
    assert_eq!((stats[0], stats[1], stats[5], stats[6], stats[11]), (1, 1, 0, 1, 1));
    assert!(stats[2] > 0 && stats[8] > 0);
    assert_eq!(store.background_error().unwrap(), None);
    store.resume().unwrap();
}

/// What RocksDB has been told since the store was opened, of all tables together; its log has each change.
fn told(directory: &std::path::Path, option: &str) -> Vec<String> {
    let log = String::from_utf8(std::fs::read(directory.join("db/LOG")).unwrap()).unwrap();
    let change = format!("] {option}: ");
    log.lines().filter_map(|line| line.split_once(&change)).map(|(_, value)| value.to_owned()).collect()
}

/// What all tables were opened with; each start writes it to a file.
fn opened_with(directory: &std::path::Path, option: &str) -> Vec<String> {
    let files = std::fs::read_dir(directory.join("db")).unwrap().map(|entry| entry.unwrap().path());
    let names = files.filter(|path| path.file_name().unwrap().to_str().unwrap().starts_with("OPTIONS-"));
    let text = std::fs::read_to_string(names.max().unwrap()).unwrap();
    let values = text.lines().filter_map(|line| line.trim().strip_prefix(option)?.strip_prefix('='));
    values.map(str::to_owned).collect()
}

#[test]
fn files_are_rewritten_once_in_gc_grace_seconds_but_not_more_often_than_daily() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path());
    let table = table(&store);
    for gc_grace_s in [0, 3600, 864_000, i64::MAX] {
        table.set_purge(gc_grace_s, i64::MIN, 0).unwrap();
    }
    assert_eq!(told(directory.path(), "periodic_compaction_seconds"), ["86400", "864000", "31536000"]);
    store.close().unwrap();
    open(directory.path()).close().unwrap();
    let periods = opened_with(directory.path(), "periodic_compaction_seconds");
    assert!(periods.contains(&"31536000".to_owned()), "{periods:?}");
}

/// Their deletions may go at once, but that is no reason to rewrite them every day.
#[test]
fn indexes_are_rewritten_as_often_as_their_table() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path());
    let table = table(&store);
    table.create_index("by_v").unwrap();
    table.set_purge(1_000_000, i64::MIN, 0).unwrap();
    assert_eq!(told(directory.path(), "periodic_compaction_seconds"), ["1000000", "1000000"]);
    store.close().unwrap();
    open(directory.path()).close().unwrap();
    let periods = opened_with(directory.path(), "periodic_compaction_seconds");
    assert_eq!(periods.iter().filter(|period| *period == "1000000").count(), 2, "{periods:?}");
}
