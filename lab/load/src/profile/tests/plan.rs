// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

use std::collections::HashMap;

use crate::profile::core::{ledger_shape, Core, Revisit};
use crate::profile::schedule::Schedule;
use crate::profile::written_prefix::WrittenPrefix;
use crate::profile::{builtin, Distribution, Mix, Population};

use super::profile::read;
use super::rows::table_of;

fn core(population: Population, visits: u64, window: u64) -> Core {
    let table = table_of(&builtin::rows(100).unwrap());
    let revisit = Revisit { visits, window };
    Core { table, population, seed: 1, ledger: None, written: Some(WrittenPrefix::default()), revisit }
}

#[test]
fn mixes_are_read() {
    let mix: Mix = "ops(insert=24,GetAllFeatures=1)".parse().unwrap();
    assert_eq!(mix.weights(), [("insert".to_owned(), 24.0), ("getallfeatures".to_owned(), 1.0)]);
    assert_eq!("ratio(write=1,read=3)".parse::<Mix>().unwrap().share(1), 0.75);
    for wrong in ["ops()", "ops(a)", "ops(a=0)", "ops(a=x)", "opps(a=1)", "ops(a=1,a=2)", "ops(a=1"] {
        assert!(wrong.parse::<Mix>().is_err(), "{wrong}");
    }
}

#[test]
fn a_schedule_keeps_the_proportions_and_leaves_no_gap() {
    let mix: Mix = "ops(insert=24,get=1)".parse().unwrap();
    let schedule =
        Schedule::new(
            &mix,
            7,
            |kind| if kind == 0 { "uniform(1..50)".parse().unwrap() } else { Distribution::fixed(1) },
        )
        .unwrap();
    let mut counts = [0u64; 2];
    let mut next = 0;
    for index in 0..100_000 {
        let slot = schedule.slot(index);
        assert_eq!(slot.first, next);
        next += slot.partitions;
        counts[slot.kind] += 1;
    }
    let share = counts[1] as f64 / 100_000.0;
    assert!((share - 0.04).abs() < 0.001, "{share}");
    let rare = Schedule::new(&"ops(a=100000,b=1)".parse().unwrap(), 7, |_| Distribution::fixed(1));
    let refusal = rare.unwrap_err().to_string();
    assert!(refusal.starts_with("b is one operation in 100001; one in 4096 is the rarest"), "{refusal}");
}

#[test]
fn populations_are_read() {
    let words = |text: &'static str| Population::parse(text.split(' '));
    assert_eq!(words("seq=1..1M").unwrap(), Population::sequence(1_000_000));
    assert_eq!(words("dist=gaussian(1..10)").unwrap().range(), (1, 10));
    for wrong in [
        "seq=9..1",
        "seq=1..2 dist=fixed(1)",
        "contents=SORTED",
        "no-wrap",
        "dist=fixed(1) no-wrap",
        "seq=1..5 read-lookback=fixed(9)",
    ] {
        assert!(words(wrong).is_err(), "{wrong}");
    }
    let Population::Spread(spread) = Population::by_default(Some(100), false).unwrap() else { panic!() };
    assert_eq!(spread.to_string(), "gaussian(1..100)");
}

#[test]
fn sequences_wrap_or_end() {
    let seeds = |population: &Population| (0..5).map(|n| population.seed(n, 0)).collect::<Vec<_>>();
    let wrapping = Population::sequence(3);
    assert_eq!(seeds(&wrapping), [Some(1), Some(2), Some(3), Some(1), Some(2)]);
    let ending = Population::parse(["seq=1..3", "no-wrap"]).unwrap();
    assert_eq!(seeds(&ending), [Some(1), Some(2), Some(3), None, None]);
}

#[test]
fn each_partition_is_visited_as_often_as_said() {
    let core = core(Population::sequence(10), 3, 4);
    let mut visits: HashMap<(u64, u64), u64> = HashMap::new();
    for n in 0..30 {
        let visit = core.visit(n).unwrap();
        *visits.entry((visit.seed, visit.number)).or_default() += 1;
    }
    assert_eq!(visits.len(), 30);
    assert!(visits.values().all(|count| *count == 1));
    assert_eq!(core.visit(30), core.visit(0));
}

#[test]
fn a_ledger_has_an_array_only_for_rows_that_it_numbers() {
    let core = core(Population::parse(["seq=5..104"]).unwrap(), 1, 1);
    let shape = ledger_shape(&core.table, &core.population);
    assert_eq!((shape.first_partition, shape.partitions, shape.rows_per_partition), (5, 100, 1));
    for n in 0..100 {
        let seed = core.visit(n).unwrap().seed;
        let row = core.ledger_row(seed, core.table.partition(seed).id, 0);
        assert!((5..105).contains(&row.partition) && row.row == 0, "{row:?}");
    }
    // A clustering; a key that is drawn.
    for name in ["every-type.yaml", "spot.yaml", "changes.yaml"] {
        let shape = ledger_shape(&table_of(&read(name)), &core.population);
        assert_eq!((shape.partitions, shape.rows_per_partition), (0, 0), "{name}");
    }
}

#[test]
fn reads_look_back_from_what_is_written() {
    let population = Population::parse(["seq=1..100", "read-lookback=uniform(1..5)"]).unwrap();
    let core = core(population, 1, 1);
    let written = core.written.as_ref().unwrap();
    written.add(1, 2);
    assert_eq!(written.count(), 0);
    written.add(0, 1);
    assert_eq!(written.count(), 2);
    (2..50).for_each(|n| written.add(n, n + 1));
    for index in 0..200 {
        let seed = core.read_seed(0, index).unwrap();
        assert!((46..=50).contains(&seed), "{seed}");
    }
}
