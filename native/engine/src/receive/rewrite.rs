// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Whole files rewritten as rows.

use super::rows::{rewrite, Rows, FILE_BYTES};
use crate::disk_space::check_free_space;
use crate::error::Result;
use crate::faults::{reached, Step};
use crate::imported::ImportedFamily;
use crate::raw::sys::TableFile;
use crate::source::Source;
use crate::table::TableCore;
use cassiterite_codec::columns::ColumnMap;
use std::path::Path;

/// Rewrites files, in lists of which each could be one column family, as rows.
pub(super) fn as_rows(
    core: &TableCore,
    directory: &Path,
    lists: &[Vec<TableFile>],
    map: Option<&ColumnMap>,
) -> Result<Rows> {
    let mut imported = Vec::new();
    let rewritten =
        import_lists(core, directory, lists, &mut imported).and_then(|()| read_through(core, &imported, map));
    let closed = imported.into_iter().map(|one| one.close(core.store())).fold(Ok(()), Result::and);
    let rows = rewritten?;
    closed.map(|()| rows)
}

/// Makes a column family of each list of files. Those made before a failure are in `imported`, too.
fn import_lists(
    core: &TableCore,
    directory: &Path,
    lists: &[Vec<TableFile>],
    imported: &mut Vec<ImportedFamily>,
) -> Result<()> {
    for files in lists.iter().filter(|files| !files.is_empty()) {
        imported.push(ImportedFamily::open(core, directory, files)?);
    }
    reached(Step::ImportedForRewrite)
}

fn read_through(core: &TableCore, imported: &[ImportedFamily], map: Option<&ColumnMap>) -> Result<Rows> {
    let mut source = Source::merged(imported.iter().map(ImportedFamily::iterate).collect());
    source.seek(&[])?;
    let check_space = || check_free_space(core.store().db.path(), FILE_BYTES);
    check_space()?;
    let (rows, _) =
        rewrite(core.store(), &mut source, map, usize::MAX, || core.check_open().and_then(|()| check_space()))?;
    Ok(rows)
}
