// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

// RocksDB writes a file with the options of all column families whenever one of them comes, goes or changes, and reads
// it back: with a thousand of them that takes most of a second. No option spares it. It is the last thing that those
// calls do, and what they answer is whether it could be written. So the file system refuses the file to a thread that
// says so, and the refusal counts as success.

#include <memory>
#include <string>
#include <utility>

#include "rocksdb/env.h"
#include "rocksdb/file_system.h"
#include "rocksdb/options.h"
#include "shim.h"
#include "sys/handles.h"

namespace cassiterite {

namespace {

using rocksdb::IOStatus;

struct Skipping {
  bool is_wanted = false;
  bool is_done = false;
};
thread_local Skipping skipping;

bool is_options_file(const std::string& path) {
  const size_t slash = path.rfind('/');
  return path.compare(slash == std::string::npos ? 0 : slash + 1, 8, "OPTIONS-") == 0;
}

class Files : public rocksdb::FileSystemWrapper {
 public:
  using FileSystemWrapper::FileSystemWrapper;

  const char* Name() const override { return "cassiterite.files"; }

  IOStatus NewWritableFile(const std::string& path, const rocksdb::FileOptions& options,
                           std::unique_ptr<rocksdb::FSWritableFile>* file, rocksdb::IODebugContext* debug) override {
    if (skipping.is_wanted && is_options_file(path)) {
      skipping.is_done = true;
      return IOStatus::NotSupported("the options of column families are not needed");
    }
    return FileSystemWrapper::NewWritableFile(path, options, file, debug);
  }
};

// Lives as long as the process, as RocksDB's own.
rocksdb::Env* env() {
  static rocksdb::Env* const env =
      rocksdb::NewCompositeEnv(std::make_shared<Files>(rocksdb::FileSystem::Default())).release();
  return env;
}

}  // namespace

// Makes skipping possible for a database that is opened with `options`.
extern "C" void cassiterite_options_file_install(rocksdb::Options* options) { options->env = env(); }

extern "C" void cassiterite_options_file_skip() { skipping = {true, false}; }

// Whether a call of this thread has come to the file since the last `skip`. Ends the skipping.
extern "C" bool cassiterite_options_file_skipped() { return std::exchange(skipping, Skipping{}).is_done; }

// A new column family, whose handle goes to `handle` also where only the options could not be written.
extern "C" Failure* cassiterite_family_create(Database* database, const rocksdb::Options* options, const char* name,
                                              size_t size, void** handle) {
  rocksdb::ColumnFamilyHandle* made = nullptr;
  cassiterite_options_file_skip();
  const rocksdb::Status status = database->object->CreateColumnFamily(*options, std::string(name, size), &made);
  const bool is_made = cassiterite_options_file_skipped() || status.ok();
  *handle = made == nullptr ? nullptr : new FamilyHandle{made, false};
  return is_made ? nullptr : failure_of(status);
}

}  // namespace cassiterite
