// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

// Which RocksDB was compiled against, and which one is loaded.

#include <cstdio>
#include <string>

#include "rocksdb/version.h"

extern "C" void cassiterite_rocksdb_versions(char* built, char* loaded, size_t capacity) {
  std::snprintf(built, capacity, "%d.%d.%d", ROCKSDB_MAJOR, ROCKSDB_MINOR, ROCKSDB_PATCH);
  std::snprintf(loaded, capacity, "%s", rocksdb::GetRocksVersionAsString(true).c_str());
}
