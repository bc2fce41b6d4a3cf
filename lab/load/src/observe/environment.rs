// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The environment of a run, which every report carries: machine, versions, command line, hashes.

use std::path::Path;
use std::process::Command;

use jiff::Timestamp;
use procfs::Current;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use lab_node::cpus::Split;

/// Where and with what a run was made.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Environment {
    /// The machine that the client runs on; local servers share it.
    pub machine: Machine,
    /// Which of its CPUs are the client's and the servers'; `None`: all share all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpus: Option<Split>,
    /// Versions.
    pub software: Software,
    /// Hashes of what configures the servers and the run.
    pub hashes: Vec<Hash>,
    /// The command line of this process.
    pub command: String,
    /// When, in seconds since 1970.
    pub when_unix_s: u64,
    /// The machine's load average of the last minute when the run began: other work beside it.
    pub load_average: Option<f32>,
}

/// A machine.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Machine {
    /// The CPU's name.
    pub cpu: Option<String>,
    /// CPUs that this process may use.
    pub cpus: Option<usize>,
    /// Memory.
    pub memory_bytes: Option<u64>,
    /// Kernel release.
    pub kernel: Option<String>,
}

/// Versions; `None` where it could not be found out.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Software {
    /// This command's.
    pub lab: String,
    /// Commit of the checkout that it was built in, with `+` when files were changed.
    pub commit: Option<String>,
    /// First line of `java -version`.
    pub java: Option<String>,
    /// Cassandra's, as the servers say or as the checkout's jars are.
    pub cassandra: Option<String>,
}

/// SHA-256 of one thing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Hash {
    /// The file: `cassandra.yaml of stock`, `plug-in jar`, `profile` ...
    pub name: String,
    /// 64 hexadecimal digits.
    pub sha256: String,
}

impl Environment {
    /// Looks around: the machine, the commit of the checkout at `home`, the Java on the path. `cassandra` and further hashes
    /// are the caller's to add.
    pub fn now(home: Option<&Path>) -> Self {
        Self {
            machine: Machine::this(),
            cpus: None,
            software: Software {
                lab: env!("CARGO_PKG_VERSION").to_owned(),
                commit: home.and_then(commit),
                java: java(),
                cassandra: home.and_then(cassandra_version),
            },
            hashes: Vec::new(),
            command: std::env::args().map(without_password).collect::<Vec<_>>().join(" "),
            when_unix_s: u64::try_from(Timestamp::now().as_second()).unwrap_or(0),
            load_average: procfs::LoadAverage::current().ok().map(|load| load.one),
        }
    }

    /// Adds the hash of a file, once; a file that cannot be read is left out.
    pub fn add_file(&mut self, name: &str, path: &Path) {
        if let Some(hash) = file_hash(name, path) {
            self.add(hash);
        }
    }

    /// Adds a hash unless the same is there.
    pub fn add(&mut self, hash: Hash) {
        if !self.hashes.contains(&hash) {
            self.hashes.push(hash);
        }
    }
}

/// A command line is kept in every report; its passwords are not, whatever they consist of.
fn without_password(word: String) -> String {
    const PASSWORD: &str = "password=";
    match word.find(PASSWORD) {
        Some(at) => format!("{}***", &word[..at + PASSWORD.len()]),
        None => word,
    }
}

impl Machine {
    /// The machine that this process runs on.
    pub fn this() -> Self {
        Self {
            cpu: procfs::CpuInfo::current().ok().and_then(|info| info.model_name(0).map(str::to_owned)),
            cpus: std::thread::available_parallelism().ok().map(usize::from),
            memory_bytes: procfs::Meminfo::current().ok().map(|memory| memory.mem_total),
            kernel: std::fs::read_to_string("/proc/sys/kernel/osrelease").ok().map(|text| text.trim().to_owned()),
        }
    }
}

/// The hash of a file's bytes; `None` when it cannot be read.
pub fn file_hash(name: &str, path: &Path) -> Option<Hash> {
    Some(hash(name, &std::fs::read(path).ok()?))
}

/// The hash of a text.
pub fn text_hash(name: &str, text: &str) -> Hash {
    hash(name, text.as_bytes())
}

fn hash(name: &str, bytes: &[u8]) -> Hash {
    let sha256 = Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect();
    Hash { name: name.to_owned(), sha256 }
}

fn commit(home: &Path) -> Option<String> {
    let git = |words: &[&str]| {
        let ran = Command::new("git").arg("-C").arg(home).args(words).output().ok()?;
        ran.status.success().then(|| String::from_utf8_lossy(&ran.stdout).trim().to_owned())
    };
    let commit = git(&["rev-parse", "--short=12", "HEAD"])?;
    let changed = git(&["status", "--porcelain", "--untracked-files=no"]).is_some_and(|files| !files.is_empty());
    Some(if changed { commit + "+" } else { commit })
}

fn java() -> Option<String> {
    let java = std::env::var("JAVA_HOME").map_or_else(|_| "java".to_owned(), |home| format!("{home}/bin/java"));
    let output = Command::new(java).arg("-version").output().ok()?;
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    text.lines().find(|line| line.contains("version")).map(str::to_owned)
}

/// The version of Cassandra that nodes of the checkout run; `None` without one.
pub fn cassandra_version(home: &Path) -> Option<String> {
    let version = std::fs::read_to_string(home.join(lab_node::cluster::cassandra()).join("version")).ok()?;
    Some(version.trim().to_owned())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_password_is_in_no_report() {
        let kept = |word: &str| without_password(word.to_owned());
        assert_eq!(kept("password=two words"), "password=***");
        assert_eq!(kept("user=me password=secret words"), "user=me password=***");
        assert_eq!(kept("user=me"), "user=me");
    }

    #[test]
    fn hashes_are_sha256_and_named_once() {
        let empty = text_hash("nothing", "");
        assert_eq!(empty.sha256, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
        let mut environment = Environment::now(None);
        environment.add(empty.clone());
        environment.add(empty);
        assert_eq!(environment.hashes.len(), 1);
        assert!(environment.machine.kernel.is_some() && environment.machine.memory_bytes.unwrap() > 1 << 30);
    }
}
