// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The compactions of the store.

use super::{Lines, TABLE_BYTES};
use crate::catalog::id_of_family;
use crate::compaction::BegunCompaction;
use crate::error::Result;
use crate::store_core::StoreCore;

const COLUMNS: [&str; 12] = [
    "compaction_id",
    "keyspace_name",
    "table_name",
    "index_name",
    "input_level",
    "output_level",
    "began_us",
    "total_bytes",
    "done_bytes",
    "ended_ms",
    "input_bytes",
    "output_bytes",
];

/// The compactions that run, and the latest that ended. Of those that run `ended_ms`, `input_bytes` and `output_bytes`
/// are 0; of those that ended `done_bytes` is `total_bytes`.
pub(super) fn report(core: &StoreCore) -> Result<String> {
    let mut lines = Lines::new(&COLUMNS);
    let mut line = |begun: &BegunCompaction, done_bytes: u64, ended: [u64; 3]| -> Result<()> {
        let Some(id) = id_of_family(&begun.family) else { return Ok(()) };
        let Some(record) = core.catalog.get(&id)? else { return Ok(()) };
        let index = String::from_utf8_lossy(id.get(TABLE_BYTES..).unwrap_or_default()).into_owned();
        let mut values = vec![begun.number.to_string(), record.keyspace, record.name, index];
        values.extend([begun.input_level, begun.output_level].map(|level| level.to_string()));
        values.extend([begun.began_us, begun.total_bytes, done_bytes].map(|figure| figure.to_string()));
        values.extend(ended.map(|figure| figure.to_string()));
        lines.line(&values);
        Ok(())
    };
    for ended in core.events.ended_compactions() {
        line(&ended.begun, ended.begun.total_bytes, [ended.ended_ms, ended.input_bytes, ended.output_bytes])?;
    }
    for running in core.events.running_compactions() {
        line(&running.begun, running.done_bytes(), [0; 3])?;
    }
    Ok(lines.0)
}
