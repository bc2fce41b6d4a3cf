// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

// Manual compaction that says how it ended; the C API drops the status.

#include <cstring>

#include "rocksdb/db.h"
#include "rocksdb/options.h"

namespace {
// The first members of the C API's handles (db/c.cc).
struct Database {
  rocksdb::DB* object;
};
struct Family {
  rocksdb::ColumnFamilyHandle* object;
};
}  // namespace

// Rewrites a whole column family to its bottommost level. Returns null, or a malloc'ed error text.
extern "C" char* cassiterite_compact(void* database, void* family) {
  rocksdb::CompactRangeOptions options;
  options.bottommost_level_compaction = rocksdb::BottommostLevelCompaction::kForce;
  options.exclusive_manual_compaction = false;
  rocksdb::DB* db = static_cast<Database*>(database)->object;
  rocksdb::Status status = db->CompactRange(options, static_cast<Family*>(family)->object, nullptr, nullptr);
  return status.ok() ? nullptr : strdup(status.ToString().c_str());
}
