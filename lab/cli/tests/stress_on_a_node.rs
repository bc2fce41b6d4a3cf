// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! `cassiterite stress` as a process against a real node: each command, its files, its exit code and the one line that says
//! why. Needs what `make build` makes; run by `make test-lab`.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "common/node.rs"]
mod node;

use std::fs::read_to_string;
use std::path::PathBuf;
use std::process::{Command, Output};
use std::time::Duration;

use base64::Engine as _;
use hdrhistogram::serialization::interval_log::{IntervalLogIterator, LogEntry};
use hdrhistogram::serialization::Deserializer;
use hdrhistogram::Histogram;
use lab_load::report::{html, Run, RunVerdict};

use crate::node::Node;

const OWN: [&str; 3] = ["-mode", "user=cassandra", "password=cassandra"];
/// Slow enough for the client to have a core whenever it wants one, also beside other tests.
const PACE: [&str; 3] = ["-rate", "throttle=100/s", "threads=2"];

const PROFILE: &str = concat!(
    include_str!("../../load/tests/profiles/spot.yaml"),
    "  drop: {cql: 'DELETE FROM features WHERE id = ? AND name = ?', fields: samerow}\n",
    "  clear: {cql: 'DELETE FROM features WHERE id = ?'}\n",
    "  set: {cql: 'UPDATE features SET value = ? WHERE id = ? AND name = ?', fields: samerow}\n",
);

/// A node that wants a password, and a folder for files.
struct Lab {
    node: Node,
    folder: tempfile::TempDir,
}

impl Lab {
    fn start() -> Self {
        let node = Node::start(&["authenticator: PasswordAuthenticator"]);
        let lab = Self { node, folder: tempfile::tempdir().unwrap() };
        // The default user is made a little after the node has begun to answer.
        let known = (0..360).any(|_| {
            std::thread::sleep(Duration::from_millis(500));
            lab.run(&["write", "n=0"], &OWN).status.success()
        });
        assert!(known, "the default user cannot log in");
        lab
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn profile(&self, name: &str, text: &str) -> String {
        std::fs::write(self.file(name), text).unwrap();
        format!("profile={}", self.file(name).display())
    }

    fn run(&self, words: &[&str], mode: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_cassiterite"));
        command.arg("stress").args(words).args(["-node", &self.node.contact_point()]).args(mode);
        command.output().unwrap()
    }

    /// The exit code, the run as it was written down, and the output. Repeated while the machine is too busy for the client.
    fn judged(&self, words: &[&str]) -> (Option<i32>, Run, Output) {
        let json = self.file("run.json");
        let mut tries = 0..5;
        loop {
            let _ = std::fs::remove_file(&json);
            let output = self.run(&[words, &["-json", json.to_str().unwrap()]].concat(), &OWN);
            let run = Run::read(&json).unwrap_or_else(|error| panic!("{error:#}: {output:?}"));
            let is_busy =
                run.verdict() == RunVerdict::Invalid && run.invalid.iter().all(|why| why.starts_with("client:"));
            if !is_busy || tries.next().is_none() {
                return (output.status.code(), run, output);
            }
        }
    }

    /// A run of 100 operations that passes.
    fn passed(&self, words: &[&str]) -> Run {
        let (code, run, output) = self.judged(&[&counted(words, "n=100")[..], &PACE].concat());
        assert_eq!((code, stderr(&output)), (Some(0), String::new()), "{words:?}: {run:?}");
        assert_eq!((run.total.part.operations, run.total.part.errors), (100, 0), "{words:?}");
        run
    }

    /// The one line of a command that ends with exit code 2.
    fn refused(&self, words: &[&str], mode: &[&str]) -> String {
        let output = self.run(&counted(words, "n=1"), mode);
        let line = stderr(&output);
        assert_eq!((output.status.code(), line.lines().count()), (Some(2), 1), "{words:?}: {output:?}");
        line
    }
}

/// The command with its length, which comes before the options.
fn counted<'a>(words: &[&'a str], count: &'a str) -> Vec<&'a str> {
    [&words[..1], &[count], &words[1..]].concat()
}

