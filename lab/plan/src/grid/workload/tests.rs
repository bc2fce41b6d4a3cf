// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

#![allow(clippy::unwrap_used)]

use super::*;
use serde_json::json;

const PROFILE: &str = "
keyspace: s
table: t
table_definition: CREATE TABLE t (k bigint PRIMARY KEY, value text)
columnspec: [{name: value, size: fixed(10)}]
queries:
  get: {cql: 'SELECT * FROM t WHERE k = ?', fields: samerow}
  remove: {cql: 'DELETE FROM t WHERE k = ?', fields: samerow}
";

fn workload(settings: serde_json::Value) -> Result<CellWorkload> {
    let text = "plan: 1\nname: t\nworkload: {profile: {}, ops: 'insert=3,get=1', rows_per_node: 9}\nsla: [p95<=5ms]\n\
                load: {launch: 9/s}\n";
    let settings = settings.as_object().unwrap().clone().into_iter().collect();
    CellWorkload::of(&PlanFile::parse(text)?, PROFILE, &Cell::new(settings, Vec::new())?)
}

#[test]
fn a_cell_changes_its_profile() {
    let size = |settings| workload(settings).unwrap().profile.columnspec[0].size.clone().unwrap().to_string();
    assert_eq!(size(json!({})), "fixed(10)");
    assert_eq!(size(json!({"profile.columnspec.value.size": "fixed(1000)"})), "fixed(1000)");
    let bytes = |settings| workload(settings).unwrap().drawn_bytes(100).unwrap();
    assert!(bytes(json!({"profile.columnspec.value.size": "fixed(1000)"})) > 50.0 * bytes(json!({})));
    let error = |settings| format!("{:#}", workload(settings).unwrap_err());
    assert!(error(json!({"profile.columnspec.nothing.size": "fixed(1)"})).contains("the name 'nothing'"));
    assert!(error(json!({"profile.querys.get.cql": "x"})).contains("no 'querys'"));
    assert!(error(json!({"ops": "put=1"})).contains("no 'put'"));
}

#[test]
fn levels_go_to_the_operations_that_they_name() {
    let one = workload(json!({"cl": "QUORUM", "nodes": 3})).unwrap();
    assert_eq!((one.level, one.profile.insert.consistency()), (Consistency::Quorum, None));
    let both = workload(json!({"cl": {"insert": "ONE", "get": "LOCAL_QUORUM"}, "nodes": 3})).unwrap();
    assert_eq!(both.profile.insert.consistency(), Some(Consistency::One));
    assert_eq!(both.profile.queries.get("get").unwrap().consistency(), Some(Consistency::LocalQuorum));
    assert!(!both.levels().overlap() && one.levels().overlap());
    let at_all = both.levels().reading_at(Consistency::All);
    assert!(at_all.overlap(), "what was written anywhere is seen at ALL");
    let mut get = json!({"cl": {"insert": "ONE", "get": "QUORUM"}, "nodes": 3});
    get["ops"] = json!("get=1");
    assert!(!workload(get).unwrap().levels().overlap(), "the fill wrote at ONE");
}

#[test]
fn reads_are_told_from_writes() {
    let workload = workload(json!({"ops": "insert=1,remove=1,get=2"})).unwrap();
    assert_eq!(workload.reads(), ["get"]);
    let asking = workload.profile_asking_at("get", Consistency::All).unwrap();
    assert_eq!(asking.queries.get("get").unwrap().consistency(), Some(Consistency::All));
}
