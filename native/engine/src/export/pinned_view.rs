// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! A pinned view of a table, and which of its files go whole.
//!
//! The files are listed, the iterator is made, the files are listed again: what is in both lists was there in between,
//! so the iterator has it, pins it and may leave it out. A file that only one list has was flushed or compacted
//! meanwhile, and is read by the iterator if it has it. So whole files and rows together are the view of the iterator:
//! a deletion and what it hides never come from two views, between which a purge may lie.

use crate::catalog::Record;
use crate::compaction::TablePurge;
use crate::error::{EngineError, Result};
use crate::options::rows_options;
use crate::raw::sys::{file_name, FamilyHandle, Iter, IterSpec, Reach, TableFile};
use crate::raw::{listed_files, placed_files, LiveFile, Origin};
use crate::store_core::StoreCore;
use crate::table::TableCore;
use crate::tokens::{token_of, TokenSet};
use rocksdb::Options;
use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;

/// So many files are named as the reason for one file of rows.
const NAMED_MAX: usize = 8;

/// Why a file does not go whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Why {
    /// Files of level 0 reach over the whole ring, and over each other.
    Level0,
    /// It reaches out of the range.
    Straddles,
    /// It was received as rows, above others: only this store knows its place among versions.
    Received,
    /// It was being compacted.
    Compacted,
    /// Whole files come from one column family, and that is another one.
    OtherFamily,
}

impl Why {
    const ALL: [Why; 5] = [Why::Level0, Why::Straddles, Why::Received, Why::Compacted, Why::OtherFamily];

    fn text(self) -> &'static str {
        match self {
            Why::Level0 => "level 0",
            Why::Straddles => "straddles",
            Why::Received => "received as rows",
            Why::Compacted => "compacted meanwhile",
            Why::OtherFamily => "side family",
        }
    }
}

/// The view of a table.
pub(super) struct PinnedView {
    parts: Vec<Part>,
    id: Vec<u8>,
    record: Record,
    has_memtables: bool,
    not_whole: Vec<(LiveFile, Why)>,
    rows_options: Options,
    store: Arc<StoreCore>,
}

/// One column family.
struct Part {
    family: FamilyHandle,
    iter: Iter,
    /// Those with keys in the ranges, listed before the iterator was made.
    files: Vec<LiveFile>,
}

impl PinnedView {
    pub(super) fn take(core: &TableCore, tokens: &TokenSet) -> Result<PinnedView> {
        let headers = core.headers().seen();
        let parts = core.column_families().consistent(|family| Part::take(&family.handle, tokens));
        let parts = parts.into_iter().collect::<Result<Vec<_>>>()?;
        let store = Arc::clone(core.store());
        let unflushed = ["rocksdb.num-entries-active-mem-table", "rocksdb.num-entries-imm-mem-tables"];
        let has_memtables =
            parts.iter().any(|part| unflushed.iter().any(|property| part.family.property(property) > 0));
        let rows_options = {
            let settings = store.settings.lock().map_err(|_| EngineError::poisoned())?;
            // It only reads the timestamps that the files' properties tell.
            let purge = TablePurge::new(format!("{}.export", core.family_name()));
            rows_options(&settings, &store.shared, &purge)
        };
        // After the iterators: they show no column that this does not know.
        let record = core.record(headers)?;
        Ok(PinnedView {
            parts,
            id: core.id().to_vec(),
            record,
            has_memtables,
            not_whole: Vec::new(),
            rows_options,
            store,
        })
    }

