// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

use crate::profile::column::Role;
use crate::profile::definition::{table, user_type, with_options};
use crate::profile::types::{Definitions, Type};

#[test]
fn a_table_is_read_with_its_roles() {
    let cql = "CREATE TABLE IF NOT EXISTS \"Ks\".t ( -- comment\n b int, \"A\" text, s set<int> static, f frozen<set<int>>,                v vector<float, 3>, PRIMARY KEY ((\"A\"), b)) WITH x = 'a)b' /* c */";
    let table = table(cql, &Definitions::new()).unwrap();
    let found: Vec<(&str, Role, bool)> =
        table.columns.iter().map(|column| (column.name.as_str(), column.role, column.kind.multicell)).collect();
    assert_eq!(
        found,
        [
            ("A", Role::Partition, false),
            ("b", Role::Clustering, false),
            ("s", Role::Static, true),
            ("f", Role::Regular, false),
            ("v", Role::Regular, false)
        ]
    );
    assert_eq!(table.columns[4].kind.ty, Type::Vector(Box::new(Type::Float), 3));
}

#[test]
fn a_type_is_read_with_its_fields() {
    let (name, fields) =
        user_type("CREATE TYPE ks.p (a int, b frozen<list<text>>)", &Definitions::new()).unwrap().unwrap();
    assert_eq!((name.as_str(), fields), ("p", Type::Tuple(vec![Type::Int, Type::List(Box::new(Type::Text))])));
    assert!(user_type("CREATE INDEX ON t (a)", &Definitions::new()).unwrap().is_none());
}

#[test]
fn what_is_wrong_is_named() {
    for (cql, named) in [
        ("CREATE TABLE t (a int)", "PRIMARY KEY"),
        ("CREATE TABLE t (a int, PRIMARY KEY (b))", "b"),
        ("CREATE TABLE t (a blub PRIMARY KEY)", "blub"),
        ("CREATE TABLE t (a map<int> PRIMARY KEY)", "map"),
        ("CREATE TABLE t (a int PRIMARY KEY MASKED WITH DEFAULT)", "MASKED"),
        ("SELECT 1", "CREATE TABLE"),
    ] {
        let message = format!("{:#}", table(cql, &Definitions::new()).unwrap_err());
        assert!(message.contains(named), "{cql}: {message}");
    }
}

#[test]
fn options_are_added_where_there_are_none() {
    assert_eq!(
        with_options("CREATE TABLE t (a int PRIMARY KEY);", "b = 'c'").unwrap(),
        "CREATE TABLE t (a int PRIMARY KEY) WITH b = 'c'"
    );
    assert_eq!(
        with_options(
            "CREATE TABLE t (a int PRIMARY KEY) WITH CLUSTERING ORDER BY (x DESC) AND b = 1",
            "b = 2 AND c = 3"
        )
        .unwrap(),
        "CREATE TABLE t (a int PRIMARY KEY) WITH CLUSTERING ORDER BY (x DESC) AND b = 2 AND c = 3"
    );
}
