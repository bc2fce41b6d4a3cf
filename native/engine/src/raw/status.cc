// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

// RocksDB's statuses as Rust takes them.

#include <cstdlib>
#include <cstring>
#include <string>

#include "rocksdb/status.h"
#include "shim.h"

namespace cassiterite {

Failure* failure_of(const rocksdb::Status& status) {
  if (status.ok()) {
    return nullptr;
  }
  const std::string text = status.ToString();
  auto* failure = static_cast<Failure*>(malloc(sizeof(Failure) + text.size()));
  failure->code = status.code();
  failure->subcode = status.subcode();
  memcpy(failure->text, text.c_str(), text.size() + 1);
  return failure;
}

// A status of any code and subcode; for tests of how they are read.
extern "C" Failure* cassiterite_status(uint8_t code, uint8_t subcode) {
  return failure_of(rocksdb::Status(static_cast<rocksdb::Status::Code>(code),
                                    static_cast<rocksdb::Status::SubCode>(subcode), rocksdb::Status::kNoError, "why"));
}

}  // namespace cassiterite
