// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Views: a table at one point in time, for scans that begin later. A validation reads hundreds of token ranges as of
//! its beginning: with a view it needs one iterator at a time. A view has a number as cursors have, and closes like one.

use super::answer::Answer;
use super::cursor::{self, Rest};
use super::first;
use super::request::ScanRequest;
use super::walk::Walk;
use crate::error::Result;
use crate::table::Table;
use std::sync::Arc;

impl Table {
    /// Opens a view of what the table holds now; its number, for [`view_scan`] and [`super::cursor_close`].
    pub fn view(self: &Arc<Self>) -> Result<i64> {
        self.shared(|core| cursor::open(self, Rest::View(Arc::new(core.column_families().freeze()))))
    }
}

/// Scans a view as [`Table::scan`] scans a table. Any number of threads may, at the same time.
pub fn view_scan(view: i64, request: &[u8], answer: &mut [u8]) -> Result<i32> {
    let table = cursor::table_of_view(view)?;
    table.shared(|core| {
        let frozen = cursor::view(view)?;
        let request = ScanRequest::parse(request)?;
        core.count_read();
        let walk = Walk::scan(|spec| frozen.iterate(spec), &request)?;
        let answered = first(&table, walk, Answer::new(answer, request.chunk));
        core.flush_if_hot();
        answered
    })
}
