// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

// Limits what compactions write: not flushes, which clients wait for, and nothing while the limit is lifted.

#include "rocksdb/rate_limiter.h"

#include <atomic>
#include <memory>

#include "rocksdb/options.h"
#include "shim.h"

namespace cassiterite {

namespace {

using rocksdb::Env;
using rocksdb::RateLimiter;

class CompactionLimiter : public RateLimiter {
 public:
  explicit CompactionLimiter(int64_t bytes_per_second)
      : RateLimiter(Mode::kWritesOnly),
        base_(rocksdb::NewGenericRateLimiter(bytes_per_second, 100 * 1000, 10, Mode::kWritesOnly)) {}

  void SetBytesPerSecond(int64_t bytes_per_second) override { base_->SetBytesPerSecond(bytes_per_second); }

  // Flushes ask with IO_HIGH, and so does what writers wait for already, with IO_USER.
  void Request(const int64_t bytes, const Env::IOPriority priority, rocksdb::Statistics* statistics) override {
    if (priority == Env::IO_LOW && !lifted_.load(std::memory_order_relaxed)) {
      base_->Request(bytes, priority, statistics);
    }
  }

  int64_t GetSingleBurstBytes() const override { return base_->GetSingleBurstBytes(); }
  int64_t GetTotalBytesThrough(const Env::IOPriority priority) const override {
    return base_->GetTotalBytesThrough(priority);
  }
  int64_t GetTotalRequests(const Env::IOPriority priority) const override { return base_->GetTotalRequests(priority); }
  int64_t GetBytesPerSecond() const override { return base_->GetBytesPerSecond(); }

  // Whether it was lifted before.
  bool Lift(bool lifted) { return lifted_.exchange(lifted, std::memory_order_relaxed); }

 private:
  const std::unique_ptr<RateLimiter> base_;
  std::atomic<bool> lifted_{false};
};

}  // namespace

using Limiter = std::shared_ptr<CompactionLimiter>;

extern "C" Limiter* cassiterite_limiter_new(int64_t bytes_per_second) {
  return new Limiter(std::make_shared<CompactionLimiter>(bytes_per_second));
}

extern "C" void cassiterite_limiter_drop(Limiter* limiter) { delete limiter; }

extern "C" void cassiterite_limiter_install(Limiter* limiter, rocksdb::Options* options) {
  options->rate_limiter = *limiter;
}

extern "C" void cassiterite_limiter_set(Limiter* limiter, int64_t bytes_per_second) {
  (*limiter)->SetBytesPerSecond(bytes_per_second);
}

extern "C" bool cassiterite_limiter_lift(Limiter* limiter, bool lifted) { return (*limiter)->Lift(lifted); }

extern "C" int64_t cassiterite_limiter_passed(Limiter* limiter) {
  return (*limiter)->GetTotalBytesThrough(Env::IO_TOTAL);
}

}  // namespace cassiterite
