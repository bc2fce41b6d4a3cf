// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! `cassiterite node` with a stand-in for java: the configuration, the command line and the process of a node.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

const LIMIT: Duration = Duration::from_secs(120);
const SIGKILL: i32 = 9;
const TLS: &str = "server_encryption_options:\n  internode_encryption: all\n  keystore: \"conf/a b\"";

/// The nodes whose files `tests/node` holds, and their options.
const GOLDEN: [(&str, &[&str]); 5] = [
    ("plain", &[]),
    ("fast", &["--fast", "--classpath", "/classes", "--vnodes", "1"]),
    (
        "stock",
        &[
            "--stock",
            "--heap=256m",
            "--address=127.0.0.2",
            "--cql-port=19042",
            "--storage-port=17000",
            "--jmx-port=17199",
            "--cluster=other",
            "--seeds=127.0.0.1:17000,127.0.0.3:17000",
        ],
    ),
    (
        "placed",
        &[
            "--data-dir=/d1",
            "--data-dir=/d2",
            "--wal-dir=/w",
            "--rack=r1",
            "--vnodes=2",
            "--tokens",
            "-1,2",
            "--gc-log=/gc.log",
            "--bootstrap=no",
        ],
    ),
    (
        "replacing",
        &[
            "--stock",
            "--fast",
            "--wal-dir=/w",
            "--dc=dc2",
            "--rack=r2",
            "--replace=127.0.0.9",
            "--bootstrap=yes",
            "--yaml=commitlog_sync: batch",
            "--yaml",
            TLS,
            "--yaml=num_tokens: 7",
            "--jvm",
            "-Dx=y",
            "--jvm",
            "-Xmx1g",
        ],
    ),
];

/// A folder with a stand-in for java and for the plug-in, and the command that starts a node there.
struct Place(TempDir);

impl Place {
    fn new(java: &str) -> Self {
        let place = Self(tempfile::tempdir().unwrap());
        let program = place.folder().join("jdk/bin/java");
        fs::create_dir_all(program.parent().unwrap()).unwrap();
        fs::write(&program, format!("#!/bin/sh\n{java}\n")).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        fs::write(place.folder().join("plugin.jar"), "jar").unwrap();
        place
    }

    fn folder(&self) -> &Path {
        self.0.path()
    }

    fn base(&self) -> PathBuf {
        self.folder().join("node")
    }

    fn node(&self, options: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_cassiterite-node"));
        command.arg("node").arg("--base").arg(self.base()).arg("--plugin").arg(self.folder().join("plugin.jar"));
        command.args(options).env("JAVA_HOME", self.folder().join("jdk")).stdin(Stdio::null());
        command
    }

    fn run(&self, options: &[&str]) -> Output {
        self.node(options).output().unwrap()
    }

    /// With the folders of this run as the golden files have them.
    fn general(&self, text: &str) -> String {
        let home = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap();
        text.replace(self.base().to_str().unwrap(), "/BASE").replace(home.to_str().unwrap(), "/HOME")
    }

    fn configuration(&self) -> Value {
        let text = fs::read_to_string(self.base().join("conf/cassandra.yaml")).unwrap();
        serde_yaml_ng::from_str(&self.general(&text)).unwrap()
    }
}

