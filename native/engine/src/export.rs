// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Shipments out of a table: what a pinned view shows of it in token ranges, as files.
//!
//! A pinned view is an iterator, which pins memtables and files. Those of its files that lie wholly in a range are
//! linked, and the iterator leaves them out ([`pinned_view`]); everything else that it shows is written into files row
//! by row ([`rows`]), while nothing is locked. Where that would be much of level 0, it is compacted before.

mod listing;
mod pinned_view;
mod rows;
#[cfg(test)]
mod tests;

use crate::error::{EngineError, Result};
use crate::links::link;
use crate::manifest::{FileKind, ListedFile, Manifest};
use crate::raw::sys::TableFile;
use crate::table::{Table, TableCore};
use crate::tokens::{TokenRange, TokenSet};
use listing::Shipped;
use pinned_view::PinnedView;
use std::fs;
use std::path::Path;

impl Table {
    /// Writes a shipment of the table's data in token ranges (docs/internals/boundary.md, Token ranges) into
    /// `directory`, which must not exist (docs/internals/formats.md, Manifest). It holds what one view of the table
    /// during the call shows there, so every row that was written before. Removing the directory is all there is to
    /// releasing it.
    ///
    /// Answers with lines of tab-separated values (docs/internals/boundary.md, Shipments). Memory does not grow with
    /// the data. Fails with [`crate::Kind::Closed`] once the table is dropped, truncated away or closed, with
    /// [`crate::Kind::NoSpace`] rather than leave the device with less than 256 MiB for the sake of rows.
    pub fn export(&self, ranges: &[u8], directory: &Path) -> Result<String> {
        let tokens = TokenSet::of(TokenRange::list(ranges)?);
        if directory.exists() {
            let why = format!("{} exists already: a shipment goes into a new directory", directory.display());
            return Err(EngineError::invalid(why));
        }
        let shipped = self.on_copy(|core| {
            core.settle_level0(tokens.share())?;
            fs::create_dir_all(directory)?;
            ship(self, core, tokens, directory)
        });
        shipped.map_err(|error| {
            // Without its manifest it is no shipment, if this fails too.
            let _ = fs::remove_dir_all(directory);
            error.context(format_args!("writing a shipment into {}", directory.display()))
        })
    }
}

fn ship(table: &Table, core: &TableCore, tokens: TokenSet, directory: &Path) -> Result<String> {
    let mut view = table.on_present_families(|core| PinnedView::take(core, &tokens))?;
    let whole = view.choose(&tokens)?;
    let mut files = Vec::new();
    let mut shipped = Vec::new();
    for file in whole {
        let name = format!("{}-{:06}.sst", file.origin.session, file.origin.number);
        link(&view.path_of(file.number), &directory.join(&name), &|| core.check_open())?;
        shipped.push(Shipped::whole(&name, &file));
        files.push(ListedFile { kind: FileKind::Whole, family: 0, file: TableFile::of(name, file) });
    }
    for (file, keys) in rows::write(&mut view, &tokens, directory, &|| core.check_open())? {
        shipped.push(Shipped::rows(&file, keys, view.reasons(&file)?));
        files.push(ListedFile { kind: FileKind::Rows, family: 0, file });
    }
    let manifest_bytes = Manifest::new(view.id(), view.record(), tokens, files).write(directory)?;
    shipped.push(Shipped::manifest(manifest_bytes));
    Ok(listing::lines(&shipped))
}
