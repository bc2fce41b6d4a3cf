// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Shipments into a table.

use crate::error::{EngineError, Result};
use crate::table::Table;
use std::path::Path;

impl Table {
    /// Moves the shipment in `directory` into the table: atomic, and durable when it returns; the directory is then gone.
    pub fn receive(&self, directory: &Path) -> Result<()> {
        Err(EngineError::Invalid(format!("the shipment in {} cannot be received yet", directory.display())))
    }

    /// One step of bringing what was received into the table's own family; bytes still outside of it, 0 when done.
    pub fn absorb(&self) -> Result<u64> {
        self.with(|_| Ok(0))
    }
}
