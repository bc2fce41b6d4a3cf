// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Takes away what a killed run left behind.

use std::path::Path;

use anyhow::{Context, Result};

use super::journal::{Entry, Journal, Thing};
use super::targets::{existing, local};
use super::volumes;
use crate::profile::Profile;

/// Everything that the journal of a folder knows was made and is not known to be gone; in words.
pub fn clean(folder: &Path) -> Result<Vec<String>> {
    let mut journal = Journal::open(folder)?;
    let file = journal.begun()?.1.clone();
    let keyspace = Profile::parse(&file.profile_text()?).map(|profile| profile.keyspace).unwrap_or_default();
    let (target, mut gone) = (file.target, Vec::new());
    for thing in journal.things() {
        match &thing {
            Thing::Cluster(base) => {
                let was_there = base.exists();
                local::remove(base)?;
                if was_there {
                    gone.push(format!("the cluster in {}", base.display()));
                }
            }
            Thing::Volumes(root) => {
                let was_there = root.exists();
                volumes::remove(root)?;
                if was_there {
                    gone.push(format!("the volumes in {}", root.display()));
                }
            }
            // Clusters come first in the order of things: a node of our own went with its cluster.
            Thing::Hurt(mend) => match &target {
                Some(target) => {
                    existing::mend(target, &keyspace, mend.parse()?)?;
                    gone.push(format!("the fault that `{mend}` mends"));
                }
                None => gone.push(format!("the node that `{mend}` would have mended")),
            },
            Thing::Keyspace(keyspace) => {
                let target = target.as_ref().context("the plan has no target")?;
                existing::remove(target, keyspace)?;
                gone.push(format!("the keyspace {keyspace} in the cluster {}", target.cluster_name));
            }
        }
        journal.add(Entry::Gone { thing })?;
    }
    Ok(gone)
}
