// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

// Merge operator, compaction filter and table properties collector of one column family.

#include <algorithm>
#include <deque>
#include <limits>
#include <memory>
#include <vector>

#include "rocksdb/compaction_filter.h"
#include "rocksdb/env.h"
#include "rocksdb/merge_operator.h"
#include "rocksdb/options.h"
#include "rocksdb/table_properties.h"
#include "shim.h"

namespace cassiterite {

const char* const kMinTimestampProperty = "cassiterite.min_timestamp";
const char* const kMaxTimestampProperty = "cassiterite.max_timestamp";
const char* const kRowDeletionsProperty = "cassiterite.row_deletions";
const char* const kHeadersProperty = "cassiterite.headers";

namespace {

using rocksdb::CompactionFilter;
using rocksdb::Slice;
using rocksdb::Status;

// Owns the Rust state that operator, filter factory and collector factory share.
class Table {
 public:
  explicit Table(const TableCalls& calls) : calls(calls) {}
  ~Table() { calls.drop_state(calls.state); }
  Table(const Table&) = delete;
  Table& operator=(const Table&) = delete;

  const TableCalls calls;
};

// The compaction that this thread is in: the operator purges only under the filter of its own table.
struct Running {
  const Table* table = nullptr;
  void* run = nullptr;
};
thread_local Running running;

class FragmentMerge : public rocksdb::MergeOperator {
 public:
  explicit FragmentMerge(std::shared_ptr<Table> table) : table_(std::move(table)) {}

  const char* Name() const override { return "cassiterite.fragment"; }

  bool FullMergeV3(const MergeOperationInputV3& in, MergeOperationOutputV3* out) const override {
    const Slice* existing = std::get_if<Slice>(&in.existing_value);
    void* run = running.table == table_.get() ? running.run : nullptr;
    if (run == nullptr && existing == nullptr && in.operand_list.size() == 1) {
      out->new_value = in.operand_list.front();
      return true;
    }
    std::string merged;
    if (!std::holds_alternative<rocksdb::WideColumns>(in.existing_value) &&
        call(run, in.key, existing, in.operand_list.data(), in.operand_list.size(), &merged)) {
      out->new_value = std::move(merged);
      return true;
    }
    rocksdb::Error(in.logger, "cassiterite: fragments of key %s cannot be merged", in.key.ToString(true).c_str());
    // Reads of this key fail; flush and compaction keep its operands as they are, and the store stays writable.
    out->op_failure_scope = OpFailureScope::kMustMerge;
    return false;
  }

  // RocksDB tries this where older operands may lie below: nothing is ever purged here.
  bool PartialMergeMulti(const Slice& key, const std::deque<Slice>& operands, std::string* merged,
                         rocksdb::Logger*) const override {
    const std::vector<Slice> list(operands.begin(), operands.end());
    return call(nullptr, key, nullptr, list.data(), list.size(), merged);
  }

 private:
  bool call(void* run, const Slice& key, const Slice* existing, const Slice* operands, size_t count,
            std::string* merged) const {
    return table_->calls.merge(table_->calls.state, run, bytes(key), reinterpret_cast<const Bytes*>(existing),
                               reinterpret_cast<const Bytes*>(operands), count, merged);
  }

  const std::shared_ptr<Table> table_;
};

class FragmentFilter : public CompactionFilter {
 public:
  FragmentFilter(std::shared_ptr<Table> table, void* run) : table_(std::move(table)), run_(run) {
    running = {table_.get(), run_};
  }
  ~FragmentFilter() override {
    running = {};
    if (run_ != nullptr) {
      table_->calls.end(run_);
    }
  }

  const char* Name() const override { return "cassiterite.purge"; }

  bool IgnoreSnapshots() const override { return true; }

  Decision FilterV2(int, const Slice& key, ValueType type, const Slice& value, std::string* changed,
                    std::string* skip_until) const override {
    if (run_ == nullptr || (type != ValueType::kValue && type != ValueType::kMergeOperand)) {
      return Decision::kKeep;
    }
    switch (table_->calls.filter(run_, bytes(key), type == ValueType::kMergeOperand, bytes(value), changed)) {
      case 1:
        return Decision::kRemove;
      case 2:
        return Decision::kChangeValue;
      case 3:
        *skip_until = std::move(*changed);
        return Decision::kRemoveAndSkipUntil;
      default:
        return Decision::kKeep;
    }
  }

 private:
  const std::shared_ptr<Table> table_;
  void* const run_;
};

class FragmentFilterFactory : public rocksdb::CompactionFilterFactory {
 public:
  explicit FragmentFilterFactory(std::shared_ptr<Table> table) : table_(std::move(table)) {}

  const char* Name() const override { return "cassiterite.purge"; }

