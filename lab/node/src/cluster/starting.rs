// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Starts nodes and waits until they serve, or says why they do not.

use std::net::{Ipv4Addr, SocketAddr};
use std::process::{Child, ExitStatus};
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{bail, Context, Result};

use super::ended::{LastWords, NodeEnded};
use super::log::LogSince;
use super::member::Member;
use super::node::owner::Owner;
use super::progress::Progress;
use super::{ready, ClusterSpec, Home};
use crate::cpus::Cpus;
use crate::network;

const POLL: Duration = Duration::from_millis(250);
const MOST_SEEDS: usize = 3;
const PORTS_MAX: Duration = Duration::from_secs(20);

/// A node whose process has been started.
pub(super) struct Started {
    pub member: Member,
    pub log: LogSince,
    ended: Arc<OnceLock<ExitStatus>>,
}

/// Refuses to start a node whose ports are taken. A process that has ended gives its own back a moment later: the kernel
/// frees its memory first.
pub(super) fn await_ports(spec: &ClusterSpec, member: &Member) -> Result<()> {
    for (address, what) in [
        (member.cql(spec), "CQL"),
        (SocketAddr::from((member.address, spec.storage_port)), "storage"),
        (SocketAddr::from((Ipv4Addr::LOCALHOST, member.jmx_port)), "JMX"),
    ] {
        ready::await_free(address, &format!("the {what} port of {}", member.name()), PORTS_MAX)?;
    }
    Ok(())
}

/// Starts the node's process; it knows its peers by the addresses of those that run.
pub(super) fn start(home: &Home, spec: &ClusterSpec, member: &Member, running: &[Ipv4Addr]) -> Result<Started> {
    let seeds: Vec<Ipv4Addr> =
        running.iter().copied().filter(|seed| *seed != member.address).take(MOST_SEEDS).collect();
    // Alone, a node is its own seed, and waits for nobody.
    let seeds = if seeds.is_empty() { vec![member.address] } else { seeds };
    await_ports(spec, member)?;
    let log = LogSince::now(member.system_log(spec));
    let owner = spec.owner_pid.map(Owner::find).transpose()?;
    let mut command = member.command(home, spec, &seeds)?;
    let spawned = Cpus::run_on(spec.cpus.as_ref(), || Ok(command.spawn()?));
    let mut child = spawned.with_context(|| format!("cannot start {}", member.name()))?;
    let pid = i32::try_from(child.id()).context("a pid beyond what Linux has")?;
    let watcher = match hold(spec, member, pid).and_then(|()| owner.map(|owner| owner.watch_over(pid)).transpose()) {
        Ok(watcher) => watcher,
        Err(error) => {
            child.kill()?;
            child.wait()?;
            return Err(error);
        }
    };
    Ok(Started { member: Member { pid: Some(pid), ..member.clone() }, log, ended: reaped(child, watcher) })
}

/// Puts a node into its groups, before it has sockets.
fn hold(spec: &ClusterSpec, member: &Member, pid: i32) -> Result<()> {
    let name = spec.group_name(member.number);
    if let Some(fence) = spec.fence {
        fence.hold(&name, pid)?;
    }
    if spec.network_faults {
        network::hold(&name, pid)?;
    }
    Ok(())
}

/// Waits for the node and its watcher in a thread, so that their ends leave no zombies however long this program runs.
fn reaped(mut child: Child, watcher: Option<Child>) -> Arc<OnceLock<ExitStatus>> {
    let ended = Arc::new(OnceLock::new());
    let end = Arc::clone(&ended);
    thread::spawn(move || {
        if let Ok(status) = child.wait() {
            let _ = end.set(status);
        }
        if let Some(mut watcher) = watcher {
            let _ = watcher.wait();
        }
    });
    ended
}

impl Started {
    /// Waits until all of them answer CQL. `failure` may know better than a node why it will not get there.
    pub fn await_cql(
        all: &[Self],
        spec: &ClusterSpec,
        progress: &dyn Progress,
        failure: &dyn Fn() -> Option<String>,
    ) -> Result<()> {
        let deadline = Instant::now() + spec.start_limit;
        let tls_only = speaks_tls_only(spec);
        let mut waiting: Vec<&Self> = all.iter().collect();
        while !waiting.is_empty() {
            waiting.retain(|node| !ready::answers_cql(node.member.cql(spec), tls_only) || node.has_ended());
            for node in &waiting {
                node.check(spec, deadline)?;
                progress.node(node.member.number, &node.log.doing().unwrap_or_else(|| "the JVM starts".to_owned()));
            }
            if let Some(reason) = failure() {
                bail!(reason);
            }
            if progress.cancelled() {
                bail!("interrupted");
            }
            if !waiting.is_empty() {
                thread::sleep(POLL);
            }
        }
        Ok(())
    }

    fn check(&self, spec: &ClusterSpec, deadline: Instant) -> Result<()> {
        if self.has_ended() {
            let code = self.ended.get().map_or_else(String::new, |status| format!(" ({status})"));
            return Err(NodeEnded::new(&self.member.name(), &code, self.says(spec)).into());
        }
        if Instant::now() > deadline {
            let limit = spec.start_limit.as_secs();
            bail!("{} does not answer CQL after {limit} s{}", self.member.name(), self.says(spec));
        }
        Ok(())
    }

    /// Its command line would not say: that is empty for a moment each time when the process becomes another program.
    fn has_ended(&self) -> bool {
        self.ended.get().is_some()
    }

    /// Its own words since it was started.
    pub fn says(&self, spec: &ClusterSpec) -> LastWords {
        LastWords::of(&self.log, &self.member, spec)
    }
}

fn speaks_tls_only(spec: &ClusterSpec) -> bool {
    let said = |key: &str| spec.set.iter().any(|(set, value)| set == key && value.trim() == "true");
    said("client_encryption_options.enabled") && !said("client_encryption_options.optional")
        || spec.set.iter().any(|(set, value)| set == "client_encryption_options" && value.contains("enabled: true"))
}
