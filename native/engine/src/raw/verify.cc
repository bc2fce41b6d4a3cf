// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

// Reads a table file by itself, past the database and its cache: what is in the file, not what is in memory.

#include <memory>

#include "rocksdb/options.h"
#include "rocksdb/sst_file_reader.h"
#include "rocksdb/table.h"
#include "rocksdb/types.h"
#include "shim.h"

namespace cassiterite {

namespace {

using rocksdb::Status;

// Returns false to end. `value` is null where the entry is a deletion.
using EntryCall = bool (*)(void* target, Bytes key, const Bytes* value);

rocksdb::Options uncached(const PackCalls& packing) {
  rocksdb::BlockBasedTableOptions blocks;
  blocks.no_block_cache = true;
  rocksdb::Options options;
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(blocks));
  options.compression_manager = entry_packing(packing);
  return options;
}

Status each_entry(rocksdb::SstFileReader& reader, EntryCall call, void* target) {
  const std::unique_ptr<rocksdb::Iterator> entries = reader.NewTableIterator();
  if (entries == nullptr) {
    return Status::Corruption("its entries cannot be read");
  }
  for (entries->SeekToFirst(); entries->Valid(); entries->Next()) {
    rocksdb::ParsedEntryInfo entry;
    const Status status = reader.ParseTableIteratorKey(entries->key(), &entry);
    if (!status.ok()) {
      return status;
    }
    const bool has_value = entry.type == rocksdb::kEntryPut || entry.type == rocksdb::kEntryMerge;
    const Bytes value = bytes(entries->value());
    if (!call(target, bytes(entry.user_key), has_value ? &value : nullptr)) {
      break;
    }
  }
  return entries->status();
}

}  // namespace

// Opens the file: its footer, its properties, the top of its index. With `blocks` also compares the checksum of each
// block. Then shows all entries, in their order, unless `call` is null.
extern "C" Failure* cassiterite_verify_file(const char* path, bool blocks, const PackCalls* packing, EntryCall call,
                                           void* target) {
  rocksdb::SstFileReader reader{uncached(*packing)};
  Status status = reader.Open(path);
  if (status.ok() && blocks) {
    status = reader.VerifyChecksum();
  }
  if (status.ok() && call != nullptr) {
    status = each_entry(reader, call, target);
  }
  return failure_of(status);
}

}  // namespace cassiterite
