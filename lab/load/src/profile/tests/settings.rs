// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Every word a profile may hold, what holds where it says nothing, and what is refused.

use scylla::statement::batch::BatchType;
use scylla::statement::Consistency;

use crate::profile::draw::draw;
use crate::profile::profile::Profile;
use crate::profile::{Fields, InsertSpec, Mix, Population, Schema};

use super::profile::{file, read};
use super::rows::table_of;

#[test]
fn every_distribution_by_every_name() {
    let spelled = read("spellings.yaml");
    for spec in spelled.columnspec.iter().filter(|spec| spec.name.len() == 1) {
        let size = spec.size.as_ref().unwrap();
        let fixed = spec.name == "m";
        assert_eq!((size.min(), size.max()), (if fixed { 100 } else { 1 }, 100), "{}", spec.name);
    }
    let median = |name: &str| {
        let spec = spelled.columnspec.iter().find(|spec| spec.name == name).unwrap();
        spec.size.as_ref().unwrap().quantile(0.5)
    };
    assert_eq!(["c", "e", "i", "h", "j", "l"].map(median), ["d", "f", "i", "j", "h", "l"].map(median));
    assert_eq!((median("i"), median("k"), median("l")), (20, 81, 51));
    assert_eq!(median("g"), 101 - median("f"));
    assert_eq!((median("a"), median("b"), median("c")), (30, 14, 55));
}

#[test]
fn keys_and_words_in_any_case() {
    let spelled = read("spellings.yaml");
    assert_eq!(spelled.table, "spelled");
    let spec = |name: &str| spelled.columnspec.iter().find(|spec| spec.name == name).unwrap();
    assert_eq!(spec("id").population.as_ref().unwrap().max(), 10_000_000_000);
    assert_eq!(spec("part").cluster.as_ref().unwrap().max(), 2000);
    assert_eq!(spec("part").population.as_ref().unwrap().max(), 4000);
    let tags = spec("tags");
    assert_eq!((tags.size.as_ref().unwrap().max(), tags.population.as_ref().unwrap().quantile(0.5)), (3, 800));
    let insert = &spelled.insert;
    assert_eq!((insert.partitions().to_string().as_str(), insert.partitions().max()), ("~uniform(1..1k)", 1000));
    assert_eq!((insert.select().to_string().as_str(), insert.select().max()), ("gaussian(1..10)/1000", 0.01));
    assert_eq!((insert.row_population().max(), insert.row_population().is_whole()), (1.0, false));
    assert_eq!((insert.batch_type(), insert.consistency()), (Some(BatchType::Unlogged), Some(Consistency::EachQuorum)));
    assert_eq!((insert.visits().unwrap(), insert.revisit_partitions()), (10, 100_000));
    assert_eq!(spelled.operation_names(), ["insert", "open", "any", "same", "keys"]);
    let query = |name: &str| spelled.queries.get(name).map(|query| (query.fields, query.consistency())).unwrap();
    assert_eq!(query("open"), (Fields::MultiRow, None));
    assert_eq!(query("any"), (Fields::MultiRow, Some(Consistency::LocalQuorum)));
    assert_eq!(query("same"), (Fields::SameRow, Some(Consistency::Two)));
    let keys = spelled.token_range_queries.get("keys").unwrap();
    assert_eq!((keys.columns.as_str(), keys.page_size, keys.split_factor), ("id, part", 100, 8));
}

#[test]
fn statements_beside_the_table_come_after_it() {
    let statements = Schema::of(&read("spellings.yaml")).statements(None, "").unwrap();
    let starts =
        ["CREATE KEYSPACE IF", "USE labtypes", "CREATE TABLE IF", "CREATE INDEX IF", "CREATE MATERIALIZED VIEW"];
    assert_eq!(statements.len(), starts.len());
    for (cql, start) in statements.iter().zip(starts) {
        assert!(cql.starts_with(start) && !cql.ends_with(';'), "{cql}");
    }
}

