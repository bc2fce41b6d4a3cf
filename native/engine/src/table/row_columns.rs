// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The columns that a whole row has, for reads: without a lock, and without an update that threads share.

use crate::catalog::{ColumnKind, Record};
use cassiterite_codec::ColumnSet;
use std::sync::OnceLock;

/// The live regular columns of a generation, as of its last schema. Each change is kept: there are few.
#[derive(Default)]
pub(crate) struct RowColumns {
    first: OnceLock<Box<Known>>,
}

struct Known {
    /// `None`: of counters, which are added up.
    columns: Option<ColumnSet>,
    next: OnceLock<Box<Known>>,
}

impl RowColumns {
    /// What a row that hides all older ones has to have; `None` where none does.
    pub(crate) fn latest(&self) -> Option<&ColumnSet> {
        self.last().and_then(|known| known.columns.as_ref())
    }

    /// From now on the table has the columns of this record. Callers take turns.
    pub(super) fn set(&self, record: &Record) {
        let regular = record.live().filter(|column| column.kind == ColumnKind::Regular).map(|column| column.id);
        let columns = (!record.counter).then(|| regular.collect::<ColumnSet>());
        let last = self.last();
        if last.is_some_and(|known| known.columns == columns) {
            return;
        }
        let end = last.map_or(&self.first, |known| &known.next);
        // Whoever came first at the same time has set it.
        let _ = end.set(Box::new(Known { columns, next: OnceLock::new() }));
    }

    fn last(&self) -> Option<&Known> {
        let mut last = self.first.get()?;
        while let Some(next) = last.next.get() {
            last = next;
        }
        Some(last)
    }
}
