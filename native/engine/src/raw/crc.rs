// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! CRC-32C by the processor's instruction, in place of RocksDB's own function, which the prebuilt library has without it
//! on x86: 1.1 us for a log record of 1 KB, under the write lock.
//!
//! RocksDB calls `rocksdb::crc32c::Extend` through its linkage table, and a library's symbols come before those of what
//! it needs, in the scope that it is loaded in. Where they do not (RocksDB was loaded before, or linked with
//! `-Bsymbolic`), RocksDB takes its own: the values are the same.

use std::sync::atomic::{AtomicBool, Ordering};

/// Whether RocksDB has called [`extend`].
static CALLED: AtomicBool = AtomicBool::new(false);

/// `rocksdb::crc32c::Extend(uint32_t, const char*, size_t)`: the CRC-32C of some bytes and these behind them, where
/// `crc` is that of the former, 0 for none.
#[export_name = "_ZN7rocksdb6crc32c6ExtendEjPKcm"]
extern "C" fn extend(crc: u32, data: *const u8, size: usize) -> u32 {
    if !CALLED.load(Ordering::Relaxed) {
        CALLED.store(true, Ordering::Relaxed);
    }
    // SAFETY: RocksDB passes bytes that stay as they are for the call; null only with a size of 0.
    crc32c::crc32c_append(crc, unsafe { super::Bytes { data, size }.as_slice() })
}

/// Who computes the CRC-32C of the log and of files, once a store has been opened: `instruction`, or `table` where the
/// processor has none, both ours; else `rocksdb`.
pub(crate) fn crc32c_of() -> &'static str {
    match CALLED.load(Ordering::Relaxed) {
        true if has_instruction() => "instruction",
        true => "table",
        false => "rocksdb",
    }
}

fn has_instruction() -> bool {
    std::arch::is_x86_feature_detected!("sse4.2")
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::common::open;
    use proptest::prelude::*;

    /// The function of the library itself.
    fn of_rocksdb() -> unsafe extern "C" fn(u32, *const u8, usize) -> u32 {
        // SAFETY: a name that ends with 0; the test's program is the first object that has it, RocksDB the next.
        let found = unsafe { libc::dlsym(libc::RTLD_NEXT, c"_ZN7rocksdb6crc32c6ExtendEjPKcm".as_ptr()) };
        assert!(!found.is_null() && !std::ptr::eq(found, extend as *const libc::c_void));
        // SAFETY: that is its signature.
        unsafe { std::mem::transmute(found) }
    }

    proptest! {
        /// So files and logs that were written with one are read with the other.
        #[test]
        fn the_values_are_those_of_rocksdb(crc: u32, bytes in prop::collection::vec(any::<u8>(), 0..20_000), from in 0usize..16) {
            let bytes = bytes.get(from..).unwrap_or_default();
            // SAFETY: the bytes are borrowed for the call.
            let theirs = unsafe { of_rocksdb()(crc, bytes.as_ptr(), bytes.len()) };
            prop_assert_eq!(extend(crc, bytes.as_ptr(), bytes.len()), theirs);
        }
    }

    #[test]
    fn nothing_has_no_bytes() {
        assert_eq!(extend(7, std::ptr::null(), 0), 7);
    }

    #[test]
    fn rocksdb_calls_it() {
        let directory = tempfile::tempdir().unwrap();
        let store = open(directory.path());
        let report = store.report("settings").unwrap();
        let line = report.lines().find(|line| line.starts_with("crc32c\t")).unwrap();
        assert_eq!(
            line,
            format!("crc32c\t{}\tinstruction\tno", if has_instruction() { "instruction" } else { "table" })
        );
    }
}
