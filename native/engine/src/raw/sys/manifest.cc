// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

// Which write-ahead logs the manifest still needs.

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <string>

#include "db/log_reader.h"
#include "db/manifest_ops.h"
#include "db/version_edit.h"
#include "file/sequence_file_reader.h"
#include "rocksdb/env.h"
#include "rocksdb/file_system.h"
#include "../shim.h"

namespace {

struct Needs {
  std::map<uint32_t, uint64_t> logs{{0, 0}};  // by column family; the default one has no edit that adds it
  uint64_t keep = 0;
  uint64_t next_file = 0;  // numbers from here on were given to files later than the manifest was written

  void Apply(const rocksdb::VersionEdit& edit) {
    if (edit.HasMinLogNumberToKeep()) {
      keep = std::max(keep, edit.GetMinLogNumberToKeep());
    }
    if (edit.HasNextFile()) {
      next_file = std::max(next_file, edit.GetNextFile());
    }
    const uint32_t family = edit.GetColumnFamily();
    if (edit.IsColumnFamilyDrop()) {
      logs.erase(family);
    } else if (edit.IsColumnFamilyAdd() || logs.count(family) > 0) {
      uint64_t& log = logs[family];
      log = edit.HasLogNumber() ? std::max(log, edit.GetLogNumber()) : log;
    }
  }

  // As recovery computes it: what no column family needs, and what may be deleted, is not read.
  uint64_t First() const {
    uint64_t smallest = std::numeric_limits<uint64_t>::max();
    for (const auto& [family, log] : logs) {
      smallest = std::min(smallest, log);
    }
    return std::max(keep, smallest);
  }
};

rocksdb::Status needed(const std::string& database, uint64_t* first, uint64_t* next_file) {
  const std::shared_ptr<rocksdb::FileSystem> files = rocksdb::FileSystem::Default();
  std::string path;
  uint64_t number = 0;
  rocksdb::Status status = rocksdb::GetCurrentManifestPath(database, files.get(), false, &path, &number);
  std::unique_ptr<rocksdb::SequentialFileReader> reader;
  if (status.ok()) {
    status = rocksdb::SequentialFileReader::Create(files, path, rocksdb::FileOptions(), &reader, nullptr, nullptr);
  }
  if (!status.ok()) {
    return status;
  }
  // Damage in the manifest is for the opening of the database to report.
  rocksdb::log::Reader records(nullptr, std::move(reader), nullptr, true, 0);
  Needs needs;
  rocksdb::Slice record;
  std::string scratch;
  while (status.ok() && records.ReadRecord(&record, &scratch)) {
    rocksdb::VersionEdit edit;
    status = edit.DecodeFrom(record);
    if (status.ok()) {
      needs.Apply(edit);
    }
  }
  *first = needs.First();
  *next_file = needs.next_file;
  return status;
}

}  // namespace

extern "C" cassiterite::Failure* cassiterite_needed_logs(const char* database, uint64_t* first, uint64_t* next_file) {
  return cassiterite::failure_of(needed(database, first, next_file));
}
