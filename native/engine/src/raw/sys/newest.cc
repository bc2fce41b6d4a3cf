// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

// A lookup of one key that stops once nothing below can change what it has found.
//
// A merge operand ends no search of RocksDB: one that was written earlier may have the later timestamp. Here the search
// goes as DBImpl::GetImpl and Version::Get do, memtables first, then file by file. But once the operands found so far
// outlast all that the remaining files can hold, by the properties of these, it merges what it has. Files are left out
// from some point on, never in between: a deletion or a value of RocksDB hides what lies below it.

#include <algorithm>
#include <array>
#include <limits>
#include <memory>

#include "db/column_family.h"
#include "db/db_impl/db_impl.h"
#include "db/internal_stats.h"
#include "db/lookup_key.h"
#include "db/merge_context.h"
#include "db/merge_helper.h"
#include "db/pinned_iterators_manager.h"
#include "db/table_cache.h"
#include "db/version_set.h"
#include "monitoring/file_read_sample.h"
#include "monitoring/statistics_impl.h"
#include "rocksdb/options.h"
#include "table/get_context.h"
#include "table/table_reader.h"
#include "util/autovector.h"
#include "newest.h"

namespace cassiterite {
namespace {

using rocksdb::FdWithKeyRange;
using rocksdb::GetContext;
using rocksdb::SequenceNumber;
using rocksdb::Slice;
using rocksdb::Status;

// What a file holds at most.
struct Ages {
  int64_t newest;
  bool has_row_deletions;
};
constexpr Ages kAnything{std::numeric_limits<int64_t>::max(), true};

bool decode(const rocksdb::UserCollectedProperties& properties, const char* name, uint64_t* number) {
  const auto found = properties.find(name);
  if (found == properties.end() || found->second.size() != 9 || found->second[0] != '\x01') {
    return false;
  }
  *number = 0;
  for (int at = 8; at > 0; at--) {
    *number = *number << 8 | static_cast<unsigned char>(found->second[at]);
  }
  return true;
}

Ages ages_in(const rocksdb::TableProperties& table) {
  uint64_t newest = 0;
  uint64_t row_deletions = 0;
  const auto& properties = table.user_collected_properties;
  if (!decode(properties, kMaxTimestampProperty, &newest) ||
      !decode(properties, kRowDeletionsProperty, &row_deletions)) {
    return kAnything;  // of an older version
  }
  return {static_cast<int64_t>(newest), row_deletions > 0};
}

// A file's ages, which a thread remembers: to find its properties takes shared counts and a search by name. Files that
// have one of these ids have the same bytes.
Ages ages_of(rocksdb::SuperVersion* view, const rocksdb::ReadOptions& options, const rocksdb::FileMetaData& file) {
  struct Known {
    rocksdb::UniqueId64x2 id{};
    Ages ages = kAnything;
  };
  constexpr size_t kRemembered = 256;
  thread_local std::array<Known, kRemembered> all_known;

  if (file.unique_id == rocksdb::kNullUniqueId64x2) {
    return kAnything;
  }
  Known& known = all_known[file.unique_id[0] % kRemembered];
  if (known.id == file.unique_id) {
    return known.ages;
  }
  std::shared_ptr<const rocksdb::TableProperties> properties;
  rocksdb::ColumnFamilyData* data = view->cfd;
  const Status status = data->table_cache()->GetTableProperties(
      data->table_cache()->file_options(), options, data->internal_comparator(), file, &properties,
      view->mutable_cf_options, true /* no_io */);
  if (!status.ok() || properties == nullptr) {
    return kAnything;  // not open; the search opens it
  }
  known = {file.unique_id, ages_in(*properties)};
  return known.ages;
}

// A file that may hold the key.
struct Candidate {
  const FdWithKeyRange* file;
  int level;
};
using Candidates = rocksdb::autovector<Candidate, 16>;

// In the order in which they are to be searched.
Candidates candidates_of(rocksdb::SuperVersion* view, const rocksdb::LookupKey& key) {
  Candidates found;
  const rocksdb::VersionStorageInfo& files = *view->current->storage_info();
  const rocksdb::InternalKeyComparator& keys = view->cfd->internal_comparator();
  const rocksdb::Comparator* user_keys = keys.user_comparator();
  for (int level = 0; level < files.num_non_empty_levels(); level++) {
    const rocksdb::LevelFilesBrief& brief = files.LevelFilesBrief(level);
    if (brief.num_files == 0) {
      continue;
    }
    size_t at = level == 0 ? 0 : static_cast<size_t>(rocksdb::FindFile(keys, brief, key.internal_key()));
    for (; at < brief.num_files; at++) {
      const FdWithKeyRange& file = brief.files[at];
      if (user_keys->Compare(key.user_key(), rocksdb::ExtractUserKey(file.smallest_key)) < 0) {
        if (level == 0) {
          continue;
        }
        break;
      }
      const int to_largest = user_keys->Compare(key.user_key(), rocksdb::ExtractUserKey(file.largest_key));
      if (to_largest <= 0) {
        found.push_back({&file, level});
      }
      if (level > 0 && to_largest < 0) {
        break;  // else the next file may begin with the key
      }
    }
  }
  return found;
}

// The view that the thread's reads use, while it lives.
class Shared {
 public:
  Shared(rocksdb::DBImpl* db, rocksdb::ColumnFamilyData* data)
      : view(db->GetAndRefSuperVersion(data)), db_(db), data_(data) {}
  ~Shared() { db_->ReturnAndCleanupSuperVersion(data_, view); }
  Shared(const Shared&) = delete;
  Shared& operator=(const Shared&) = delete;

