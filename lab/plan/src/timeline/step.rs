// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! One step of a timeline: what is done to a node, a volume, the load or the servers.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::side::Side;
use crate::limits::Limits;
use crate::quantity::Bytes;
use lab_node::network::Disturbance;

/// What is done to a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fault {
    /// Its process ends at once, as by `kill -9`.
    Kill,
    /// It ends as an operator ends it.
    Stop,
    /// It hangs: process and sockets stay, nothing answers.
    Pause,
    /// Its host is lost: its process ends at once, and all that it kept is deleted.
    Lose,
    /// Its host is lost, and its volumes are not: they can be mounted on another one.
    LoseHost,
}

/// Work of the servers beside the load, on every node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Upkeep {
    /// A full repair of the plan's keyspace.
    Repair,
    /// What is in memory goes to disk.
    Flush,
    /// A major compaction of the plan's keyspace.
    Compact,
}

impl Fault {
    /// Its word in a timeline.
    fn word(self) -> &'static str {
        match self {
            Self::Kill => "kill",
            Self::Stop => "stop",
            Self::Pause => "pause",
            Self::Lose => "lose",
            Self::LoseHost => "lose-host",
        }
    }

    /// The move that mends a node which it hurt.
    fn mend(self, node: u32) -> Move {
        match self {
            Self::Kill | Self::Stop => Move::Start(node),
            Self::Pause => Move::Resume(node),
            Self::Lose => Move::Replace(node),
            Self::LoseHost => Move::Failover(node),
        }
    }
}

impl Upkeep {
    /// The words of nodetool, without the keyspace.
    pub fn nodetool(self) -> &'static [&'static str] {
        match self {
            Self::Repair => &["repair", "--full", "-pr"],
            Self::Flush => &["flush"],
            Self::Compact => &["compact"],
        }
    }
}

/// One step of a timeline.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Move {
    /// Nothing but the load.
    Wait(Duration),
    /// A node is hurt.
    Hurt(Fault, u32),
    /// A node that is down starts again.
    Start(u32),
    /// A node that hangs goes on.
    Resume(u32),
    /// A new node takes the place of one that is lost, and is called as it was.
    Replace(u32),
    /// A node whose host is lost starts on another one, which mounts its volumes.
    Failover(u32),
    /// A copy of the volume with the data is lost.
    LoseCopy,
    /// An empty one takes its place, and gets all of it.
    Reattach,
    /// A file takes so many bytes of the volume with the data.
    Fill(Bytes),
    /// It is deleted.
    Free,
    /// The devices of the volume with the data slow down, to these limits.
    Slow(Limits),
    /// They are as fast again as the plan says.
    Unslow,
    /// What the nodes of a side and all others send to each other is lost or late.
    Disturb(Disturbance, Side),
    /// No longer.
    Heal,
    /// From now on, so many times the phase's load.
    Step(f64),
    /// Linearly to so many times the phase's load, in that time.
    Ramp(f64, Duration),
    /// So many times the phase's load for that time, then as before.
    Spike(f64, Duration),
    /// Upkeep.
    Upkeep(Upkeep),
}

impl Move {
    /// The node that it is about.
    pub fn node(self) -> Option<u32> {
        match self {
            Self::Hurt(_, node)
            | Self::Start(node)
            | Self::Resume(node)
            | Self::Replace(node)
            | Self::Failover(node) => Some(node),
            _ => None,
        }
    }

    /// What is hurt or mended by it, in words; `None` where nothing is.
    pub fn place(self) -> Option<String> {
        match self {
            Self::LoseCopy | Self::Reattach => Some("a copy of the volume".to_owned()),
            Self::Fill(_) | Self::Free => Some("the volume".to_owned()),
            Self::Slow(_) | Self::Unslow => Some("the speed of the volume".to_owned()),
            Self::Disturb(..) | Self::Heal => Some("the network".to_owned()),
            _ => self.node().map(|node| format!("node{node}")),
        }
    }

    /// Its word in a timeline.
    pub fn word(self) -> &'static str {
        match self {
            Self::Wait(_) => "wait",
            Self::Hurt(fault, _) => fault.word(),
            Self::Start(_) => "start",
            Self::Resume(_) => "resume",
            Self::Replace(_) => "replace",
            Self::Failover(_) => "failover",
            Self::LoseCopy => "lose-copy",
            Self::Reattach => "reattach",
            Self::Fill(_) => "fill",
            Self::Free => "free",
            Self::Slow(_) => "slow",
            Self::Unslow => "unslow",
            Self::Disturb(Disturbance::Partition, _) => "partition",
            Self::Disturb(Disturbance::Delay(_), _) => "delay",
            Self::Disturb(Disturbance::Loss(_), _) => "loss",
            Self::Heal => "heal",
            Self::Step(_) => "step",
            Self::Ramp(..) => "ramp",
            Self::Spike(..) => "spike",
            Self::Upkeep(Upkeep::Repair) => "repair",
            Self::Upkeep(Upkeep::Flush) => "flush",
            Self::Upkeep(Upkeep::Compact) => "compact",
        }
    }

    /// The move that mends what it hurts; `None` where it hurts nothing.
    pub fn mend(self) -> Option<Self> {
        match self {
            Self::Hurt(fault, node) => Some(fault.mend(node)),
            Self::LoseCopy => Some(Self::Reattach),
            Self::Fill(_) => Some(Self::Free),
            Self::Slow(_) => Some(Self::Unslow),
            Self::Disturb(..) => Some(Self::Heal),
            _ => None,
        }
    }

    /// Whether it mends.
    pub fn mends(self) -> bool {
        matches!(
            self,
            Self::Start(_)
                | Self::Resume(_)
                | Self::Replace(_)
                | Self::Failover(_)
                | Self::Reattach
                | Self::Free
                | Self::Unslow
                | Self::Heal
        )
    }

    /// Whether nodes come into the ring by it.
    pub fn joins(self) -> bool {
        matches!(self, Self::Start(_) | Self::Replace(_) | Self::Failover(_) | Self::Heal)
    }

    /// Whether it is done to the load alone.
    pub fn is_of_load(self) -> bool {
        matches!(self, Self::Wait(_) | Self::Step(_) | Self::Ramp(..) | Self::Spike(..))
    }

    /// Whether a node has another address afterwards.
    pub fn changes_address(self) -> bool {
        matches!(self, Self::Replace(_) | Self::Failover(_))
    }

    /// Whether it is done to the volume with the data.
    pub fn is_of_volume(self) -> bool {
        matches!(self, Self::LoseCopy | Self::Reattach | Self::Fill(_) | Self::Free | Self::Slow(_) | Self::Unslow)
    }

    /// Whether a host comes or goes, and its volumes stay.
    pub fn is_of_host(self) -> bool {
        matches!(self, Self::Hurt(Fault::LoseHost, _) | Self::Failover(_))
    }

    /// Whether it is done to the network between nodes.
    pub fn is_of_network(self) -> bool {
        matches!(self, Self::Disturb(..) | Self::Heal)
    }

    /// How long it lasts at least.
    pub fn length(self) -> Duration {
        match self {
            Self::Wait(time) | Self::Ramp(_, time) | Self::Spike(_, time) => time,
            _ => Duration::ZERO,
        }
    }

    /// The multiple of the phase's load that it asks for.
    pub fn multiple(self) -> Option<f64> {
        match self {
            Self::Step(times) | Self::Ramp(times, _) | Self::Spike(times, _) => Some(times),
            _ => None,
        }
    }
}