#[test]
fn what_is_not_said_is_as_in_cassandra_stress() {
    let types = "id bigint, part text, at timestamp, id1 timeuuid, v blob, d double, n varint, l list<text>";
    let short = format!("keyspace: k\ntable: t\ntable_definition: CREATE TABLE t ({types}, PRIMARY KEY (id, part))\n");
    let profile = Profile::parse(&format!("{short}queries:\n  q: {{cql: SELECT 1}}\n")).unwrap();
    let insert = &profile.insert;
    assert_eq!(
        (insert.partitions().to_string(), insert.select().to_string()),
        ("fixed(1)".into(), "fixed(1)/1".into())
    );
    assert!(insert.row_population().is_whole() && insert.batch_type().is_none() && insert.condition().is_none());
    assert_eq!((insert.visits().unwrap(), insert.revisit_partitions()), (1, 1_000_000));
    assert_eq!((insert.consistency(), insert.serial_consistency()), (None, None));
    let query = profile.queries.get("q").unwrap();
    assert_eq!((query.fields, query.consistency()), (Fields::MultiRow, None));
    for column in table_of(&profile).columns() {
        let maker = &column.maker;
        assert_eq!((maker.size.min(), maker.size.max(), column.cluster.max()), (4, 8, 1), "{}", column.name);
        let fifty_years = 50 * 365 * 24 * 60 * 60 * 1000;
        let last = if ["at", "id1"].contains(&column.name.as_str()) { fifty_years } else { 100_000_000_000 };
        assert_eq!((maker.population.min(), maker.population.max()), (1, last), "{}", column.name);
        assert!(maker.size.is_flat() && maker.population.is_flat());
    }
    // A key whose value is commented out says nothing.
    let hollow = "extra_definitions:\ncolumnspec:\n#  - name: v\ninsert:\nqueries:\ntoken_range_queries:\n";
    assert_eq!(Profile::parse(&format!("{short}{hollow}")).unwrap().operation_names(), ["insert"]);
}

/// Keys of cassandra-stress's first samples, of its page (which misspells one) and words that the lab does not take.
#[test]
fn what_is_not_taken_is_refused_in_one_line() {
    let text = std::fs::read_to_string(file("types.yaml")).unwrap();
    for (from, to, named, line) in [
        ("specname: wide", "spacenam: wide", "spacenam", 3),
        ("specname: wide", "seed: any text", "seed", 3),
        ("    cluster: uniform(20..40)", "    clustering: uniform(20..40)", "clustering", 22),
        ("  select: uniform", "  pervisit: uniform", "pervisit", 30),
        ("  select: uniform", "  perbatch: ~exp", "perbatch", 30),
        ("gaussian(1..1000)", "poisson(1..1000)", "poisson", 24),
        ("gaussian(1..1000)", "gaussian(1000..1)", "1000..1", 24),
        ("gaussian(1..1000)", "gaussian(1,1000)", "min..max", 24),
        ("uniform(1..10)/10\n", "uniform(1..10)\n", "dist(...)/n", 30),
        ("uniform(1..50)", "uniform(0..50)", "uniform(0..50)", 28),
        ("batchtype: LOGGED", "Partitions: fixed(1)", "partitions is there twice", 29),
        ("  - name: taken", "    Size: fixed(1)", "size is there twice", 21),
        ("batchtype: LOGGED", "batchtype: LOGED", "LOGED", 29),
        ("batchtype: LOGGED", "condition: IF reading = ?", "conditions with ?", 29),
        ("fields: multirow", "fields: firstrow", "firstrow", 37),
        ("page_size: 500", "page_rows: 500", "page_rows", 41),
        ("   since:\n      cql:", "   since:\n      sql:", "sql", 36),
        ("  readings:\n    columns: reading", "  readings: reading", "readings", 42),
    ] {
        let changed = text.replacen(from, to, 1);
        assert_ne!(changed, text, "{from}");
        let message = format!("{:#}", Profile::parse(&changed).unwrap_err());
        assert!(message.contains(named) && message.contains(&format!("at line {line} ")), "{to}: {message}");
        assert!(!message.contains('\n'), "{message}");
    }
}

#[test]
fn a_column_is_said_once() {
    let text = std::fs::read_to_string(file("types.yaml")).unwrap().replace("- name: reading", "- name: taken");
    assert_eq!(format!("{:#}", Profile::parse(&text).unwrap_err()), "columnspec taken is there twice");
}

#[test]
fn what_only_the_table_tells_is_refused_when_it_is_drawn() {
    let text = std::fs::read_to_string(file("types.yaml")).unwrap();
    for (from, to, named) in [
        ("- name: station", "- name: stations", "columnspec stations: the table has no such column"),
        ("- name: station", "- name: Station", "columnspec Station: the table has no such column"),
        ("- name: reading", "- {name: reading, cluster: fixed(2)}", "cluster is for clustering columns"),
        ("cluster: uniform(20..40)", "cluster: uniform(0..40)", "can be less than 1"),
        ("batchtype: LOGGED", "visits: uniform(1..2)", "only fixed(n) is taken"),
    ] {
        let profile = Profile::parse(&text.replace(from, to)).unwrap();
        let drawn = draw(&profile, &Mix::only("insert"), &Population::sequence(10), &InsertSpec::default());
        let message = format!("{:#}", drawn.unwrap_err());
        assert!(message.contains(named), "{to}: {message}");
    }
}
