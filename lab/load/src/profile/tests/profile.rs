// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

use std::path::{Path, PathBuf};

use crate::profile::draw::draw;
use crate::profile::profile::Profile;
use crate::profile::{InsertSpec, Mix, Population, Schema};

pub fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/profiles").join(name)
}

pub fn read(name: &str) -> Profile {
    Profile::read(&file(name)).unwrap()
}

fn refusal(change: impl Fn(&str) -> String) -> String {
    let text = std::fs::read_to_string(file("types.yaml")).unwrap();
    let changed = change(&text);
    assert_ne!(text, changed);
    format!("{:#}", Profile::parse(&changed).unwrap_err())
}

/// The files that cassandra-stress ships, where they are at hand: `CASSANDRA_STRESS_PROFILES` is their folder.
#[test]
#[ignore = "needs the sample profiles of cassandra-stress"]
fn the_samples_of_cassandra_stress_are_read_and_drawn() {
    let folder = std::env::var("CASSANDRA_STRESS_PROFILES").unwrap();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let profile = Profile::read(&path).unwrap();
        for name in profile.operation_names() {
            let drawn =
                draw(&profile, &Mix::only(name), &Population::sequence(100_000), &InsertSpec::default()).unwrap();
            println!("{} {name}\n{drawn}", path.display());
        }
    }
}

#[test]
fn unknown_keys_are_refused_by_name_and_line() {
    for (from, to, named, line) in [
        ("specname:", "specnam:", "specnam", "line 3"),
        ("    cluster: uniform(20..40)", "    clustre: uniform(20..40)", "clustre", "line 22"),
        ("  batchtype: LOGGED", "  batchtyp: LOGGED", "batchtyp", "line 29"),
        ("      fields: multirow", "      felds: multirow", "felds", "line 37"),
    ] {
        let message = refusal(|text| text.replace(from, to));
        assert!(message.contains(named) && message.contains(line), "{message}");
    }
}

#[test]
fn wrong_values_are_refused_where_they_stand() {
    for (from, to, named) in [
        ("uniform(20..40)", "unifrm(20..40)", "unifrm"),
        ("batchtype: LOGGED", "batchtype: FAST", "FAST"),
        ("fields: multirow", "fields: anyrow", "anyrow"),
        ("uniform(1..10)/10", "uniform(1..10)", "ratio"),
        ("  - name: reading", "  - size: fixed(1)", "`name`"),
        ("keyspace: labtypes", "keyspace: other", "labtypes"),
        ("table: wide", "table: other", "wide"),
        ("reading blob,", "reading blub,", "blub"),
        ("since:", "first:", "first"),
    ] {
        let message = refusal(|text| text.replacen(from, to, 1));
        assert!(message.contains(named), "{from} -> {to}: {message}");
    }
}

#[test]
fn keys_of_columns_and_inserts_may_be_in_any_case() {
    let text = std::fs::read_to_string(file("types.yaml")).unwrap();
    let profile = Profile::parse(&text.replace("cluster:", "Cluster:").replace("batchtype:", "BatchType:")).unwrap();
    assert_eq!(profile.columnspec.iter().filter(|spec| spec.cluster.is_some()).count(), 2);
}

#[test]
fn an_engines_options_take_the_place_of_the_profiles() {
    let schema = Schema::of(&read("types.yaml"));
    let with = "memtable = 'cassiterite' AND compaction = {'class': 'UnifiedCompactionStrategy'}";
    let statements = schema.statements(Some("{'class': 'NetworkTopologyStrategy', 'dc1': 3}"), with).unwrap();
    assert!(
        statements[0].ends_with("WITH replication = {'class': 'NetworkTopologyStrategy', 'dc1': 3}"),
        "{}",
        statements[0]
    );
    assert_eq!(statements[1], "USE labtypes");
    let comment = "comment='Many types in the clustering; AND a comment'";
    assert!(statements[2].ends_with(&format!("WITH {comment} AND {with}")), "{}", statements[2]);
    let plain = schema.statements(None, "").unwrap();
    assert!(plain[2].contains("LeveledCompactionStrategy") && !plain[2].contains("memtable"));
}

/// As the first sample of cassandra-stress has it; whether a server makes such a table is the server's to say.
#[test]
fn an_option_of_two_words_stays() {
    let text = std::fs::read_to_string(file("types.yaml")).unwrap();
    let compact = Profile::parse(&text.replace("WITH compaction", "WITH COMPACT STORAGE AND compaction")).unwrap();
    let statements = Schema::of(&compact).statements(None, "memtable = 'cassiterite'").unwrap();
    assert!(statements[2].contains("WITH COMPACT STORAGE AND compaction"), "{}", statements[2]);
    assert!(statements[2].ends_with("AND memtable = 'cassiterite'"), "{}", statements[2]);
}

#[test]
fn types_go_before_the_table_and_indexes_after_it() {
    let statements = Schema::of(&read("every-type.yaml")).statements(None, "memtable = 'x'").unwrap();
    let starts: Vec<String> =
        statements.iter().map(|cql| cql.split(' ').take(2).collect::<Vec<_>>().join(" ")).collect();
    assert_eq!(
        starts,
        ["CREATE KEYSPACE", "USE labtypes", "CREATE TYPE", "CREATE TYPE", "CREATE TABLE", "CREATE INDEX"]
    );
    assert!(statements[4].ends_with("AND memtable = 'x'"));
}
