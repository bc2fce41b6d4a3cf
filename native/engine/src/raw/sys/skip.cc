// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

// Iterators that leave files out.

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "rocksdb/options.h"
#include "rocksdb/table_properties.h"

namespace {
// The files by session and number of their birth, which no two files of a column family share.
using Skipped = std::set<std::pair<std::string, uint64_t>>;
}  // namespace

extern "C" std::shared_ptr<Skipped>* cassiterite_skipped_new() {
  return new std::shared_ptr<Skipped>(std::make_shared<Skipped>());
}

extern "C" void cassiterite_skipped_drop(std::shared_ptr<Skipped>* skipped) { delete skipped; }

extern "C" void cassiterite_skipped_add(std::shared_ptr<Skipped>* skipped, const char* session, size_t session_size,
                                        uint64_t number) {
  (*skipped)->emplace(std::string(session, session_size), number);
}

// `options` is a rocksdb_readoptions_t, whose first member are the ReadOptions (db/c.cc). RocksDB asks when it opens a
// file: of level 0 when the iterator is made, below when it comes to the file.
extern "C" void cassiterite_skipped_install(const std::shared_ptr<Skipped>* skipped, void* options) {
  static_cast<rocksdb::ReadOptions*>(options)->table_filter =
      [skipped = *skipped](const rocksdb::TableProperties& file) {
        return skipped->count({file.db_session_id, file.orig_file_number}) == 0;
      };
}
