// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The golden files: what was written once is read for ever.

use super::{FileKind, ListedFile, Manifest, NAME};
use crate::catalog::{sealed, Column, ColumnKind, ColumnState};
use crate::error::Result;
use crate::raw::sys::{file_name, TableFile};
use crate::tokens::{TokenRange, TokenSet};
use cassiterite_testkit::spoilt::spoilt;
use proptest::prelude::*;

const SNAPSHOT: &[u8] = include_bytes!("../../tests/golden/manifest-v1.bin");
const UNSUMMED: &[u8] = include_bytes!("../../tests/golden/manifest-v2.bin");
const SHIPMENT: &[u8] = include_bytes!("../../tests/golden/manifest-v3.bin");
const INCREMENT: &[u8] = include_bytes!("../../tests/golden/manifest-v3-increment.bin");
const HIDING: &[u8] = include_bytes!("../../tests/golden/manifest-v4.bin");
const OF_KEY: &[u8] = include_bytes!("../../tests/golden/manifest-v5.bin");

fn file(name: &str, number: u64, level: i32, sequences: (u64, u64)) -> TableFile {
    TableFile {
        name: name.to_owned(),
        number,
        level,
        bytes: 1000 + number,
        sequences,
        smallest_key: vec![0x40, 1, 2],
        largest_key: vec![0x40, 3],
        checksum: None,
    }
}

fn listed(kind: FileKind, family: u8, file: TableFile) -> ListedFile {
    ListedFile { kind, family, file }
}

fn manifest(tokens: TokenSet, has_headers: bool, files: Vec<ListedFile>) -> Manifest {
    let column = |id, kind, state, name: &str| {
        let name = name.into();
        Column { id, kind, state, added_after_ms: None, name, of: "text".into() }
    };
    Manifest {
        id: b"0123456789abcdef".to_vec(),
        generation: 3,
        counter: true,
        has_headers,
        is_increment: false,
        keyspace: "ks".to_owned(),
        name: "t".to_owned(),
        key: String::new(),
        columns: vec![
            column(1, ColumnKind::Regular, ColumnState::Live, "v"),
            column(4, ColumnKind::Static, ColumnState::Dropped, "s"),
        ],
        tokens,
        files,
    }
}

fn unsummed() -> Manifest {
    let tokens = TokenSet::of(vec![TokenRange { left: i64::MIN, right: -5 }, TokenRange { left: 7, right: 900 }]);
    let files = vec![
        listed(FileKind::Whole, 0, file("QKIM5RQA0NMJ0AHYEYN8-000012.sst", 12, 6, (0, 70))),
        listed(FileKind::Whole, 1, file("QKIM5RQA0NMJ0AHYEYN8-000013.sst", 13, 5, (71, 90))),
        listed(FileKind::Rows, 0, file("rows-000001.sst", 1, 0, (0, 0))),
    ];
    manifest(tokens, false, files)
}

/// Of the last file RocksDB knows no checksum.
fn shipment() -> Manifest {
    let mut shipment = unsummed();
    for (listed, checksum) in shipment.files.iter_mut().zip([0xE306_9283, 0]) {
        listed.file.checksum = Some(checksum);
    }
    shipment
}

#[test]
fn a_shipment_is_written_as_ever() -> Result<()> {
    assert_eq!(shipment().encode()?, SHIPMENT);
    assert_eq!(Manifest::decode(SHIPMENT)?, shipment());
    Ok(())
}

/// The column that the others have dropped is hidden.
fn hiding() -> Manifest {
    let mut hiding = shipment();
    for column in hiding.columns.iter_mut().filter(|column| column.id == 4) {
        column.state = ColumnState::Hidden;
        column.added_after_ms = Some(1_700_000_000_123);
    }
    hiding
}

#[test]
fn a_shipment_with_a_hidden_column_is_written_as_ever() -> Result<()> {
    assert_eq!(hiding().encode()?, HIDING);
    assert_eq!(Manifest::decode(HIDING)?, hiding());
    Ok(())
}

#[test]
fn a_snapshot_that_tells_its_key_is_written_as_ever() -> Result<()> {
    let snapshot = hiding().of_key("(int, frozen<map<text, uuid>>), timestamp DESC");
    assert_eq!(snapshot.encode()?, OF_KEY);
    assert_eq!(Manifest::decode(OF_KEY)?, snapshot);
    Ok(())
}

#[test]
fn an_increment_is_written_as_ever() -> Result<()> {
    assert_eq!(shipment().into_increment().encode()?, INCREMENT);
    assert_eq!(Manifest::decode(INCREMENT)?, shipment().into_increment());
    Ok(())
}

#[test]
fn a_shipment_of_the_second_version_is_read() -> Result<()> {
    assert_eq!(Manifest::decode(UNSUMMED)?, unsummed());
    Ok(())
}

#[test]
fn a_snapshot_of_the_first_version_is_read() -> Result<()> {
    let files = vec![listed(FileKind::Whole, 0, file(&file_name(12), 12, 6, (0, 70)))];
    assert_eq!(Manifest::decode(SNAPSHOT)?, manifest(TokenSet::all(), true, files));
    Ok(())
}

proptest! {
    #[test]
    fn arbitrary_bytes_never_panic(body in spoilt([SNAPSHOT, UNSUMMED, SHIPMENT, OF_KEY].map(without_seal).into())) {
        let _ = Manifest::decode(&body);
        if let Ok(manifest) = Manifest::decode(&sealed(body, NAME.as_bytes())) {
            prop_assert!(manifest.encode().is_ok());
            prop_assert_eq!(manifest.groups().concat().len(), manifest.files.len());
        }
    }
}

fn without_seal(manifest: &[u8]) -> Vec<u8> {
    manifest[..manifest.len() - 4].to_vec()
}

#[test]
fn files_of_one_family_are_a_group() {
    let names = |group: &Vec<TableFile>| group.iter().map(|file| file.number).collect::<Vec<_>>();
    let groups: Vec<Vec<u64>> = shipment().groups().iter().map(names).collect();
    assert_eq!(groups, [vec![12], vec![13], vec![1]]);
}

#[test]
fn a_name_that_leads_elsewhere_is_refused() -> Result<()> {
    for name in ["../x.sst", "/x.sst", "x/y.sst", ".sst", "manifest"] {
        let files = vec![listed(FileKind::Rows, 0, file(name, 1, 0, (0, 0)))];
        let written = manifest(TokenSet::all(), false, files).encode()?;
        assert!(Manifest::decode(&written).is_err(), "{name}");
    }
    Ok(())
}
