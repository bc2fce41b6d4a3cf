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

class RingPartitioner : public SstPartitioner {
 public:
  RingPartitioner(Boundaries boundaries, uint64_t cut_bytes)
      : boundaries_(std::move(boundaries)), cut_bytes_(cut_bytes) {}

  const char* Name() const override { return "cassiterite.ring"; }

  // A boundary is the last token of its range. Files that would be small confetti are not cut.
  rocksdb::PartitionerResult ShouldPartition(const rocksdb::PartitionerRequest& request) override {
    return request.current_output_file_size > cut_bytes_ && straddles(*request.prev_user_key, *request.current_user_key)
               ? rocksdb::kRequired
               : rocksdb::kNotRequired;
  }

  bool CanDoTrivialMove(const Slice& smallest, const Slice& largest) override { return !straddles(smallest, largest); }

 private:
  bool straddles(const Slice& first, const Slice& last) const {
    const auto boundary = std::lower_bound(boundaries_->begin(), boundaries_->end(), token_of(first));
    return boundary != boundaries_->end() && *boundary < token_of(last);
  }

  const Boundaries boundaries_;
  const uint64_t cut_bytes_;
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
