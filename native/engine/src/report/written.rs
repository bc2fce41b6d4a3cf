// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The bytes that the store has written.

use super::{each_current, Lines};
use crate::error::Result;
use crate::raw::sys;
use crate::store_core::StoreCore;
use crate::table::OpenTables;

/// Since the store was opened, as RocksDB counts them: to the log, which all tables share; to files by flushes; and by
/// compactions into each level.
pub(super) fn report(core: &StoreCore, tables: &OpenTables) -> Result<String> {
    let mut lines = Lines::new(&["keyspace_name", "table_name", "index_name", "work", "level", "written_bytes"]);
    let mut line = |names: &[String; 3], work: &str, level: usize, bytes: u64| {
        lines.line(&[&names[..], &[work.to_owned(), level.to_string(), bytes.to_string()]].concat());
    };
    line(&<[String; 3]>::default(), "log", 0, sys::log_bytes(&core.db));
    each_current(core, tables, |open, names| {
        let mut sum = sys::Written::default();
        open.column_families().all().for_each(|family| sum.add(&sys::written(&family.handle)));
        line(&names, "flush", 0, sum.flushed);
        for (level, bytes) in sum.compacted.iter().enumerate().filter(|(_, bytes)| **bytes > 0) {
            line(&names, "compaction", level, *bytes);
        }
        Ok(())
    })?;
    Ok(lines.0)
}
