// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Profiles that have the shape of cassandra-stress's samples: each key and word of theirs comes out as what it means there.

use scylla::statement::batch::BatchType;

use crate::profile::column::{Column, Role};
use crate::profile::profile::Profile;
use crate::profile::types::Type;
use crate::profile::Fields;

use super::profile::read;
use super::rows::table_of;

/// Size, population and cluster of a column as the profile says them.
fn specified(profile: &Profile, name: &str) -> [String; 3] {
    let spec = profile.columnspec.iter().find(|spec| spec.name == name).unwrap();
    [&spec.size, &spec.population, &spec.cluster].map(|spec| spec.as_ref().map(ToString::to_string).unwrap_or_default())
}

/// Partitions, select and batches of the insert.
fn inserted(profile: &Profile) -> (String, String, Option<BatchType>) {
    let insert = &profile.insert;
    (insert.partitions().to_string(), insert.select().to_string(), insert.batch_type())
}

fn query<'a>(profile: &'a Profile, name: &str) -> (&'a str, Fields) {
    let query = profile.queries.get(name).unwrap();
    (query.cql.as_str(), query.fields)
}

fn of_role(profile: &Profile, role: Role) -> Vec<String> {
    let columns = profile.definition().unwrap().unwrap().columns;
    columns.into_iter().filter(|column| column.role == role).map(|column| column.name).collect()
}

/// The settings of the column in the table, with defaults.
fn effective(profile: &Profile, name: &str) -> [String; 3] {
    let table = table_of(profile);
    let column: &Column = table.columns().find(|column| column.name == name).unwrap();
    [&column.maker.size, &column.maker.population, &column.cluster].map(ToString::to_string)
}

#[test]
fn many_types_in_a_wide_clustering() {
    let wide = read("types.yaml");
    assert_eq!(wide.specname.as_deref(), Some("wide"));
    assert_eq!((wide.keyspace.as_str(), wide.table.as_str()), ("labtypes", "wide"));
    assert_eq!(of_role(&wide, Role::Partition), ["station", "indoors"]);
    assert_eq!(of_role(&wide, Role::Clustering), ["taken", "sender", "height", "channel", "step", "lot"]);
    assert_eq!(of_role(&wide, Role::Regular), ["reading"]);
    assert!(!wide.table_definition.as_ref().unwrap().contains("gc_grace_seconds"), "that line is a comment");
    assert_eq!(specified(&wide, "station"), ["uniform(1..10)", "uniform(1..1m)", ""]);
    assert_eq!(specified(&wide, "taken"), ["", "", "uniform(20..40)"]);
    assert_eq!(specified(&wide, "channel"), ["", "gaussian(1..1000)", "uniform(1..4)"]);
    assert_eq!(specified(&wide, "reading"), ["", "", ""]);
    let whole = ("uniform(1..50)".to_owned(), "uniform(1..10)/10".to_owned(), Some(BatchType::Logged));
    assert_eq!(inserted(&wide), whole);
    assert_eq!(wide.operation_names(), ["insert", "first", "since", "everything", "readings"]);
    let first = "SELECT * FROM wide WHERE station = ? AND indoors = ? LIMIT 100";
    assert_eq!(query(&wide, "first"), (first, Fields::SameRow));
    assert_eq!(query(&wide, "since").1, Fields::MultiRow);
    let scan = |name: &str| wide.token_range_queries.get(name).map(|scan| (scan.columns.as_str(), scan.page_size));
    assert_eq!((scan("everything"), scan("readings")), (Some(("*", 500)), Some(("reading", 5000))));
    assert_eq!(table_of(&wide).clustering.rows_max(), 40 * 4);
}

