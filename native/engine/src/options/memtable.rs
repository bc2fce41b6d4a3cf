// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! What one memtable takes before it holds much: its filter, which counts against the budget of all from the beginning,
//! and which no flush gives back; and the memory that it takes at a time.

use super::units::to_size;
use super::Settings;
use rocksdb::Options;

/// About 40 bits per row of 1 KB: a partition that the memtable lacks costs no search.
const FILTER_RATIO: f64 = 0.005;
/// What one filter takes of the budget at most, and what all take together where they were made at once. Where families
/// come one by one they take this and its logarithm more: a quarter with 2,500 of them.
const FILTER_SHARE: u64 = 2048;
const FILTERS_SHARE: u64 = 16;
/// A smaller one would be full of bits before it spares a search.
const FILTER_BYTES_MIN: u64 = 4 << 10;
/// The number of memtables with one row each that use up the budget.
const USED_MEMTABLES: u64 = 8192;
/// Smaller ones would often be left in part, and RocksDB takes no less than 4 KiB.
const BLOCK_BYTES_MIN: u64 = 8 << 10;
const BLOCK_BYTES_MAX: u64 = 1 << 20;
const BLOCK_SHARE: u64 = 8;

/// Sizes a memtable, and its filter where there are about so many of the kind. What is found by seeking has none.
pub(super) fn size_memtables(options: &mut Options, settings: &Settings, filters: Option<usize>) {
    let memtable_bytes = settings.write_buffer_bytes;
    let budget_bytes = settings.write_buffers_total_bytes;
    let filter_bytes = filters.map_or(0, |count| filter_bytes(budget_bytes, memtable_bytes, count as u64));
    let block_bytes = (budget_bytes / USED_MEMTABLES).clamp(BLOCK_BYTES_MIN, BLOCK_BYTES_MAX);
    options.set_write_buffer_size(to_size(memtable_bytes));
    options.set_max_write_buffer_number(3);
    options.set_memtable_prefix_bloom_ratio(filter_bytes as f64 / memtable_bytes as f64);
    options.set_memtable_whole_key_filtering(filter_bytes > 0);
    options.set_arena_block_size(to_size(block_bytes.min(memtable_bytes / BLOCK_SHARE)));
}

/// Bytes of the filter of one of so many memtables.
fn filter_bytes(budget_bytes: u64, memtable_bytes: u64, count: u64) -> u64 {
    let wanted = (memtable_bytes as f64 * FILTER_RATIO) as u64;
    let share = (budget_bytes / FILTERS_SHARE / count.max(1)).min(budget_bytes / FILTER_SHARE);
    if share < FILTER_BYTES_MIN {
        return 0;
    }
    wanted.min(share)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: u64 = 1 << 20;

    #[test]
    fn filters_leave_most_of_the_budget_however_many_there_are() {
        for budget_bytes in [MIB, 42 * MIB, 341 * MIB, 512 * MIB] {
            let mut taken = 0;
            for count in 1..=4000 {
                taken += filter_bytes(budget_bytes, 64 * MIB, count);
                assert!(filter_bytes(budget_bytes, 64 * MIB, count) * count <= budget_bytes / FILTERS_SHARE);
            }
            assert!(taken <= budget_bytes * 3 / 10, "{taken} of {budget_bytes} where they came one by one");
        }
    }

    #[test]
    fn few_tables_have_the_filters_that_they_can_use() {
        assert_eq!(filter_bytes(512 * MIB, 64 * MIB, 128), 262_144);
        assert_eq!(filter_bytes(2048 * MIB, 64 * MIB, 100), 335_544);
        assert_eq!(filter_bytes(341 * MIB, 64 * MIB, 1000), 22_347);
        assert_eq!(filter_bytes(42 * MIB, 64 * MIB, 1000), 0);
    }
}
