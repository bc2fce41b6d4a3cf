// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

// Options of block-based tables that neither the crate nor its safe face has.

#include "rocksdb/options.h"
#include "rocksdb/table.h"

namespace {
constexpr double kHashedKeys = 0.6;
}

// `options` is a `rocksdb::Options*` whose table factory is block-based; returns whether it was.
extern "C" bool cassiterite_tune_blocks(void* options) {
  using rocksdb::BlockBasedTableOptions;
  const auto& factory = static_cast<rocksdb::Options*>(options)->table_factory;
  auto* blocks = factory ? factory->GetOptions<BlockBasedTableOptions>() : nullptr;
  if (blocks == nullptr) {
    return false;
  }
  // Keys begin with a hashed token: their gaps are those of random numbers, a coefficient of variation of 1 over the
  // square root of the rows per block. RocksDB marks the index blocks of which that is so, and searches them by
  // guessing.
  blocks->index_block_search_type = BlockBasedTableOptions::BlockSearchType::kAuto;
  blocks->uniform_cv_threshold = kHashedKeys;
  // What was written last is read most: a flush does not take it out of memory.
  blocks->prepopulate_block_cache = BlockBasedTableOptions::PrepopulateBlockCache::kFlushOnly;
  return true;
}
