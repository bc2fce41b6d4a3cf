// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The ledger against a model that remembers everything, over random histories; and what it does when memory ends.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::mem::size_of_val;

use proptest::prelude::*;

use super::*;
use crate::observe::ProcessReading;

const ROW: Row = Row { partition: 7, row: 1 };

/// One write as the model remembers it; times are numbers of steps.
#[derive(Clone, Debug)]
struct Written {
    version: Version,
    deletes: bool,
    begun: usize,
    ended: Option<(usize, State)>,
}

#[derive(Clone, Debug)]
struct Model {
    before: Before,
    now: usize,
    writes: Vec<Written>,
}

impl Model {
    fn new(before: Before) -> Self {
        Self { before, now: 0, writes: Vec::new() }
    }

    fn begin(&mut self, version: Version, deletes: bool) {
        self.writes.push(Written { version, deletes, begun: self.now, ended: None });
    }

    fn end(&mut self, version: Version, state: State) {
        let now = self.now;
        let write = self.writes.iter_mut().find(|w| w.version == version).unwrap();
        write.ended.get_or_insert((now, state));
    }

    /// Whether a write acknowledged before the read surely came after a write that ended then.
    fn replaced(&self, ended: Option<usize>, read_begun: usize) -> bool {
        let Some(ended) = ended else { return false };
        self.writes
            .iter()
            .any(|w| w.begun > ended && matches!(w.ended, Some((at, State::Acknowledged)) if at < read_begun))
    }

    fn stands(&self, write: &Written, read_begun: usize) -> bool {
        !self.replaced(write.ended.map(|(at, _)| at), read_begun)
    }

    /// Judges a read that began at `begun` and ends now.
    fn judge(&self, begun: usize, seen: Option<Version>) -> Option<FaultKind> {
        let first_stands = !self.replaced(Some(0), begun);
        if first_stands && self.before == Before::Unknown {
            return None;
        }
        let right = match seen {
            None => {
                (first_stands && self.before == Before::Absent)
                    || self.writes.iter().any(|w| w.deletes && self.stands(w, begun))
            }
            Some(0) => first_stands && self.before == Before::Written,
            Some(version) => {
                let shown = self.writes.iter().find(|w| w.version == version);
                shown.is_some_and(|w| (!w.deletes || w.begun > begun) && self.stands(w, begun))
            }
        };
        let acknowledged_delete = |w: &Written| {
            w.deletes && matches!(w.ended, Some((at, State::Acknowledged)) if at < begun) && self.stands(w, begun)
        };
        let deleted = (first_stands && self.before == Before::Absent) || self.writes.iter().any(acknowledged_delete);
        match seen {
            _ if right => None,
            None => Some(FaultKind::Lost),
            Some(version) if version as usize > self.writes.len() => Some(FaultKind::MixedUp),
            Some(_) if deleted => Some(FaultKind::Resurrected),
            Some(_) => Some(FaultKind::Stale),
        }
    }
}

#[derive(Clone, Debug)]
enum Step {
    Begin { deletes: bool },
    End { which: usize, failed: bool },
    BeginRead,
    EndRead { which: usize },
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        3 => any::<bool>().prop_map(|deletes| Step::Begin { deletes }),
        3 => (any::<usize>(), prop::bool::weighted(0.3)).prop_map(|(which, failed)| Step::End { which, failed }),
        2 => Just(Step::BeginRead),
        2 => any::<usize>().prop_map(|which| Step::EndRead { which }),
    ];
    prop::collection::vec(step, 1..60)
}

fn before() -> impl Strategy<Value = Before> {
    prop_oneof![Just(Before::Absent), Just(Before::Written), Just(Before::Unknown)]
}

fn shape() -> impl Strategy<Value = Shape> {
    prop_oneof![Just(Shape::dense(5, 10, 4)), Just(Shape::sparse())]
}

/// Plays a history on ledger and model; `exact`: same verdicts, else: the ledger accuses of nothing that is right.
fn play(steps: &[Step], before: Before, shape: Shape, exact: bool) {
    let (ledger, mut model) = (Ledger::new(shape, before), Model::new(before));
    let (mut open, mut reads): (Vec<Version>, Vec<(Snapshot, usize)>) = (Vec::new(), Vec::new());
    for step in steps {
        model.now += 1;
        match *step {
            // Beyond 32 writes at a time, the one before them among them, the ledger joins failed ones.
            Step::Begin { deletes } if !exact || model.writes.len() < 31 => {
                let version = if deletes { ledger.begin_delete(ROW) } else { ledger.begin_write(ROW) };
                model.begin(version, deletes);
                open.push(version);
            }
            Step::End { which, failed } if !open.is_empty() => {
                let version = open.remove(which % open.len());
                if failed {
                    ledger.fail(ROW, version);
                } else {
                    ledger.acknowledge(ROW, version);
                }
                model.end(version, if failed { State::Failed } else { State::Acknowledged });
            }
            Step::BeginRead => reads.push((ledger.begin_read(ROW), model.now)),
            Step::EndRead { which } if !reads.is_empty() => {
                let (snapshot, begun) = reads.remove(which % reads.len());
                compare(&ledger, &model, &snapshot, begun, exact);
            }
            Step::Begin { .. } | Step::End { .. } | Step::EndRead { .. } => {}
        }
    }
    for (snapshot, begun) in &reads {
        model.now += 1;
        compare(&ledger, &model, snapshot, *begun, exact);
    }
}