  std::unique_ptr<CompactionFilter> CreateCompactionFilter(const CompactionFilter::Context& context) override {
    const BegunCompaction begun = std::exchange(begun_compaction(), BegunCompaction{});
    std::vector<uint64_t> inputs;
    for (const auto& [path, properties] : context.input_table_properties) {
      inputs.push_back(file_number(path));
    }
    std::sort(inputs.begin(), inputs.end());
    // Both sources must name the same files: a subcompaction on another thread, CompactFiles or an unreadable input
    // leave the inputs unknown.
    const bool known = !inputs.empty() && inputs.front() != 0 && begun.db != nullptr &&
                       begun.family_id == context.column_family_id && begun.input_numbers == inputs;
    const CompactionSource source{known ? begun.db : nullptr, context.column_family_id, inputs.data(),
                                  inputs.size()};
    void* run = table_->calls.begin(table_->calls.state, &source);
    return std::make_unique<FragmentFilter>(table_, run);
  }

 private:
  const std::shared_ptr<Table> table_;
};

// A version byte and a little-endian number.
std::string versioned(uint64_t number) {
  std::string value(1, '\x01');
  for (int shift = 0; shift < 64; shift += 8) {
    value.push_back(static_cast<char>(number >> shift));
  }
  return value;
}

// Writes into the properties of a file the smallest and the greatest timestamp in it, how many entries delete more than
// a row, and how many a row.
class EntryCollector : public rocksdb::TablePropertiesCollector {
 public:
  explicit EntryCollector(std::shared_ptr<Table> table) : table_(std::move(table)) {}

  const char* Name() const override { return "cassiterite.entries"; }

  Status AddUserKey(const Slice& key, const Slice& value, rocksdb::EntryType type, rocksdb::SequenceNumber,
                    uint64_t) override {
    switch (type) {
      case rocksdb::kEntryPut:
      case rocksdb::kEntryMerge: {
        const EntryFacts facts = table_->calls.facts(table_->calls.state, bytes(key), bytes(value));
        smallest_ = std::min(smallest_, facts.min_timestamp);
        greatest_ = std::max(greatest_, facts.max_timestamp);
        headers_ += facts.is_header ? 1 : 0;
        row_deletions_ += facts.has_row_deletion ? 1 : 0;
        break;
      }
      case rocksdb::kEntryDelete:
      case rocksdb::kEntrySingleDelete:
      case rocksdb::kEntryRangeDeletion:
        break;
      default:
        smallest_ = std::numeric_limits<int64_t>::min();
        greatest_ = std::numeric_limits<int64_t>::max();
        headers_++;
        row_deletions_++;
    }
    return Status::OK();
  }

  Status Finish(rocksdb::UserCollectedProperties* properties) override {
    (*properties)[kMinTimestampProperty] = versioned(static_cast<uint64_t>(smallest_));
    (*properties)[kMaxTimestampProperty] = versioned(static_cast<uint64_t>(greatest_));
    (*properties)[kHeadersProperty] = versioned(headers_);
    (*properties)[kRowDeletionsProperty] = versioned(row_deletions_);
    return Status::OK();
  }

  rocksdb::UserCollectedProperties GetReadableProperties() const override {
    return {{kMinTimestampProperty, std::to_string(smallest_)},
            {kMaxTimestampProperty, std::to_string(greatest_)},
            {kHeadersProperty, std::to_string(headers_)},
            {kRowDeletionsProperty, std::to_string(row_deletions_)}};
  }

 private:
  const std::shared_ptr<Table> table_;
  int64_t smallest_ = std::numeric_limits<int64_t>::max();
  int64_t greatest_ = std::numeric_limits<int64_t>::min();
  uint64_t headers_ = 0;
  uint64_t row_deletions_ = 0;
};

class EntryCollectorFactory : public rocksdb::TablePropertiesCollectorFactory {
 public:
  explicit EntryCollectorFactory(std::shared_ptr<Table> table) : table_(std::move(table)) {}

  const char* Name() const override { return "cassiterite.entries"; }

  rocksdb::TablePropertiesCollector* CreateTablePropertiesCollector(Context) override {
    return new EntryCollector(table_);
  }

 private:
  const std::shared_ptr<Table> table_;
};

}  // namespace

extern "C" void cassiterite_table_install(rocksdb::Options* options, const TableCalls* calls) {
  auto table = std::make_shared<Table>(*calls);
  options->merge_operator = std::make_shared<FragmentMerge>(table);
  options->compaction_filter_factory = std::make_shared<FragmentFilterFactory>(table);
  options->table_properties_collector_factories.push_back(std::make_shared<EntryCollectorFactory>(table));
}

extern "C" void cassiterite_string_assign(std::string* string, const char* data, size_t size) {
  string->assign(data, size);
}

}  // namespace cassiterite
