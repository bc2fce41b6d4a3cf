// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

// Manual compaction that returns its status, which the C API drops.

#include <atomic>
#include <vector>

#include "rocksdb/convenience.h"
#include "rocksdb/options.h"
#include "../shim.h"
#include "handles.h"

using cassiterite::Database;
using cassiterite::Failure;
using cassiterite::failure_of;
using cassiterite::FamilyHandle;

namespace {
rocksdb::CompactRangeOptions rewriting(std::atomic<bool>* canceled) {
  rocksdb::CompactRangeOptions options;
  options.bottommost_level_compaction = rocksdb::BottommostLevelCompaction::kForceOptimized;
  options.exclusive_manual_compaction = false;
  options.canceled = canceled;
  return options;
}
}  // namespace

// Rewrites a whole column family to its bottommost level, unless `canceled` is or becomes true.
extern "C" Failure* cassiterite_compact(void* database, void* family, std::atomic<bool>* canceled) {
  rocksdb::DB* db = static_cast<Database*>(database)->object;
  return failure_of(db->CompactRange(rewriting(canceled), static_cast<FamilyHandle*>(family)->object, nullptr, nullptr));
}

// Rewrites what has keys from `first` up to `end`.
extern "C" Failure* cassiterite_compact_range(void* database, void* family, const char* first, size_t first_size,
                                           const char* end, size_t end_size, std::atomic<bool>* canceled) {
  const rocksdb::Slice begin(first, first_size);
  const rocksdb::Slice behind(end, end_size);
  rocksdb::DB* db = static_cast<Database*>(database)->object;
  return failure_of(db->CompactRange(rewriting(canceled), static_cast<FamilyHandle*>(family)->object, &begin, &behind));
}

// Deletes the files that lie wholly in one of `count` ranges, whose ends are not in them.
extern "C" Failure* cassiterite_delete_files(void* database, void* family, const char* const* firsts,
                                          const size_t* first_sizes, const char* const* ends, const size_t* end_sizes,
                                          size_t count) {
  std::vector<rocksdb::RangeOpt> ranges;
  for (size_t i = 0; i < count; i++) {
    ranges.emplace_back(rocksdb::Slice(firsts[i], first_sizes[i]), rocksdb::Slice(ends[i], end_sizes[i]));
  }
  rocksdb::DB* db = static_cast<Database*>(database)->object;
  return failure_of(
      rocksdb::DeleteFilesInRanges(db, static_cast<FamilyHandle*>(family)->object, ranges.data(), ranges.size(), false));
}