/// Standard error.
fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
#[ignore = "starts a node: make test-lab"]
fn the_command_on_a_node() {
    let lab = Lab::start();
    files_are_there_and_can_be_read(&lab);
    every_command_runs(&lab);
    an_sla_decides_between_0_and_1(&lab);
    wrong_rows_and_wrong_use_are_2(&lab);
}

fn files_are_there_and_can_be_read(lab: &Lab) {
    let [log, hdr, page, graph] = ["run.log", "run.hdr", "run.html", "graph.html"].map(|name| lab.file(name));
    let named = [("file=", &log), ("hdrfile=", &hdr), ("file=", &graph)];
    let [log_word, hdr_word, graph_word] = named.map(|(word, path)| format!("{word}{}", path.display()));
    let files = ["-log", &log_word, &hdr_word, "-html", page.to_str().unwrap(), "-graph", &graph_word, "revision=r1"];
    let words = ["write", "n=100", "-sla", "p99<=30s", "errors<=0", "rate>=1/s"];
    let (code, run, output) = lab.judged(&[&words[..], &PACE, &files].concat());
    assert_eq!((code, stderr(&output)), (Some(0), String::new()), "{run:?}");

    assert_eq!((run.format.as_str(), run.version, run.total.part.rows), ("cassiterite-run", 1, 100));
    assert!(run.slas.len() == 3 && run.slas.iter().all(|sla| sla.met), "{:?}", run.slas);
    assert_eq!(read_to_string(&log).unwrap(), String::from_utf8_lossy(&output.stdout));
    assert!(read_to_string(&log).unwrap().contains("\nOp rate "));
    assert_eq!(written_in(&read_to_string(&hdr).unwrap(), "write-st"), 100);
    for (path, name) in [(&page, "r1"), (&graph, "r1")] {
        let (runs, _) = html::read(path).unwrap();
        assert_eq!(runs.iter().map(|run| run.name.as_str()).collect::<Vec<_>>(), [name]);
        assert_eq!(lab_testkit::page::points_outside(&read_to_string(path).unwrap()), None);
    }
    assert!(run.servers.samples.iter().any(|sample| sample.compactions.is_some()), "{:?}", run.servers);
    assert!(read_to_string(&page).unwrap().contains("Compactions"));
    let command = &run.environment.command;
    assert!(command.contains("user=cassandra") && !command.contains("password=cassandra"), "{command}");
}

/// Operations in an HDR log under a tag.
fn written_in(log: &str, tag: &str) -> u64 {
    let (mut sum, mut deserializer) = (0, Deserializer::new());
    for entry in IntervalLogIterator::new(log.as_bytes()) {
        let Ok(entry) = entry else { panic!("this is no HDR log: {log}") };
        let LogEntry::Interval(line) = entry else { continue };
        assert_eq!(line.tag().map(|own| own.as_str()), Some(tag));
        let bytes = base64::engine::general_purpose::STANDARD.decode(line.encoded_histogram()).unwrap();
        let histogram: Histogram<u64> = deserializer.deserialize(&mut &bytes[..]).unwrap();
        sum += histogram.len();
    }
    sum
}

fn every_command_runs(lab: &Lab) {
    let all = ["-pop", "seq=1..100"];
    let read = lab.passed(&["read", "-check", "written", all[0], all[1]]);
    assert_eq!((read.checked.rows, read.unexplained_faults()), (100, 0));
    let mixed = lab.passed(&["mixed", "ratio(write=1,read=1)", "truncate=once"]);
    assert_eq!(mixed.kinds.iter().map(|kind| kind.part.operations).sum::<u64>(), 100);
    assert!(mixed.checked.on && mixed.kinds.len() == 2);
    lab.passed(&["counter_write"]);
    let counters = lab.passed(&["counter_read", all[0], all[1]]);
    assert_eq!((counters.total.part.rows, counters.checked.on), (100, false));
    let emp = lab.passed(&["emp", "ratio(write=1,read=1)", "truncate=once"]);
    assert!(emp.value_bytes_written > 40 * 6000 && emp.checked.on, "{}", emp.value_bytes_written);
    let profile = lab.profile("profile.yaml", PROFILE);
    let user = lab.passed(&["user", &profile, "ops(insert=1,get=1)", "truncate=once", "-pop", "seq=1..10"]);
    assert_eq!(user.kinds.iter().map(|kind| kind.name.as_str()).collect::<Vec<_>>(), ["insert", "get"]);
    assert!(user.checked.rows > 100 && user.unexplained_faults() == 0, "{:?}", user.checked);
    let ops = "ops(insert=2,get=2,drop=1,clear=1)";
    let user = lab.passed(&["user", &profile, ops, "truncate=once", "-check", "on", "-pop", "dist=uniform(1..5)"]);
    assert!(user.checked.rows > 60 && user.unexplained_faults() == 0, "{:?}", user.checked);
    let user = lab.passed(&["user", &profile, "ops(get=1,set=1)", "-pop", "seq=1..10"]);
    assert!(!user.checked.on);
}

