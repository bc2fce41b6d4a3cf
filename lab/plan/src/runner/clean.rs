// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Takes away what a killed run left behind.

use std::path::Path;

use anyhow::{ensure, Context, Result};

use crate::file::Existing;
use crate::journal::{Entry, Journal, Thing};
use crate::targets::{existing, local};
use crate::volumes;
use lab_load::profile::Profile;

/// What became of what a run left behind, in words.
#[derive(Debug, Default)]
pub struct Cleaned {
    /// It is gone.
    pub gone: Vec<String>,
    /// It is still there, and why.
    pub left: Vec<String>,
}

impl Cleaned {
    /// An error that names what is still there.
    pub fn whole(self) -> Result<Self> {
        ensure!(self.left.is_empty(), "{}; `plan clean` tries it again", self.left.join("; "));
        Ok(self)
    }

    fn note(&mut self, what: String, done: Result<()>) {
        match done {
            Ok(()) => self.gone.push(what),
            Err(error) => self.left.push(format!("{what}: {error:#}")),
        }
    }
}

/// Takes away everything that the journal of a folder knows was made and is not known to be gone. What cannot be taken away
/// keeps nothing else from it.
pub fn clean(folder: &Path) -> Result<Cleaned> {
    let mut journal = Journal::open(folder)?;
    let file = journal.begun()?.1.clone();
    let keyspace = Profile::parse(&file.profile_text()?).map(|profile| profile.keyspace).unwrap_or_default();
    let target = file.target;
    let mut cleaned = target.as_ref().map(|target| mend(&mut journal, target, &keyspace)).unwrap_or_default();
    let things = journal.things();
    for root in things.iter().filter_map(|thing| if let Thing::Volumes(root) = thing { Some(root) } else { None }) {
        // Nodes that wait for a device end when it is done.
        if let Err(error) = volumes::lift(root) {
            cleaned.left.push(format!("limits of the volumes in {}: {error:#}", root.display()));
        }
    }
    for thing in things {
        let (what, was_there) = match &thing {
            Thing::Cluster(base) => (format!("the cluster in {}", base.display()), base.exists()),
            Thing::Volumes(root) => (format!("the volumes in {}", root.display()), root.exists()),
            // In a cluster that was there already it has just been tried.
            Thing::Hurt(_) if target.is_some() => continue,
            // Clusters come first in the order of things: what was hurt in one of our own went with it.
            Thing::Hurt(mend) => (format!("what `{mend}` would have mended, with its cluster"), true),
            Thing::Keyspace(keyspace) => {
                let cluster = target.as_ref().map(|target| target.cluster_name.as_str()).unwrap_or_default();
                (format!("the keyspace {keyspace} in the cluster {cluster}"), true)
            }
        };
        let done = remove(&thing, target.as_ref()).and_then(|()| journal.add(Entry::Gone { thing }));
        if was_there || done.is_err() {
            cleaned.note(what, done);
        }
    }
    Ok(cleaned)
}

fn remove(thing: &Thing, target: Option<&Existing>) -> Result<()> {
    match thing {
        Thing::Cluster(base) => local::remove(base),
        Thing::Volumes(root) => volumes::remove(root),
        Thing::Hurt(_) => Ok(()),
        Thing::Keyspace(keyspace) => existing::remove(target.context("the plan has no target")?, keyspace),
    }
}

/// Mends what a run that was killed left hurt in a cluster that was there already.
pub fn mend(journal: &mut Journal, target: &Existing, keyspace: &str) -> Cleaned {
    let mut mended = Cleaned::default();
    for thing in journal.things() {
        let Thing::Hurt(mend) = &thing else { continue };
        let done = mend.parse().and_then(|mend| existing::mend(target, keyspace, mend));
        mended.note(
            format!("the fault that `{mend}` mends"),
            done.and_then(|()| journal.add(Entry::Gone { thing: thing.clone() })),
        );
    }
    mended
}