/// Starts a node and returns when its java has said its pid.
fn started(command: &mut Command) -> (Child, u32) {
    let mut node = command.stdout(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(node.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let pid = line.trim().parse().unwrap();
    (node, pid)
}

fn until(what: &str, done: impl Fn() -> bool) {
    let begun = Instant::now();
    while !done() {
        assert!(begun.elapsed() < LIMIT, "{what}");
        thread::sleep(Duration::from_millis(10));
    }
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&[output.stdout.as_slice(), &output.stderr].concat()).into_owned()
}

#[test]
fn nodes_are_configured_as_their_options_say() {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/node");
    for (name, options) in GOLDEN {
        let place = Place::new(r#"pwd; printf '%s\n' "$@""#);
        let output = place.run(options);
        assert!(output.status.success(), "{name}: {}", text(&output));
        let said = place.general(&text(&output));
        let (folder, words) = said.split_once('\n').unwrap();
        assert_eq!(folder, "/BASE", "{name}");
        assert_eq!(words, fs::read_to_string(golden.join(format!("{name}.options"))).unwrap(), "{name}");
        let expected = fs::read_to_string(golden.join(format!("{name}.yaml"))).unwrap();
        assert_eq!(place.configuration(), serde_yaml_ng::from_str::<Value>(&expected).unwrap(), "{name}");
        let stock = options.contains(&"--stock");
        assert_eq!(place.base().join("lib/cassiterite.jar").exists(), !stock, "{name}");
        let racks = fs::read_to_string(place.base().join("conf/cassandra-rackdc.properties")).ok();
        let expected = match name {
            "placed" => Some("dc=datacenter1\nrack=r1\n"),
            "replacing" => Some("dc=dc2\nrack=r2\n"),
            _ => None,
        };
        assert_eq!(racks.as_deref(), expected, "{name}");
    }
}

#[test]
fn the_last_of_two_options_counts_and_relative_folders_are_the_callers() {
    let place = Place::new(r#"printf '%s\n' "$@""#);
    let options = ["--heap=1g", "--heap=3g", "--data-dir=data", "--gc-log=gc.log", "--classpath=classes:/jars/*"];
    let output = place.node(&options).current_dir(place.folder()).output().unwrap();
    let said = text(&output).replace(place.folder().to_str().unwrap(), "/FOLDER");
    assert!(said.contains("-Xmx3g\n") && !said.contains("-Xmx1g"), "{said}");
    assert!(said.contains("-Xlog:gc*:file=/FOLDER/gc.log:") && said.contains(":/FOLDER/classes:/jars/*:"), "{said}");
    let data = place.configuration()["data_file_directories"][0].as_str().unwrap().to_owned();
    assert_eq!(Path::new(&data), place.folder().join("data"));
}

#[test]
fn wrong_use_is_refused_by_name() {
    let place = Place::new("echo started");
    for (options, told) in [
        (["--dc", "dc1"].as_slice(), "--rack"),
        (&["--tokens", "-1,2"], "--vnodes"),
        (&["--bootstrap", "maybe"], "--bootstrap"),
        (&["--address", "localhost"], "--address"),
        (&["--cql-port", "70000"], "--cql-port"),
        (&["--heap"], "--heap"),
        (&["--no-such-option"], "--no-such-option"),
        (&["--yaml", "no_value"], "KEY: VALUE"),
        (&["--yaml", "a: 1\nb: 2"], "one KEY: VALUE"),
        (&["--yaml", "authenticator.x: 1"], "plain value"),
        (&["--plugin", "/no/plugin.jar"], "/no/plugin.jar is missing"),
        (&["--die-with", "-1"], "-1"),
        (&["--die-with", "999999999"], "no process 999999999"),
    ] {
        let output = place.run(options);
        let said = text(&output);
        assert_eq!(output.status.code(), Some(2), "{options:?}: {said}");
        assert!(said.contains(told) && !said.contains("started"), "{options:?}: {said}");
    }
    assert!(!place.base().exists());
    let output = place.node(&[]).env_remove("JAVA_HOME").env("PATH", "").output().unwrap();
    assert!(output.status.code() == Some(2) && text(&output).contains("install a JDK 17"), "{}", text(&output));
}

#[test]
fn the_process_becomes_the_jvm() {
    let place = Place::new("echo $$; exec sleep 600");
    let (mut node, pid) = started(&mut place.node(&[]));
    assert_eq!(pid, node.id());
    node.kill().unwrap();
    node.wait().unwrap();
}

#[test]
fn a_node_dies_with_its_owner() {
    let place = Place::new("echo $$; exec sleep 600");
    let mut owner = Command::new("sleep").arg("600").spawn().unwrap();
    let (mut node, _) = started(&mut place.node(&["--die-with", &owner.id().to_string()]));
    assert_eq!(node.try_wait().unwrap(), None);
    owner.kill().unwrap();
    // The owner is a zombie until here.
    assert_eq!(node.wait().unwrap().signal(), Some(SIGKILL));
    owner.wait().unwrap();
}

#[test]
fn the_watcher_ends_with_the_node() {
    let place = Place::new("echo $$; exec sleep 600");
    let owner = std::process::id().to_string();
    let (mut node, pid) = started(&mut place.node(&["--die-with", &owner]));
    let children = fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).unwrap();
    let watcher = PathBuf::from(format!("/proc/{}/cmdline", children.trim()));
    assert!(fs::read_to_string(&watcher).unwrap().contains("watch-owner"));
    node.kill().unwrap();
    node.wait().unwrap();
    // A zombie has no command line.
    until("the watcher outlives the node", || fs::read_to_string(&watcher).unwrap_or_default().is_empty());
}
