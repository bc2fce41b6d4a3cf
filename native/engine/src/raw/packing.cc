// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

// Data blocks of indexes: packed by Rust, then compressed with zstd. All else is as RocksDB has it.

#include <memory>
#include <string>

#include "rocksdb/advanced_compression.h"
#include "rocksdb/options.h"
#include "shim.h"
#include "util/coding.h"

namespace cassiterite {

namespace {

using rocksdb::CacheEntryRole;
using rocksdb::CompressionManager;
using rocksdb::CompressionType;
using rocksdb::Compressor;
using rocksdb::Decompressor;
using rocksdb::Slice;
using rocksdb::Status;

// Of blocks that are packed. RocksDB keeps these numbers for those who bring a compressor.
constexpr CompressionType kPacked = CompressionType::kCustomCompression80;
constexpr CompressionType kInner = CompressionType::kZSTD;
// The name in each file of what its blocks are read with: it changes when a reader of before could not read them.
constexpr const char* kSchema = "CassiteriteEntries1";
constexpr size_t kVarint32BytesMax = 5;

class PackingCompressor : public rocksdb::CompressorWrapper {
 public:
  PackingCompressor(std::unique_ptr<Compressor> inner, const PackCalls& calls)
      : CompressorWrapper(std::move(inner)), calls_(calls) {}

  const char* Name() const override { return "CassiteriteEntryCompressor"; }

  std::unique_ptr<Compressor> Clone() const override { return with(wrapped_->Clone()); }

  std::unique_ptr<Compressor> MaybeCloneSpecialized(CacheEntryRole block, DictConfigArgs&& dictionary) const override {
    std::unique_ptr<Compressor> inner = wrapped_->CloneMaybeSpecialized(block, std::move(dictionary));
    const bool is_data = block == CacheEntryRole::kDataBlock;
    return is_data ? with(std::move(inner)) : std::move(inner);
  }

  // RocksDB's own knows nothing of packed blocks.
  std::shared_ptr<Decompressor> GetOptimizedDecompressor() const override { return nullptr; }

  Status CompressBlock(Slice block, char* out, size_t* out_size, CompressionType* type,
                       ManagedWorkingArea* area) override {
    thread_local std::string packed;
    packed.clear();
    if (*out_size > kVarint32BytesMax && block.size() <= UINT32_MAX && calls_.pack(bytes(block), &packed)) {
      char* const behind_size = rocksdb::EncodeVarint32(out, static_cast<uint32_t>(block.size()));
      const size_t head = static_cast<size_t>(behind_size - out);
      size_t inner_size = *out_size - head;
      CompressionType inner_type = CompressionType::kNoCompression;
      const Status status = wrapped_->CompressBlock(packed, behind_size, &inner_size, &inner_type, area);
      if (!status.ok()) {
        return status;
      }
      if (inner_type == kInner) {
        *out_size = head + inner_size;
        *type = kPacked;
        return status;
      }
    }
    return wrapped_->CompressBlock(block, out, out_size, type, area);
  }

 private:
  std::unique_ptr<Compressor> with(std::unique_ptr<Compressor> inner) const {
    return std::make_unique<PackingCompressor>(std::move(inner), calls_);
  }

  const PackCalls calls_;
};

class UnpackingDecompressor : public rocksdb::DecompressorWrapper {
 public:
  UnpackingDecompressor(std::shared_ptr<Decompressor> inner, const PackCalls& calls)
      : DecompressorWrapper(std::move(inner)), calls_(calls) {}

  ManagedWorkingArea ObtainWorkingArea(CompressionType preferred) override {
    return wrapped_->ObtainWorkingArea(preferred == kPacked ? kInner : preferred);
  }

  Status MaybeCloneForDict(const Slice& dictionary, std::unique_ptr<Decompressor>* out) override {
    std::unique_ptr<Decompressor> inner;
    const Status status = wrapped_->MaybeCloneForDict(dictionary, &inner);
    if (status.ok()) {
      *out = std::make_unique<UnpackingDecompressor>(std::move(inner), calls_);
    }
    return status;
  }

  Status ExtractUncompressedSize(Args& args) override {
    if (args.compression_type != kPacked) {
      return wrapped_->ExtractUncompressedSize(args);
    }
    uint32_t size = 0;
    if (!rocksdb::GetVarint32(&args.compressed_data, &size)) {
      return Status::Corruption("A packed block of an index does not tell its size");
    }
    args.uncompressed_size = size;
    return Status::OK();
  }

  Status DecompressBlock(const Args& args, char* out) override {
    if (args.compression_type != kPacked) {
      return wrapped_->DecompressBlock(args, out);
    }
    thread_local std::string packed;
    Args inner = args;
    inner.compression_type = kInner;
    Status status = wrapped_->ExtractUncompressedSize(inner);
    if (status.ok()) {
      packed.resize(inner.uncompressed_size);
      status = wrapped_->DecompressBlock(inner, packed.data());
    }
    if (status.ok() && !calls_.unpack(bytes(packed), out, args.uncompressed_size)) {
      status = Status::Corruption("A packed block of an index is not what was packed");
    }
    return status;
  }

 private:
  const PackCalls calls_;
};

class EntryPacking : public rocksdb::CompressionManagerWrapper {
 public:
  explicit EntryPacking(const PackCalls& calls)
      : CompressionManagerWrapper(rocksdb::GetBuiltinV2CompressionManager()),
        calls_(calls),
        decompressor_(std::make_shared<UnpackingDecompressor>(wrapped_->GetDecompressor(), calls)) {}

  const char* Name() const override { return kSchema; }

  const char* CompatibilityName() const override { return kSchema; }

  bool SupportsCompressionType(CompressionType type) const override {
    return type == kPacked || wrapped_->SupportsCompressionType(type);
  }

  std::string CompressionTypeToString(CompressionType type) const override {
    return type == kPacked ? "PackedEntries" : wrapped_->CompressionTypeToString(type);
  }

  std::unique_ptr<Compressor> GetCompressorForSST(const rocksdb::FilterBuildingContext& context,
                                                  const rocksdb::CompressionOptions& options,
                                                  CompressionType preferred) override {
    std::unique_ptr<Compressor> inner = wrapped_->GetCompressorForSST(context, options, preferred);
    const bool packs = inner != nullptr && preferred == kInner;
    return packs ? std::make_unique<PackingCompressor>(std::move(inner), calls_) : std::move(inner);
  }

  std::shared_ptr<Decompressor> GetDecompressor() override { return decompressor_; }

  std::shared_ptr<Decompressor> GetDecompressorOptimizeFor(CompressionType) override { return decompressor_; }

  std::shared_ptr<Decompressor> GetDecompressorForTypes(const CompressionType*, const CompressionType*) override {
    return decompressor_;
  }

 private:
  const PackCalls calls_;
  const std::shared_ptr<Decompressor> decompressor_;
};

}  // namespace

std::shared_ptr<CompressionManager> entry_packing(const PackCalls& calls) {
  static const auto packing = std::make_shared<EntryPacking>(calls);
  return packing;
}

}  // namespace cassiterite

// Files that are compressed with zstd have packed blocks from now on; all files with packed blocks can be read.
extern "C" void cassiterite_pack_entries(rocksdb::Options* options, const cassiterite::PackCalls* calls) {
  options->compression_manager = cassiterite::entry_packing(*calls);
}
