// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! One node, gone with the test.

use std::fs::File;
use std::net::TcpListener;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU16, Ordering};
use std::time::{Duration, Instant};

use lab_load::load::{connect, runtime, Target};
use tempfile::TempDir;

pub struct Node {
    child: Child,
    port: u16,
    base: TempDir,
}

impl Node {
    /// Starts a stock node with these keys of cassandra.yaml and waits until it speaks CQL.
    pub fn start(yaml: &[&str]) -> Self {
        Self::start_with(&["--stock"], yaml)
    }

    /// The same with the plug-in.
    #[allow(dead_code)] // not every program needs it
    pub fn start_engine(yaml: &[&str]) -> Self {
        Self::start_with(&[], yaml)
    }

    fn start_with(options: &[&str], yaml: &[&str]) -> Self {
        let base = tempfile::tempdir().unwrap();
        let [port, storage, jmx] = free_ports();
        let mut command = Command::new(env!("CARGO_BIN_EXE_cassiterite"));
        command.args(["node", "--fast", "--heap", "512m"]).args(options).arg("--base").arg(base.path());
        for (option, number) in [("--cql-port", port), ("--storage-port", storage), ("--jmx-port", jmx)] {
            command.arg(option).arg(number.to_string());
        }
        command.arg("--die-with").arg(std::process::id().to_string());
        for key in yaml {
            command.arg("--yaml").arg(key);
        }
        let log = File::create(base.path().join("out.log")).unwrap();
        let child = command.stdout(log.try_clone().unwrap()).stderr(log).stdin(Stdio::null()).spawn().unwrap();
        let mut node = Self { child, port, base };
        node.wait();
        node
    }

    pub fn contact_point(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    fn wait(&mut self) {
        let target = Target { connect_timeout: Duration::from_secs(2), ..Target::new([self.contact_point()]) };
        let (runtime, begun) = (runtime(1).unwrap(), Instant::now());
        loop {
            match runtime.block_on(connect(&target)) {
                Ok(_) => return,
                Err(error)
                    if ["a user and a password", "want TLS"].iter().any(|wish| error.to_string().contains(wish)) =>
                {
                    return
                }
                Err(error) => {
                    let gone = self.child.try_wait().unwrap().is_some();
                    let late = begun.elapsed() > Duration::from_secs(300);
                    assert!(!gone && !late, "the node does not start: {error:#}\n{}", self.last_words());
                }
            }
            std::thread::sleep(Duration::from_millis(500));
        }
    }
}

impl Node {
    /// Its process.
    #[allow(dead_code)] // not every program needs it
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// What the node has logged so far.
    #[allow(dead_code)] // not every program needs it
    pub fn log(&self) -> String {
        std::fs::read_to_string(self.base.path().join("logs/system.log")).unwrap_or_default()
    }

    fn last_words(&self) -> String {
        let log = std::fs::read_to_string(self.base.path().join("out.log")).unwrap_or_default();
        let lines: Vec<&str> = log.lines().filter(|line| line.len() < 500).collect();
        lines[lines.len().saturating_sub(15)..].join("\n")
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Below those that the kernel takes for connections: one of them could come before the node.
fn free_ports() -> [u16; 3] {
    static NEXT: AtomicU16 = AtomicU16::new(0);
    let from = 10_000 + (std::process::id() % 1_000) as u16 * 4;
    let port = || loop {
        let port = from + NEXT.fetch_add(1, Ordering::Relaxed);
        if TcpListener::bind(("127.0.0.1", port)).is_ok() {
            return port;
        }
    };
    [port(), port(), port()]
}
