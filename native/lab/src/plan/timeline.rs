// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The timeline of a phase: what happens to the nodes while a load runs.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use anyhow::{bail, ensure, Context, Result};
use schemars::{json_schema, JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};

use super::file::nearest;
use super::quantity::Time;

/// The words of a timeline; those of the second list take a node, those of the third a multiple of the phase's load.
const LENGTHS: [&str; 2] = ["steady", "wait"];
const FAULTS: [&str; 5] = ["kill", "stop", "pause", "start", "resume"];
const RATES: [&str; 3] = ["step", "ramp", "spike"];
const UPKEEP: [&str; 3] = ["repair", "flush", "compact"];

/// What is done to a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Fault {
    /// Its process ends at once, as by `kill -9`.
    Kill,
    /// It ends as an operator ends it.
    Stop,
    /// It hangs: process and sockets stay, nothing answers.
    Pause,
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
        }
    }

    /// The move that mends a node which it hurt.
    pub fn mend(self, node: u32) -> Move {
        match self {
            Self::Kill | Self::Stop => Move::Start(node),
            Self::Pause => Move::Resume(node),
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
            Self::Hurt(_, node) | Self::Start(node) | Self::Resume(node) => Some(node),
            _ => None,
        }
    }

    /// Its word in a timeline.
    pub fn word(self) -> &'static str {
        match self {
            Self::Wait(_) => "wait",
            Self::Hurt(fault, _) => fault.word(),
            Self::Start(_) => "start",
            Self::Resume(_) => "resume",
            Self::Step(_) => "step",
            Self::Ramp(..) => "ramp",
            Self::Spike(..) => "spike",
            Self::Upkeep(Upkeep::Repair) => "repair",
            Self::Upkeep(Upkeep::Flush) => "flush",
            Self::Upkeep(Upkeep::Compact) => "compact",
        }
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

impl FromStr for Move {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<Self> {
        let mut words = text.split_whitespace();
        let (word, value, time) = (words.next().unwrap_or_default(), words.next(), words.next());
        let timed = matches!(word, "ramp" | "spike");
        let too_much = words.next().is_some() || (time.is_some() && !timed);
        ensure!(!too_much, "'{text}': one word and its value are expected, as in `kill 2`");
        let times = || -> Result<f64> {
            let number = value.and_then(|value| value.strip_suffix('x').unwrap_or(value).parse::<f64>().ok());
            let number = number.filter(|times| times.is_finite() && *times > 0.0);
            number.with_context(|| format!("'{text}': a multiple of the phase's load is expected, as in `step 2`"))
        };
        let during = || -> Result<Duration> {
            let time = time.with_context(|| format!("'{text}': a time is expected, as in `{word} 2 30s`"))?;
            Ok(time.parse::<Time>()?.0)
        };
        let node = || -> Result<u32> {
            let number = value.and_then(|value| value.strip_prefix("node").unwrap_or(value).parse().ok());
            number
                .filter(|number| *number > 0)
                .with_context(|| format!("'{text}': a node is expected, as in `{word} 2`"))
        };
        let alone = |upkeep| {
            ensure!(value.is_none(), "'{text}': {word} is of every node, and takes no value");
            Ok(Self::Upkeep(upkeep))
        };
        match word {
            "steady" | "wait" => {
                let time = value.with_context(|| format!("'{text}': a time is expected, as in `{word} 1m`"))?;
                Ok(Self::Wait(time.parse::<Time>()?.0))
            }
            "kill" => Ok(Self::Hurt(Fault::Kill, node()?)),
            "stop" => Ok(Self::Hurt(Fault::Stop, node()?)),
            "pause" | "hang" => Ok(Self::Hurt(Fault::Pause, node()?)),
            "start" => Ok(Self::Start(node()?)),
            "resume" => Ok(Self::Resume(node()?)),
            "step" => Ok(Self::Step(times()?)),
            "ramp" => Ok(Self::Ramp(times()?, during()?)),
            "spike" => Ok(Self::Spike(times()?, during()?)),
            "repair" => alone(Upkeep::Repair),
            "flush" => alone(Upkeep::Flush),
            "compact" => alone(Upkeep::Compact),
            other => {
                let known = || LENGTHS.iter().chain(&FAULTS).chain(&RATES).chain(&UPKEEP).copied();
                let meant = nearest(other, known()).map(|word| format!("; did you mean {word}?")).unwrap_or_default();
                bail!("'{text}': {other} is none of {}{meant}", known().collect::<Vec<_>>().join(", "))
            }
        }
    }
}

impl fmt::Display for Move {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.word())?;
        match self {
            Self::Wait(time) => write!(formatter, " {}", Time(*time)),
            Self::Hurt(_, node) | Self::Start(node) | Self::Resume(node) => write!(formatter, " {node}"),
            Self::Step(times) => write!(formatter, " {times}"),
            Self::Ramp(times, time) | Self::Spike(times, time) => write!(formatter, " {times} {}", Time(*time)),
            Self::Upkeep(_) => Ok(()),
        }
    }
}

