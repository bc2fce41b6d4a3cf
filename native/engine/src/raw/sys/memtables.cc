// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

// Figures of all column families together, which the C API has of single ones only.

#include <cstdint>

#include "handles.h"

using cassiterite::Database;

// Bytes of all memtables that are not in files yet; those that only readers still pin are not among them, those of
// dropped column families that are still in use are.
extern "C" uint64_t cassiterite_unflushed_bytes(void* database) {
  uint64_t bytes = 0;
  rocksdb::DB* db = static_cast<Database*>(database)->object;
  db->GetAggregatedIntProperty(rocksdb::DB::Properties::kCurSizeAllMemTables, &bytes);
  return bytes;
}

// Whether a flush of any column family runs, or is due.
extern "C" bool cassiterite_is_flushing(void* database) {
  uint64_t due = 0;
  uint64_t running = 0;
  rocksdb::DB* db = static_cast<Database*>(database)->object;
  db->GetAggregatedIntProperty(rocksdb::DB::Properties::kMemTableFlushPending, &due);
  db->GetIntProperty(rocksdb::DB::Properties::kNumRunningFlushes, &running);
  return due + running > 0;
}
