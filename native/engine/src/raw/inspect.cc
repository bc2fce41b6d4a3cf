// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

// Live files with their timestamps, and the calls that neither the crate nor the C API has.

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "db/db_impl/db_impl.h"
#include "db/version_set.h"
#include "monitoring/instrumented_mutex.h"
#include "rocksdb/file_checksum.h"
#include "rocksdb/options.h"
#include "rocksdb/table_properties.h"
#include "shim.h"
#include "table/sst_file_writer_collectors.h"

namespace cassiterite {

namespace {

using rocksdb::ColumnFamilyHandle;
using rocksdb::DB;
using rocksdb::Slice;
using rocksdb::Status;

// The files of a column family at one time; none of them is deleted while this lives. The mutex is taken for a moment,
// whatever the number of files.
class Version {
 public:
  Version(DB* db, ColumnFamilyHandle* family) : mutex_(static_cast<rocksdb::DBImpl*>(db->GetRootDB())->mutex()) {
    rocksdb::InstrumentedMutexLock lock(mutex_);
    version_ = static_cast<rocksdb::ColumnFamilyHandleImpl*>(family)->cfd()->current();
    version_->Ref();
  }
  ~Version() {
    rocksdb::InstrumentedMutexLock lock(mutex_);
    version_->Unref();
  }
  Version(const Version&) = delete;
  Version& operator=(const Version&) = delete;

  const rocksdb::VersionStorageInfo& files() const { return *version_->storage_info(); }

  // Without properties, which are read from the device where the file is not open, nothing else is known of a file.
  Status show(const rocksdb::FileMetaData& file, int level, bool with_properties, FileCall call, void* target) const {
    std::shared_ptr<const rocksdb::TableProperties> known;
    if (with_properties) {
      const Status status = version_->GetTableProperties(rocksdb::ReadOptions(), &known, &file, nullptr);
      if (!status.ok()) {
        return status;
      }
    }
    static const rocksdb::TableProperties kUnknown;
    const rocksdb::TableProperties& table = known == nullptr ? kUnknown : *known;
    const auto& collected = table.user_collected_properties;
    const auto property = [&collected](const char* name) {
      const auto found = collected.find(name);
      return found == collected.end() ? Bytes{nullptr, 0} : bytes(found->second);
    };
    const bool has_checksum = file.file_checksum_func_name == rocksdb::kStandardDbFileChecksumFuncName;
    const bool is_external = collected.count(rocksdb::ExternalSstFilePropertyNames::kVersion) > 0;
    const FileView view{file.fd.GetNumber(),
                        level,
                        file.fd.GetFileSize(),
                        bytes(file.smallest.user_key()),
                        bytes(file.largest.user_key()),
                        property(kMinTimestampProperty),
                        property(kHeadersProperty),
                        file.fd.smallest_seqno,
                        file.fd.largest_seqno,
                        table.num_entries,
                        table.raw_key_size + table.raw_value_size,
                        table.filter_size,
                        bytes(table.db_session_id),
                        table.orig_file_number,
                        is_external,
                        has_checksum ? bytes(file.file_checksum) : Bytes{nullptr, 0}};
    call(target, &view);
    return Status::OK();
  }

  // One file of each `step`.
  Status show_all(uint64_t step, bool with_properties, FileCall call, void* target) const {
    uint64_t at = 0;
    for (int level = 0; level < files().num_levels(); level++) {
      for (const rocksdb::FileMetaData* file : files().LevelFiles(level)) {
        if (at++ % step != 0) {
          continue;
        }
        const Status status = show(*file, level, with_properties, call, target);
        if (!status.ok()) {
          return status;
        }
      }
    }
    return Status::OK();
  }

  uint64_t count() const {
    uint64_t count = 0;
    for (int level = 0; level < files().num_levels(); level++) {
      count += static_cast<uint64_t>(files().NumLevelFiles(level));
    }
    return count;
  }

 private:
  rocksdb::InstrumentedMutex* const mutex_;
  rocksdb::Version* version_;
};

// Shows the inputs, then what else overlaps the range that `reach` makes of them. Inputs that are not live are left out.
Status show_compaction(const Version& version, const CompactionSource& source, FileCall input, ReachCall reach,
                       FileCall other, void* target) {
  const auto& files = version.files();
  const std::vector<uint64_t> inputs(source.input_numbers, source.input_numbers + source.input_count);
  for (const uint64_t number : inputs) {
    const rocksdb::FileMetaData* file = files.GetFileMetaDataByNumber(number);
    if (file == nullptr) {
      return Status::OK();
    }
    const Status status = version.show(*file, files.GetFileLocation(number).GetLevel(), true, input, target);
    if (!status.ok()) {
      return status;
    }
  }
  Bytes first{nullptr, 0};
  Bytes last{nullptr, 0};
  reach(target, &first, &last);
  const rocksdb::InternalKey begin(Slice(first.data, first.size), rocksdb::kMaxSequenceNumber,
                                   rocksdb::kValueTypeForSeek);
  const rocksdb::InternalKey end(Slice(last.data, last.size), rocksdb::kMaxSequenceNumber, rocksdb::kValueTypeForSeek);
  for (int level = 0; level < files.num_non_empty_levels(); level++) {
    std::vector<rocksdb::FileMetaData*> overlapping;
    files.GetOverlappingInputs(level, &begin, &end, &overlapping);
    for (const rocksdb::FileMetaData* file : overlapping) {
      if (std::binary_search(inputs.begin(), inputs.end(), file->fd.GetNumber())) {
        continue;
      }
      const Status status = version.show(*file, level, true, other, target);
      if (!status.ok()) {
        return status;
      }
    }
  }
  return Status::OK();
}

}  // namespace

// At most `count_max` files, evenly spread.
extern "C" Failure* cassiterite_listed_files(DB* db, ColumnFamilyHandle* family, uint64_t count_max, FileCall call,
                                             void* target) {
  const Version version(db, family);
  const uint64_t step = 1 + (std::max<uint64_t>(1, version.count()) - 1) / count_max;
  return failure_of(version.show_all(step, true, call, target));
}

// Without what their properties tell: it does not need the device.
extern "C" void cassiterite_placed_files(DB* db, ColumnFamilyHandle* family, FileCall call, void* target) {
  Version(db, family).show_all(1, false, call, target).PermitUncheckedError();
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

// What a compaction has to know of the rest of its column family: not of files outside the range of its inputs, of which
// there may be tens of thousands. The order of the three steps is part of the purge rules: a memtable that is not counted
// any more is in a file that is listed afterwards.
extern "C" Failure* cassiterite_compaction_view(const CompactionSource* source, uint64_t* immutable_memtables,
                                             uint64_t* snapshots, uint32_t* max_subcompactions, FileCall input,
                                             ReachCall reach, FileCall other, void* target) {
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
  return failure_of(show_compaction(Version(source->db, family.get()), *source, input, reach, other, target));
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

}  // namespace cassiterite
