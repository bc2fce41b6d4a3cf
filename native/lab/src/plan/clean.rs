// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Takes away what a killed run left behind.

use std::path::Path;

use anyhow::Result;

use super::journal::{Entry, Journal, Thing};
use super::targets::local;

/// Everything that the journal of a folder knows was made and is not known to be gone; in words.
pub fn clean(folder: &Path) -> Result<Vec<String>> {
    let mut journal = Journal::open(folder)?;
    let mut gone = Vec::new();
    for thing in journal.things() {
        match &thing {
            Thing::Cluster(base) => {
                let was_there = base.exists();
                local::remove(base)?;
                if was_there {
                    gone.push(format!("the cluster in {}", base.display()));
                }
            }
        }
        journal.add(Entry::Gone { thing })?;
    }
    Ok(gone)
}
