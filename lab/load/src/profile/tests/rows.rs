// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

use std::collections::HashSet;
use std::sync::Arc;

use proptest::prelude::*;

use crate::check::Ledger;
use crate::profile::canonical::canonical;
use crate::profile::cells::Cells;
use crate::profile::core::{Core, Revisit};
use crate::profile::profile::Profile;
use crate::profile::seed::permuted;
use crate::profile::table::{id_of, Table};
use crate::profile::types::Type;
use crate::profile::{builtin, Population, Ratio};

use super::profile::file;

pub fn table_of(profile: &Profile) -> Table {
    let definition = profile.definition().unwrap().unwrap();
    Table::new(&definition.columns, &profile.columnspec, profile.insert.row_population()).unwrap()
}

/// Ten partitions of a table, each visited once.
pub fn core_of(table: Table, ledger: &Arc<Ledger>) -> Core {
    Core {
        table,
        population: Population::sequence(10),
        seed: 1,
        ledger: Some(Arc::clone(ledger)),
        written: None,
        revisit: Revisit { visits: 1, window: 1 },
    }
}

fn every_type() -> Table {
    table_of(&Profile::read(&file("every-type.yaml")).unwrap())
}

fn values(table: &Table, partition: u64, row: u64, version: u64) -> Vec<Option<Vec<u8>>> {
    let mut cells = Cells::default();
    table.append_values(partition, row, version, &mut cells);
    cells.iter().map(|cell| cell.map(<[u8]>::to_vec)).collect()
}

fn all(cells: &Cells) -> Vec<Option<Vec<u8>>> {
    cells.iter().map(|cell| cell.map(<[u8]>::to_vec)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn equal_seeds_make_equal_rows(seed in 0u64..1_000_000, version in 0u64..5) {
        let (one, other) = (every_type(), every_type());
        let (a, b) = (one.partition(seed), other.partition(seed));
        prop_assert_eq!(all(&a.keys), all(&b.keys));
        prop_assert_eq!(a.id, b.id);
        let rows = one.rows(a.id);
        prop_assert_eq!(rows, other.rows(b.id));
        for row in 0..rows {
            let (x, y) = (one.clustering_of(a.id, row), other.clustering_of(b.id, row));
            prop_assert_eq!(all(&x), all(&y));
            let id = id_of(x.iter());
            prop_assert_eq!(values(&one, a.id, id, version), values(&other, b.id, id, version));
        }
    }

    #[test]
    fn clusterings_depend_on_the_partition_and_values_on_the_version(seed in 0u64..1_000_000) {
        let table = every_type();
        let (here, there) = (table.partition(seed), table.partition(seed + 1));
        prop_assert_ne!(here.id, there.id);
        prop_assert_ne!(all(&table.clustering_of(here.id, 0)), all(&table.clustering_of(there.id, 0)));
        let id = id_of(table.clustering_of(here.id, 0).iter());
        prop_assert_ne!(values(&table, here.id, id, 1), values(&table, here.id, id, 2));
    }

    #[test]
    fn a_row_always_has_a_value(seed: u64, version: u64) {
        let mut table = every_type();
        table.row_population = "fixed(0)/1".parse::<Ratio>().unwrap();
        prop_assert_eq!(values(&table, seed, 0, version).iter().flatten().count(), 1);
    }

    #[test]
    fn permutations_hit_each_value_once(seed: u64, n in 1u64..300) {
        let hit: HashSet<u64> = (0..n).map(|i| permuted(seed, n, i)).collect();
        prop_assert_eq!(hit.len() as u64, n);
    }

    #[test]
    fn canonical_forms_do_not_depend_on_the_order(mut elements in proptest::collection::vec(any::<i32>(), 0..6)) {
        let ty = Type::Set(Box::new(Type::Int));
        let bytes = |elements: &[i32]| {
            let mut bytes = (elements.len() as i32).to_be_bytes().to_vec();
            elements.iter().for_each(|x| { bytes.extend(4i32.to_be_bytes()); bytes.extend(x.to_be_bytes()); });
            bytes
        };
        let one = canonical(&ty, &bytes(&elements));
        elements.reverse();
        prop_assert_eq!(one, canonical(&ty, &bytes(&elements)));
    }
}

#[test]
fn rows_of_a_partition_have_different_clusterings() {
    for name in ["types.yaml", "every-type.yaml", "lwt.yaml"] {
        let table = table_of(&Profile::read(&file(name)).unwrap());
        for seed in 0..50 {
            let partition = table.partition(seed);
            let rows = table.rows(partition.id);
            let ids: HashSet<u64> = (0..rows).map(|row| id_of(table.clustering_of(partition.id, row).iter())).collect();
            assert_eq!(ids.len() as u64, rows, "{name}, seed {seed}");
            assert!(rows <= table.clustering.rows_max());
        }
    }
}

#[test]
fn narrow_populations_fill_up_without_repeating() {
    let text = std::fs::read_to_string(file("types.yaml")).unwrap();
    let text = text.replace("gaussian(1..1000)", "gaussian(1..6)").replace("uniform(1..4)", "fixed(9)");
    let table = table_of(&Profile::parse(&text).unwrap());
    let partition = table.partition(1);
    // Nine values are asked for, six there are.
    let rows = table.rows(partition.id);
    assert_eq!(rows % 6, 0);
    let ids: HashSet<u64> = (0..rows).map(|row| id_of(table.clustering_of(partition.id, row).iter())).collect();
    assert_eq!(ids.len() as u64, rows);
}

#[test]
fn builtin_keys_are_the_seed() {
    let rows = table_of(&builtin::rows(1000).unwrap());
    assert_eq!(rows.partition(42).keys.get(0), Some(&42i64.to_be_bytes()[..]));
    assert!(rows.seeds_are_keys(1 << 40));
    let value = values(&rows, rows.partition(42).id, 0, 3).remove(0).unwrap();
    assert_eq!(value.len(), 1000);
    assert!(value[500..].iter().all(|byte| *byte == 0) && value[..500].iter().filter(|byte| **byte == 0).count() < 20);
    let emp = table_of(&builtin::emp(6144).unwrap());
    let partition = emp.partition(7);
    let bytes: usize = values(&emp, partition.id, 0, 0).iter().flatten().map(Vec::len).sum();
    assert_eq!(bytes + partition.keys.get(0).unwrap().len(), 6144);
    assert!(table_of(&builtin::standard("keyspace1", &builtin::StandardColumns::default()).unwrap())
        .seeds_are_keys(1 << 30));
}
