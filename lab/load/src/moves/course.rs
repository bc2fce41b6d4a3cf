// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Racks in turn: tells the nodes of one the direction, watches, goes on to the next; holds what moves when it must stop.

use std::net::SocketAddr;

use super::bound::Bound;
use super::fleet::Fleet;
use super::home::{moves, Home, Stand, Wish};
use super::ring::{racks, Place};
use super::sight::{Sight, Stop};

/// How often a node is told to hold that did not take it.
const HOLD_TRIES: usize = 3;

/// Looks in a row that are too many.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// Without an answer of a node.
    pub silent: u32,
    /// Without progress on any node of a rack.
    pub idle: u32,
}

/// How a course has ended.
#[derive(Clone, Debug, PartialEq)]
pub enum End {
    /// Nothing is left to do on any node.
    Done,
    /// Nothing is left that can be done; these nodes wait for their operator.
    Left(Vec<SocketAddr>),
    /// It was stopped.
    Stopped {
        /// In words.
        why: String,
        /// Nodes that could not be told to hold; empty when nothing moves any more.
        moving: Vec<SocketAddr>,
    },
}

/// A move of one table through a cluster.
pub struct Course<'a> {
    fleet: &'a dyn Fleet,
    wish: Wish,
    idle_max: u32,
    sight: Sight<'a>,
    /// Nodes that may have taken the direction, though telling them has failed.
    unsure: Vec<SocketAddr>,
    tell: &'a dyn Fn(&str),
}

impl<'a> Course<'a> {
    /// `tell` gets lines for people.
    pub fn new(fleet: &'a dyn Fleet, wish: Wish, bound: Bound, patience: Patience, tell: &'a dyn Fn(&str)) -> Self {
        let sight = Sight::new(fleet, wish, bound, patience.silent, tell);
        Self { fleet, wish, idle_max: patience.idle, sight, unsure: Vec::new(), tell }
    }

    /// Goes through all racks.
    pub async fn run(mut self) -> End {
        if let Err(Stop(why)) = self.through_racks().await {
            (self.tell)(&format!("stops: {why}"));
            return End::Stopped { why, moving: self.hold().await };
        }
        let places = self.fleet.places().iter().map(|place| place.address);
        let left: Vec<_> = places.filter(|node| matches!(self.sight.stand(*node), Stand::NotYet(_))).collect();
        if left.is_empty() {
            End::Done
        } else {
            End::Left(left)
        }
    }

    async fn through_racks(&mut self) -> Result<(), Stop> {
        self.sight.first().await?;
        for place in self.fleet.places() {
            if !self.is_to_move(place) {
                self.sight.tell_line(place);
            }
        }
        for (rack, mut nodes) in racks(self.fleet.places()) {
            nodes.retain(|node| self.is_to_move(node));
            if nodes.is_empty() {
                continue;
            }
            self.sight.calm().await?;
            let names: Vec<String> = nodes.iter().map(|node| node.address.to_string()).collect();
            (self.tell)(&format!("rack {rack}: {} on {}", self.wish.name(), names.join(", ")));
            self.direct(&nodes).await?;
            self.watch(&nodes).await?;
            (self.tell)(&format!("rack {rack}: done"));
        }
        Ok(())
    }

    fn is_to_move(&self, place: &Place) -> bool {
        self.sight.stand(place.address) == Stand::ToMove
    }

    async fn direct(&mut self, nodes: &[Place]) -> Result<(), Stop> {
        let told = self.fleet.direct(nodes, self.wish.name()).await;
        let mut refused = Vec::new();
        for (node, told) in nodes.iter().zip(told) {
            match told {
                Ok(()) => self.sight.directed(node.address),
                Err(error) => {
                    self.unsure.push(node.address);
                    refused.push(format!("{} does not take '{}': {error:#}", node.address, self.wish.name()));
                }
            }
        }
        if refused.is_empty() {
            return Ok(());
        }
        Err(Stop(refused.join("; ")))
    }

    async fn watch(&mut self, nodes: &[Place]) -> Result<(), Stop> {
        let (mut before, mut idle) = (u64::MAX, 0);
        loop {
            self.sight.next().await?;
            nodes.iter().for_each(|node| self.sight.tell_line(node));
            let undone: Vec<&Place> = nodes.iter().filter(|node| self.is_to_move(node)).collect();
            if undone.is_empty() {
                return Ok(());
            }
            let mut left = 0;
            for node in &undone {
                let Some(Home::Both(of)) = self.sight.home(node.address) else { continue };
                if of.direction != self.wish.name() {
                    return Err(Stop(format!("somebody else has turned {} to {}", node.address, of.direction)));
                }
                left += of.left_bytes;
            }
            idle = if left < before { 0 } else { idle + 1 };
            before = left;
            if idle >= self.idle_max {
                let lines: Vec<_> = undone.iter().map(|node| self.sight.line(node)).collect();
                return Err(Stop(format!("nothing has moved in {idle} looks: {}", lines.join("; "))));
            }
        }
    }

    /// Tells all that move to hold; those that could not be told.
    async fn hold(&mut self) -> Vec<SocketAddr> {
        if !self.unsure.is_empty() {
            self.sight.last().await;
        }
        let moving = |place: &&Place| {
            let is_unknown = self.unsure.contains(&place.address) && !self.sight.answers(place.address);
            is_unknown || self.sight.home(place.address).is_some_and(|home| moves(self.wish, home))
        };
        let mut moving: Vec<Place> = self.fleet.places().iter().filter(moving).cloned().collect();
        for _ in 0..HOLD_TRIES {
            if moving.is_empty() {
                break;
            }
            let told = self.fleet.direct(&moving, "hold").await;
            let mut left = Vec::new();
            for (node, told) in moving.into_iter().zip(told) {
                match told {
                    Ok(()) => (self.tell)(&format!("{}: hold", node.address)),
                    Err(error) => {
                        (self.tell)(&format!("{}: NOT held: {error:#}", node.address));
                        left.push(node);
                    }
                }
            }
            moving = left;
        }
        moving.into_iter().map(|node| node.address).collect()
    }
}

#[cfg(test)]
mod tests;
