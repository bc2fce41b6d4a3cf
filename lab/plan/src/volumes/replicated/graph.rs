// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! What a process of GlusterFS is made of: translators, each upon those before it.

use std::fmt::Write;

use anyhow::{Context, Result};

/// Where a brick keeps what lacks in other copies, below its folder.
pub const INDICES: &str = ".glusterfs/indices";
/// Bricks and healer of one machine know each other by it; any UUID will do.
const MACHINE: &str = "3d2a5a0e-6a0c-4c57-9d5e-0c8f9b7e41d2";
/// Ends the healer's rest, in seconds; it does not wait where a brick comes back.
const HEAL_EVERY_S: &str = "5";
const PORT: &str = "transport.socket.listen-port";

/// The graph of one process.
struct Graph(String);

impl Graph {
    fn with(mut self, name: &str, kind: &str, options: &[(&str, &str)], upon: &[String]) -> Self {
        let _ = writeln!(self.0, "volume {name}\n  type {kind}");
        for (option, value) in options {
            let _ = writeln!(self.0, "  option {option} {value}");
        }
        if !upon.is_empty() {
            let _ = writeln!(self.0, "  subvolumes {}", upon.join(" "));
        }
        self.0 += "end-volume\n";
        self
    }
}

fn upon(name: &str) -> [String; 1] {
    [name.to_owned()]
}

/// Serves a folder on a port of the loopback.
pub fn brick(folder: &str, port: u16) -> String {
    let (indices, port) = (format!("{folder}/{INDICES}"), port.to_string());
    let index = [
        ("index-base", indices.as_str()),
        ("xattrop-dirty-watchlist", "trusted.afr.dirty"),
        ("xattrop-pending-watchlist", "trusted.afr.copies-"),
    ];
    let server = [
        ("transport-type", "tcp"),
        ("transport.address-family", "inet"),
        ("transport.socket.bind-address", "127.0.0.1"),
        (PORT, &port),
        ("auth.addr.brick.allow", "127.0.0.1"),
    ];
    Graph(String::new())
        .with("posix", "storage/posix", &[("directory", folder), ("glusterd-uuid", MACHINE)], &[])
        .with("locks", "features/locks", &[], &upon("posix"))
        .with("threads", "performance/io-threads", &[("thread-count", "16")], &upon("locks"))
        .with("index", "features/index", &index, &upon("threads"))
        .with("brick", "debug/io-stats", &[], &upon("index"))
        .with("server", "protocol/server", &server, &upon("brick"))
        .0
}

/// The port of a brick's graph.
pub fn port(brick: &str) -> Result<u16> {
    let line = brick.lines().find_map(|line| line.trim().strip_prefix("option ")?.strip_prefix(PORT));
    line.and_then(|port| port.trim().parse().ok()).context("a brick without a port")
}

/// Mounts what the bricks of these ports serve.
pub fn client(ports: &[u16]) -> String {
    copies(ports, &[]).with("top", "performance/write-behind", &[], &upon("copies")).0
}

/// Copies to a brick what it lacks.
pub fn healer(ports: &[u16]) -> String {
    let own = [
        ("iam-self-heal-daemon", "yes"),
        ("self-heal-daemon", "enable"),
        ("data-self-heal", "on"),
        ("metadata-self-heal", "on"),
        ("entry-self-heal", "on"),
        ("node-uuid", MACHINE),
        ("heal-timeout", HEAL_EVERY_S),
    ];
    copies(ports, &own).with("top", "debug/io-stats", &[], &upon("copies")).0
}

fn copies(ports: &[u16], own: &[(&str, &str)]) -> Graph {
    let names: Vec<String> = (0..ports.len()).map(|at| format!("copies-client-{at}")).collect();
    let graph = names.iter().zip(ports).fold(Graph(String::new()), |graph, (name, port)| {
        let port = port.to_string();
        let options = [
            ("transport-type", "tcp"),
            ("transport.address-family", "inet"),
            ("remote-host", "127.0.0.1"),
            ("remote-port", &port),
            ("remote-subvolume", "brick"),
        ];
        graph.with(name, "protocol/client", &options, &[])
    });
    if let [only] = names.as_slice() {
        return graph.with("copies", "debug/io-stats", &[], &upon(only));
    }
    let pending = names.join(",");
    // Of two copies either may go on alone; of three, two must be there.
    let quorum = if ports.len() > 2 { "auto" } else { "none" };
    let options: Vec<(&str, &str)> =
        [("afr-pending-xattr", pending.as_str()), ("quorum-type", quorum)].iter().chain(own).copied().collect();
    graph.with("copies", "cluster/replicate", &options, &names)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_graph_has_a_client_for_each_copy_and_listens_on_the_loopback_alone() {
        let brick = brick("/v/host1/brick", 4711);
        assert!(brick.contains("option transport.socket.bind-address 127.0.0.1\n"), "{brick}");
        assert_eq!(port(&brick).unwrap(), 4711);
        let three = client(&[1, 2, 3]);
        assert!(three.contains("subvolumes copies-client-0 copies-client-1 copies-client-2\n"), "{three}");
        assert!(three.contains("quorum-type auto") && client(&[1, 2]).contains("quorum-type none"));
        assert!(!client(&[1]).contains("cluster/replicate"));
        assert!(healer(&[1, 2]).contains("iam-self-heal-daemon yes"));
    }
}
