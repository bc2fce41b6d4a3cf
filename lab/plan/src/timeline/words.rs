// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The words of a timeline's moves.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use anyhow::{bail, ensure, Context, Result};
use schemars::{json_schema, JsonSchema, Schema, SchemaGenerator};

use super::side::Side;
use super::step::{Fault, Move, Upkeep};
use crate::limits::Limits;
use crate::quantity::{ByteRate, Bytes, Time};
use crate::words::nearest;
use lab_node::network::Disturbance;

const MIB: u64 = 1 << 20;
/// The words of a timeline; those of `FAULTS` take a node, those of `RATES` a multiple of the phase's load.
const LENGTHS: [&str; 2] = ["steady", "wait"];
const FAULTS: [&str; 9] = ["kill", "stop", "pause", "lose", "lose-host", "start", "resume", "replace", "failover"];
const VOLUME: [&str; 6] = ["lose-copy", "reattach", "fill", "free", "slow", "unslow"];
const NETWORK: [&str; 4] = ["partition", "delay", "loss", "heal"];
/// Of the list of moves, which [`written`](super::written) reads.
const LISTED: [&str; 1] = ["flutter"];
const RATES: [&str; 3] = ["step", "ramp", "spike"];
const UPKEEP: [&str; 3] = ["repair", "flush", "compact"];

impl FromStr for Move {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<Self> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let (word, value) = (words.first().copied().unwrap_or_default(), words.get(1).copied());
        let most = match word {
            "partition" | "delay" | "loss" => usize::MAX,
            "ramp" | "spike" | "slow" => 3,
            _ => 2,
        };
        ensure!(words.len() <= most, "'{text}': one word and its value are expected, as in `kill 2`");
        let times = || -> Result<f64> {
            let number = value.and_then(|value| value.strip_suffix('x').unwrap_or(value).parse::<f64>().ok());
            let number = number.filter(|times| times.is_finite() && *times > 0.0);
            number.with_context(|| format!("'{text}': a multiple of the phase's load is expected, as in `step 2`"))
        };
        let during = || -> Result<Duration> {
            let time = words.get(2).with_context(|| format!("'{text}': a time is expected, as in `{word} 2 30s`"))?;
            Ok(time.parse::<Time>()?.0)
        };
        let node = || -> Result<u32> {
            let number = value.and_then(|value| value.strip_prefix("node").unwrap_or(value).parse().ok());
            number
                .filter(|number| *number > 0)
                .with_context(|| format!("'{text}': a node is expected, as in `{word} 2`"))
        };
        let side = |from: usize| -> Result<Side> {
            words.get(from..).unwrap_or_default().join(" ").parse().with_context(|| format!("'{text}'"))
        };
        let alone = |step: Self| -> Result<Self> {
            ensure!(value.is_none(), "'{text}': {word} takes no value");
            Ok(step)
        };
        match word {
            "steady" | "wait" => {
                let time = value.with_context(|| format!("'{text}': a time is expected, as in `{word} 1m`"))?;
                Ok(Self::Wait(time.parse::<Time>()?.0))
            }
            "kill" => Ok(Self::Hurt(Fault::Kill, node()?)),
            "stop" => Ok(Self::Hurt(Fault::Stop, node()?)),
            "pause" | "hang" => Ok(Self::Hurt(Fault::Pause, node()?)),
            "lose" => Ok(Self::Hurt(Fault::Lose, node()?)),
            "lose-host" => Ok(Self::Hurt(Fault::LoseHost, node()?)),
            "start" => Ok(Self::Start(node()?)),
            "resume" => Ok(Self::Resume(node()?)),
            "replace" => Ok(Self::Replace(node()?)),
            "failover" => Ok(Self::Failover(node()?)),
            "lose-copy" => alone(Self::LoseCopy),
            "reattach" => alone(Self::Reattach),
            "fill" => {
                let unit = value.filter(|size| size.ends_with(char::is_alphabetic));
                let size = unit.with_context(|| format!("'{text}': a size is expected, as in `fill 2GiB`"))?;
                let bytes: Bytes = size.parse()?;
                ensure!(bytes.0 >= MIB && bytes.0.is_multiple_of(MIB), "'{text}': whole MiB are expected");
                Ok(Self::Fill(bytes))
            }
            "free" => alone(Self::Free),
            "slow" => Ok(Self::Slow(limits(words.iter().skip(1).copied()).with_context(|| format!("'{text}'"))?)),
            "unslow" => alone(Self::Unslow),
            "partition" => {
                ensure!(value.is_some(), "'{text}': nodes are expected, as in `partition 2 3`");
                Ok(Self::Disturb(Disturbance::Partition, side(1)?))
            }
            "delay" => {
                let delay = value.with_context(|| format!("'{text}': a time is expected, as in `delay 50ms`"))?;
                Ok(Self::Disturb(Disturbance::Delay(delay.parse::<Time>()?.0), side(2)?))
            }
            "loss" => {
                let percent = value.and_then(|value| value.strip_suffix('%')?.parse::<f64>().ok());
                let percent = percent.filter(|percent| *percent > 0.0 && *percent <= 100.0);
                let percent = percent.with_context(|| format!("'{text}': a share is expected, as in `loss 1%`"))?;
                Ok(Self::Disturb(Disturbance::Loss(percent), side(2)?))
            }
            "heal" => alone(Self::Heal),
            "step" => Ok(Self::Step(times()?)),
            "ramp" => Ok(Self::Ramp(times()?, during()?)),
            "spike" => Ok(Self::Spike(times()?, during()?)),
            "repair" => alone(Self::Upkeep(Upkeep::Repair)),
            "flush" => alone(Self::Upkeep(Upkeep::Flush)),
            "compact" => alone(Self::Upkeep(Upkeep::Compact)),
            other => {
                let known = || {
                    [&LENGTHS[..], &FAULTS, &LISTED, &VOLUME, &NETWORK, &RATES, &UPKEEP].into_iter().flatten().copied()
                };
                let meant = nearest(other, known()).map(|word| format!("; did you mean {word}?")).unwrap_or_default();
                bail!("'{text}': {other} is none of {}{meant}", known().collect::<Vec<_>>().join(", "))
            }
        }
    }
}

