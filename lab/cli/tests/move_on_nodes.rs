// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! `cassiterite move` on two racks of a real cluster. Needs what `make build` makes; run by `make test-lab`.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::net::{Ipv4Addr, TcpListener};
use std::process::{Child, ChildStdout, Command, Output, Stdio};
use std::time::Duration;

use lab_load::load::{connect, runtime, Target};
use lab_load::observe::NodeQuery;
use scylla::client::session::Session;
use scylla::statement::Consistency;
use tempfile::TempDir;

const KEY: &str = "memtable.configurations.moving.inherits";
const ROWS: i32 = 6_000;
const VALUE_BYTES: usize = 2_000;

/// Two nodes in two racks; nothing of them outlives the test.
struct Lab {
    folder: TempDir,
    port: u16,
}

impl Lab {
    fn up() -> Self {
        let seed = u16::try_from(std::process::id() % 1000).unwrap();
        let port =
            (0..500).map(|attempt| 16_000 + (seed * 13 + attempt * 16) % 14_000).find(|port| free(*port)).unwrap();
        let lab = Self { folder: tempfile::tempdir().unwrap(), port };
        let stock = format!("{KEY}=trie");
        let [cql, storage, jmx] = [port, port + 1, port + 2].map(|port| port.to_string());
        let mut words = vec!["up", "--nodes", "2", "--racks", "2", "--heap", "512m", "--fast", "--set", &stock];
        // Slow, and in many chunks.
        words.extend(["--set", "compaction_throughput=1MiB/s", "--jvm", "-Dcassiterite.move_chunk_bytes=200000"]);
        words.extend(["--cql-port", &cql, "--storage-port", &storage, "--jmx-port", &jmx]);
        lab.cluster(&words);
        lab
    }

    fn program() -> Command {
        Command::new(env!("CARGO_BIN_EXE_cassiterite"))
    }

    fn cluster(&self, words: &[&str]) -> String {
        let mut command = Self::program();
        command.args(["cluster", "--name", "two", "--base"]).arg(self.folder.path().join("two")).args(words);
        if ["up", "start"].contains(&words[0]) {
            command.arg("--die-with").arg(std::process::id().to_string());
        }
        let output = command.output().unwrap();
        assert!(output.status.success(), "{words:?}: {}", said(&output));
        said(&output)
    }

    /// `cassiterite move` of a table.
    fn moving(&self, table: &str, direction: &str, more: &[&str]) -> Command {
        let mut command = Self::program();
        command.args(["move", "shop", table, direction, "--every", "500ms", "--looks", "3"]);
        command.args(["--host", &format!("127.0.0.1:{}", self.port)]);
        for node in 1..=2 {
            command.args(["--jmx", &format!("127.0.0.{node}=127.0.0.1:{}", self.port + 1 + node)]);
        }
        command.args(more);
        command
    }

    fn moved(&self, table: &str, direction: &str, more: &[&str]) -> (Option<i32>, String) {
        let output = self.moving(table, direction, more).output().unwrap();
        (output.status.code(), said(&output))
    }

    async fn session(&self) -> Session {
        let points = (1..=2).map(|node| format!("127.0.0.{node}:{}", self.port));
        connect(&Target { consistency: Consistency::All, ..Target::new(points) }).await.unwrap()
    }

    /// Restarts a node with the key mapped to the engine, as an operator does.
    fn enter(&self, node: &str) {
        self.cluster(&["nodetool", "--node", node, "drain"]);
        self.cluster(&["stop", node]);
        self.cluster(&["start", node, "--set", &format!("{KEY}=cassiterite")]);
    }
}

impl Drop for Lab {
    fn drop(&mut self) {
        let mut command = Self::program();
        command.args(["cluster", "--name", "two", "--base"]).arg(self.folder.path().join("two"));
        let _ = command.args(["down", "--delete"]).output();
    }
}

fn free(port: u16) -> bool {
    (0..4).all(|offset| (1..=2).all(|node| TcpListener::bind((Ipv4Addr::new(127, 0, 0, node), port + offset)).is_ok()))
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&[output.stdout.as_slice(), &output.stderr].concat()).into_owned()
}

async fn fill(session: &Session) {
    let replication = "{'class': 'NetworkTopologyStrategy', 'datacenter1': 2}";
    session.query_unpaged(format!("CREATE KEYSPACE shop WITH replication = {replication}"), ()).await.unwrap();
    let table = "CREATE TABLE shop.orders (k int PRIMARY KEY, v blob) WITH memtable = 'moving' AND compression = {'enabled': false}";
    session.query_unpaged(table, ()).await.unwrap();
    session.await_schema_agreement().await.unwrap();
    let insert = session.prepare("INSERT INTO shop.orders (k, v) VALUES (?, ?)").await.unwrap();
    for k in 0..ROWS {
        session.execute_unpaged(&insert, (k, vec![k as u8; VALUE_BYTES])).await.unwrap();
    }
}

async fn rows(session: &Session) -> i64 {
    let counted = session.query_unpaged("SELECT count(*) FROM shop.orders", ()).await.unwrap();
    counted.into_rows_result().unwrap().first_row::<(i64,)>().unwrap().0
}

