// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

use std::sync::Arc;

use crate::check::{Before, Ledger, Shape};
use crate::load::{Answer, Fault, FaultKind};
use crate::profile::conditions::Conditions;
use crate::profile::core::Core;
use crate::profile::planned::planned;
use crate::profile::profile::{Fields, Profile};
use crate::profile::verify::Verifier;
use crate::profile::Ratio;

use super::rows::{core_of, table_of};

type Row = Vec<Option<Vec<u8>>>;

const PARTITION: &str = "SELECT k, c, v FROM t WHERE k = ?";
const ONE: &str = "SELECT k, c, v FROM t WHERE k = ? AND c = ?";

/// A table of partitions of four rows, the first of which is written.
struct Written {
    core: Core,
    ledger: Arc<Ledger>,
    rows: Vec<Row>,
}

impl Written {
    fn new(clustering: &str, before: Before) -> Self {
        let definition = format!("CREATE TABLE t (k bigint, c {clustering}, v blob, PRIMARY KEY (k, c))");
        let specs = "  - {name: c, cluster: fixed(4)}\n";
        let text = format!("keyspace: ks\ntable: t\ntable_definition: '{definition}'\ncolumnspec:\n{specs}");
        let ledger = Arc::new(Ledger::new(Shape::sparse(), before));
        let core = core_of(table_of(&Profile::parse(&text).unwrap()), &ledger);
        let planned = planned(&core, &"fixed(1)/1".parse::<Ratio>().unwrap(), 0, 0..1);
        planned.iter().for_each(|row| ledger.acknowledge(row.row, row.version.unwrap()));
        let rows = planned.iter().map(|row| row.cells.iter().map(|cell| cell.map(<[u8]>::to_vec)).collect()).collect();
        Self { core, ledger, rows }
    }

    /// The faults of an answer with these rows, all of them rows that must not come.
    fn faults(&self, cql: &str, rows: &[&Row]) -> Vec<String> {
        let faults = self.check(cql, rows);
        assert!(faults.iter().all(|fault| fault.kind == FaultKind::MixedUp), "{faults:?}");
        faults.into_iter().map(|fault| fault.detail).collect()
    }

    /// The faults of an answer with these rows.
    fn details(&self, cql: &str, rows: &[&Row]) -> Vec<String> {
        self.check(cql, rows).into_iter().map(|fault| fault.detail).collect()
    }

    fn check(&self, cql: &str, rows: &[&Row]) -> Vec<Fault> {
        let conditions = Conditions::of(cql).unwrap();
        let verifier = Verifier::of(&self.core.table, &["k", "c", "v"], &conditions, Fields::SameRow).unwrap();
        let seed = self.core.visit(0).unwrap().seed;
        let mut watch = verifier.watch(&self.core, seed, &self.core.table.partition(seed), 0).unwrap();
        let mut answer = Answer::default();
        for row in rows {
            let cells: Vec<Option<&[u8]>> = row.iter().map(Option::as_deref).collect();
            watch.check_row(&self.core, &self.ledger, &cells, &mut answer);
        }
        watch.finish(&self.core, &mut answer);
        assert!(answer.rows_checked >= answer.faults.len() as u64);
        answer.faults
    }

    /// A row with a clustering of its own.
    fn other(&self, clustering: Option<&[u8]>) -> Row {
        let mut row = self.rows[0].clone();
        row[1] = clustering.map(<[u8]>::to_vec);
        row
    }
}

fn assert_one(faults: &[String], words: &str) {
    assert!(faults.len() == 1 && faults[0].ends_with(words), "{words}: {faults:?}");
}

#[test]
fn a_row_that_comes_twice_is_found_whatever_is_known_of_it() {
    for before in [Before::Absent, Before::Unknown] {
        let written = Written::new("bigint", before);
        let rows: Vec<&Row> = written.rows.iter().collect();
        assert_eq!(written.faults(PARTITION, &rows), [""; 0]);
        assert_one(&written.faults(PARTITION, &[&rows[..], &rows[2..3]].concat()), ": the row came twice");
    }
    let written = Written::new("bigint", Before::Unknown);
    let other = written.other(Some(&[0; 8]));
    let rows: Vec<&Row> = written.rows.iter().chain([&other, &other]).collect();
    assert_one(&written.faults(PARTITION, &rows), ": the row came twice");
}

#[test]
fn a_primary_key_has_one_row() {
    for before in [Before::Absent, Before::Unknown] {
        let written = Written::new("bigint", before);
        let rows = &written.rows;
        assert_eq!(written.faults(ONE, &[&rows[0]]), [""; 0]);
        assert_one(&written.faults(ONE, &[&rows[0], &rows[0]]), ": the row came twice");
        assert_one(&written.faults(ONE, &[&rows[0], &rows[1]]), ": a second row came for one primary key");
    }
}

#[test]
fn a_row_that_was_not_asked_for_is_found_and_the_other_one_is_missing() {
    for before in [Before::Absent, Before::Unknown] {
        let written = Written::new("bigint", before);
        let faults = written.details(ONE, &[&written.rows[1]]);
        assert!(faults[0].ends_with(": a row came that was not asked for"), "{faults:?}");
        assert!(faults[1].ends_with(", came no row"), "{faults:?}");
        let other = written.other(Some(&[7; 8]));
        let faults = written.details(ONE, &[&other]);
        assert!(faults[0].ends_with(": a row came that was not asked for"), "{faults:?}");
    }
}

#[test]
fn a_row_that_nobody_wrote_is_found_where_the_table_was_empty() {
    let found = |before, clustering: Option<&[u8]>| {
        let written = Written::new("bigint", before);
        let other = written.other(clustering);
        let rows: Vec<&Row> = written.rows.iter().chain([&other]).collect();
        written.faults(PARTITION, &rows)
    };
    assert_one(
        &found(Before::Absent, Some(&[7; 8])),
        ", clustering 0x0707070707070707 (seed 1): a row came that nobody wrote",
    );
    assert_eq!(found(Before::Unknown, Some(&[7; 8])), [""; 0]);
    assert_eq!(found(Before::Written, Some(&[7; 8])), [""; 0]);
    assert_eq!(found(Before::Absent, None), [""; 0], "static columns alone");
}

#[test]
fn a_clustering_that_comes_in_another_order_is_no_other_row() {
    let written = Written::new("frozen<set<int>>", Before::Absent);
    let other = written.other(Some(&[0, 0, 0, 0]));
    let rows: Vec<&Row> = written.rows.iter().chain([&other]).collect();
    assert_eq!(written.faults(PARTITION, &rows), [""; 0]);
}
