// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

// Manual compaction that returns its status, which the C API drops.

#include <atomic>

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
