// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Shipments out of a table.

use crate::error::{EngineError, Result};
use crate::store::Store;
use crate::table::Table;
use std::path::Path;

impl Table {
    /// Writes a shipment of the table's data in token ranges into `directory`, which must not exist.
    pub fn export(&self, _ranges: &[u8], directory: &Path) -> Result<String> {
        Err(EngineError::Invalid(format!("no shipment can be written to {} yet", directory.display())))
    }

    /// Removes everything outside token ranges, also from the files.
    pub fn keep(&self, _ranges: &[u8]) -> Result<()> {
        Err(EngineError::Invalid("ranges cannot be cleaned up yet".into()))
    }

    /// Per token range, in the order given: i64 estimated partitions, i64 estimated bytes.
    pub fn range_sizes(&self, _ranges: &[u8]) -> Result<Vec<u8>> {
        Err(EngineError::Invalid("ranges cannot be estimated yet".into()))
    }
}

impl Store {
    /// Where files of the last two levels are cut from now on: u32 count, count * i64 token.
    pub fn set_ring(&self, _boundaries: &[u8]) -> Result<()> {
        Err(EngineError::Invalid("files cannot be cut at boundaries yet".into()))
    }
}
