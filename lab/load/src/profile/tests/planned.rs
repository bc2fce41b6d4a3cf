// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

use std::collections::HashSet;
use std::sync::Arc;

use crate::check::{Before, Ledger, Shape};
use crate::profile::planned::{planned, Planned};
use crate::profile::profile::Profile;
use crate::profile::Ratio;

use super::rows::{core_of, table_of};

/// Partitions of as many rows as said; their clustering is one of 64 characters.
fn narrow(rows: u64) -> Profile {
    let definition = "CREATE TABLE t (k bigint, c text, v blob, PRIMARY KEY (k, c))";
    let specs = format!("  - {{name: c, size: fixed(1), cluster: fixed({rows})}}\n");
    let text = format!("keyspace: ks\ntable: t\ntable_definition: '{definition}'\ncolumnspec:\n{specs}");
    Profile::parse(&text).unwrap()
}

fn primary_key(row: &Planned) -> Vec<Vec<u8>> {
    (0..2).map(|place| row.cells.get(place).unwrap().to_vec()).collect()
}

#[test]
fn rows_with_the_same_clustering_are_one_row_of_an_insert() {
    let ledger = Arc::new(Ledger::new(Shape::sparse(), Before::Absent));
    let core = core_of(table_of(&narrow(200)), &ledger);
    for (index, select) in ["fixed(1)/1", "fixed(1)/2", "fixed(1)/1"].into_iter().enumerate() {
        let rows = planned(&core, &select.parse::<Ratio>().unwrap(), index as u64, 0..4);
        let keys: HashSet<Vec<Vec<u8>>> = rows.iter().map(primary_key).collect();
        assert_eq!(keys.len(), rows.len(), "{select}");
        assert!((4 * 20..=4 * 64).contains(&rows.len()), "{select}: {}", rows.len());
        for row in rows {
            // A row that is begun twice has a write in flight that nobody ends.
            let version = row.version.unwrap();
            ledger.acknowledge(row.row, version);
            assert_eq!(ledger.expected(&ledger.begin_read(row.row)), format!("version {version} (acknowledged)"));
        }
    }
}

#[test]
fn an_insert_of_one_row_is_that_row() {
    let ledger = Arc::new(Ledger::new(Shape::sparse(), Before::Absent));
    let core = core_of(table_of(&narrow(1)), &ledger);
    let rows = planned(&core, &"fixed(1)/1".parse::<Ratio>().unwrap(), 0, 0..2);
    assert_eq!(rows.iter().map(|row| row.version).collect::<Vec<_>>(), [Some(1), Some(1)]);
}
