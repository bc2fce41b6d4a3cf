// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

// The interface between the C++ shim and its Rust face (raw.rs). Rust owns every `state` and `run` behind a void
// pointer; C++ gives each back exactly once, to `drop_state` or `end`. No callback throws or unwinds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "rocksdb/advanced_compression.h"
#include "rocksdb/db.h"

namespace cassiterite {

// Borrowed bytes; the same layout as rocksdb::Slice.
struct Bytes {
  const char* data;
  size_t size;
};
static_assert(sizeof(Bytes) == sizeof(rocksdb::Slice));

inline Bytes bytes(const rocksdb::Slice& slice) { return {slice.data(), slice.size()}; }

// How a call failed; malloc'ed, freed by rocksdb_free. Null is success.
struct Failure {
  uint8_t code;     // rocksdb::Status::Code
  uint8_t subcode;  // rocksdb::Status::SubCode
  char text[1];     // for people, NUL-terminated
};
Failure* failure_of(const rocksdb::Status& status);

// The compaction that the thread which creates a filter runs. `db` is null where that is not known.
struct CompactionSource {
  rocksdb::DB* db;
  uint32_t family_id;
  const uint64_t* input_numbers;
  size_t input_count;
};

// What an entry adds to the properties of its file.
struct EntryFacts {
  int64_t min_timestamp;
  int64_t max_timestamp;
  bool is_header;
  bool has_row_deletion;
};

// Callbacks of one column family, implemented in table.rs.
struct TableCalls {
  void* state;
  void (*drop_state)(void* state);
  // `run` is null outside a compaction. Returns false where the fragments cannot be merged.
  bool (*merge)(void* state, void* run, Bytes key, const Bytes* existing, const Bytes* operands, size_t count,
                std::string* out);
  EntryFacts (*facts)(void* state, Bytes key, Bytes value);
  void* (*begin)(void* state, const CompactionSource* source);
  // Returns 0 keep, 1 remove, 2 change to `out`, 3 remove all before the key `out`.
  int (*filter)(void* run, Bytes key, bool is_operand, Bytes value, std::string* out);
  void (*end)(void* run);
};

// What a compaction is about to do; bytes are those of keys and values, before compression.
struct CompactionBegin {
  int job;
  int input_level;
  int output_level;
  uint64_t total_bytes;
};

// What has come of a compaction; bytes are those of files.
struct CompactionEnd {
  int job;
  bool ok;
  bool stopped;
  uint64_t input_bytes;
  uint64_t output_bytes;
};

// Callbacks of one store, implemented in events.rs. Codes are RocksDB's own enumerations.
struct EventCalls {
  void* state;
  void (*drop_state)(void* state);
  void (*memtable_sealed)(void* state, Bytes family, uint64_t first_sequence);
  void (*flush_begun)(void* state, Bytes family);
  // `checksum` is as in FileView.
  void (*file_flushed)(void* state, Bytes family, Bytes path, Bytes checksum);
  void (*job_ended)(void* state);
  void (*flush_completed)(void* state, Bytes family, uint64_t largest_sequence, uint64_t bytes);
  void (*compaction_begun)(void* state, Bytes family, const CompactionBegin* compaction);
  void (*compaction_completed)(void* state, Bytes family, const CompactionEnd* compaction);
  void (*backlog_changed)(void* state, Bytes family, uint64_t level0_files, uint64_t pending_bytes);
  void (*subcompaction_begun)(void* state, Bytes family, int number);
  void (*stall_changed)(void* state, Bytes family, int condition);
  bool (*corruption_met)(void* state, Bytes family, Bytes message);
  void (*background_error)(void* state, int reason, int severity, uint8_t code, uint8_t subcode, Bytes message);
  void (*recovery_ended)(void* state, bool ok, Bytes message);
};

// One live SST file, shown to `FileCall`.
struct FileView {
  uint64_t number;
  int level;
  uint64_t bytes;
  Bytes smallest_key;
  Bytes largest_key;
  Bytes min_timestamp_property;  // empty where the file has none, as the following
  Bytes headers_property;
  uint64_t smallest_sequence;
  uint64_t largest_sequence;
  uint64_t entries;
  uint64_t raw_bytes;        // of keys and values, uncompressed
  uint64_t filter_bytes;     // of its Bloom or ribbon filter
  Bytes session;             // with the number, what names the file for good
  uint64_t original_number;
  bool is_external;          // written outside of any database, then ingested
  Bytes checksum;            // CRC-32C of the file as it was written, big-endian; empty where that is not known
};
using FileCall = void (*)(void* target, const FileView* file);
// Asks for the smallest and the largest key of a range.
using ReachCall = void (*)(void* target, Bytes* first, Bytes* last);
using ValueCall = void (*)(void* target, Bytes value);

// What OnCompactionBegin has told of this thread's running compaction (it is called on the thread that then creates
// the filter of its first subcompaction). Cleared when taken and when the compaction ends.
struct BegunCompaction {
  rocksdb::DB* db = nullptr;
  uint32_t family_id = 0;
  std::vector<uint64_t> input_numbers;
};
BegunCompaction& begun_compaction();

// Of data blocks of indexes; implemented in packing.rs, and the same in each call.
struct PackCalls {
  // False where the block is not to be packed.
  bool (*pack)(Bytes block, std::string* out);
  // False where these are not the packed bytes of a block of `size` bytes.
  bool (*unpack)(Bytes packed, char* out, size_t size);
};
// Writes, and reads, files whose blocks are packed (packing.cc).
std::shared_ptr<rocksdb::CompressionManager> entry_packing(const PackCalls& calls);

// The number in the name of a table file; 0 where there is none.
uint64_t file_number(const std::string& path);

extern const char* const kMinTimestampProperty;
extern const char* const kMaxTimestampProperty;
extern const char* const kRowDeletionsProperty;
extern const char* const kHeadersProperty;

}  // namespace cassiterite
