// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The settings as RocksDB's options. Figures are for rows of 1-6 KB on a few cores; `docs/settings.md` has the reasons
//! of those that are parameters.

use super::memtable::size_memtables;
use super::units::to_size;
use super::{Compression, Settings, Style, WalRecovery};
use crate::compaction::{
    StoreEvents, TablePurge, L0_SLOWDOWN_FILES, L0_STOP_FILES, PENDING_SLOWDOWN_BYTES, PENDING_STOP_BYTES,
};
use crate::error::Result;
use crate::raw::sys;
use crate::raw::{pack_entries, sum_files, tune_blocks, CompactionLimiter, Ring};
use rocksdb::statistics::StatsLevel;
use rocksdb::{
    BlockBasedOptions, Cache, DBCompactionStyle, DBCompressionType, DBRecoveryMode, Options, SliceTransform,
    UniversalCompactOptions, WriteBufferManager, DB,
};
use std::sync::Arc;

/// 0x40, token, 0x40: what all keys of one token begin with.
const TOKEN_PREFIX_BYTES: usize = 10;
/// Found to cost nothing: a flipped bit in a memtable is an error, not a wrong row.
const MEMTABLE_PROTECTION_BYTES_PER_KEY: u32 = 8;
/// Every sorted run costs a read about 3 us: compact early.
pub(crate) const L0_FILES: i32 = 4;
/// With more than so many, the base of a table is left to its compaction: nothing is ingested beside it.
pub(crate) const L0_CALM_FILES: u64 = 12;
/// RocksDB slows down and stops the writers of all tables at so many times what holds back those of one.
pub(crate) const ALL_FACTOR: i32 = 4;
const LEVEL_BASE_BYTES: u64 = 512 << 20;
/// From level to level files grow by it: 5 TiB are some 4,000 files, and not 80,000.
const FILE_SIZE_FACTOR: i32 = 2;
/// Indexes and filters of files of so many times `target_file_size` are whole: a read of a hot row takes 3.1 us with
/// them, 4.4 with parts. Those of larger files, of tables above some 5 GiB, would push each other out of the cache.
const WHOLE_FACTOR: u64 = 2;
const BYTES_PER_SYNC: u64 = 1 << 20;
const INFO_LOG_BYTES: usize = 16 << 20;
const INFO_LOG_FILES: usize = 4;
const FORMAT_VERSION: i32 = 7;
const ZSTD_LEVEL: i32 = 3;
const ZSTD_WINDOW_BITS: i32 = -14;
const ZSTD_DICTIONARY_BYTES: i32 = 16 << 10;
const ZSTD_TRAIN_BYTES: i32 = 1600 << 10;
const ZSTD_BUFFER_BYTES: u64 = 8 << 20;

/// What all tables of a store share.
pub(crate) struct Shared {
    pub cache: Cache,
    pub write_buffers: WriteBufferManager,
    pub limiter: Arc<CompactionLimiter>,
    /// Where files are cut.
    pub ring: Ring,
}

impl Shared {
    pub(crate) fn new(settings: &Settings) -> Shared {
        let cache = Cache::new_hyper_clock_cache(to_size(settings.block_cache_bytes), 0);
        // Memtables are charged to the cache; RocksDB flushes when they are full, and `write::WriteBackpressure` holds
        // writers back.
        let write_buffers = WriteBufferManager::new_write_buffer_manager_with_cache(
            to_size(settings.write_buffers_total_bytes),
            false,
            cache.clone(),
        );
        Shared { cache, write_buffers, limiter: Arc::new(CompactionLimiter::new(limit(settings))), ring: Ring::new() }
    }
}

fn limit(settings: &Settings) -> i64 {
    match settings.compaction_bytes_per_second {
        0 => CompactionLimiter::UNLIMITED_BYTES_PER_SECOND,
        bytes => i64::try_from(bytes).unwrap_or(CompactionLimiter::UNLIMITED_BYTES_PER_SECOND),
    }
}

