// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

// The lookup of newest.cc.
#pragma once

#include "rocksdb/db.h"
#include "../shim.h"

namespace cassiterite {

// Whether older fragments can change one; implemented in lookup.rs.
struct Outlasts {
  bool (*call)(const void* columns, Bytes fragment, int64_t newest, bool with_deletions);
  const void* columns;
};

// As DB::Get without a snapshot, but it stops at what outlasts everything below.
rocksdb::Status find_newest(rocksdb::DB* db, rocksdb::ColumnFamilyHandle* family, const rocksdb::ReadOptions& options,
                            const rocksdb::Slice& key, const Outlasts& outlasts, rocksdb::PinnableSlice* value);

}  // namespace cassiterite
