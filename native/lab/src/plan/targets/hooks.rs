// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The moves of a timeline on a cluster that is there already: the user's own commands.

use std::collections::BTreeSet;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{bail, Context, Result};

use super::course::Hands;
use crate::plan::file::Existing;
use crate::plan::timeline::Move;

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

/// The word of the command that makes a move; `None` where it takes none.
pub fn word(step: Move) -> Option<&'static str> {
    match step {
        Move::Hurt(..) | Move::Start(_) | Move::Resume(_) | Move::Replace(_) | Move::Upkeep(_) => Some(step.word()),
        Move::LoseCopy | Move::Reattach | Move::Fill(_) | Move::Free | Move::Slow(_) | Move::Unslow => None,
        Move::Wait(_) | Move::Step(_) | Move::Ramp(..) | Move::Spike(..) => None,
    }
}

impl Hands for Hooks<'_> {
    fn make(&mut self, step: Move, hurt: &BTreeSet<u32>) -> Result<()> {
        match step.node() {
            Some(node) => self.run(step, node),
            // Upkeep is of every node, one after the other; those that are hurt are left out.
            None => (1..=self.of.nodes).filter(|node| !hurt.contains(node)).try_for_each(|node| self.run(step, node)),
        }
    }
}

impl Hooks<'_> {
    fn run(&self, step: Move, node: u32) -> Result<()> {
        let Some(word) = word(step) else { return Ok(()) };
        let hook = self.of.hooks.get(word).with_context(|| format!("target.hooks: {word} is missing"))?;
        let address = usize::try_from(node).ok().and_then(|node| self.of.contact_points.get(node.checked_sub(1)?));
        let address = address.with_context(|| format!("{step}: target.contact_points has no node {node}"))?;
        let host = address.rsplit_once(':').map_or(address.as_str(), |(host, _)| host);
        let command =
            hook.replace("{node}", &node.to_string()).replace("{address}", host).replace("{keyspace}", self.keyspace);
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
