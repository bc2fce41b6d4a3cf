// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The columns of a table, as its schema and its callers know them.

use super::Table;
use crate::error::{EngineError, Result};
use crate::schema::{self, SchemaRequest};

impl Table {
    /// Brings the table's columns up to a table schema request and answers with the live ones
    /// (docs/internals/boundary.md).
    pub fn columns(&self, request: &[u8]) -> Result<Vec<u8>> {
        let request = SchemaRequest::parse(request)?;
        self.shared(|core| {
            if request.id != core.id() {
                return Err(EngineError::invalid("the schema is of another table"));
            }
            core.hand_out_ids();
            Ok(())
        })?;
        let record = self.on_copy(|core| schema::update(&core.store().catalog, &request))?;
        // Not on a copy: a side column family may have come since.
        self.shared(|core| {
            core.set_dropped(&record.dropped());
            core.learn_columns()?;
            schema::answer(&record)
        })
    }

    /// The live columns, in the form of [`Table::columns`]'s answer.
    pub fn column_ids(&self) -> Result<Vec<u8>> {
        self.shared(|core| {
            core.hand_out_ids();
            let record = core.store().catalog.get(core.id())?.ok_or_else(EngineError::has_closed)?;
            schema::answer(&record)
        })
    }
}
