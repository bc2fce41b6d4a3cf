// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

// The end of a file that is written outside of the database: the C API does not show its checksum.

#include "rocksdb/file_checksum.h"
#include "rocksdb/options.h"
#include "rocksdb/sst_file_writer.h"
#include "shim.h"

namespace cassiterite {

// Ends the file, durably. Shows its CRC-32C, big-endian; no bytes where the options have no sums.
extern "C" Failure* cassiterite_finish_file(rocksdb::SstFileWriter* writer, uint64_t* file_bytes, ValueCall call,
                                            void* target) {
  rocksdb::ExternalSstFileInfo info;
  const rocksdb::Status status = writer->Finish(&info);
  if (!status.ok()) {
    return failure_of(status);
  }
  *file_bytes = info.file_size;
  const bool has_checksum = info.file_checksum_func_name == rocksdb::kStandardDbFileChecksumFuncName;
  call(target, has_checksum ? bytes(info.file_checksum) : Bytes{nullptr, 0});
  return nullptr;
}

// What a dictionary is made from: without a bound, all of a file is kept in memory until its end, if nothing says how
// large it is to become.
extern "C" void cassiterite_bound_dictionary_buffer(rocksdb::Options* options, uint64_t bytes) {
  options->compression_opts.max_dict_buffer_bytes = bytes;
  options->bottommost_compression_opts.max_dict_buffer_bytes = bytes;
}

}  // namespace cassiterite