/// Options of the database as a whole, catalog included.
pub(crate) fn database_options(settings: &Settings, shared: &Shared, events: &Arc<StoreEvents>) -> Options {
    let mut options = Options::default();
    options.create_if_missing(true);
    if settings.wal_directory != settings.directory {
        options.set_wal_dir(&settings.wal_directory);
    }
    // The log is replayed up to its torn end, which `wal` has found to be one. TolerateCorruptedTail would refuse a
    // last record that a power cut left half written, yet take a wrong length in the last block for a torn end. A
    // synced log file that is missing in the middle is an error.
    options.set_wal_recovery_mode(DBRecoveryMode::PointInTime);
    // After replay has given up what follows a damage, logs are shorter than the manifest has them.
    options.set_track_and_verify_wals_in_manifest(settings.wal_recovery == WalRecovery::Strict);
    options.set_max_total_wal_size(settings.max_wal_bytes);
    options.set_write_buffer_manager(&shared.write_buffers);
    // A replayed log is what did fit before the crash: under a lower budget each record of it would become a file per
    // table.
    sys::set_budget_in_replay(&mut options, false);
    options.set_max_background_jobs(settings.background_jobs);
    options.set_max_subcompactions(1); // the purge filter carries a partition's deletion from row to row
    options.set_max_open_files(settings.max_open_files);
    options.set_avoid_unnecessary_blocking_io(true); // who reads last frees no memtable, and deletes no file
    options.set_paranoid_checks(true);
    options.set_enable_pipelined_write(false); // writes come one at a time, or in groups that a sync outlasts
    options.set_enable_write_thread_adaptive_yield(false); // a sync takes longer than any spinning saves
    options.set_bytes_per_sync(BYTES_PER_SYNC);
    options.set_wal_bytes_per_sync(BYTES_PER_SYNC);
    options.set_max_log_file_size(INFO_LOG_BYTES);
    options.set_keep_log_file_num(INFO_LOG_FILES);
    options.set_stats_dump_period_sec(0);
    options.set_stats_persist_period_sec(0);
    options.enable_statistics();
    options.set_statistics_level(stats_level(settings));
    sys::spare_options_file(&mut options);
    shared.limiter.install(&mut options);
    events.limited_by(&shared.limiter);
    sum_files(&mut options);
    events.install(&mut options);
    options
}

fn stats_level(settings: &Settings) -> StatsLevel {
    if settings.tickers {
        StatsLevel::ExceptHistogramOrTimers
    } else {
        StatsLevel::DisableAll
    }
}

/// Options of one column family, of a table or of an index; `families` is about how many there are.
pub(crate) fn family_options(
    settings: &Settings,
    shared: &Shared,
    purge: &Arc<TablePurge>,
    of_index: bool,
    families: usize,
) -> Options {
    let mut blocks = block_options(settings, shared);
    if !of_index {
        filter_keys(&mut blocks, settings);
    }
    let mut options = with_blocks(settings, &blocks, purge);
    size_memtables(&mut options, settings, (!of_index).then_some(families));
    if of_index {
        pack_entries(&mut options); // whatever the setting: files that are packed must be read
        if settings.bottommost_compression != Compression::None {
            compress_entries(&mut options);
        }
    } else {
        by_token(&mut options);
        shared.ring.install(&mut options);
    }
    options
}

/// Options of files that are written for another node: as quick to write as those of the upper levels.
pub(crate) fn rows_options(settings: &Settings, shared: &Shared, purge: &Arc<TablePurge>) -> Options {
    let mut blocks = block_options(settings, shared);
    filter_keys(&mut blocks, settings);
    let mut options = with_blocks(settings, &blocks, purge);
    by_token(&mut options);
    options.set_bottommost_compression_type(compression(settings.compression));
    options
}

/// Options of files that stay where they are ingested, at the bottommost level.
pub(crate) fn values_options(settings: &Settings, shared: &Shared, purge: &Arc<TablePurge>) -> Options {
    let mut blocks = block_options(settings, shared);
    filter_keys(&mut blocks, settings);
    let mut options = with_blocks(settings, &blocks, purge);
    by_token(&mut options);
    sys::bound_dictionary_buffer(&mut options, ZSTD_BUFFER_BYTES);
    sum_files(&mut options);
    options
}

/// The size at which these are cut: the largest with a whole index.
pub(crate) fn values_file_bytes(settings: &Settings) -> u64 {
    settings.target_file_bytes.saturating_mul(WHOLE_FACTOR)
}

/// Options of files from elsewhere. No cache: a block is cached under the name that its file was born with, so that a
/// damaged copy of a file of this store would be read as the intact one.
pub(crate) fn imported_options(settings: &Settings, purge: &Arc<TablePurge>) -> Options {
    let mut blocks = BlockBasedOptions::default();
    blocks.set_format_version(FORMAT_VERSION);
    blocks.disable_cache();
    let mut options = with_blocks(settings, &blocks, purge);
    by_token(&mut options);
    size_memtables(&mut options, settings, None);
    options.set_disable_auto_compactions(true);
    options
}

