// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

// The store's event listener: passes events to Rust, and tells compaction filters which compaction creates them.

#include <algorithm>
#include <memory>
#include <mutex>
#include <unordered_set>
#include <utility>

#include "db/db_impl/db_impl.h"
#include "rocksdb/file_checksum.h"
#include "rocksdb/listener.h"
#include "rocksdb/options.h"
#include "shim.h"

namespace cassiterite {

BegunCompaction& begun_compaction() {
  thread_local BegunCompaction current;
  return current;
}

uint64_t file_number(const std::string& path) {
  const size_t slash = path.rfind('/');
  uint64_t number = 0;
  for (size_t at = slash == std::string::npos ? 0 : slash + 1; at < path.size() && path[at] != '.'; at++) {
    if (path[at] < '0' || path[at] > '9') {
      return 0;
    }
    number = number * 10 + static_cast<uint64_t>(path[at] - '0');
  }
  return number;
}

namespace {

Bytes text(const std::string& string) { return {string.data(), string.size()}; }

class Listener : public rocksdb::EventListener {
 public:
  explicit Listener(const EventCalls& calls) : calls_(calls) {}
  ~Listener() override { calls_.drop_state(calls_.state); }

  const char* Name() const override { return "cassiterite.events"; }

  void OnMemTableSealed(const rocksdb::MemTableInfo& info) override {
    calls_.memtable_sealed(calls_.state, text(info.cf_name), info.first_seqno);
  }

  void OnFlushBegin(rocksdb::DB*, const rocksdb::FlushJobInfo& info) override {
    calls_.flush_begun(calls_.state, text(info.cf_name));
  }

  // Before the file is a part of the database: no compaction can have replaced it. Also what the start recovers.
  void OnTableFileCreated(const rocksdb::TableFileCreationInfo& info) override {
    using Reason = rocksdb::TableFileCreationReason;
    if (!info.status.ok() || (info.reason != Reason::kFlush && info.reason != Reason::kRecovery)) {
      return;
    }
    const bool has_checksum = info.file_checksum_func_name == rocksdb::kStandardDbFileChecksumFuncName;
    calls_.file_flushed(calls_.state, text(info.cf_name), text(info.file_path),
                        has_checksum ? text(info.file_checksum) : Bytes{nullptr, 0});
  }

  // On the thread of a flush or compaction, after its very last look at its column family.
  void OnBackgroundJobPressureChanged(rocksdb::DB*, const rocksdb::BackgroundJobPressure&) override {
    calls_.job_ended(calls_.state);
  }

  void OnFlushCompleted(rocksdb::DB* db, const rocksdb::FlushJobInfo& info) override {
    calls_.flush_completed(calls_.state, text(info.cf_name), info.largest_seqno, info.table_properties.data_size);
    tell_backlog(db, info.cf_id, info.cf_name);
  }

  void OnCompactionBegin(rocksdb::DB* db, const rocksdb::CompactionJobInfo& info) override {
    BegunCompaction& current = begun_compaction();
    current.db = db;
    current.family_id = info.cf_id;
    current.input_numbers.clear();
    for (const auto& path : info.input_files) {
      current.input_numbers.push_back(file_number(path));
    }
    std::sort(current.input_numbers.begin(), current.input_numbers.end());
    uint64_t total_bytes = 0;
    for (const auto& [path, properties] : info.table_properties) {
      total_bytes += properties->raw_key_size + properties->raw_value_size;
    }
    const CompactionBegin begin{info.job_id, info.base_input_level, info.output_level, total_bytes};
    calls_.compaction_begun(calls_.state, text(info.cf_name), &begin);
  }

