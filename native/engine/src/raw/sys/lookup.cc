// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

// A lookup into the caller's buffer that does not lose a value which is longer.

#include <cstring>

#include "rocksdb/options.h"
#include "../shim.h"
#include "handles.h"
#include "newest.h"

using cassiterite::Bytes;
using cassiterite::Database;
using cassiterite::Failure;
using cassiterite::failure_of;
using cassiterite::FamilyHandle;
using cassiterite::Outlasts;
using cassiterite::ValueCall;

namespace {
// As a rocksdb_readoptions_t begins (db/c.cc).
struct ReadMode {
  rocksdb::ReadOptions options;
};
}  // namespace

// Copies the value of a key into `buffer`, or, where it is longer, shows it to `call`. `found` is untouched where there
// is none. The search stops at what outlasts everything below, unless `outlasts` is null.
extern "C" Failure* cassiterite_get_into(void* database, void* family, const void* mode, const Outlasts* outlasts,
                                         const char* key, size_t key_size, char* buffer, size_t buffer_size,
                                         size_t* length, bool* found, ValueCall call, void* target) {
  rocksdb::DB* db = static_cast<Database*>(database)->object;
  rocksdb::PinnableSlice value;
  rocksdb::ColumnFamilyHandle* object = static_cast<FamilyHandle*>(family)->object;
  const rocksdb::ReadOptions& options = static_cast<const ReadMode*>(mode)->options;
  const rocksdb::Slice wanted(key, key_size);
  const rocksdb::Status status = outlasts == nullptr
                                     ? db->Get(options, object, wanted, &value)
                                     : cassiterite::find_newest(db, object, options, wanted, *outlasts, &value);
  if (status.IsNotFound()) {
    return nullptr;
  }
  if (!status.ok()) {
    return failure_of(status);
  }
  *found = true;
  *length = value.size();
  if (value.size() <= buffer_size) {
    memcpy(buffer, value.data(), value.size());
  } else {
    call(target, cassiterite::bytes(value));
  }
  return nullptr;
}
