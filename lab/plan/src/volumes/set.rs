// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The volumes of a name in a cluster: one for all of its nodes, or one for each.

use std::path::{Path, PathBuf};

use anyhow::Result;

use super::{make, Made};
use crate::file::Volume;

/// Volumes of one name.
#[derive(Clone, Debug)]
pub struct Set {
    name: String,
    volume: Volume,
    root: PathBuf,
    made: Vec<Made>,
}

impl Set {
    /// Those of a cluster with nodes of these numbers, below `root`; nothing is made.
    pub fn of(name: &str, volume: &Volume, root: &Path, nodes: impl Iterator<Item = u32>) -> Self {
        let whose: Vec<Option<u32>> = if volume.per_node { nodes.map(Some).collect() } else { vec![None] };
        let made = whose.into_iter().map(|node| Made::of((name, volume), root, node)).collect();
        Self { name: name.to_owned(), volume: volume.clone(), root: root.to_owned(), made }
    }

    /// Its name in the plan file.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Makes all of them.
    pub fn make(&self) -> Result<()> {
        self.made.iter().try_for_each(|made| make(&made.name, &made.volume, &made.root))
    }

    /// One after the other.
    pub fn each(&mut self, act: impl FnMut(&mut Made) -> Result<()>) -> Result<()> {
        self.made.iter_mut().try_for_each(act)
    }

    /// That which a node has for itself.
    pub fn own(&self, node: u32) -> Option<&Made> {
        self.made.iter().find(|made| made.node == Some(node))
    }

    /// A node comes, with an empty volume where each has one.
    pub fn add(&mut self, node: u32) -> Result<()> {
        if !self.volume.per_node {
            return Ok(());
        }
        let slowed = self.made.first().and_then(|made| made.slowed);
        let made = Made { slowed, ..Made::of((&self.name, &self.volume), &self.root, Some(node)) };
        make(&made.name, &made.volume, &made.root)?;
        made.throttle()?;
        self.made.push(made);
        Ok(())
    }

    /// A node is gone for good, and its volume with it where each has one.
    pub fn remove(&mut self, node: u32) -> Result<()> {
        let lost = self.own(node).map_or(Ok(()), Made::remove);
        self.made.retain(|made| made.node != Some(node));
        lost
    }
}
