// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The rules of a cluster in the kernel's filter of packets, which `iptables` writes: all of a change at once, or nothing of it.

use std::fmt::Write as _;
use std::io::{Error, ErrorKind};
use std::net::Ipv4Addr;
use std::process::Command;
use std::time::Duration;

use anyhow::{bail, Context, Result};

use super::{group, Disturbance, Node};
use crate::command::answered;

const RESTORE: &str = "iptables-restore";
/// Packets between two nodes have it from the sender to the receiver.
const MARK: &str = "0xca55";
/// No cluster has it, and no packet comes to its rules.
const NO_PORT: u16 = 0;

/// The chains of a cluster: what leaves is marked by the first, and is dropped or held by the second as it arrives.
fn chains(port: u16) -> [String; 2] {
    ["out", "in"].map(|way| format!("cassiterite-{port}-{way}"))
}

/// Why the filter has not what all disturbances take; nothing when it has. Its rules are made, and taken away again.
pub(super) fn able(group: &str) -> Result<()> {
    said(Command::new(RESTORE).arg("--version"), "")?;
    let node = || Node { address: Ipv4Addr::LOCALHOST, group: group.to_owned() };
    for disturbance in [Disturbance::Partition, Disturbance::Delay(Duration::ZERO), Disturbance::Loss(50.0)] {
        let made = change(&table(NO_PORT, disturbance, &[(node(), node())], ""));
        made.and_then(|()| remove(NO_PORT)).context(
            "network faults need root, in a container CAP_NET_ADMIN, and of the kernel's filter the matches cgroup, mark and \
             statistic and the target NFQUEUE",
        )?;
    }
    Ok(())
}

/// Makes the rules for what the nodes of each pair send to each other.
pub(super) fn make(port: u16, disturbance: Disturbance, pairs: &[(Node, Node)]) -> Result<()> {
    let [out, into] = chains(port);
    let jumps = format!(
        "-I OUTPUT -o lo -p tcp --dport {port} -j {out}\n-I PREROUTING -i lo -p tcp --dport {port} -j {into}\n"
    );
    change(&table(port, disturbance, pairs, &jumps))
}

/// Takes them away; nothing happens where there are none.
pub(super) fn remove(port: u16) -> Result<()> {
    let mut list = Command::new("iptables");
    let there = said(list.args(["-w", "-t", "mangle", "-S"]), "")?;
    let text = removal(&there, &chains(port));
    if text.is_empty() {
        return Ok(());
    }
    change(&format!("*mangle\n{text}COMMIT\n"))
}

fn table(port: u16, disturbance: Disturbance, pairs: &[(Node, Node)], jumps: &str) -> String {
    let [out, into] = chains(port);
    let mut text = format!("*mangle\n:{out} - [0:0]\n:{into} - [0:0]\n");
    for (one, other) in pairs.iter().flat_map(|(one, other)| [(one, other), (other, one)]) {
        let (from, to) = (group::path(&one.group), other.address);
        let _ = writeln!(text, "-A {out} -m cgroup --path {from} -d {to} -j MARK --set-mark {MARK}");
    }
    let happens = match disturbance {
        Disturbance::Partition => "-j DROP".to_owned(),
        // Without a listener they pass.
        Disturbance::Delay(_) => format!("-j NFQUEUE --queue-num {port} --queue-bypass"),
        Disturbance::Loss(percent) => {
            format!("-m statistic --mode random --probability {:.6} -j DROP", percent / 100.0)
        }
    };
    let _ = write!(text, "-A {into} -m mark --mark {MARK} {happens}\n{jumps}COMMIT\n");
    text
}

/// The lines that take away the chains, and what jumps to them, out of a list of all rules.
fn removal(there: &str, chains: &[String]) -> String {
    let mut text = String::new();
    let jumps = there.lines().filter_map(|line| line.strip_prefix("-A ")).filter(|rule| {
        let to = rule.rsplit_once("-j ").map(|(_, to)| to.trim());
        chains.iter().any(|chain| to == Some(chain))
    });
    jumps.for_each(|rule| text.push_str(&format!("-D {rule}\n")));
    let made = chains.iter().filter(|chain| there.lines().any(|line| line.strip_prefix("-N ") == Some(chain.as_str())));
    made.for_each(|chain| text.push_str(&format!("-F {chain}\n-X {chain}\n")));
    text
}

fn change(text: &str) -> Result<()> {
    said(Command::new(RESTORE).args(["-w", "--noflush"]), text).map(drop)
}

fn said(command: &mut Command, input: &str) -> Result<String> {
    let missing = |error: &anyhow::Error| error.downcast_ref().is_some_and(|e: &Error| e.kind() == ErrorKind::NotFound);
    match answered(command, input) {
        Err(error) if missing(&error) => {
            bail!("the program {} is missing: install the package iptables", command.get_program().to_string_lossy())
        }
        answer => answer,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_two_nodes_send_to_each_other_is_marked() {
        let node = |number: u8| Node { address: Ipv4Addr::new(127, 0, 0, number), group: format!("n{number}") };
        let text = table(7000, Disturbance::Loss(12.5), &[(node(1), node(3))], "");
        assert_eq!(
            text.lines().collect::<Vec<_>>(),
            [
                "*mangle",
                ":cassiterite-7000-out - [0:0]",
                ":cassiterite-7000-in - [0:0]",
                "-A cassiterite-7000-out -m cgroup --path cassiterite/n1 -d 127.0.0.3 -j MARK --set-mark 0xca55",
                "-A cassiterite-7000-out -m cgroup --path cassiterite/n3 -d 127.0.0.1 -j MARK --set-mark 0xca55",
                "-A cassiterite-7000-in -m mark --mark 0xca55 -m statistic --mode random --probability 0.125000 -j DROP",
                "COMMIT",
            ]
        );
    }

    #[test]
    fn rules_of_others_stay() {
        let there = "-P OUTPUT ACCEPT\n-N cassiterite-7000-in\n-N cassiterite-7000-out\n-N cassiterite-70001-in\n\
                     -A OUTPUT -o lo -p tcp -m tcp --dport 7000 -j cassiterite-7000-out\n\
                     -A OUTPUT -p tcp -j cassiterite-70001-in\n-A INPUT -j DROP\n\
                     -A cassiterite-7000-in -m mark --mark 0xca55 -j DROP\n";
        assert_eq!(
            removal(there, &chains(7000)),
            "-D OUTPUT -o lo -p tcp -m tcp --dport 7000 -j cassiterite-7000-out\n\
             -F cassiterite-7000-out\n-X cassiterite-7000-out\n-F cassiterite-7000-in\n-X cassiterite-7000-in\n"
        );
        assert_eq!(removal("-P OUTPUT ACCEPT\n", &chains(7000)), "");
    }
}
