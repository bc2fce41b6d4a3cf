// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Takes away what a killed run left behind.

use std::path::Path;

use anyhow::{Context, Result};

use super::file::Existing;
use super::journal::{Entry, Journal, Thing};
use super::targets::{existing, local};
use super::volumes;
use crate::profile::Profile;

/// Everything that the journal of a folder knows was made and is not known to be gone; in words.
pub fn clean(folder: &Path) -> Result<Vec<String>> {
    let mut journal = Journal::open(folder)?;
    let file = journal.begun()?.1.clone();
    let keyspace = Profile::parse(&file.profile_text()?).map(|profile| profile.keyspace).unwrap_or_default();
    let target = file.target;
    let mended = target.as_ref().map(|target| mend(&mut journal, target, &keyspace)).transpose()?.unwrap_or_default();
    let mut gone: Vec<String> = mended.into_iter().map(|mend| format!("the fault that `{mend}` mends")).collect();
    let things = journal.things();
    for root in things.iter().filter_map(|thing| if let Thing::Volumes(root) = thing { Some(root) } else { None }) {
        // Nodes that wait for a device end when it is done.
        volumes::lift(root)?;
    }
    for thing in things {
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
            // Clusters come first in the order of things: what was hurt in one of our own went with it.
            Thing::Hurt(mend) => gone.push(format!("what `{mend}` would have mended, with its cluster")),
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

/// Mends what a run that was killed left hurt in a cluster that was there already; the moves that did it.
pub fn mend(journal: &mut Journal, target: &Existing, keyspace: &str) -> Result<Vec<String>> {
    let mut mended = Vec::new();
    for thing in journal.things() {
        if let Thing::Hurt(mend) = &thing {
            existing::mend(target, keyspace, mend.parse()?)?;
            mended.push(mend.clone());
            journal.add(Entry::Gone { thing })?;
        }
    }
    Ok(mended)
}
