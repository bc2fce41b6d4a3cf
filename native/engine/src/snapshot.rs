// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Snapshots: hard links to a table's files, or copies on another device, with a manifest that lists them.

mod image;
#[cfg(test)]
mod tests;

use crate::error::{EngineError, Result};
use crate::links::sync_directory;
use crate::table::Table;
use image::Image;
use std::fs;
use std::path::Path;
use std::sync::Arc;

/// Folders that the first snapshot may create: of its tag, of all snapshots, of the table.
const FOLDERS_ABOVE: usize = 3;

impl Table {
    /// Hard-links a consistent image of the table into `directory`, which must not exist, with a manifest
    /// (docs/internals/formats.md, Snapshot manifest).
    pub fn snapshot(&self, directory: &Path) -> Result<()> {
        take(self, directory)
    }
}

fn take(table: &Table, directory: &Path) -> Result<()> {
    if directory.exists() {
        return Err(exists(directory));
    }
    let closing = table.shared(|core| Ok(Arc::clone(&core.store().closing)))?;
    let _open = closing.delay()?;
    table.flush()?;
    create(directory)?;
    let pinned = table.on_copy(|core| Image::pin(table, core, directory));
    // Without the table: it may be dropped, or truncated away, while files are copied.
    let taken = pinned.and_then(|image| image.complete(directory, &|| closing.check()));
    taken.and_then(|()| sync_above(directory)).map_err(|error| {
        // Half a snapshot must not pass for one; without its manifest it does not, also if this fails.
        let _ = fs::remove_dir_all(directory);
        error.context(format_args!("taking a snapshot into {}", directory.display()))
    })
}

fn sync_above(directory: &Path) -> Result<()> {
    let above = directory.ancestors().skip(1).take(FOLDERS_ABOVE);
    above.filter(|folder| !folder.as_os_str().is_empty()).try_for_each(sync_directory)
}

fn exists(directory: &Path) -> EngineError {
    EngineError::invalid(format!("{} exists already: a snapshot goes into a new directory", directory.display()))
}

/// Of two calls at once, one must not take the other's directory for its own, and remove it.
fn create(directory: &Path) -> Result<()> {
    let above = directory.parent().map_or(Ok(()), fs::create_dir_all);
    above.and_then(|()| fs::create_dir(directory)).map_err(|error| match error.kind() {
        std::io::ErrorKind::AlreadyExists => exists(directory),
        _ => EngineError::from(error).context(format_args!("making {}", directory.display())),
    })
}
