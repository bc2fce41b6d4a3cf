// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

// Moves an iterator, and tells what it is at, in one call: the C API takes one for each question.

#include "handles.h"
#include "rocksdb/iterator.h"
#include "shim.h"

using cassiterite::Bytes;
using cassiterite::IteratorHandle;

namespace {

// Points into the iterator, until it moves.
struct Here {
  Bytes key;
  Bytes value;
  bool is_valid;
};

void look(const rocksdb::Iterator& iterator, Here* here) {
  here->is_valid = iterator.Valid();
  if (here->is_valid) {
    here->key = cassiterite::bytes(iterator.key());
    here->value = cassiterite::bytes(iterator.value());
  }
}

rocksdb::Iterator& of(void* handle) { return *static_cast<IteratorHandle*>(handle)->object; }

}  // namespace

extern "C" void cassiterite_iterator_seek(void* iterator, const char* key, size_t size, Here* here) {
  of(iterator).Seek(rocksdb::Slice(key, size));
  look(of(iterator), here);
}

extern "C" void cassiterite_iterator_seek_back(void* iterator, const char* key, size_t size, Here* here) {
  of(iterator).SeekForPrev(rocksdb::Slice(key, size));
  look(of(iterator), here);
}

extern "C" void cassiterite_iterator_step(void* iterator, Here* here) {
  of(iterator).Next();
  look(of(iterator), here);
}

extern "C" void cassiterite_iterator_step_back(void* iterator, Here* here) {
  of(iterator).Prev();
  look(of(iterator), here);
}