/// Of reads and of writes each.
fn limits<'a>(words: impl Iterator<Item = &'a str>) -> Result<Limits> {
    let mut limits = Limits::default();
    for word in words {
        let (rate, iops) = (word.parse::<ByteRate>().ok(), word.strip_suffix("iops").and_then(|n| n.parse().ok()));
        let again = (rate.is_some() && limits.read.is_some()) || (iops.is_some() && limits.iops.is_some());
        let known = (rate.is_some() || iops.is_some()) && !again;
        ensure!(known, "a rate, operations per second, or both are expected, as in `slow 4MiB/s 100iops`");
        limits = Limits { read: rate.or(limits.read), write: rate.or(limits.write), iops: iops.or(limits.iops) };
    }
    limits.check()?;
    Ok(limits)
}

impl fmt::Display for Move {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.word())?;
        match self {
            Self::Wait(time) => write!(formatter, " {}", Time(*time)),
            Self::Hurt(_, node)
            | Self::Start(node)
            | Self::Resume(node)
            | Self::Replace(node)
            | Self::Failover(node) => write!(formatter, " {node}"),
            Self::Step(times) => write!(formatter, " {times}"),
            Self::Ramp(times, time) | Self::Spike(times, time) => write!(formatter, " {times} {}", Time(*time)),
            Self::Fill(size) => write!(formatter, " {size}"),
            Self::Slow(limits) => {
                limits.read.map_or(Ok(()), |rate| write!(formatter, " {rate}"))?;
                limits.iops.map_or(Ok(()), |iops| write!(formatter, " {iops}iops"))
            }
            Self::Disturb(disturbance, side) => {
                match disturbance {
                    Disturbance::Partition => {}
                    Disturbance::Delay(delay) => write!(formatter, " {}", Time(*delay))?,
                    Disturbance::Loss(percent) => write!(formatter, " {percent}%")?,
                }
                if side.is_empty() {
                    return Ok(());
                }
                write!(formatter, " {side}")
            }
            Self::LoseCopy | Self::Reattach | Self::Free | Self::Unslow | Self::Heal | Self::Upkeep(_) => Ok(()),
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
        json_schema!({"type": "string", "description": "steady TIME, wait TIME, kill N, stop N, pause N, lose N, lose-host N, start N, resume N, replace N, failover N, flutter N TIME TIME TIMES, lose-copy, reattach, fill SIZE, free, slow RATE, unslow, partition N, delay TIME, loss SHARE, heal, step X, ramp X TIME, spike X TIME, repair, flush or compact"})
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::timeline::tests::moves;

    #[test]
    fn moves_are_read_and_written() {
        let timeline =
            moves(&["steady 1m", "kill node2", "wait 500ms", "start 2", "lose-host node1", "failover 1", "repair"]);
        assert_eq!(
            moves(&[
                "step 2x",
                "ramp 0.5 30s",
                "spike 4 5s",
                "lose-copy",
                "fill 2GiB",
                "slow 100iops 4MiB/s",
                "unslow"
            ])
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>(),
            ["step 2", "ramp 0.5 30s", "spike 4 5s", "lose-copy", "fill 2048MiB", "slow 4MiB/s 100iops", "unslow"]
        );
        let again: Vec<String> = timeline.iter().map(ToString::to_string).collect();
        assert_eq!(again, ["wait 60s", "kill 2", "wait 0.5s", "start 2", "lose-host 1", "failover 1", "repair"]);
    }

    #[test]
    fn the_network_is_disturbed_between_nodes_or_between_all() {
        let words =
            ["partition 3", "partition node2 1", "delay 50ms", "delay 0.1s 3", "loss 1%", "loss 0.5% 2 3", "heal"];
        let again: Vec<String> = moves(&words).iter().map(ToString::to_string).collect();
        let shown = ["partition 3", "partition 1 2", "delay 0.05s", "delay 0.1s 3", "loss 1%", "loss 0.5% 2 3", "heal"];
        assert_eq!(again, shown);
        assert_eq!(moves(&shown), moves(&words));
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
            ("fill", "a size is expected"),
            ("fill 2", "a size is expected"),
            ("fill 1KiB", "whole MiB"),
            ("lose-copy 2", "takes no value"),
            ("slow", "none is there"),
            ("slow 2", "as in `slow 4MiB/s 100iops`"),
            ("slow 1MiB/s 2MiB/s", "as in `slow 4MiB/s 100iops`"),
            ("slow 1iops", "iops: 10 or more"),
            ("unslow 2", "takes no value"),
            ("partition", "nodes are expected"),
            ("partition 1 x", "a node from 1 to 64"),
            ("delay", "a time is expected"),
            ("delay 50", "a time as"),
            ("delay 50ms 0", "a node from 1 to 64"),
            ("loss 2", "a share is expected"),
            ("loss 101%", "a share is expected"),
            ("heal 2", "takes no value"),
            ("kill 2 now", "one word and its value"),
            ("step 0", "a multiple of the phase's load"),
            ("ramp 2", "a time is expected, as in `ramp 2 30s`"),
        ] {
            let error = format!("{:#}", text.parse::<Move>().unwrap_err());
            assert!(error.contains(told), "{error}");
        }
    }
}
