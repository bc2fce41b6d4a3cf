// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

// The handle of a column family by its name, which RocksDB gives only to whom it was created for.

#include <cstddef>
#include <string>

#include "db/column_family.h"
#include "db/db_impl/db_impl.h"
#include "handles.h"

using cassiterite::Database;
using cassiterite::FamilyHandle;

// A new handle, or null where no such column family is.
extern "C" void* cassiterite_family_named(void* database, const char* name, size_t size) {
  auto* db = static_cast<rocksdb::DBImpl*>(static_cast<Database*>(database)->object->GetRootDB());
  rocksdb::InstrumentedMutexLock lock(db->mutex());
  auto* family = db->GetVersionSet()->GetColumnFamilySet()->GetColumnFamily(std::string(name, size));
  if (family == nullptr) {
    return nullptr;
  }
  return new FamilyHandle{new rocksdb::ColumnFamilyHandleImpl(family, db, db->mutex()), false};
}
