// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The moves of a timeline on a cluster that is there already: the user's own commands.

use std::collections::BTreeSet;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{bail, Context, Result};

use super::course::Hands;
use crate::file::Existing;
use crate::timeline::{hook_of, Move};
use lab_node::network::Disturbance;

/// A command that takes longer is ended.
const LIMIT: Duration = Duration::from_secs(600);
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// The commands of a plan.
pub struct Hooks<'a> {
    /// The cluster.
    pub of: &'a Existing,
    /// What upkeep is for.
    pub keyspace: &'a str,
}

/// Milliseconds of a delay, per cent of a loss.
fn value(step: Move) -> String {
    match step {
        Move::Disturb(Disturbance::Delay(delay), _) => (delay.as_secs_f64() * 1e3).to_string(),
        Move::Disturb(Disturbance::Loss(percent), _) => percent.to_string(),
        _ => String::new(),
    }
}

impl Hands for Hooks<'_> {
    fn make(&mut self, step: Move, hurt: &BTreeSet<u32>) -> Result<()> {
        match step.node() {
            Some(node) => self.run(step, node),
            None if step == Move::Heal => {
                // Whoever can be healed is.
                let healed = self.of_each(step, hurt).into_iter().map(|node| self.run(step, node));
                healed.collect::<Vec<_>>().into_iter().collect()
            }
            None => self.of_each(step, hurt).into_iter().try_for_each(|node| self.run(step, node)),
        }
    }
}

impl Hooks<'_> {
    /// The nodes that a move is made on, one after the other.
    fn of_each(&self, step: Move, hurt: &BTreeSet<u32>) -> Vec<u32> {
        let has = |node: &u32| match step {
            Move::Disturb(_, side) => side.is_empty() || side.has(*node),
            Move::Heal => true,
            // Upkeep is of every node but those that are hurt.
            _ => !hurt.contains(node),
        };
        (1..=self.of.nodes).filter(has).collect()
    }

    /// Hosts of the nodes on the other side; of all others, where the move has no sides.
    fn peers(&self, step: Move, node: u32) -> Result<String> {
        let apart = |other: &u32| match step {
            Move::Disturb(_, side) if !side.is_empty() => !side.has(*other),
            _ => *other != node,
        };
        let hosts = (1..=self.of.nodes).filter(apart).map(|other| self.host(step, other));
        Ok(hosts.collect::<Result<Vec<_>>>()?.join(","))
    }

    fn host(&self, step: Move, node: u32) -> Result<&str> {
        let address = usize::try_from(node).ok().and_then(|node| self.of.contact_points.get(node.checked_sub(1)?));
        let address = address.with_context(|| format!("{step}: target.contact_points has no node {node}"))?;
        Ok(address.rsplit_once(':').map_or(address.as_str(), |(host, _)| host))
    }

    fn run(&self, step: Move, node: u32) -> Result<()> {
        let Some(word) = hook_of(step) else { return Ok(()) };
        let hook = self.of.hooks.get(word).with_context(|| format!("target.hooks: {word} is missing"))?;
        let mut command = hook
            .replace("{node}", &node.to_string())
            .replace("{address}", self.host(step, node)?)
            .replace("{keyspace}", self.keyspace);
        if step.is_of_network() {
            command = command.replace("{peers}", &self.peers(step, node)?).replace("{value}", &value(step));
        }
        finished(&command).with_context(|| format!("{step}: `{command}`"))
    }
}

/// Runs a command of the shell; its standard output is nobody's.
fn finished(command: &str) -> Result<()> {
    let mut shell = Command::new("sh");
    shell.args(["-c", command]).stdin(Stdio::null()).stdout(Stdio::null());
    let mut child = shell.spawn().context("cannot start sh")?;
    let begin = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            if !status.success() {
                bail!("it ended with {status}");
            }
            return Ok(());
        }
        if begin.elapsed() > LIMIT {
            child.kill()?;
            child.wait()?;
            bail!("it was ended after {} s", LIMIT.as_secs());
        }
        thread::sleep(LOOK_EVERY);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn the_network_is_disturbed_on_one_side_and_healed_everywhere() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("told");
        let hook = |word: &str| format!("{word}: 'echo {word} {{address}} {{peers}} {{value}} >> {}'", file.display());
        let text = format!(
            "{{cluster_name: c, contact_points: ['a:1', 'b:1', 'c:1'], nodes: 3, ceiling: 100/s, hooks: {{{}}}}}",
            ["partition", "delay", "loss", "heal"].map(hook).join(", ")
        );
        let of: Existing = serde_yaml_ng::from_str(&text).unwrap();
        let mut hooks = Hooks { of: &of, keyspace: "k" };
        for step in ["partition 2 3", "delay 50ms 1", "loss 0.5% 3", "heal"] {
            hooks.make(step.parse().unwrap(), &BTreeSet::from([2])).unwrap();
        }
        let told = std::fs::read_to_string(&file).unwrap();
        let told: Vec<&str> = told.lines().map(str::trim_end).collect();
        assert_eq!(
            told,
            [
                "partition b a",
                "partition c a",
                "delay a b,c 50",
                "loss c a,b 0.5",
                "heal a b,c",
                "heal b a,c",
                "heal c a,b"
            ]
        );
    }

    #[test]
    fn a_command_gets_node_address_and_keyspace_and_its_failure_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("told");
        let text = format!(
            "{{cluster_name: c, contact_points: ['10.0.0.1:9042', '10.0.0.2'], nodes: 2, ceiling: 100/s, hooks: {{\
             kill: 'echo {{node}} {{address}} >> {0}', start: 'exit 3', flush: 'echo {{node}} {{keyspace}} >> {0}'}}}}",
            file.display()
        );
        let of: Existing = serde_yaml_ng::from_str(&text).unwrap();
        let mut hooks = Hooks { of: &of, keyspace: "k" };
        hooks.make("kill 2".parse().unwrap(), &BTreeSet::new()).unwrap();
        hooks.make("flush".parse().unwrap(), &BTreeSet::from([2])).unwrap();
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "2 10.0.0.2\n1 k\n");
        let error = format!("{:#}", hooks.make("start 2".parse().unwrap(), &BTreeSet::new()).unwrap_err());
        assert!(error.contains("start 2: `exit 3`: it ended with exit status: 3"), "{error}");
        let error = format!("{:#}", hooks.make("pause 1".parse().unwrap(), &BTreeSet::new()).unwrap_err());
        assert!(error.contains("pause is missing"), "{error}");
    }
}