/// What lies beside the engine on the second node.
async fn beside(lab: &Lab, session: &Session) -> (String, i64) {
    let node = format!("127.0.0.2:{}", lab.port).parse().unwrap();
    let moves = NodeQuery::to(node, "SELECT direction, sstables FROM cassiterite.moves WHERE keyspace_name = 'shop'");
    moves.rows::<(String, i64)>(session).await.unwrap().remove(0)
}

/// A move whose rack has begun, and its words until then.
fn begun(lab: &Lab, rack: &str, more: &[&str]) -> (Child, BufReader<ChildStdout>, String) {
    let mut child = lab.moving("orders", "in", more).stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap());
    let mut told = String::new();
    while !told.contains(&format!("rack datacenter1/{rack}: in on")) {
        assert!(lines.read_line(&mut told).unwrap() > 0, "it ended: {told}");
    }
    (child, lines, told)
}

/// Ctrl-C when the move of a rack has begun; its words.
fn interrupted(lab: &Lab, rack: &str) -> (Option<i32>, String) {
    let (mut child, mut lines, mut told) = begun(lab, rack, &[]);
    std::thread::sleep(Duration::from_secs(1));
    Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    lines.read_to_string(&mut told).unwrap();
    (child.wait().unwrap().code(), told)
}

/// Writes from when the move of the second rack has begun, until it ends; its words.
async fn moved_under_writes(lab: &Lab, session: &Session) -> (Option<i32>, String) {
    let (mut child, mut lines, mut told) = begun(lab, "rack2", &["--p99-max", "0.001ms"]);
    while child.try_wait().unwrap().is_none() {
        session.query_unpaged("INSERT INTO shop.orders (k, v) VALUES (0, 0x00)", ()).await.unwrap();
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    lines.read_to_string(&mut told).unwrap();
    (child.wait().unwrap().code(), told)
}

#[test]
#[ignore = "starts nodes: make test-lab"]
fn racks_move_in_one_after_the_other_and_hold_when_clients_suffer() {
    let lab = Lab::up();
    runtime(1).unwrap().block_on(async {
        let session = lab.session().await;
        fill(&session).await;
        lab.cluster(&["nodetool", "--node", "1", "flush", "shop"]);
        lab.cluster(&["nodetool", "--node", "2", "flush", "shop"]);

        let (code, told) = lab.moved("orders", "in", &[]);
        assert_eq!(code, Some(1), "{told}");
        assert!(
            told.contains("wait for their operator") && told.contains("map the table's key to the engine"),
            "{told}"
        );

        lab.enter("1");
        let (code, told) = interrupted(&lab, "rack1");
        assert_eq!(code, Some(1), "{told}");
        assert!(told.contains("interrupted") && told.contains(&format!("127.0.0.1:{}: hold", lab.port)), "{told}");
        let (code, told) = lab.moved("orders", "in", &[]);
        assert_eq!(code, Some(1), "{told}");
        assert!(told.contains("rack datacenter1/rack1: done"), "{told}");
        assert!(told.contains(&format!("127.0.0.2:{} wait for their operator", lab.port)), "{told}");

        lab.enter("2");
        let session = lab.session().await;
        let (code, told) = moved_under_writes(&lab, &session).await;
        assert_eq!(code, Some(1), "{told}");
        assert!(told.contains("above 0.001 ms in 3 looks in a row"), "{told}");
        assert!(told.contains(&format!("127.0.0.2:{}: hold", lab.port)), "{told}");
        let (direction, sstables) = beside(&lab, &session).await;
        assert!(direction == "hold" && sstables > 0, "{direction}, {sstables} sstables: {told}");

        let (code, told) = lab.moved("orders", "in", &["--p99-max", "1h"]);
        assert_eq!(code, Some(0), "{told}");
        assert!(told.contains("MiB left") && told.contains("nothing is left to do on 2 nodes"), "{told}");
        assert!(!told.contains("rack datacenter1/rack1: in"), "it was done: {told}");
        assert_eq!(rows(&session).await, i64::from(ROWS));
        let log = fs::read_to_string(lab.folder.path().join("two/node2/logs/system.log")).unwrap();
        assert!(log.contains("have moved into the engine"), "{log}");

        let (code, told) = lab.moved("orders", "out", &["--p99-max", "1h"]);
        assert_eq!((code, told.matches("nodetool drain").count()), (Some(0), 2), "each node says what is left: {told}");

        wrong_use_is_refused(&lab);
    });
}

fn wrong_use_is_refused(lab: &Lab) {
    for (table, more, expected) in [
        ("nothing", vec![], "there is no table shop.nothing"),
        ("orders", vec!["--jar", "/nowhere.jar"], "/nowhere.jar is not there"),
        ("orders", vec!["--jmx", "10.0.0.9=127.0.0.1:1"], "the ring has no node 10.0.0.9"),
        ("orders", vec!["--p99-max", "20"], "a time as 20ms"),
    ] {
        let (code, told) = lab.moved(table, "in", &more);
        assert_eq!(code, Some(2), "{told}");
        assert!(told.contains(expected), "{told}");
    }
}
