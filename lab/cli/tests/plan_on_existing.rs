// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! A plan on a stock node that it did not start: it does nothing to the wrong cluster or to keyspaces of others, hurts by the
//! user's commands, and takes away what it made.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "common/node.rs"]
mod node;
#[path = "common/plan.rs"]
mod plan;

use std::path::Path;
use std::process::Output;
use std::time::{Duration, Instant};

use lab_load::load::{connect, runtime, Target};
use node::Node;
use plan::{plan, said};
use serde_json::Value;

const PLAN: &str = "
plan: 1
name: there already
workload:
  ops: insert=3,get=1
  rows_per_node: 300
  profile:
    keyspace: OURS
    keyspace_definition: \"CREATE KEYSPACE OURS WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}\"
    table: t
    table_definition: CREATE TABLE t (k bigint PRIMARY KEY, v text)
    columnspec: [{name: v, size: fixed(40)}]
    queries: {get: {cql: 'SELECT * FROM t WHERE k = ?', fields: samerow}}
sla: ['p50<=20s', 'errors<=5%', 'unexplained<=0']
load: {launch: 50/s}
grid: {compression: [LZ4Compressor, none]}
sweeps: [{closed: [2], run: 1s}]
phases: [{timeline: [steady 3s, pause 1, wait 3s, resume 1, steady 14s]}]
measure: {warmup: 1s, run: 3s..4s, capacity: none}
client: {threads: 1}
reset: none
target:
  cluster_name: NAME
  contact_points: [ADDRESS]
  access: {user: cassandra, password_file: password, translate: {'ADDRESS': 'ADDRESS'}}
  nodes: 1
  ceiling: 500/s
  hooks: {pause: 'kill -STOP PID', resume: 'kill -CONT PID'}
";

const LOGIN_BOUND: Duration = Duration::from_secs(180);

struct There {
    node: Node,
    folder: tempfile::TempDir,
}

impl There {
    fn run(&self, out: &Path, name: &str, keyspace: &str) -> Output {
        self.run_plan(PLAN, out, name, keyspace)
    }

    fn run_plan(&self, plan_text: &str, out: &Path, name: &str, keyspace: &str) -> Output {
        let file = self.folder.path().join("there.yaml");
        let text = plan_text
            .replace("NAME", name)
            .replace("OURS", keyspace)
            .replace("ADDRESS", &self.node.contact_point())
            .replace("PID", &self.node.pid().to_string());
        std::fs::write(&file, text).unwrap();
        std::fs::write(self.folder.path().join("password"), "cassandra\n").unwrap();
        plan(&["run"]).arg(&file).arg("--out").arg(out).output().unwrap()
    }

    fn keyspaces(&self, first: &str) -> Vec<String> {
        let began = Instant::now();
        let login = Some("cassandra".to_owned());
        let target = Target { username: login.clone(), password: login, ..Target::new([self.node.contact_point()]) };
        runtime(1).unwrap().block_on(async {
            // The default role is made a little after the node has begun to answer.
            let session = loop {
                match connect(&target).await {
                    Ok(session) => break session,
                    Err(_) if began.elapsed() < LOGIN_BOUND => tokio::time::sleep(Duration::from_millis(500)).await,
                    Err(error) => panic!("the default role cannot log in: {error:#}"),
                }
            };
            if !first.is_empty() {
                session.query_unpaged(first, ()).await.unwrap();
            }
            let rows = session.query_unpaged("SELECT keyspace_name FROM system_schema.keyspaces", ()).await.unwrap();
            let rows = rows.into_rows_result().unwrap();
            let names = rows.rows::<(String,)>().unwrap().map(|row| row.unwrap().0);
            names.filter(|name| !name.starts_with("system")).collect()
        })
    }
}

#[test]
#[ignore = "starts a node: make test-lab"]
fn a_cluster_that_is_there_already_is_measured_and_left_as_it_was() {
    let there =
        There { node: Node::start(&["authenticator: PasswordAuthenticator"]), folder: tempfile::tempdir().unwrap() };
    let theirs = "CREATE KEYSPACE theirs WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}";
    assert_eq!(there.keyspaces(theirs), ["theirs"]);
    let out = there.folder.path().join("out");

    let wrong = there.run(&there.folder.path().join("wrong"), "elsewhere", "mine");
    assert_eq!(wrong.status.code(), Some(2), "{}", said(&wrong));
    assert!(said(&wrong).contains("and not 'elsewhere': nothing was done to it"), "{}", said(&wrong));
    let name = said(&wrong).split("calls itself '").nth(1).unwrap().split('\'').next().unwrap().to_owned();

    let others = there.run(&there.folder.path().join("others"), &name, "theirs");
    assert_eq!(others.status.code(), Some(2), "{}", said(&others));
    assert!(said(&others).contains("no plan made it: it stays as it is"), "{}", said(&others));
    assert_eq!(there.keyspaces(""), ["theirs"]);

    let unknown = PLAN.replace("reset: none", "reset: none\nfixed: {compaction: NoSuchStrategy}");
    let failed = there.run_plan(&unknown, &there.folder.path().join("failed"), &name, "mine");
    assert_eq!(failed.status.code(), Some(2), "{}", said(&failed));
    assert!(said(&failed).contains("NoSuchStrategy"), "{}", said(&failed));
    assert_eq!(there.keyspaces(""), ["theirs"], "{}", said(&failed));

    let ran = there.run(&out, &name, "mine");
    assert_eq!(ran.status.code(), Some(0), "{}", said(&ran));
    assert!(said(&ran).contains("Yes: "), "{}", said(&ran));
    assert_eq!(there.keyspaces(""), ["theirs"]);
    let json: Value = serde_json::from_str(&std::fs::read_to_string(out.join("plan.json")).unwrap()).unwrap();
    let effects = json["phases"][0]["effects"].as_array().unwrap();
    assert_eq!((effects[0]["step"].as_str(), effects[1]["step"].as_str()), (Some("pause 1"), Some("resume 1")));
    // The only node hung for three seconds: two of them whole at least.
    let unavailable_s = effects[0]["unavailable_s"][0][1].as_f64().unwrap();
    assert!(unavailable_s >= 2.0, "{effects:?}");
    assert!(std::fs::read_to_string(out.join("index.html")).unwrap().contains("<h2>Phases</h2>"));
    let cleaned = plan(&["clean"]).arg(&out).output().unwrap();
    assert!(said(&cleaned).contains("nothing was left behind"), "{}", said(&cleaned));
}