  rocksdb::SuperVersion* const view;

 private:
  rocksdb::DBImpl* const db_;
  rocksdb::ColumnFamilyData* const data_;
};

// One lookup.
class Search {
 public:
  Search(rocksdb::DBImpl* db, rocksdb::ColumnFamilyData* data, const rocksdb::ReadOptions& options,
         const Outlasts& outlasts)
      : db_(db), data_(data), options_(options), outlasts_(outlasts), shared_(db, data), view_(shared_.view) {}

  Status find(const Slice& user_key, rocksdb::PinnableSlice* value) {
    // After the view, as RocksDB does it.
    const rocksdb::LookupKey key(user_key, db_->GetLastPublishedSequence());
    rocksdb::Statistics* stats = data_->ioptions().stats;
    RecordTick(stats, rocksdb::NUMBER_KEYS_READ);
    Status status;
    SequenceNumber covering = 0;
    if (view_->mem->Get(key, value->GetSelf(), nullptr, nullptr, &status, &merge_, &covering, options_, false) ||
        ((status.ok() || status.IsMergeInProgress()) &&
         view_->imm->Get(key, value->GetSelf(), nullptr, nullptr, &status, &merge_, &covering, options_))) {
      RecordTick(stats, rocksdb::MEMTABLE_HIT);
      value->PinSelf();
      return status;
    }
    if (!status.ok() && !status.IsMergeInProgress()) {
      return status;
    }
    status = in_files(key, !status.ok(), &covering, value);
    RecordTick(stats, rocksdb::MEMTABLE_MISS);
    return status;
  }