fn with_blocks(settings: &Settings, blocks: &BlockBasedOptions, purge: &Arc<TablePurge>) -> Options {
    let mut options = Options::default();
    let grows_level0 = settings.style == Style::Leveled && settings.level0_files_unread > L0_FILES;
    purge.readership().set_effects(settings.caches_unread, grows_level0);
    options.set_block_based_table_factory(blocks);
    let tuned = tune_blocks(&mut options, settings.target_file_bytes.saturating_mul(WHOLE_FACTOR), purge.readership());
    assert!(tuned, "the table factory is block-based");
    options.set_max_successive_merges(0); // never read before write
    options.set_optimize_filters_for_hits(false); // lightweight transactions ask for rows that are not there
    options.set_level_zero_file_num_compaction_trigger(L0_FILES);
    options.set_level_zero_slowdown_writes_trigger(ALL_FACTOR * L0_SLOWDOWN_FILES);
    options.set_level_zero_stop_writes_trigger(ALL_FACTOR * L0_STOP_FILES);
    options.set_soft_pending_compaction_bytes_limit(PENDING_SLOWDOWN_BYTES * ALL_FACTOR as usize);
    options.set_hard_pending_compaction_bytes_limit(PENDING_STOP_BYTES * ALL_FACTOR as usize);
    options.set_target_file_size_base(settings.target_file_bytes);
    options.set_max_bytes_for_level_base(LEVEL_BASE_BYTES);
    options.set_level_compaction_dynamic_level_bytes(true);
    options.set_periodic_compaction_seconds(settings.periodic_compaction.as_secs());
    sys::set_extra_options(&mut options, MEMTABLE_PROTECTION_BYTES_PER_KEY);
    set_style(&mut options, settings.style);
    options.set_compression_type(compression(settings.compression));
    options.set_bottommost_compression_type(compression(settings.bottommost_compression));
    if settings.bottommost_compression == Compression::Zstd {
        options.set_bottommost_compression_options(ZSTD_WINDOW_BITS, ZSTD_LEVEL, 0, ZSTD_DICTIONARY_BYTES, true);
        options.set_bottommost_zstd_max_train_bytes(ZSTD_TRAIN_BYTES, true);
    }
    purge.install(&mut options);
    options
}

/// Of keys that begin with a token: those of indexes do not.
fn by_token(options: &mut Options) {
    options.set_prefix_extractor(SliceTransform::create_fixed_prefix(TOKEN_PREFIX_BYTES));
}

fn set_style(options: &mut Options, style: Style) {
    match style {
        Style::Leveled => {
            options.set_compaction_style(DBCompactionStyle::Level);
            options.set_target_file_size_multiplier(FILE_SIZE_FACTOR);
        }
        Style::Universal => {
            options.set_compaction_style(DBCompactionStyle::Universal);
            options.set_universal_compaction_options(&UniversalCompactOptions::default());
        }
    }
}

fn block_options(settings: &Settings, shared: &Shared) -> BlockBasedOptions {
    let mut blocks = BlockBasedOptions::default();
    blocks.set_format_version(FORMAT_VERSION);
    blocks.set_block_cache(&shared.cache);
    blocks.set_block_size(to_size(settings.block_bytes));
    // Indexes and filters live in the cache, so that they too are bounded by it.
    blocks.set_cache_index_and_filter_blocks(true);
    blocks.set_cache_index_and_filter_blocks_with_high_priority(true);
    blocks.set_pin_l0_filter_and_index_blocks_in_cache(true);
    blocks
}

/// Spares reads of absent keys. Entries of indexes are found by seeking, which asks no filter.
fn filter_keys(blocks: &mut BlockBasedOptions, settings: &Settings) {
    // Bloom for flushed files, which are read most and live shortly; ribbon, a third smaller, below.
    blocks.set_hybrid_ribbon_filter(f64::from(settings.bloom_bits), 1);
    blocks.set_whole_key_filtering(true);
    blocks.set_optimize_filters_for_memory(true);
}

/// Keys and values of entries are short and alike: zstd leaves less of them than LZ4 does, and packed less still, as
/// `tests/indexes.rs` shows.
fn compress_entries(options: &mut Options) {
    options.set_bottommost_compression_type(DBCompressionType::Zstd);
    options.set_bottommost_compression_options(ZSTD_WINDOW_BITS, ZSTD_LEVEL, 0, 0, true);
    options.set_bottommost_zstd_max_train_bytes(0, true);
}

fn compression(compression: Compression) -> DBCompressionType {
    match compression {
        Compression::None => DBCompressionType::None,
        Compression::Lz4 => DBCompressionType::Lz4,
        Compression::Zstd => DBCompressionType::Zstd,
    }
}

/// Brings a running database from one set of settings to another: all of them, whichever RocksDB complains of.
pub(crate) fn apply_live(db: &DB, options: &Options, shared: &Shared, from: &Settings, to: &Settings) -> Result<()> {
    if to.block_cache_bytes != from.block_cache_bytes {
        shared.cache.clone().set_capacity(to_size(to.block_cache_bytes));
    }
    if to.write_buffers_total_bytes != from.write_buffers_total_bytes {
        shared.write_buffers.set_buffer_size(to_size(to.write_buffers_total_bytes));
    }
    let set = |name: &str, before: String, value: String| match value == before {
        true => Ok(()),
        false => sys::set_db_option(db, name, &value),
    };
    let wal = set("max_total_wal_size", from.max_wal_bytes.to_string(), to.max_wal_bytes.to_string());
    let jobs = set("max_background_jobs", from.background_jobs.to_string(), to.background_jobs.to_string());
    if to.compaction_bytes_per_second != from.compaction_bytes_per_second {
        shared.limiter.set_bytes_per_second(limit(to));
    }
    options.set_statistics_level(stats_level(to));
    wal.and(jobs)
}
