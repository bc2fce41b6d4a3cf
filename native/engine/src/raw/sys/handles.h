// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

// What the C API's handles hold (db/c.cc), which it does not tell.
#pragma once

#include "rocksdb/db.h"

namespace cassiterite {

// The first member of a rocksdb_t.
struct Database {
  rocksdb::DB* object;
};

// A rocksdb_column_family_handle_t. The C API releases it, and the object unless it is immortal.
struct FamilyHandle {
  rocksdb::ColumnFamilyHandle* object;
  bool is_immortal;
};

// A rocksdb_iterator_t. The C API deletes it, and the object.
struct IteratorHandle {
  rocksdb::Iterator* object;
};

}  // namespace cassiterite