 private:
  Status in_files(const rocksdb::LookupKey& key, bool is_merging, SequenceNumber* covering,
                  rocksdb::PinnableSlice* value) {
    const auto& fixed = data_->ioptions();
    const Candidates candidates = candidates_of(view_, key);
    bool is_blob = false;
    GetContext context(data_->user_comparator(), fixed.merge_operator.get(), fixed.logger, fixed.stats,
                       is_merging ? GetContext::kMerge : GetContext::kNotFound, key.user_key(), value, nullptr, nullptr,
                       nullptr, &merge_, true, covering, fixed.clock, nullptr, &pinned_, nullptr, &is_blob);
    pinned_.StartPinning();
    const size_t meta_pin_bytes = rocksdb::MaxFileSizeForL0MetaPin(view_->mutable_cf_options);
    for (size_t at = 0; at < candidates.size() && *covering == 0; at++) {
      if (context.State() == GetContext::kMerge && outlasts_rest(candidates, at)) {
        break;
      }
      const auto& [file, level] = candidates[at];
      if (context.sample()) {
        rocksdb::sample_file_read_inc(file->file_metadata);
      }
      const Status status = data_->table_cache()->Get(
          options_, data_->internal_comparator(), *file->file_metadata, key.internal_key(), &context,
          view_->mutable_cf_options, data_->internal_stats()->GetFileReadHist(level), false, level, meta_pin_bytes);
      if (!status.ok()) {
        report(&context);
        return status;
      }
      switch (context.State()) {
        case GetContext::kNotFound:
        case GetContext::kMerge:
          continue;
        case GetContext::kFound:
          report(&context);
          return is_blob ? Status::NotSupported("a blob") : Status::OK();
        case GetContext::kDeleted:
          report(&context);
          return Status::NotFound();
        case GetContext::kMergeOperatorFailed:
          return Status::Corruption(Status::SubCode::kMergeOperatorFailed);
        default:
          return Status::Corruption("corrupted key for ", key.user_key());
      }
    }
    report(&context);
    if (context.State() != GetContext::kMerge) {
      return Status::NotFound();
    }
    const Status status = rocksdb::MergeHelper::TimedFullMerge(
        fixed.merge_operator.get(), key.user_key(), rocksdb::MergeHelper::kNoBaseValue, merge_.GetOperands(),
        fixed.logger, fixed.stats, fixed.clock, true, nullptr, value->GetSelf(), static_cast<rocksdb::PinnableWideColumns*>(nullptr));
    if (status.ok()) {
      value->PinSelf();
    }
    return status;
  }

  void report(GetContext* context) const {
    if (data_->ioptions().stats != nullptr) {
      context->ReportCounters();
    }
  }

  // Whether what was found outlasts all that the files from this one on can hold.
  bool outlasts_rest(const Candidates& candidates, size_t at) {
    Ages rest{std::numeric_limits<int64_t>::min(), false};
    for (; at < candidates.size(); at++) {
      const Ages ages = ages_of(view_, options_, *candidates[at].file->file_metadata);
      if (ages.newest == kAnything.newest) {
        return false;
      }
      rest.newest = std::max(rest.newest, ages.newest);
      rest.has_row_deletions |= ages.has_row_deletions;
    }
    for (const Slice& operand : merge_.GetOperands()) {
      if (outlasts_.call(outlasts_.columns, bytes(operand), rest.newest, rest.has_row_deletions)) {
        return true;
      }
    }
    return false;
  }

  rocksdb::DBImpl* const db_;
  rocksdb::ColumnFamilyData* const data_;
  const rocksdb::ReadOptions& options_;
  const Outlasts& outlasts_;
  // Before the operands, which lie in it.
  const Shared shared_;
  rocksdb::SuperVersion* const view_;
  rocksdb::MergeContext merge_;
  rocksdb::PinnedIteratorsManager pinned_;
};

}  // namespace

rocksdb::Status find_newest(rocksdb::DB* db, rocksdb::ColumnFamilyHandle* family, const rocksdb::ReadOptions& options,
                            const rocksdb::Slice& key, const Outlasts& outlasts, rocksdb::PinnableSlice* value) {
  auto* impl = static_cast<rocksdb::DBImpl*>(db->GetRootDB());
  auto* data = static_cast<rocksdb::ColumnFamilyHandleImpl*>(family)->cfd();
  return Search(impl, data, options, outlasts).find(key, value);
}

}  // namespace cassiterite
