// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

// What RocksDB has counted of the bytes that it wrote, level by level: its properties tell them as text, in GB.

#include <algorithm>
#include <cstdint>

#include "db/column_family.h"
#include "db/db_impl/db_impl.h"
#include "db/internal_stats.h"
#include "handles.h"

using cassiterite::Database;
using cassiterite::FamilyHandle;

// Bytes written to the log since the database was opened.
extern "C" uint64_t cassiterite_log_bytes(void* database) {
  auto* db = static_cast<rocksdb::DBImpl*>(static_cast<Database*>(database)->object->GetRootDB());
  auto* family = static_cast<rocksdb::ColumnFamilyHandleImpl*>(db->DefaultColumnFamily())->cfd();
  return family->internal_stats()->GetDBStats(rocksdb::InternalStats::kIntStatsWalFileBytes);
}

// Bytes of files written since the database was opened: returns those of flushes, and fills in those of compactions by
// the level they went to.
extern "C" uint64_t cassiterite_written_bytes(void* database, void* handle, uint64_t* by_level, size_t levels) {
  auto* db = static_cast<rocksdb::DBImpl*>(static_cast<Database*>(database)->object->GetRootDB());
  auto* family = static_cast<rocksdb::ColumnFamilyHandleImpl*>(static_cast<FamilyHandle*>(handle)->object)->cfd();
  rocksdb::InstrumentedMutexLock lock(db->mutex());
  const auto* stats = family->internal_stats();
  const auto& of_levels = stats->TEST_GetCompactionStats();
  for (size_t level = 0; level < std::min(levels, of_levels.size()); level++) {
    by_level[level] = of_levels[level].bytes_written;
  }
  // RocksDB counts them as written to level 0.
  const uint64_t flushed = stats->TEST_GetCFStatsValue()[rocksdb::InternalStats::BYTES_FLUSHED];
  by_level[0] -= std::min(by_level[0], flushed);
  return flushed;
}
