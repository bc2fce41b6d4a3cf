// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! A real cluster through the command, as a user has it. Needs `make build`; `make test-lab` runs it.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::fs;
use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const NODES: u16 = 3;

/// The command on one cluster; whatever happens, nothing of it outlives the test.
struct Lab {
    folder: tempfile::TempDir,
    port: u16,
}

impl Lab {
    fn new() -> Self {
        let seed = u16::try_from(std::process::id() % 1000).unwrap();
        let port =
            (0..500).map(|attempt| 16_000 + (seed * 13 + attempt * 16) % 14_000).find(|port| free(*port)).unwrap();
        Self { folder: tempfile::tempdir().unwrap(), port }
    }

    fn base(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join("three")
    }

    fn run(&self, words: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_cassiterite-node"));
        command.args(["cluster", "--name", "three", "--base"]).arg(self.base()).args(words);
        command.output().unwrap()
    }

    fn done(&self, words: &[&str]) -> String {
        let output = self.run(words);
        assert!(output.status.success(), "{words:?}: {}", text(&output));
        String::from_utf8(output.stdout).unwrap()
    }

    fn up(&self, more: &[&str]) -> Output {
        let own = std::process::id().to_string();
        let ports = [self.port, self.port + 1, self.port + 2].map(|port| port.to_string());
        let [cql, storage, jmx] = ports.each_ref().map(String::as_str);
        let words = ["up", "--nodes", "3", "--heap", "512m", "--fast", "--die-with", &own, "--cql-port", cql];
        self.run(&[&words, ["--storage-port", storage, "--jmx-port", jmx].as_slice(), more].concat())
    }
}

impl Drop for Lab {
    fn drop(&mut self) {
        for pid in left(&self.base()) {
            let _ = Command::new("kill").args(["-9", &pid.to_string()]).status();
        }
    }
}

/// Whether a CQL port, a storage port on every address and the JMX ports behind them are free.
fn free(port: u16) -> bool {
    (0..2 + NODES)
        .all(|offset| (1..=3).all(|node| TcpListener::bind((Ipv4Addr::new(127, 0, 0, node), port + offset)).is_ok()))
}

/// Processes that have this folder in their command line.
fn left(base: &Path) -> Vec<u32> {
    let base = base.to_str().unwrap();
    let processes = fs::read_dir("/proc").unwrap().filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    processes
        .filter(|pid| {
            let words = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
            String::from_utf8_lossy(&words).contains(base)
        })
        .collect()
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&[output.stdout.as_slice(), &output.stderr].concat()).into_owned()
}

fn rings(status: &str) -> Vec<String> {
    let nodes = status.lines().filter_map(|line| line.trim().strip_prefix("node"));
    // Behind the number; the heading has none.
    nodes.filter(|node| node.starts_with(|c: char| c.is_ascii_digit())).map(second_word).collect()
}

fn second_word(text: &str) -> String {
    text.split_whitespace().nth(1).unwrap().to_owned()
}

#[test]
#[ignore = "starts nodes: make test-lab"]
fn three_nodes_come_die_return_and_go() {
    let lab = Lab::new();
    let up = lab.up(&["--engine", "cassiterite", "--racks", "3", "--set", "concurrent_reads=8"]);
    assert!(up.status.success(), "{}", text(&up));
    let port = lab.port;
    assert_eq!(
        String::from_utf8_lossy(&up.stdout).trim(),
        format!("127.0.0.1:{port},127.0.0.2:{port},127.0.0.3:{port}")
    );
    assert_eq!(rings(&lab.done(&["status"])), ["UN", "UN", "UN"]);
    assert!(lab.done(&["nodetool", "--node", "3", "info"]).contains("rack3"));

    lab.done(&["kill", "2"]);
    let status = lab.run(&["status"]);
    assert_eq!(status.status.code(), Some(1));
    assert_eq!(rings(&text(&status)), ["UN", "down", "UN"]);
    lab.done(&["start", "2", "--die-with", &std::process::id().to_string()]);
    assert_eq!(rings(&lab.done(&["status"])), ["UN", "UN", "UN"]);
    assert!(fs::metadata(lab.base().join("node2/logs/gc.log")).unwrap().len() > 0);

    lab.done(&["down"]);
    assert_eq!(left(&lab.base()), Vec::<u32>::new());
    lab.done(&["down"]);
    lab.done(&["down", "--delete"]);
    assert!(!lab.base().exists());
}

#[test]
#[ignore = "starts nodes: make test-lab"]
fn a_node_that_does_not_start_says_why_and_nothing_is_left() {
    let lab = Lab::new();
    let up = lab.up(&["--engine", "stock", "--set", "no_such_key=1"]);
    assert_eq!(up.status.code(), Some(2));
    assert!(text(&up).contains("no_such_key"), "{}", text(&up));
    assert_eq!(left(&lab.base()), Vec::<u32>::new());
}
