// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! What one memtable takes before it holds anything: its filter, which counts against the budget of all from the
//! beginning, and which no flush gives back.

use super::rocks::to_size;
use super::Settings;
use rocksdb::Options;

/// About 40 bits per row of 1 KB: a partition that the memtable lacks costs no search.
const FILTER_RATIO: f64 = 0.005;
/// The number of memtables without a row that use up the budget.
const EMPTY_MEMTABLES: u64 = 2048;
/// A filter that is not larger than a quarter of the memory that a memtable takes at a time would make it take that at
/// once.
const BLOCK_FILTERS: u64 = 3;
/// What RocksDB takes at a time by itself: an eighth of the memtable, and no more than this.
const BLOCK_BYTES_MAX: u64 = 1 << 20;
const BLOCK_SHARE: u64 = 8;

/// Sizes memtables, and their filters.
pub(super) fn size_memtables(options: &mut Options, settings: &Settings) {
    let memtable_bytes = settings.write_buffer_bytes;
    let filter_bytes_max = settings.write_buffers_total_bytes / EMPTY_MEMTABLES;
    let block_bytes = (memtable_bytes / BLOCK_SHARE).min(BLOCK_BYTES_MAX).min(filter_bytes_max * BLOCK_FILTERS);
    options.set_write_buffer_size(to_size(memtable_bytes));
    options.set_max_write_buffer_number(3);
    options.set_memtable_prefix_bloom_ratio(FILTER_RATIO.min(filter_bytes_max as f64 / memtable_bytes as f64));
    options.set_memtable_whole_key_filtering(true);
    options.set_arena_block_size(to_size(block_bytes));
}
