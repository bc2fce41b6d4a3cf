// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

// Options of block-based tables that neither the crate nor its safe face has.

#include <memory>

#include "rocksdb/options.h"
#include "rocksdb/table.h"
#include "table/block_based/block_based_table_factory.h"
#include "table/table_builder.h"

namespace {

// Callbacks of one column family, implemented in blocks.rs.
struct BlockCalls {
  void* state;
  void (*drop_state)(void* state);
  bool (*caches_flushed)(void* state);
};

using rocksdb::BlockBasedTableFactory;
using rocksdb::BlockBasedTableOptions;

constexpr double kHashedKeys = 0.6;
// Of an index or filter: a read of a large file brings in one of each, instead of megabytes.
constexpr uint64_t kPartBytes = 8 << 10;

BlockBasedTableOptions in_parts(BlockBasedTableOptions blocks) {
  blocks.index_type = BlockBasedTableOptions::kTwoLevelIndexSearch;
  blocks.partition_filters = blocks.filter_policy != nullptr;
  blocks.metadata_block_size = kPartBytes;
  blocks.pin_top_level_index_and_filter = true;
  return blocks;
}

BlockBasedTableOptions uncached(BlockBasedTableOptions blocks) {
  blocks.prepopulate_block_cache = BlockBasedTableOptions::PrepopulateBlockCache::kDisable;
  return blocks;
}

// What Rust knows of a column family's readers.
class BlockState {
 public:
  explicit BlockState(const BlockCalls& calls) : calls_(calls) {}
  ~BlockState() { calls_.drop_state(calls_.state); }
  BlockState(const BlockState&) = delete;
  BlockState& operator=(const BlockState&) = delete;

  bool caches_flushed() const { return calls_.caches_flushed(calls_.state); }

 private:
  const BlockCalls calls_;
};

// Writes large files with indexes and filters in parts, and files that nobody reads soon past the cache. All kinds are
// read by the same code.
class FilesBySize : public BlockBasedTableFactory {
 public:
  FilesBySize(const BlockBasedTableOptions& blocks, uint64_t whole_bytes_max, std::shared_ptr<const BlockState> state)
      : BlockBasedTableFactory(blocks),
        in_parts_(in_parts(blocks)),
        uncached_(uncached(blocks)),
        whole_bytes_max_(whole_bytes_max),
        state_(std::move(state)) {}

  rocksdb::TableBuilder* NewTableBuilder(const rocksdb::TableBuilderOptions& options,
                                         rocksdb::WritableFileWriter* file) const override {
    if (options.target_file_size > whole_bytes_max_) {
      return in_parts_.NewTableBuilder(options, file);
    }
    if (options.reason == rocksdb::TableFileCreationReason::kFlush && !state_->caches_flushed()) {
      return uncached_.NewTableBuilder(options, file);
    }
    return BlockBasedTableFactory::NewTableBuilder(options, file);
  }

  std::unique_ptr<rocksdb::TableFactory> Clone() const override { return std::make_unique<FilesBySize>(*this); }

 private:
  const BlockBasedTableFactory in_parts_;
  const BlockBasedTableFactory uncached_;
  const uint64_t whole_bytes_max_;
  const std::shared_ptr<const BlockState> state_;
};

}  // namespace

// `options` is a `rocksdb::Options*` whose table factory is block-based; returns whether it was.
extern "C" bool cassiterite_tune_blocks(void* options, uint64_t whole_bytes_max, const BlockCalls* calls) {
  const auto state = std::make_shared<const BlockState>(*calls);
  auto& factory = static_cast<rocksdb::Options*>(options)->table_factory;
  const auto* given = factory ? factory->GetOptions<BlockBasedTableOptions>() : nullptr;
  if (given == nullptr) {
    return false;
  }
  BlockBasedTableOptions blocks = *given;
  // Keys begin with a hashed token: their gaps are those of random numbers, a coefficient of variation of 1 over the
  // square root of the rows per block. RocksDB marks the index blocks of which that is so, and searches them by
  // guessing.
  blocks.index_block_search_type = BlockBasedTableOptions::BlockSearchType::kAuto;
  blocks.uniform_cv_threshold = kHashedKeys;
  // What was written last is read most, if anything is: a flush does not take it out of memory.
  blocks.prepopulate_block_cache = BlockBasedTableOptions::PrepopulateBlockCache::kFlushOnly;
  factory = std::make_shared<FilesBySize>(blocks, whole_bytes_max, state);
  return true;
}
