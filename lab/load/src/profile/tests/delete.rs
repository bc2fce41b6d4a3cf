// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

use std::collections::HashMap;
use std::sync::Arc;

use proptest::prelude::*;

use crate::check::{Before, Ledger, Shape};
use crate::load::FaultKind;
use crate::profile::conditions::Conditions;
use crate::profile::delete::{Extent, PendingDelete};
use crate::profile::profile::{Fields, Profile};
use crate::profile::table::{id_of, Table};

use super::rows::{core_of, table_of};

fn table(clustering: &[(&str, u64)]) -> Table {
    let columns: String = clustering.iter().map(|(name, _)| format!("\"{name}\" bigint, ")).collect();
    let names: String = clustering.iter().map(|(name, _)| format!(", \"{name}\"")).collect();
    let specs: String =
        clustering.iter().map(|(name, rows)| format!("  - {{name: {name}, cluster: fixed({rows})}}\n")).collect();
    let definition = format!("CREATE TABLE t (k bigint, {columns}v blob, PRIMARY KEY (k{names}))");
    let text =
        format!("keyspace: ks\ntable: t\ntable_definition: '{definition}'\ncolumnspec:\n  - {{name: k}}\n{specs}");
    table_of(&Profile::parse(&text).unwrap())
}

fn extent(table: &Table, cql: &str, fields: Fields) -> Option<Extent> {
    Extent::of(table, &Conditions::of(cql).unwrap(), fields)
}

#[test]
fn whole_rows_and_whole_partitions_by_their_key_alone() {
    let (flat, one, two) = (table(&[]), table(&[("C", 4)]), table(&[("C", 4), ("d", 3)]));
    let any = Fields::MultiRow;
    assert_eq!(extent(&flat, "DELETE FROM t WHERE k = ?", any), Some(Extent::Partition));
    assert_eq!(extent(&one, "delete from ks.t where k = ?;", any), Some(Extent::Partition));
    assert_eq!(extent(&one, "DELETE FROM t WHERE \"C\" = ? AND k = ?", any), Some(Extent::Row));
    let whole = "DELETE FROM t WHERE k = ? AND \"C\" = ? AND d = ?";
    assert_eq!((extent(&two, whole, Fields::SameRow), extent(&two, whole, any)), (Some(Extent::Row), None));
    for cql in [
        "DELETE v FROM t WHERE k = ?",
        "DELETE FROM t USING TIMESTAMP ? WHERE k = ?",
        "DELETE FROM t USING TIMESTAMP 5 WHERE k = ?",
        "DELETE FROM t WHERE k = ? IF EXISTS",
        "DELETE FROM t WHERE k = ? IF v = ?",
        "DELETE FROM t WHERE k = ? AND \"C\" = ?",
        "DELETE FROM t WHERE k = ? AND \"C\" > ?",
        "DELETE FROM t WHERE k = ? AND \"C\" = 5",
        "DELETE FROM t WHERE k IN (?)",
        "DELETE FROM t WHERE k = 5",
        "UPDATE t SET v = ? WHERE k = ?",
        "SELECT * FROM t WHERE k = ?",
    ] {
        assert_eq!(extent(&two, cql, Fields::SameRow), None, "{cql}");
    }
    let large = table(&[("C", 5000)]);
    assert_eq!(extent(&large, "DELETE FROM t WHERE k = ?", any), None, "too large to remember");
    assert_eq!(extent(&large, "DELETE FROM t WHERE k = ? AND \"C\" = ?", any), Some(Extent::Row));
}

#[derive(Clone, Debug)]
struct Change {
    partition: u64,
    /// `None`: a delete of the whole partition.
    row: Option<u64>,
    deletes: bool,
    acknowledged: bool,
}

fn change() -> impl Strategy<Value = Change> {
    (0u64..2, proptest::option::of(0u64..4), any::<bool>(), any::<bool>())
        .prop_map(|(partition, row, deletes, acknowledged)| Change { partition, row, deletes, acknowledged })
}

/// The versions that a read may show, and whether the row may be absent.
#[derive(Clone, Debug, Default)]
struct May {
    show: Vec<u32>,
    be_absent: bool,
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// One change after the other, so that what a row may be is what was acknowledged last, or failed since then.
    #[test]
    fn a_delete_is_told_of_each_of_its_rows_and_of_no_other(changes in proptest::collection::vec(change(), 0..30)) {
        let ledger = Arc::new(Ledger::new(Shape::sparse(), Before::Absent));
        let core = core_of(table(&[("C", 4)]), &ledger);
        let mut model: HashMap<(u64, u64), (u32, May)> = HashMap::new();
        let row_of = |seed: u64, row: u64| {
            let partition = core.table.partition(seed);
            core.ledger_row(seed, partition.id, id_of(core.table.clustering_of(partition.id, row).iter()))
        };
        for Change { partition: seed, row, deletes, acknowledged } in changes {
            let deletes = deletes || row.is_none();
            let partition = core.table.partition(seed);
            let extent = if row.is_some() { Extent::Row } else { Extent::Partition };
            let rows = extent.rows(&core.table, &partition, row.unwrap_or(0));
            if deletes {
                PendingDelete::new(&core, seed, &partition, rows.clone()).unwrap().end(acknowledged);
            } else {
                let row = row_of(seed, rows.start);
                let version = ledger.begin_write(row);
                if acknowledged { ledger.acknowledge(row, version) } else { ledger.fail(row, version) }
            }
            for row in rows {
                let (newest, may) = model.entry((seed, row)).or_insert((0, May { be_absent: true, ..May::default() }));
                *newest += 1;
                if acknowledged {
                    *may = May::default();
                }
                if deletes { may.be_absent = true } else { may.show.push(*newest) }
            }
        }
        for ((seed, row), (newest, may)) in &model {
            let snapshot = ledger.begin_read(row_of(*seed, *row));
            prop_assert_eq!(ledger.judge(&snapshot, None).is_none(), may.be_absent);
            for version in 1..=*newest {
                let judged = ledger.judge(&snapshot, Some(version));
                prop_assert_eq!(judged.is_none(), may.show.contains(&version), "version {}, {:?}", version, may);
                prop_assert!(!may.show.is_empty() || judged == Some(FaultKind::Resurrected));
            }
        }
    }
}