  void OnCompactionCompleted(rocksdb::DB* db, const rocksdb::CompactionJobInfo& info) override {
    begun_compaction() = BegunCompaction{};
    const bool stopped = info.aborted || info.status.IsManualCompactionPaused();
    const CompactionEnd end{info.job_id, info.status.ok(), stopped, info.stats.total_input_bytes,
                            info.stats.total_output_bytes};
    calls_.compaction_completed(calls_.state, text(info.cf_name), &end);
    tell_backlog(db, info.cf_id, info.cf_name);
    bool is_unreadable;
    {
      const std::lock_guard<std::mutex> lock(unreadable_mutex_);
      is_unreadable = unreadable_jobs_.erase(info.job_id) > 0;
    }
    contained_ = false;
    if (is_unreadable && info.status.IsCorruption()) {
      const std::string message = info.status.ToString();
      contained_ = calls_.corruption_met(calls_.state, text(info.cf_name), text(message));
    }
  }

  void OnSubcompactionBegin(const rocksdb::SubcompactionJobInfo& info) override {
    calls_.subcompaction_begun(calls_.state, text(info.cf_name), info.subcompaction_job_id);
  }

  // Corruption that is met later, while the result is installed, is not one of the inputs.
  void OnSubcompactionCompleted(const rocksdb::SubcompactionJobInfo& info) override {
    if (info.status.IsCorruption()) {
      const std::lock_guard<std::mutex> lock(unreadable_mutex_);
      unreadable_jobs_.insert(info.job_id);
    }
  }

  void OnStallConditionsChanged(const rocksdb::WriteStallInfo& info) override {
    calls_.stall_changed(calls_.state, text(info.cf_name), static_cast<int>(info.condition.cur));
  }

  void OnBackgroundError(rocksdb::BackgroundErrorReason reason, rocksdb::Status* error) override {
    // On the thread of the compaction that has just ended.
    if (std::exchange(contained_, false) && reason == rocksdb::BackgroundErrorReason::kCompaction &&
        error->IsCorruption()) {
      *error = rocksdb::Status::OK();
      return;
    }
    const std::string message = error->ToString();
    calls_.background_error(calls_.state, static_cast<int>(reason), static_cast<int>(error->severity()), error->code(),
                            error->subcode(), text(message));
  }

  void OnErrorRecoveryEnd(const rocksdb::BackgroundErrorRecoveryInfo& info) override {
    info.old_bg_error.PermitUncheckedError();
    const std::string message = info.new_bg_error.ToString();
    calls_.recovery_ended(calls_.state, info.new_bg_error.ok(), text(message));
  }

  void OnExternalFileIngested(rocksdb::DB* db, const rocksdb::ExternalFileIngestionInfo& info) override {
    auto* object = static_cast<rocksdb::DBImpl*>(db->GetRootDB());
    uint32_t id = 0;
    {
      rocksdb::InstrumentedMutexLock lock(object->mutex());
      auto* family = object->GetVersionSet()->GetColumnFamilySet()->GetColumnFamily(info.cf_name);
      if (family == nullptr) {
        return;
      }
      id = family->GetID();
    }
    tell_backlog(db, id, info.cf_name);
  }

 private:
  // What RocksDB itself slows writers down for, of one column family.
  void tell_backlog(rocksdb::DB* db, uint32_t id, const std::string& name) {
    auto* object = static_cast<rocksdb::DBImpl*>(db->GetRootDB());
    uint64_t files = 0;
    uint64_t bytes = 0;
    {
      rocksdb::InstrumentedMutexLock lock(object->mutex());
      auto* family = object->GetVersionSet()->GetColumnFamilySet()->GetColumnFamily(id);
      if (family == nullptr || family->IsDropped()) {
        return;
      }
      const auto* storage = family->current()->storage_info();
      files = static_cast<uint64_t>(storage->l0_delay_trigger_count());
      bytes = storage->estimated_compaction_needed_bytes();
    }
    calls_.backlog_changed(calls_.state, text(name), files, bytes);
  }

  // The last compaction of this thread has failed alone: its error is not to stop the store.
  static thread_local bool contained_;

  const EventCalls calls_;
  std::mutex unreadable_mutex_;
  std::unordered_set<int> unreadable_jobs_;
};

thread_local bool Listener::contained_ = false;

}  // namespace

extern "C" void cassiterite_events_install(rocksdb::Options* options, const EventCalls* calls) {
  options->listeners.push_back(std::make_shared<Listener>(*calls));
}

}  // namespace cassiterite
