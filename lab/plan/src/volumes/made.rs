// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! A volume that is there.

use std::path::{Path, PathBuf};

use super::own;
use crate::file::Volume;
use crate::limits::Limits;

/// A volume that a run has made.
#[derive(Clone, Debug)]
pub struct Made {
    /// Its name: as in the plan file, with the node behind it where each node has one.
    pub name: String,
    /// As the plan file says it.
    pub volume: Volume,
    /// The folder that it was made below.
    pub root: PathBuf,
    /// The node that has it for itself.
    pub node: Option<u32>,
    /// What its devices were slowed down to.
    pub slowed: Option<Limits>,
}

impl Made {
    /// That of a name in the plan file: of all nodes, or of one of them.
    pub fn of((name, volume): (&str, &Volume), root: &Path, node: Option<u32>) -> Self {
        let name = node.map_or_else(|| name.to_owned(), |number| own(name, &format!("node{number}")));
        Self { name, volume: volume.clone(), root: root.to_owned(), node, slowed: None }
    }

    /// Where it is mounted.
    pub(super) fn at(&self) -> PathBuf {
        self.root.join(&self.name)
    }
}
