// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Folders in the store's staging area, which is on the device of its files.

use crate::error::Result;
use crate::log::log;
use crate::options::Settings;
use crate::store_core::StoreCore;
use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

/// Where snapshots are staged while they are loaded, and what is received is rewritten; nothing in it outlives the
/// process.
const STAGING: &str = "staging";

/// The staging area of a store.
pub(crate) fn staging(settings: &Settings) -> PathBuf {
    settings.directory.join(STAGING)
}

/// A folder of its own in the staging area; removed when dropped, or at the next start.
pub(crate) struct Staged {
    pub directory: PathBuf,
    /// What no other folder of this process has.
    pub number: u64,
}

impl Staged {
    pub(crate) fn new(store: &StoreCore) -> Result<Staged> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let directory = staging(&*store.settings()?).join(format!("work-{number}"));
        fs::create_dir_all(&directory)?;
        Ok(Staged { directory, number })
    }
}

impl Drop for Staged {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_dir_all(&self.directory) {
            log(format_args!("{} stays until the node restarts: {error}", self.directory.display()));
        }
    }
}
