// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

// Cuts files where token ranges end, so that whole files lie within one range.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "rocksdb/options.h"
#include "rocksdb/sst_partitioner.h"

namespace cassiterite {

namespace {

using rocksdb::Slice;
using rocksdb::SstPartitioner;
using Boundaries = std::shared_ptr<const std::vector<uint64_t>>;

// The token of a key as an unsigned number that sorts as keys do; 0 for what is no key.
uint64_t token_of(const Slice& key) {
  uint64_t token = 0;
  for (size_t i = 1; i <= 8 && key.size() > 8; i++) {
    token = token << 8 | static_cast<unsigned char>(key[i]);
  }
  return token;
}

// Of one compaction, which asks for key after key. A boundary is the last token of its range.
class RingPartitioner : public SstPartitioner {
 public:
  RingPartitioner(Boundaries boundaries, uint64_t cut_bytes)
      : boundaries_(std::move(boundaries)), cut_bytes_(cut_bytes) {}

  const char* Name() const override { return "cassiterite.ring"; }

  rocksdb::PartitionerResult ShouldPartition(const rocksdb::PartitionerRequest& request) override {
    if (!has_begun_) {
      range_end_ = end_of_range(token_of(*request.prev_user_key));
      has_begun_ = true;
    }
    if (request.current_output_file_size < file_bytes_) {
      earlier_bytes_ += file_bytes_;
    }
    file_bytes_ = request.current_output_file_size;
    const uint64_t token = token_of(*request.current_user_key);
    if (token <= range_end_) {
      return rocksdb::kNotRequired;
    }
    range_end_ = end_of_range(token);
    return is_worth_a_cut() ? rocksdb::kRequired : rocksdb::kNotRequired;
  }

  bool CanDoTrivialMove(const Slice& smallest, const Slice& largest) override {
    return token_of(largest) <= end_of_range(token_of(smallest));
  }

 private:
  uint64_t end_of_range(uint64_t token) const {
    const auto boundary = std::lower_bound(boundaries_->begin(), boundaries_->end(), token);
    return boundary == boundaries_->end() ? UINT64_MAX : *boundary;
  }

  // At a boundary. Small ranges share a file, or there would be confetti; but where the range or the file is large, its
  // last rows must not begin a file of the next range, however few they are. The first range that a compaction sees may
  // be the end of one that other nodes have: rows that straddled once would do so for good.
  bool is_worth_a_cut() {
    const uint64_t written_bytes = earlier_bytes_ + file_bytes_;
    const uint64_t range_bytes = written_bytes - range_from_bytes_;
    const bool is_first = !has_crossed_;
    range_from_bytes_ = written_bytes;
    has_crossed_ = true;
    return is_first || range_bytes > cut_bytes_ || file_bytes_ > cut_bytes_;
  }

  const Boundaries boundaries_;
  const uint64_t cut_bytes_;
  bool has_begun_ = false;
  bool has_crossed_ = false;
  uint64_t range_end_ = 0;
  uint64_t file_bytes_ = 0;
  uint64_t earlier_bytes_ = 0;
  uint64_t range_from_bytes_ = 0;
};

// The boundaries of a store, which may change at any time.
class Ring {
 public:
  void set(Boundaries boundaries) {
    const std::lock_guard<std::mutex> lock(mutex_);
    boundaries_ = std::move(boundaries);
  }

  Boundaries get() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return boundaries_;
  }

 private:
  mutable std::mutex mutex_;
  Boundaries boundaries_;
};

// What one column family makes of the store's boundaries.
class RingPartitionerFactory : public rocksdb::SstPartitionerFactory {
 public:
  RingPartitionerFactory(std::shared_ptr<Ring> ring, int first_level, uint64_t cut_bytes)
      : ring_(std::move(ring)), first_level_(first_level), cut_bytes_(cut_bytes) {}

  const char* Name() const override { return "cassiterite.ring"; }

  std::unique_ptr<SstPartitioner> CreatePartitioner(const SstPartitioner::Context& context) const override {
    Boundaries boundaries = context.output_level < first_level_ ? nullptr : ring_->get();
    if (boundaries == nullptr || boundaries->empty()) {
      return nullptr;
    }
    return std::make_unique<RingPartitioner>(std::move(boundaries), cut_bytes_);
  }

 private:
  const std::shared_ptr<Ring> ring_;
  const int first_level_;
  const uint64_t cut_bytes_;
};

using SharedRing = std::shared_ptr<Ring>;

}  // namespace

extern "C" SharedRing* cassiterite_ring_new() { return new SharedRing(std::make_shared<Ring>()); }

extern "C" void cassiterite_ring_drop(SharedRing* ring) { delete ring; }

// `boundaries`: ascending.
extern "C" void cassiterite_ring_set(SharedRing* ring, const uint64_t* boundaries, size_t count) {
  (*ring)->set(std::make_shared<const std::vector<uint64_t>>(boundaries, boundaries + count));
}

extern "C" void cassiterite_ring_install(const SharedRing* ring, rocksdb::Options* options) {
  constexpr int kLevels = 2;  // the last ones, which hold nearly everything
  constexpr uint64_t kShare = 32;
  options->sst_partitioner_factory = std::make_shared<RingPartitionerFactory>(
      *ring, options->num_levels - kLevels, options->target_file_size_base / kShare);
}

}  // namespace cassiterite