#[test]
fn a_counter_for_each_name() {
    let counter = read("counter.yaml");
    let columns = counter.definition().unwrap().unwrap().columns;
    let found: Vec<_> = columns.iter().map(|column| (column.name.as_str(), column.role, &column.kind.ty)).collect();
    assert_eq!(found, [("visitor", Role::Partition, &Type::Text), ("visits", Role::Regular, &Type::Counter)]);
    assert_eq!(specified(&counter, "visitor"), ["uniform(1..4)", "", ""]);
    assert_eq!(specified(&counter, "visits"), ["", "fixed(1)", ""]);
    assert_eq!(inserted(&counter), ("fixed(1)".to_owned(), "fixed(1)/1".to_owned(), Some(BatchType::Logged)));
    assert!(counter.insert.select().is_whole());
    assert_eq!(query(&counter, "total"), ("SELECT * FROM counted WHERE visitor = ?", Fields::SameRow));
}

#[test]
fn a_type_of_each_kind() {
    let plain = read("plain.yaml");
    assert_eq!(of_role(&plain, Role::Clustering), ["at"]);
    assert_eq!(of_role(&plain, Role::Regular).len(), 7);
    assert_eq!(specified(&plain, "at"), ["", "", "gaussian(1..20)"]);
    assert_eq!(specified(&plain, "serial"), ["", "fixed(1)", ""]);
    assert_eq!(effective(&plain, "picture"), ["uniform(4..8)", "uniform(1..100000000000)", "fixed(1)"]);
    let table = table_of(&plain);
    assert!((0..500).all(|seed| (1..=20).contains(&table.rows(table.partition(seed).id))));
}

#[test]
fn one_of_many_rows_if_it_is_not_there() {
    let lwt = read("lwt.yaml");
    assert_eq!(lwt.insert.condition(), Some("IF words = NULL"));
    assert_eq!(inserted(&lwt), ("fixed(1)".to_owned(), "fixed(1)/1000".to_owned(), Some(BatchType::Unlogged)));
    assert_eq!(specified(&lwt, "box"), ["gaussian(5..100)", "uniform(1..10m)", ""]);
    assert_eq!(specified(&lwt, "sent"), ["", "", "fixed(1000)"]);
    assert_eq!(specified(&lwt, "words"), ["gaussian(100..5000)", "", ""]);
    assert_eq!(lwt.operation_names(), ["insert", "newest", "recent"]);
    assert_eq!(table_of(&lwt).clustering.rows_max(), 1000);
    assert!(lwt.table_definition.unwrap().contains("CLUSTERING ORDER BY (sent DESC)"));
}

#[test]
fn few_writers_with_many_entries() {
    let diary = read("diary.yaml");
    assert_eq!(diary.specname.as_deref(), Some("diary"));
    assert_eq!((of_role(&diary, Role::Partition), of_role(&diary, Role::Clustering).len()), (vec!["writer".into()], 2));
    assert!(of_role(&diary, Role::Regular).is_empty(), "all columns are of the key");
    assert_eq!(specified(&diary, "writer"), ["uniform(5..10)", "uniform(1..10)", ""]);
    assert_eq!(specified(&diary, "day"), ["", "", "uniform(20..500)"]);
    // One number after the bounds: so many deviations from the middle to an edge.
    let entry = diary.columnspec[2].size.as_ref().unwrap();
    assert_eq!((entry.min(), entry.max(), entry.quantile(0.5)), (10, 100, 55));
    assert!((54..=56).contains(&entry.quantile(0.8)) && entry.quantile(0.01) >= 52);
    assert_eq!(inserted(&diary).1, "fixed(1)/500");
    assert_eq!(query(&diary, "latest_day").1, Fields::SameRow);
}

#[test]
fn rows_that_queries_change() {
    let changes = read("changes.yaml");
    let writes = |name: &str| changes.queries.get(name).unwrap().writes();
    assert_eq!(["latest", "lend", "lendif"].map(writes), [false, true, true]);
    assert!(query(&changes, "lendif").0.ends_with("IF notes = ? AND title = ?"));
    assert!(changes.insert.condition().is_none());
}