impl TryFrom<String> for Move {
    type Error = anyhow::Error;

    fn try_from(text: String) -> Result<Self> {
        text.parse()
    }
}

impl From<Move> for String {
    fn from(step: Move) -> Self {
        step.to_string()
    }
}

impl JsonSchema for Move {
    fn schema_name() -> Cow<'static, str> {
        "Move".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "string", "description": "steady TIME, wait TIME, kill N, stop N, pause N, start N, resume N, step X, ramp X TIME, spike X TIME, repair, flush or compact"})
    }
}

/// Refuses a timeline that hurts a node twice, or mends one that was not hurt.
pub fn check(timeline: &[Move]) -> Result<()> {
    ensure!(timeline.iter().any(|step| !step.length().is_zero()), "a timeline without any time has no figures");
    let mut hurt: BTreeMap<u32, Fault> = BTreeMap::new();
    for step in timeline {
        match step {
            Move::Hurt(fault, node) => {
                let before = hurt.insert(*node, *fault);
                ensure!(before.is_none(), "{step}: node{node} is hurt already: start or resume it before");
            }
            Move::Start(node) => {
                let before = hurt.remove(node);
                // The ring is asked of any node that runs; one that hangs never answers.
                let hangs = hurt.iter().find(|(_, fault)| **fault == Fault::Pause).map(|(node, _)| *node);
                if let Some(other) = hangs {
                    bail!("{step}: node{other} hangs meanwhile, and a node cannot join a ring that hangs: resume it before");
                }
                let down = matches!(before, Some(Fault::Kill | Fault::Stop));
                ensure!(down, "{step}: node{node} is not down: kill or stop it before");
            }
            Move::Resume(node) => {
                let before = hurt.remove(node);
                ensure!(before == Some(Fault::Pause), "{step}: node{node} does not hang: pause it before");
            }
            _ => {}
        }
    }
    Ok(())
}

/// What a timeline leaves undone: the moves that mend the nodes which it hurt.
pub fn mends(timeline: &[Move]) -> Vec<Move> {
    let mut open: Vec<(u32, Fault)> = Vec::new();
    for step in timeline {
        match step {
            Move::Hurt(fault, node) => open.push((*node, *fault)),
            Move::Start(node) | Move::Resume(node) => open.retain(|(hurt, _)| hurt != node),
            _ => {}
        }
    }
    open.into_iter().map(|(node, fault)| fault.mend(node)).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn moves(words: &[&str]) -> Vec<Move> {
        words.iter().map(|word| word.parse().unwrap()).collect()
    }

    #[test]
    fn moves_are_read_and_written() {
        let timeline = moves(&["steady 1m", "kill node2", "wait 500ms", "start 2", "pause 1", "resume 1", "repair"]);
        assert_eq!(
            moves(&["step 2x", "ramp 0.5 30s", "spike 4 5s"]).iter().map(ToString::to_string).collect::<Vec<_>>(),
            ["step 2", "ramp 0.5 30s", "spike 4 5s"]
        );
        let again: Vec<String> = timeline.iter().map(ToString::to_string).collect();
        assert_eq!(again, ["wait 60s", "kill 2", "wait 0.5s", "start 2", "pause 1", "resume 1", "repair"]);
        check(&timeline).unwrap();
    }

    #[test]
    fn what_is_no_move_is_refused_with_the_nearest_word() {
        for (text, told) in [
            ("kil 2", "did you mean kill?"),
            ("kill", "a node is expected"),
            ("kill 0", "a node is expected"),
            ("steady", "a time is expected"),
            ("steady 60", "a time as"),
            ("flush 2", "takes no value"),
            ("kill 2 now", "one word and its value"),
            ("step 0", "a multiple of the phase's load"),
            ("ramp 2", "a time is expected, as in `ramp 2 30s`"),
        ] {
            let error = format!("{:#}", text.parse::<Move>().unwrap_err());
            assert!(error.contains(told), "{error}");
        }
    }

    #[test]
    fn a_node_is_hurt_once_and_mended_as_it_was_hurt() {
        for (words, told) in [
            (&["wait 1s", "kill 2", "pause 2"][..], "hurt already"),
            (&["wait 1s", "start 2"], "not down"),
            (&["wait 1s", "pause 2", "start 2"], "not down"),
            (&["wait 1s", "kill 2", "resume 2"], "does not hang"),
            (&["kill 2", "start 2"], "without any time"),
            (&["wait 1s", "kill 2", "pause 1", "start 2"], "node1 hangs meanwhile"),
        ] {
            let error = check(&moves(words)).unwrap_err().to_string();
            assert!(error.contains(told), "{error}");
        }
        assert_eq!(mends(&moves(&["kill 2", "pause 1", "start 2", "stop 3"])), moves(&["resume 1", "start 3"]));
    }
}
