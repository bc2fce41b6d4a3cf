// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The connections of one loop to other nodes' doors, by the place of their events and by the node.

use std::collections::HashMap;

use slab::Slab;

use crate::peer::link::Link;
use crate::rights::digest::HostId;

/// At most one for each node, so that whoever looks for a replica looks at no other.
#[derive(Debug, Default)]
pub(crate) struct Links {
    slots: Slab<Link>,
    by_host: HashMap<HostId, usize>,
}

impl Links {
    /// Where the next one will be.
    pub(crate) fn next_slot(&self) -> usize {
        self.slots.vacant_key()
    }

    /// Adds one of a node that has none.
    pub(crate) fn add(&mut self, link: Link) {
        let host = link.member.host;
        let at = self.slots.insert(link);
        self.by_host.insert(host, at);
    }

    pub(crate) fn remove(&mut self, at: usize) {
        if let Some(link) = self.slots.try_remove(at) {
            self.by_host.remove(&link.member.host);
        }
    }

    pub(crate) fn get(&self, at: usize) -> Option<&Link> {
        self.slots.get(at)
    }

    pub(crate) fn get_mut(&mut self, at: usize) -> Option<&mut Link> {
        self.slots.get_mut(at)
    }

    /// The link to a node, and where it is.
    pub(crate) fn of(&self, host: &HostId) -> Option<(usize, &Link)> {
        let at = *self.by_host.get(host)?;
        self.slots.get(at).map(|link| (at, link))
    }

    pub(crate) fn of_mut(&mut self, host: &HostId) -> Option<&mut Link> {
        self.slots.get_mut(*self.by_host.get(host)?)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    pub(crate) fn all_mut(&mut self) -> impl Iterator<Item = &mut Link> {
        self.slots.iter_mut().map(|(_, link)| link)
    }

    /// Where those are for which it holds.
    pub(crate) fn slots_where(&self, holds: impl Fn(&Link) -> bool) -> Vec<usize> {
        self.slots.iter().filter(|(_, link)| holds(link)).map(|(at, _)| at).collect()
    }
}
