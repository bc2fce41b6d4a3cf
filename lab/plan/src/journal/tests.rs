// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

#![allow(clippy::unwrap_used)]

use super::*;
use crate::file::PlanFile;
use crate::trials::trial::Purpose;
use lab_testkit::spoilt::spoilt;
use proptest::prelude::*;

/// The first journal of version 1 that was ever written: it must be readable for as long as the version is.
const GOLDEN: &str = include_str!("golden.jsonl");

pub(crate) fn plan() -> PlanFile {
    let text = "plan: 1\nname: t\nworkload: {profile: {}, ops: insert=1, rows_per_node: 9}\nsla: [p95<=5ms]\nload: {launch: 9/s}\n";
    PlanFile::parse(text).unwrap()
}

fn thing() -> Thing {
    Thing::Cluster("/c".into())
}

fn written() -> (tempfile::TempDir, Journal) {
    let folder = tempfile::tempdir().unwrap();
    let mut journal = Journal::create(folder.path(), Identity::default(), plan()).unwrap();
    journal.add(Entry::Making { thing: thing() }).unwrap();
    journal.add(Entry::TrialBegun { trial: 0, cell: "0123456789ab".to_owned(), purpose: Purpose::Screen }).unwrap();
    (folder, journal)
}

#[test]
fn what_was_written_is_read() {
    let (folder, journal) = written();
    let again = Journal::view(folder.path()).unwrap();
    assert_eq!(serde_json::to_string(again.entries()).unwrap(), serde_json::to_string(journal.entries()).unwrap());
    assert_eq!((again.things(), again.trials()), (vec![thing()], Vec::new()));
    assert_eq!(again.begun().unwrap().1.name, "t");
}

#[test]
fn what_is_gone_is_not_left_to_clean() {
    let (_folder, mut journal) = written();
    journal.add(Entry::Gone { thing: thing() }).unwrap();
    assert!(journal.things().is_empty());
}

#[test]
fn a_last_line_that_was_cut_is_taken_away_and_other_damage_is_told() {
    let (folder, journal) = written();
    drop(journal);
    let file = folder.path().join("journal.jsonl");
    let whole = std::fs::read(&file).unwrap();
    std::fs::write(&file, &whole[..whole.len() - 9]).unwrap();
    let mut cut = Journal::open(folder.path()).unwrap();
    assert_eq!(cut.entries().len(), 2);
    cut.add(Entry::Gone { thing: thing() }).unwrap();
    assert_eq!(Journal::view(folder.path()).unwrap().entries().len(), 3);
    drop(cut);
    std::fs::write(&file, String::from_utf8(whole).unwrap().replace("/c", "/d")).unwrap();
    let error = format!("{:#}", Journal::open(folder.path()).unwrap_err());
    assert!(error.contains("line 2 is damaged") && error.contains("sum is wrong"), "{error}");
}

#[test]
fn a_journal_that_a_run_adds_to_is_read_only_for_others() {
    let (folder, mut journal) = written();
    let error = format!("{:#}", Journal::open(folder.path()).unwrap_err());
    assert!(error.contains("is in use"), "{error}");
    // A line that is just being written is no damage, and stays.
    let file = folder.path().join("journal.jsonl");
    let whole = std::fs::read(&file).unwrap();
    std::fs::write(&file, [&whole[..], b"{\"sum\":"].concat()).unwrap();
    let mut seen = Journal::view(folder.path()).unwrap();
    assert_eq!(seen.entries().len(), 3);
    assert!(seen.add(Entry::Gone { thing: thing() }).is_err());
    assert_eq!(std::fs::read(&file).unwrap().len(), whole.len() + 7);
    journal.add(Entry::Gone { thing: thing() }).unwrap();
}

#[test]
fn a_journal_of_another_version_is_refused_and_one_that_exists_is_not_written_over() {
    let (folder, _) = written();
    assert!(Journal::create(folder.path(), Identity::default(), plan()).is_err());
    let begun =
        Entry::Begun { format: FORMAT.to_owned(), version: 2, identity: Box::default(), plan: Box::new(plan()) };
    std::fs::write(folder.path().join("journal.jsonl"), line(&begun).unwrap()).unwrap();
    let error = format!("{:#}", Journal::open(folder.path()).unwrap_err());
    assert!(error.contains("version 2"), "{error}");
    Journal::set_aside(folder.path()).unwrap();
    assert!(!Journal::is_in(folder.path()));
}

#[test]
fn the_golden_journal_is_still_read() {
    let (entries, whole) = read(GOLDEN.as_bytes()).unwrap();
    assert_eq!((entries.len(), whole), (6, GOLDEN.len()));
    let ended = entries.iter().filter(|entry| matches!(entry, Entry::TrialEnded { .. })).count();
    let observed = entries.iter().filter(|entry| matches!(entry, Entry::Observed { .. })).count();
    assert_eq!((ended, observed), (1, 1));
}

proptest! {
    #[test]
    fn arbitrary_bytes_never_panic(bytes in spoilt(vec![GOLDEN.into()])) {
        let _ = read(&bytes);
    }
}
