// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

// RocksDB's view of a column family ("super version"), taken and given back without waiting for the database's mutex.

#include <cstdint>
#include <type_traits>

#include "db/arena_wrapped_db_iter.h"
#include "db/column_family.h"
#include "db/db_impl/db_impl.h"
#include "handles.h"
#include "monitoring/instrumented_mutex.h"
#include "port/port.h"

using cassiterite::Database;
using cassiterite::FamilyHandle;
using cassiterite::IteratorHandle;

namespace {

rocksdb::DBImpl* db_of(void* database) {
  return static_cast<rocksdb::DBImpl*>(static_cast<Database*>(database)->object->GetRootDB());
}

bool is_free(rocksdb::InstrumentedMutex* mutex) {
  // Its first member, to which it offers no way of trying.
  static_assert(std::is_standard_layout_v<rocksdb::InstrumentedMutex>);
  static_assert(sizeof(rocksdb::InstrumentedMutex) > sizeof(rocksdb::port::Mutex));
  bool is_taken = reinterpret_cast<rocksdb::port::Mutex*>(mutex)->TryLock();
  if (is_taken) {
    mutex->Unlock();
  }
  return is_taken;
}

}  // namespace

// The present view, of which the caller has a share; null where the mutex is not free, which the thread needs whenever
// the view has changed since its last one. `last` is the number of that, and is set.
extern "C" void* cassiterite_view_take(void* database, void* family, uint64_t* last) {
  rocksdb::DBImpl* db = db_of(database);
  auto* handle = static_cast<rocksdb::ColumnFamilyHandleImpl*>(static_cast<FamilyHandle*>(family)->object);
  rocksdb::ColumnFamilyData* data = handle->cfd();
  uint64_t number = data->GetSuperVersionNumber();
  if (number != *last) {
    if (!is_free(db->mutex())) {
      return nullptr;
    }
    *last = number;
  }
  return data->GetReferencedSuperVersion(db);
}

// Gives a share back. True for the last one: cassiterite_view_clean has to follow.
extern "C" bool cassiterite_view_release(void* view) { return static_cast<rocksdb::SuperVersion*>(view)->Unref(); }

// Releases what nobody sees any more: memtables and files. Waits for the mutex.
extern "C" void cassiterite_view_clean(void* database, void* view) {
  // Nobody else can find it: from none it can have one share again.
  db_of(database)->CleanupIteratorSuperVersion(static_cast<rocksdb::SuperVersion*>(view)->Ref(), false);
}

// Whether nobody has the database's mutex now.
extern "C" bool cassiterite_is_unlocked(void* database) { return is_free(db_of(database)->mutex()); }

// The present view, of which the caller has a share, and the last write that it shows. May wait for the mutex.
extern "C" void* cassiterite_view_freeze(void* database, void* family, uint64_t* last_sequence) {
  rocksdb::DBImpl* db = db_of(database);
  auto* handle = static_cast<rocksdb::ColumnFamilyHandleImpl*>(static_cast<FamilyHandle*>(family)->object);
  rocksdb::SuperVersion* view = handle->cfd()->GetReferencedSuperVersion(db);
  // After the view, as RocksDB's own iterators do: a flush in between might merge what the number tells apart.
  *last_sequence = db->GetLatestSequenceNumber();
  return view;
}

// Gives back a share of a frozen view. Waits for the mutex if it is the last one.
extern "C" void cassiterite_view_thaw(void* database, void* view) {
  db_of(database)->CleanupIteratorSuperVersion(static_cast<rocksdb::SuperVersion*>(view), false);
}

// A rocksdb_iterator_t over a frozen view, which has a share of its own. `options` is a rocksdb_readoptions_t, whose
// first member are the ReadOptions (db/c.cc).
extern "C" void* cassiterite_view_iterate(void* database, void* family, void* view, uint64_t last_sequence,
                                          const void* options) {
  rocksdb::ReadOptions read = *static_cast<const rocksdb::ReadOptions*>(options);
  read.io_activity = rocksdb::Env::IOActivity::kDBIterator;
  auto* handle = static_cast<rocksdb::ColumnFamilyHandleImpl*>(static_cast<FamilyHandle*>(family)->object);
  rocksdb::SuperVersion* share = static_cast<rocksdb::SuperVersion*>(view)->Ref();
  return new IteratorHandle{
      db_of(database)->NewIteratorImpl(read, handle, share, last_sequence, nullptr, false, false)};
}

// Makes a call under the database's mutex; for tests.
extern "C" void cassiterite_with_mutex(void* database, void (*call)(void*), void* target) {
  rocksdb::InstrumentedMutexLock lock(db_of(database)->mutex());
  call(target);
}