    /// The files that go whole; the iterators leave them out from now on. To be called once, before they move.
    pub(super) fn choose(&mut self, tokens: &TokenSet) -> Result<Vec<LiveFile>> {
        let mut judged = Vec::new();
        for part in &mut self.parts {
            judged.push(part.judge(tokens)?);
        }
        let whole_bytes = |files: &Vec<(LiveFile, Option<Why>)>| -> u64 {
            files.iter().filter(|(_, why)| why.is_none()).map(|(file, _)| file.file_bytes).sum()
        };
        let chosen = (0..judged.len()).max_by_key(|&at| judged.get(at).map_or(0, whole_bytes));
        let mut whole = Vec::new();
        for (at, (part, files)) in self.parts.iter_mut().zip(judged).enumerate() {
            for (file, why) in files {
                match why {
                    None if Some(at) == chosen => {
                        part.iter.skip(&file.origin);
                        whole.push(file);
                    }
                    why => self.not_whole.push((file, why.unwrap_or(Why::OtherFamily))),
                }
            }
        }
        Ok(whole)
    }

    pub(super) fn id(&self) -> &[u8] {
        &self.id
    }

    /// The catalog's record of the generation that this is a view of.
    pub(super) fn record(&self) -> &Record {
        &self.record
    }

    /// Where the file of this number is, as long as the view lives.
    pub(super) fn path_of(&self, number: u64) -> PathBuf {
        self.store.db.path().join(file_name(number))
    }

    /// The iterators, and how files are written.
    pub(super) fn iterators(&mut self) -> (Vec<&mut Iter>, &Options) {
        (self.parts.iter_mut().map(|part| &mut part.iter).collect(), &self.rows_options)
    }

    /// Where the rows of a file of rows come from, and why that did not go whole.
    pub(super) fn reasons(&self, rows: &TableFile) -> Result<String> {
        let tokens = TokenSet::between(token_of(&rows.smallest_key)?, token_of(&rows.largest_key)?);
        let mut reasons = Vec::new();
        if self.has_memtables {
            reasons.push("memtable".to_owned());
        }
        for why in Why::ALL {
            let mut names = Vec::new();
            for (file, _) in self.not_whole.iter().filter(|(_, found)| *found == why) {
                if tokens.touches(token_of(&file.smallest_key)?, token_of(&file.largest_key)?) {
                    names.push(file_name(file.number));
                }
            }
            if !names.is_empty() {
                reasons.push(format!("{}: {}", why.text(), shortened(&names)));
            }
        }
        Ok(reasons.join("; "))
    }
}

fn shortened(names: &[String]) -> String {
    let named = names.iter().take(NAMED_MAX).cloned().collect::<Vec<_>>().join(" ");
    match names.len().saturating_sub(NAMED_MAX) {
        0 => named,
        more => format!("{named} and {more} more"),
    }
}

impl Part {
    fn take(family: &FamilyHandle, tokens: &TokenSet) -> Result<Part> {
        let mut files = Vec::new();
        for file in listed_files(family.db(), family)? {
            if tokens.touches(token_of(&file.smallest_key)?, token_of(&file.largest_key)?) {
                files.push(file);
            }
        }
        let (lower, upper) = (tokens.ranges().first(), tokens.ranges().last());
        let spec = IterSpec {
            lower: lower.map(|range| range.first_key()).unwrap_or_default(),
            upper: upper.map(|range| range.end_key()).unwrap_or_default(),
            one_prefix: false,
            fill_cache: false,
            reach: Reach::Files,
        };
        let iter = Iter::open_skipping(family, spec);
        Ok(Part { family: family.clone(), iter, files })
    }

    fn judge(&mut self, tokens: &TokenSet) -> Result<Vec<(LiveFile, Option<Why>)>> {
        let live: HashSet<u64> = placed_files(self.family.db(), &self.family).iter().map(|file| file.number).collect();
        let mut judged = Vec::new();
        for file in std::mem::take(&mut self.files) {
            let why = if file.level == 0 {
                Some(Why::Level0)
            } else if !tokens.holds(token_of(&file.smallest_key)?, token_of(&file.largest_key)?) {
                Some(Why::Straddles)
            } else if file.is_external && file.sequences != (0, 0) {
                Some(Why::Received)
            } else if !live.contains(&file.number) || file.origin == Origin::default() {
                Some(Why::Compacted)
            } else {
                None
            };
            judged.push((file, why));
        }
        Ok(judged)
    }
}
