// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Reports for operators: lines of tab-separated values, the first one with the names of the columns.

mod compactions;
mod manifests;
mod written;

pub use manifests::report_manifests;

use crate::compaction::StallCondition;
use crate::error::{EngineError, Result};
use crate::faults::{reached, Step};
use crate::raw::{crc32c_of, placed_files};
use crate::read::{open_and_closed, OpenAndClosed};
use crate::stats;
use crate::store_core::StoreCore;
use crate::table::{ColumnFamily, OpenTables, TableCore};
use rocksdb::statistics::Ticker;
use std::collections::BTreeMap;
use std::fmt::Display;

const TOPICS: &str = "tables levels stalls caches settings work written compactions damage increments";
/// The figures of `tables`: [`stats::figures`] in order, then those of compaction, the bytes of the side column
/// families, the files of level 0, and 1 where RocksDB compacts the table by itself.
const FIGURES: [&str; 22] = [
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
    "flushes",
    "flushed_bytes",
    "compaction_written_bytes",
    "sealed_memtables",
    "fragments_purged",
    "purged_bytes",
    "merge_failures",
    "side_family_bytes",
    "level0_files",
    "automatic_compaction",
];
const TABLE_BYTES: usize = 16;

/// One report.
pub(crate) fn report(core: &StoreCore, tables: &OpenTables, topic: &str) -> Result<String> {
    match topic {
        "tables" => tables_of(core, tables),
        "levels" => levels(core, tables),
        "stalls" => Ok(stalls(core)),
        "caches" => caches(core, tables),
        "work" => work(core),
        "written" => written::report(core, tables),
        "compactions" => compactions::report(core),
        "damage" => damage(core, tables),
        "increments" => Ok(increments(core)),
        "settings" => settings(core),
        _ => Err(EngineError::invalid(format!("there is no report {topic:?}; topics are: {TOPICS}"))),
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

/// Keyspace, table and index name of the tables' current generations; `work` adds the figures.
fn each_current(
    core: &StoreCore,
    tables: &OpenTables,
    mut work: impl FnMut(&TableCore, [String; 3]) -> Result<()>,
) -> Result<()> {
    tables.each(|table| {
        table.on_copy(|open| match core.catalog.get(open.id())? {
            Some(record) if record.generation == open.generation() => {
                let index = open.id().get(TABLE_BYTES..).unwrap_or_default();
                work(open, [record.keyspace, record.name, String::from_utf8_lossy(index).into_owned()])
            }
            _ => Ok(()),
        })
    })
}

/// The tables of which something waits for an incremental backup, or could not be kept for it.
fn increments(core: &StoreCore) -> String {
    let mut lines = Lines::new(&["table_id"]);
    core.increments.tables().iter().for_each(|id| lines.line(&[uuid(id)]));
    lines.0
}

fn tables_of(core: &StoreCore, tables: &OpenTables) -> Result<String> {
    let mut lines = Lines::new(&[&["keyspace_name", "table_name", "index_name", "table_id"][..], &FIGURES].concat());
    each_current(core, tables, |open, names| {
        let mut values = names.to_vec();
        values.push(uuid(open.id()));
        values.extend(stats::figures(open)?.iter().map(i64::to_string));
        let mut purged = [0; 3];
        for stats in open.column_families().all().map(|family| family.purge.stats()) {
            let figures = [stats.fragments_removed, stats.bytes_removed, stats.merge_failures];
            purged.iter_mut().zip(figures).for_each(|(sum, figure)| *sum += figure);
        }
        values.extend(purged.iter().map(u64::to_string));
        values.push(open.side_families().iter().map(ColumnFamily::bytes).sum::<u64>().to_string());
        values.push(open.column_families().base.level0_files().to_string());
        values.push(u64::from(open.automatic_compaction().is_on()?).to_string());
        lines.line(&values);
        Ok(())
    })?;
    Ok(lines.0)
}

/// A table's id as Cassandra writes it.
fn uuid(id: &[u8]) -> String {
    let mut text = String::new();
    for (index, byte) in id.iter().take(TABLE_BYTES).enumerate() {
        if matches!(index, 4 | 6 | 8 | 10) {
            text.push('-');
        }
        text.push_str(&format!("{byte:02x}"));
    }
    text
}

fn levels(core: &StoreCore, tables: &OpenTables) -> Result<String> {
    let mut lines = Lines::new(&["keyspace_name", "table_name", "index_name", "level", "sst_files", "sst_bytes"]);
    each_current(core, tables, |open, names| {
        let mut by_level = BTreeMap::<i32, (u64, u64)>::new();
        for family in open.column_families().all() {
            reached(Step::ListingFiles)?;
            for file in placed_files(&core.db, &family.handle) {
                let level = by_level.entry(file.level).or_default();
                level.0 += 1;
                level.1 += file.file_bytes;
            }
        }
        for (level, (files, bytes)) in by_level {
            let mut values = names.to_vec();
            values.extend([level.to_string(), files.to_string(), bytes.to_string()]);
            lines.line(&values);
        }
        Ok(())
    })?;
    Ok(lines.0)
}

/// Tables of which a compaction has met a damaged file, with what RocksDB said.
fn damage(core: &StoreCore, tables: &OpenTables) -> Result<String> {
    let mut lines = Lines::new(&["keyspace_name", "table_name", "index_name", "error"]);
    let damaged = core.events.damaged();
    if damaged.is_empty() {
        return Ok(lines.0);
    }
    each_current(core, tables, |open, names| {
        let error = open.column_families().all().find_map(|family| damaged.of(family.name()));
        if let Some(error) = error {
            lines.line(&[&names[..], &[error]].concat());
        }
        Ok(())
    })?;
    Ok(lines.0)
}

/// How often writes were slowed down or stopped, or background work failed, and how many tables are concerned now.
fn stalls(core: &StoreCore) -> String {
    let mut lines = Lines::new(&["cause_name", "times", "tables_now"]);
    let stalled = core.events.stalled();
    let now = |wanted: StallCondition| stalled.iter().filter(|(_, condition)| *condition == wanted).count();
    let totals = core.events.totals();
    for (cause, times, tables_now) in [
        ("writes_delayed", totals.stalls_delayed, now(StallCondition::Delayed)),
        ("writes_stopped", totals.stalls_stopped, now(StallCondition::Stopped)),
        ("compaction_unlimited", core.events.lifts().0, core.events.lifts().1),
        ("table_behind", core.events.braked().1, core.events.braked().0),
        ("memtables_full", core.backpressure.waits(), 0),
        ("background_error", totals.background_errors, 0),
        ("compaction_failed", totals.compactions_failed, 0),
    ] {
        lines.line(&[cause.to_owned(), times.to_string(), tables_now.to_string()]);
    }
    lines.0
}

/// What flushes and compactions have done since start, and what they do now; the same of cursors and views.
fn work(core: &StoreCore) -> Result<String> {
    let mut lines = Lines::new(&["name", "running", "ended", "input_bytes", "output_bytes"]);
    let totals = core.events.totals();
    for (name, running, ended, input_bytes, output_bytes) in [
        ("flush", "rocksdb.num-running-flushes", totals.flushes, 0, totals.flush_bytes),
        (
            "compaction",
            "rocksdb.num-running-compactions",
            totals.compactions,
            totals.compaction_input_bytes,
            totals.compaction_output_bytes,
        ),
    ] {
        let figures = [property(core, running), ended, input_bytes, output_bytes];
        let mut values = vec![name.to_owned()];
        values.extend(figures.iter().map(u64::to_string));
        lines.line(&values);
    }
    let OpenAndClosed { open, closed } = open_and_closed()?;
    lines.line(&["cursor".to_owned(), open.to_string(), closed.to_string(), "0".to_owned(), "0".to_owned()]);
    Ok(lines.0)
}

fn property(core: &StoreCore, name: &str) -> u64 {
    core.db.property_int_value(name).ok().flatten().unwrap_or_default()
}

/// Memory of open files outside of the block cache, of all tables and their generations.
fn table_readers_bytes(tables: &OpenTables) -> Result<u64> {
    let mut bytes = 0;
    tables.each(|table| {
        table.shared(|open| {
            let readers = |family: &ColumnFamily| family.handle.property("rocksdb.estimate-table-readers-mem");
            bytes += open.column_families().all().map(readers).sum::<u64>();
            Ok(())
        })
    })?;
    Ok(bytes)
}

/// Hits and misses are counted with `stats_level=tickers` only. A limit of 0 is none.
fn caches(core: &StoreCore, tables: &OpenTables) -> Result<String> {
    let mut lines = Lines::new(&["name", "used_bytes", "limit_bytes", "pinned_bytes", "hits", "misses"]);
    let size = |bytes: usize| u64::try_from(bytes).unwrap_or(u64::MAX);
    let (cache, buffers) = (&core.shared.cache, &core.shared.write_buffers);
    let counted = |ticker| core.options.get_ticker_count(ticker);
    let blocks = [
        size(cache.get_usage()),
        core.settings.lock().map_err(|_| EngineError::poisoned())?.block_cache_bytes,
        size(cache.get_pinned_usage()),
        counted(Ticker::BlockCacheHit),
        counted(Ticker::BlockCacheMiss),
    ];
    let memtables = [size(buffers.get_usage()), size(buffers.get_buffer_size()), 0, 0, 0];
    let readers = [table_readers_bytes(tables)?, 0, 0, 0, 0];
    for (name, figures) in [("block_cache", blocks), ("write_buffers", memtables), ("table_readers", readers)] {
        let mut values = vec![name.to_owned()];
        values.extend(figures.iter().map(u64::to_string));
        lines.line(&values);
    }
    Ok(lines.0)
}

fn settings(core: &StoreCore) -> Result<String> {
    let mut lines = Lines::new(&["name", "value", "default", "live"]);
    let settings = core.settings.lock().map_err(|_| EngineError::poisoned())?;
    for (name, value, default, live) in settings.report() {
        lines.line(&[name, value, default, if live { "yes" } else { "no" }]);
    }
    lines.line(&["crc32c", crc32c_of(), "instruction", "no"]);
    Ok(lines.0)
}