fn an_sla_decides_between_0_and_1(lab: &Lab) {
    let read = ["read", "n=100", "-pop", "seq=1..100"];
    let (code, run, output) = lab.judged(&[&read[..], &PACE, &["-sla", "p99<=1us", "errors<=0"]].concat());
    let line = stderr(&output);
    assert_eq!((code, line.lines().count(), run.verdict()), (Some(1), 1, RunVerdict::Missed), "{output:?}");
    assert!(line.starts_with("cassiterite: SLA missed: p99<=1us (") && !line.contains("errors"), "{line}");

    // More is due than one operation in flight can do.
    let full = ["write", "n=1000", "-rate", "fixed=100000/s", "threads=1", "-sla", "errors<=0"];
    let (code, run, output) = lab.judged(&full);
    let line = stderr(&output);
    assert_eq!((code, line.lines().count()), (Some(1), 1), "{output:?}");
    assert!(line.starts_with("cassiterite: SLA missed: rate=100000/s (rate not reached: "), "{line}");
    assert!(line.contains("all 1 in flight were busy") && run.invalid.is_empty(), "{line}");
}

fn wrong_rows_and_wrong_use_are_2(lab: &Lab) {
    let never = ["read", "n=100", "-check", "written", "-pop", "seq=100001..100100"];
    let (code, run, output) = lab.judged(&[&never[..], &PACE].concat());
    let line = stderr(&output);
    assert_eq!((code, line.lines().count(), run.unexplained_faults()), (Some(2), 1, 100), "{output:?}");
    assert!(line.starts_with("cassiterite: the run is invalid: 100 wrong rows"), "{line}");

    let line = lab.refused(&["read"], &["-mode", "user=cassandra", "password=wrong"]);
    assert!(line.contains("user 'cassandra' was refused") && !line.contains("wrong"), "{line}");
    assert!(lab.refused(&["read"], &[]).contains("the cluster wants a user and a password"));
    for (words, why) in [
        (["write", "-schema", "compression=LZ4Compressor"], "its compression is none, and -schema"),
        (["read", "-engine", "cassiterite"], "its memtable is default, and -engine cassiterite asks for cassiterite"),
    ] {
        let line = lab.refused(&words, &OWN);
        assert!(line.contains("table keyspace1.standard1 is there") && line.contains(why), "{line}");
    }
    let column = lab.profile("column.yaml", &PROFILE.replace("name: name", "name: nobody"));
    let line = lab.refused(&["user", &column, "ops(insert=1)"], &OWN);
    assert!(line.contains("nobody"), "{line}");
    let query = lab.profile("query.yaml", &PROFILE.replace("WHERE id = ?", "WHERE nobody = ?"));
    let line = lab.refused(&["user", &query, "ops(get=1)"], &OWN);
    assert!(line.contains("query get") && line.contains("nobody"), "{line}");
    let table = lab.profile("table.yaml", &PROFILE.replace("value blob", "value blub").replace("features", "others"));
    let line = lab.refused(&["user", &table, "ops(insert=1)"], &OWN);
    assert!(line.contains("blub"), "{line}");
    let profile = lab.profile("profile.yaml", PROFILE);
    let line = lab.refused(&["user", &profile, "ops(get=1,set=1)", "-check", "on"], &OWN);
    assert!(line.contains("query set writes, and is no DELETE of one row"), "{line}");
}
