// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

// Ingestion of files into several column families in one atomic step, and the properties of a file.

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "db/column_family.h"
#include "db/dbformat.h"
#include "rocksdb/db.h"
#include "rocksdb/file_checksum.h"
#include "rocksdb/options.h"
#include "rocksdb/sst_file_reader.h"
#include "rocksdb/table_properties.h"
#include "shim.h"

namespace cassiterite {

// Files for one column family. `whole`: they were made by a database, with sequence numbers of their own.
struct Ingestion {
  rocksdb::ColumnFamilyHandle* family;
  const char* const* paths;
  size_t count;
  bool whole;
  const Bytes* checksums;  // CRC-32C, big-endian, of each file, or null where they are not known
};

namespace {

rocksdb::IngestExternalFileOptions options_of(const Ingestion& ingestion) {
  rocksdb::IngestExternalFileOptions options;
  options.link_files = true;
  options.failed_move_fall_back_to_copy = true;
  options.fill_cache = false;
  if (ingestion.whole) {
    options.allow_db_generated_files = true;
    // A new sequence number would hide operands that are there already; without overlap none is needed.
    options.snapshot_consistency = false;
    options.allow_blocking_flush = false;
  }
  return options;
}

bool is_dropped(const Ingestion& ingestion) {
  return static_cast<rocksdb::ColumnFamilyHandleImpl*>(ingestion.family)->cfd()->IsDropped();
}

}  // namespace

// All files, or none. `overlaps` becomes true where that is because a column family has keys in the range of its whole
// files.
extern "C" Failure* cassiterite_ingest(rocksdb::DB* db, const Ingestion* ingestions, size_t count, bool* overlaps) {
  std::vector<rocksdb::IngestExternalFileArg> args;
  for (size_t at = 0; at < count; at++) {
    const Ingestion& ingestion = ingestions[at];
    rocksdb::IngestExternalFileArg arg;
    arg.column_family = ingestion.family;
    arg.external_files.assign(ingestion.paths, ingestion.paths + ingestion.count);
    arg.options = options_of(ingestion);
    if (ingestion.checksums != nullptr) {
      // The receiver has compared them; RocksDB would read them all once more.
      arg.options.verify_file_checksum = false;
      arg.files_checksum_func_names.assign(ingestion.count, rocksdb::kStandardDbFileChecksumFuncName);
      for (size_t file = 0; file < ingestion.count; file++) {
        arg.files_checksums.emplace_back(ingestion.checksums[file].data, ingestion.checksums[file].size);
      }
    }
    args.push_back(std::move(arg));
  }
  // In two steps: what is wrong with the files or the call itself is found in the first one.
  std::unique_ptr<rocksdb::FileIngestionHandle> prepared;
  const rocksdb::Status possible = db->PrepareFileIngestion(args, &prepared);
  if (!possible.ok()) {
    return failure_of(possible);
  }
  const rocksdb::Status status = db->CommitFileIngestionHandle(std::move(prepared));
  // The second one calls an argument invalid if a column family was dropped, or if keys overlap, in its memtable or in
  // its files.
  *overlaps = status.IsInvalidArgument() && std::none_of(ingestions, ingestions + count, is_dropped);
  return failure_of(status);
}

// Shows the bytes of the property that tells the smallest timestamp; empty where the file has none.
extern "C" Failure* cassiterite_file_min_timestamp(const char* path, ValueCall call, void* target) {
  rocksdb::SstFileReader reader{rocksdb::Options()};
  const rocksdb::Status status = reader.Open(path);
  if (!status.ok()) {
    return failure_of(status);
  }
  const auto properties = reader.GetTableProperties();
  const auto found = properties->user_collected_properties.find(kMinTimestampProperty);
  call(target, found == properties->user_collected_properties.end() ? Bytes{nullptr, 0} : bytes(found->second));
  return nullptr;
}

// Shows the session in which a file was written, and the number that it was written with.
extern "C" Failure* cassiterite_file_origin(const char* path, ValueCall call, void* target, uint64_t* number) {
  rocksdb::SstFileReader reader{rocksdb::Options()};
  const rocksdb::Status status = reader.Open(path);
  if (!status.ok()) {
    return failure_of(status);
  }
  const auto properties = reader.GetTableProperties();
  *number = properties->orig_file_number;
  call(target, bytes(properties->db_session_id));
  return nullptr;
}

// Shows a file that a database has written, by itself: of level 0, without checksum.
extern "C" Failure* cassiterite_flushed_file(const char* path, FileCall call, void* target) {
  rocksdb::SstFileReader reader{rocksdb::Options()};
  const rocksdb::Status status = reader.Open(path);
  if (!status.ok()) {
    return failure_of(status);
  }
  const auto table = reader.GetTableProperties();
  const auto entries = reader.NewTableIterator();
  std::string keys[2];
  for (const bool is_last : {false, true}) {
    is_last ? entries->SeekToLast() : entries->SeekToFirst();
    if (!entries->Valid()) {
      return failure_of(entries->status().ok() ? rocksdb::Status::Corruption("a file without entries")
                                               : entries->status());
    }
    keys[is_last] = rocksdb::ExtractUserKey(entries->key()).ToString();
  }
  // Without them a reader of the file could miss its newest entries.
  if (!table->HasKeySmallestSeqno() || !table->HasKeyLargestSeqno()) {
    return failure_of(rocksdb::Status::NotSupported("the file does not tell its sequence numbers"));
  }
  FileView view{};
  view.number = table->orig_file_number;
  view.smallest_key = bytes(keys[0]);
  view.largest_key = bytes(keys[1]);
  view.smallest_sequence = table->key_smallest_seqno;
  view.largest_sequence = table->key_largest_seqno;
  view.entries = table->num_entries;
  view.session = bytes(table->db_session_id);
  view.original_number = table->orig_file_number;
  call(target, &view);
  return nullptr;
}

}  // namespace cassiterite
