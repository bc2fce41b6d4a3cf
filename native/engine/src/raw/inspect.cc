// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

// Live files with their timestamps, and the calls that neither the crate nor the C API has.

#include <memory>
#include <string>
#include <unordered_map>

#include "db/db_impl/db_impl.h"
#include "rocksdb/file_checksum.h"
#include "rocksdb/metadata.h"
#include "rocksdb/options.h"
#include "rocksdb/rate_limiter.h"
#include "rocksdb/table_properties.h"
#include "shim.h"
#include "table/sst_file_writer_collectors.h"

namespace cassiterite {

namespace {

using rocksdb::ColumnFamilyHandle;
using rocksdb::DB;
using rocksdb::Status;

using Properties = std::unordered_map<uint64_t, const rocksdb::TableProperties*>;

// A file without properties is shown as one of which nothing else is known.
void show_file(const rocksdb::SstFileMetaData& file, int level, const Properties& properties, FileCall call,
               void* target) {
  static const rocksdb::TableProperties kUnknown;
  const auto known = properties.find(file.file_number);
  const rocksdb::TableProperties& table = known == properties.end() ? kUnknown : *known->second;
  const auto& collected = table.user_collected_properties;
  const auto property = [&collected](const char* name) {
    const auto found = collected.find(name);
    return found == collected.end() ? Bytes{nullptr, 0} : bytes(found->second);
  };
  const bool has_checksum = file.file_checksum_func_name == rocksdb::kStandardDbFileChecksumFuncName;
  const bool is_external = collected.count(rocksdb::ExternalSstFilePropertyNames::kVersion) > 0;
  const FileView view{file.file_number,
                      level,
                      file.size,
                      bytes(file.smallestkey),
                      bytes(file.largestkey),
                      property(kMinTimestampProperty),
                      property(kHeadersProperty),
                      file.smallest_seqno,
                      file.largest_seqno,
                      table.num_entries,
                      table.raw_key_size + table.raw_value_size,
                      table.filter_size,
                      bytes(table.db_session_id),
                      table.orig_file_number,
                      is_external,
                      has_checksum ? bytes(file.file_checksum) : Bytes{nullptr, 0}};
  call(target, &view);
}

constexpr int kAttempts = 3;

// Files may be compacted away between the two calls that describe them: then asks again, and shows in the end what it
// has.
Status show_files(DB* db, ColumnFamilyHandle* family, FileCall call, void* target) {
  for (int attempt = 1;; attempt++) {
    rocksdb::ColumnFamilyMetaData meta;
    db->GetColumnFamilyMetaData(family, &meta);
    rocksdb::TablePropertiesCollection tables;
    const Status status = db->GetPropertiesOfAllTables(family, &tables);
    if (!status.ok()) {
      return status;
    }
    Properties properties;
    for (const auto& [path, table] : tables) {
      properties[file_number(path)] = table.get();
    }
    bool complete = true;
    for (const auto& level : meta.levels) {
      for (const auto& file : level.files) {
        complete = complete && properties.count(file.file_number) == 1;
      }
    }
    if (!complete && attempt < kAttempts) {
      continue;
    }
    for (const auto& level : meta.levels) {
      for (const auto& file : level.files) {
        show_file(file, level.level, properties, call, target);
      }
    }
    return Status::OK();
  }
}

}  // namespace

// Also files whose properties cannot be read any more, because they were compacted away meanwhile.
extern "C" Failure* cassiterite_listed_files(DB* db, ColumnFamilyHandle* family, FileCall call, void* target) {
  return failure_of(show_files(db, family, call, target));
}

// Without what their properties tell: it does not need the device.
extern "C" void cassiterite_placed_files(DB* db, ColumnFamilyHandle* family, FileCall call, void* target) {
  rocksdb::ColumnFamilyMetaData meta;
  db->GetColumnFamilyMetaData(family, &meta);
  for (const auto& level : meta.levels) {
    for (const auto& file : level.files) {
      show_file(file, level.level, Properties(), call, target);
    }
  }
}

// How many files a column family has, without copying what is known of each.
extern "C" uint64_t cassiterite_file_count(DB* db, ColumnFamilyHandle* family) {
  auto* impl = static_cast<rocksdb::DBImpl*>(db);
  auto* data = static_cast<rocksdb::ColumnFamilyHandleImpl*>(family)->cfd();
  rocksdb::SuperVersion* version = impl->GetAndRefSuperVersion(data);
  const rocksdb::VersionStorageInfo* storage = version->current->storage_info();
  uint64_t files = 0;
  for (int level = 0; level < storage->num_levels(); level++) {
    files += static_cast<uint64_t>(storage->NumLevelFiles(level));
  }
  impl->ReturnAndCleanupSuperVersion(data, version);
  return files;
}

// What a compaction has to know of the rest of its column family; a file without properties forbids it to purge what is
// in its range. The order of the three steps is part of the purge rules: a memtable that is not counted any more is in
// a file that is listed afterwards.
extern "C" Failure* cassiterite_compaction_view(const CompactionSource* source, uint64_t* immutable_memtables,
                                             uint64_t* snapshots, uint32_t* max_subcompactions, FileCall call,
                                             void* target) {
  auto* db = static_cast<rocksdb::DBImpl*>(source->db);
  const std::unique_ptr<ColumnFamilyHandle> family = db->GetColumnFamilyHandleUnlocked(source->family_id);
  if (family == nullptr) {
    return failure_of(Status::ColumnFamilyDropped());
  }
  *max_subcompactions = source->db->GetDBOptions().max_subcompactions;
  if (!source->db->GetIntProperty(family.get(), DB::Properties::kNumImmutableMemTable, immutable_memtables) ||
      !source->db->GetIntProperty(family.get(), DB::Properties::kNumSnapshots, snapshots)) {
    return failure_of(Status::Incomplete("a property of the column family cannot be read"));
  }
  return failure_of(show_files(source->db, family.get(), call, target));
}

// The merged value of a key; untouched where there is none. What no log has does not count: a crash would take it back.
extern "C" Failure* cassiterite_compaction_get(const CompactionSource* source, Bytes key, ValueCall call, void* target) {
  auto* db = static_cast<rocksdb::DBImpl*>(source->db);
  const std::unique_ptr<ColumnFamilyHandle> family = db->GetColumnFamilyHandleUnlocked(source->family_id);
  if (family == nullptr) {
    return failure_of(Status::ColumnFamilyDropped());
  }
  rocksdb::ReadOptions options;
  options.read_tier = rocksdb::kPersistedTier;
  rocksdb::PinnableSlice value;
  const Status status = source->db->Get(options, family.get(), rocksdb::Slice(key.data, key.size), &value);
  if (status.ok()) {
    call(target, bytes(value));
  }
  return status.IsNotFound() ? nullptr : failure_of(status);
}

// Keeps a CRC-32C of every file from when it is written.
extern "C" void cassiterite_sum_files(rocksdb::Options* options) {
  options->file_checksum_gen_factory = rocksdb::GetFileChecksumGenCrc32cFactory();
}

extern "C" void cassiterite_stop_compactions(DB* db) {
  db->AbortAllCompactions();
  db->ResumeAllCompactions();
}

extern "C" Failure* cassiterite_resume(DB* db) { return failure_of(db->Resume()); }

using Limiter = std::shared_ptr<rocksdb::RateLimiter>;

extern "C" Limiter* cassiterite_limiter_new(int64_t bytes_per_second) {
  return new Limiter(rocksdb::NewGenericRateLimiter(bytes_per_second, 100 * 1000, 10,
                                                    rocksdb::RateLimiter::Mode::kWritesOnly));
}

extern "C" void cassiterite_limiter_drop(Limiter* limiter) { delete limiter; }

extern "C" void cassiterite_limiter_install(Limiter* limiter, rocksdb::Options* options) {
  options->rate_limiter = *limiter;
}

extern "C" void cassiterite_limiter_set(Limiter* limiter, int64_t bytes_per_second) {
  (*limiter)->SetBytesPerSecond(bytes_per_second);
}

}  // namespace cassiterite
