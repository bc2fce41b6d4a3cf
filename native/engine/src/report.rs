// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! What an operator may ask: lines of tab-separated values, the first one with the names of the columns.

use crate::error::{EngineError, Result};
use crate::read::open_cursors;
use crate::stats;
use crate::store::Core;
use rocksdb::statistics::Ticker;
use std::fmt::Display;

const TOPICS: &str = "tables levels stalls caches settings";
/// The columns behind the name in `tables`: [`stats::figures`] in order.
const FIGURES: [&str; 12] = [
    "partitions_estimated",
    "keys_estimated",
    "sst_bytes",
    "memtable_bytes",
    "smallest_timestamp",
    "never_written",
    "writes",
    "reads",
    "written_bytes",
    "generation",
    "pending_compaction_bytes",
    "sst_files",
];

/// One report.
pub(crate) fn report(core: &Core, topic: &str) -> Result<String> {
    match topic {
        "tables" => tables(core),
        "levels" => levels(core),
        "stalls" => stalls(core),
        "caches" => Ok(caches(core)),
        "settings" => settings(core),
        _ => Err(EngineError::Invalid(format!("there is no report {topic:?}; topics are: {TOPICS}"))),
    }
}

/// Lines being put together.
struct Lines(String);

impl Lines {
    fn new(columns: &[&str]) -> Self {
        let mut lines = Lines(String::new());
        lines.line(columns);
        lines
    }

    fn line<T: Display>(&mut self, values: &[T]) {
        for (index, value) in values.iter().enumerate() {
            if index > 0 {
                self.0.push('\t');
            }
            // A tab or line end in a name must not shift the columns.
            self.0.push_str(&value.to_string().replace(['\t', '\n'], " "));
        }
        self.0.push('\n');
    }
}

fn tables(core: &Core) -> Result<String> {
    let purges = ["fragments_purged", "bytes_purged", "merge_failures"];
    let mut lines = Lines::new(&[&["keyspace", "table"][..], &FIGURES, &purges].concat());
    core.each_table(|table| {
        table.with(|open| {
            let Some(record) = core.catalog.get(open.id())? else { return Ok(()) };
            let mut values = vec![record.keyspace, record.name];
            values.extend(stats::figures(open)?.iter().map(i64::to_string));
            let purged = open.purge().stats();
            let purged = [purged.fragments_removed, purged.bytes_removed, purged.merge_failures];
            values.extend(purged.iter().map(u64::to_string));
            lines.line(&values);
            Ok(())
        })
    })?;
    Ok(lines.0)
}

fn levels(core: &Core) -> Result<String> {
    let mut lines = Lines::new(&["keyspace", "table", "generation", "level", "files", "bytes"]);
    core.each_table(|table| {
        table.with(|open| {
            let Some(record) = core.catalog.get(open.id())? else { return Ok(()) };
            let mut by_level = std::collections::BTreeMap::<i32, (u64, u64)>::new();
            for file in crate::raw::live_files(&core.db, open.family())? {
                let level = by_level.entry(file.level).or_default();
                level.0 += 1;
                level.1 += file.file_bytes;
            }
            for (level, (files, bytes)) in by_level {
                let figures = [open.generation(), u64::try_from(level).unwrap_or_default(), files, bytes];
                let mut values = vec![record.keyspace.clone(), record.name.clone()];
                values.extend(figures.iter().map(u64::to_string));
                lines.line(&values);
            }
            Ok(())
        })
    })?;
    Ok(lines.0)
}

fn stalls(core: &Core) -> Result<String> {
    let mut lines = Lines::new(&["name", "value"]);
    for (family, condition) in core.events.stalled() {
        lines.line(&[format!("held_back {family}"), format!("{condition:?}").to_lowercase()]);
    }
    let totals = core.events.totals();
    for (name, value) in [
        ("flushes", totals.flushes),
        ("flush_bytes", totals.flush_bytes),
        ("compactions", totals.compactions),
        ("compactions_failed", totals.compactions_failed),
        ("compaction_input_bytes", totals.compaction_input_bytes),
        ("compaction_output_bytes", totals.compaction_output_bytes),
        ("stalls_delayed", totals.stalls_delayed),
        ("stalls_stopped", totals.stalls_stopped),
        ("background_errors", totals.background_errors),
        ("delayed_write_bytes_per_second", property(core, "rocksdb.actual-delayed-write-rate")),
        ("writes_stopped", property(core, "rocksdb.is-write-stopped")),
        ("running_flushes", property(core, "rocksdb.num-running-flushes")),
        ("running_compactions", property(core, "rocksdb.num-running-compactions")),
    ] {
        lines.line(&[name.to_owned(), value.to_string()]);
    }
    Ok(lines.0)
}

fn property(core: &Core, name: &str) -> u64 {
    core.db.property_int_value(name).ok().flatten().unwrap_or_default()
}

fn caches(core: &Core) -> String {
    let mut lines = Lines::new(&["name", "value"]);
    let size = |bytes: usize| u64::try_from(bytes).unwrap_or(u64::MAX);
    let ticker = |ticker| core.options.get_ticker_count(ticker);
    for (name, value) in [
        ("block_cache_bytes", size(core.shared.cache.get_usage())),
        ("block_cache_pinned_bytes", size(core.shared.cache.get_pinned_usage())),
        ("block_cache_capacity_bytes", property(core, "rocksdb.block-cache-capacity")),
        ("write_buffer_bytes", size(core.shared.write_buffers.get_usage())),
        ("write_buffer_capacity_bytes", size(core.shared.write_buffers.get_buffer_size())),
        ("open_cursors", size(open_cursors())),
        ("block_cache_hits", ticker(Ticker::BlockCacheHit)),
        ("block_cache_misses", ticker(Ticker::BlockCacheMiss)),
        ("filter_useful", ticker(Ticker::BloomFilterUseful)),
    ] {
        lines.line(&[name.to_owned(), value.to_string()]);
    }
    lines.0
}

fn settings(core: &Core) -> Result<String> {
    let mut lines = Lines::new(&["name", "value", "default", "live"]);
    let settings = core.settings.lock().map_err(|_| EngineError::poisoned())?;
    for (name, value, default, live) in settings.report() {
        lines.line(&[name, value, default, if live { "yes" } else { "no" }]);
    }
    Ok(lines.0)
}