fn compare(ledger: &Ledger, model: &Model, snapshot: &Snapshot, begun: usize, exact: bool) {
    let newest = model.writes.len() as Version;
    for seen in std::iter::once(None).chain((0..=newest + 1).map(Some)) {
        let (judged, right) = (ledger.judge(snapshot, seen), model.judge(begun, seen));
        if exact {
            assert_eq!(judged, right, "saw {seen:?}, expected {}", ledger.expected(snapshot));
        } else {
            assert!(judged.is_none() || right.is_some(), "saw {seen:?}, which is right");
        }
        if let (Some(version), None, false) = (seen, judged, snapshot.accepts_anything()) {
            assert!(ledger.candidates(snapshot, false).contains(&version), "{version} is right but no candidate");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn judges_as_the_model_does(steps in steps(), before in before(), shape in shape()) {
        play(&steps, before, shape, true);
    }

    #[test]
    fn many_failed_writes_never_make_it_accuse(
        failures in 30..80usize, steps in steps(), before in before(), shape in shape()
    ) {
        let failed = [Step::Begin { deletes: false }, Step::End { which: 0, failed: true }, Step::BeginRead];
        let mut all: Vec<Step> = failed.iter().cycle().take(failures * 3).cloned().collect();
        all.extend(steps);
        play(&all, before, shape, false);
    }
}

#[test]
fn a_row_in_the_array_takes_eight_bytes_and_comes_back_to_them() {
    assert_eq!(size_of_val(&Settled::default().packed()) as u64, DENSE_BYTES_PER_ROW);
    let ledger = Ledger::new(Shape::dense(0, 1000, 1), Before::Absent);
    for partition in 0..1000 {
        let row = Row { partition, row: 0 };
        let first = ledger.begin_write(row);
        let second = ledger.begin_delete(row);
        ledger.fail(row, first);
        ledger.acknowledge(row, second);
        let third = ledger.begin_write(row);
        ledger.acknowledge(row, third);
    }
    let (moving, sparse) = ledger.shards.iter().fold((0, 0), |(moving, sparse), shard| {
        let shard = shard.lock().unwrap();
        (moving + shard.moving.len(), sparse + shard.sparse.len())
    });
    assert_eq!((moving, sparse), (0, 0));
}

#[test]
fn the_array_is_resident_only_where_rows_are_touched() {
    let resident_bytes = || ProcessReading::of(std::process::id() as i32).resident_bytes.unwrap();
    let (rows, before) = (1 << 27, resident_bytes());
    let ledger = Ledger::new(Shape::dense(0, rows, 1), Before::Absent);
    assert_eq!(ledger.dense_rows, rows);
    let row = Row { partition: rows - 1, row: 0 };
    ledger.acknowledge(row, ledger.begin_write(row));
    assert_eq!(ledger.judge(&ledger.begin_read(row), None), Some(FaultKind::Lost));
    // Other tests run beside this one.
    let grown = resident_bytes().saturating_sub(before);
    assert!(grown < rows * DENSE_BYTES_PER_ROW / 2, "{} MiB", grown >> 20);
}

proptest! {
    #[test]
    fn a_settled_row_is_unpacked_as_it_was_packed(version: u32, last_delete: u32) {
        let settled = Settled { version, last_delete };
        prop_assert_eq!(Settled::unpacked(settled.packed()), settled);
    }
}

#[test]
fn says_so_when_memory_ends_and_judges_none_of_those_rows() {
    let ledger = Ledger::new(Shape { most_bytes: 256 * SPARSE_BYTES_PER_ROW, ..Shape::sparse() }, Before::Absent);
    let rows: Vec<Row> = (0..2000).map(|partition| Row { partition, row: 0 }).collect();
    for &row in &rows {
        let version = ledger.begin_write(row);
        ledger.acknowledge(row, version);
    }
    let judged = rows.iter().filter(|&&row| ledger.judge(&ledger.begin_read(row), None).is_some()).count();
    assert!((100..=256).contains(&judged), "{judged}");
    let warnings = ledger.warnings();
    assert_eq!(warnings.len(), 1);
    assert!(warnings[0].contains("are not checked"), "{warnings:?}");
}

#[test]
fn names_lost_stale_resurrected_and_what_was_expected() {
    let ledger = Ledger::new(Shape::sparse(), Before::Absent);
    let first = ledger.begin_write(ROW);
    ledger.acknowledge(ROW, first);
    let second = ledger.begin_write(ROW);
    ledger.acknowledge(ROW, second);
    let read = ledger.begin_read(ROW);
    assert_eq!(ledger.judge(&read, Some(second)), None);
    assert_eq!(ledger.judge(&read, Some(first)), Some(FaultKind::Stale));
    assert_eq!(ledger.judge(&read, None), Some(FaultKind::Lost));
    assert_eq!(ledger.judge(&read, Some(9)), Some(FaultKind::MixedUp));
    assert_eq!(ledger.expected(&read), "version 2 (acknowledged)");
    let gone = ledger.begin_delete(ROW);
    ledger.acknowledge(ROW, gone);
    let read = ledger.begin_read(ROW);
    assert_eq!(ledger.judge(&read, None), None);
    assert_eq!(ledger.judge(&read, Some(second)), Some(FaultKind::Resurrected));
    assert_eq!(ledger.candidates(&read, true), vec![3, 2, 1, 0]);
}
