// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

#![allow(clippy::unwrap_used)]

use super::*;
use crate::reason::Reason;
use crate::statement::Execute;
use cassiterite_codec::key::encode_partition;
use cassiterite_codec::key::murmur3_token;
use cassiterite_codec::row::{Cell, Liveness, RowReader};

const ID: [u8; 16] = [1; 16];
const TABLE: [u8; 16] = [2; 16];
const TIMESTAMP: i64 = 1_700_000_000_000_123;
const NOW_S: i64 = 1_700_000_001;
const INT: u8 = 0x09;
const TEXT: u8 = 0x0D;
const DESCENDING: u8 = 0x80;

fn bind(index: u16, of: u8) -> Vec<u8> {
    [&[0][..], &index.to_be_bytes(), &[of]].concat()
}

fn constant(value: &[u8]) -> Vec<u8> {
    [&[1][..], &(value.len() as u32).to_be_bytes(), value].concat()
}

fn counted(parts: &[Vec<u8>]) -> Vec<u8> {
    [&(parts.len() as u16).to_be_bytes()[..], &parts.concat()].concat()
}

/// A recipe: its bind variables, key, kind of row, clustering, change and cells.
fn recipe(binds: u16, key: &[Vec<u8>], row: u8, clustering: &[Vec<u8>], change: u8, cells: &[Vec<u8>]) -> Vec<u8> {
    let head = [&[2][..], &ID, &TABLE, &binds.to_be_bytes()].concat();
    [head, counted(key), vec![row], counted(clustering), vec![change], counted(cells), vec![0]].concat()
}

/// The same, of what expires.
fn expiring(mut recipe: Vec<u8>, ttl: &[u8]) -> Vec<u8> {
    recipe.pop();
    [&recipe[..], &[1], ttl].concat()
}

fn put(id: u32, value: Vec<u8>) -> Vec<u8> {
    [&id.to_be_bytes()[..], &[0], &value].concat()
}

fn remove(id: u32) -> Vec<u8> {
    [&id.to_be_bytes()[..], &[1]].concat()
}

/// `INSERT INTO t (k, c, v, w) VALUES (?, ?, ?, 'x')` with a descending clustering.
fn insert() -> Vec<u8> {
    let clustering = [&[INT | DESCENDING][..], &bind(1, INT)].concat();
    recipe(3, &[bind(0, INT)], 0, &[clustering], 0, &[put(4, bind(2, TEXT)), put(9, constant(b"x"))])
}

fn body(values: &[Option<&[u8]>], timestamp: Option<i64>) -> Vec<u8> {
    let flags = if timestamp.is_some() { 0x21 } else { 0x01 };
    let mut body = [&16u16.to_be_bytes()[..], &ID, &1u16.to_be_bytes(), &[flags]].concat();
    body.extend_from_slice(&(values.len() as u16).to_be_bytes());
    for value in values {
        body.extend_from_slice(&value.map_or(-1, |value| value.len() as i32).to_be_bytes());
        body.extend_from_slice(value.unwrap_or_default());
    }
    timestamp.into_iter().for_each(|timestamp| body.extend_from_slice(&timestamp.to_be_bytes()));
    body
}

fn write(recipe: &[u8], body: &[u8]) -> Result<(i64, Vec<u8>), Reason> {
    let modification = Modification::decode(recipe).unwrap();
    let mut request = Vec::new();
    let execute = Execute::parse_write(4, body)?;
    let token = modification.write_request(&execute, NOW_S, &mut Scratch::default(), &mut request)?;
    Ok((token, request))
}

/// The fragment at the end of a request, behind this head.
fn fragment_behind<'r>(request: &'r [u8], kind: u8, form: &[u8]) -> &'r [u8] {
    let key = 7_i32.to_be_bytes();
    let mut partition = Vec::new();
    encode_partition(murmur3_token(&key), &key, &mut partition);
    let counted = |bytes: &[u8]| [&(bytes.len() as u32).to_le_bytes()[..], bytes].concat();
    let head = [&[1][..], &TIMESTAMP.to_le_bytes(), &counted(&partition), &1u32.to_le_bytes(), &[kind], &counted(form)]
        .concat();
    assert_eq!(request[..head.len()], head);
    let (length, fragment) = request[head.len()..].split_first_chunk::<4>().unwrap();
    assert_eq!(fragment.len(), u32::from_le_bytes(*length) as usize);
    fragment
}

#[test]
fn an_insert_is_a_live_row_with_its_cells() {
    let (three, seven) = (3_i32.to_be_bytes(), 7_i32.to_be_bytes());
    let (token, request) = write(&insert(), &body(&[Some(&seven), Some(&three), Some(b"v")], Some(TIMESTAMP))).unwrap();
    assert_eq!(token, murmur3_token(&seven));
    let form = [&[0x40, !0x80, !0, !0, !3, 0x38][..]].concat();
    let (head, mut row) = RowReader::new(fragment_behind(&request, 0x30, &form)).unwrap();
    assert_eq!(head.liveness, Liveness::without_ttl(TIMESTAMP));
    assert_eq!(head.clustering, Some(&[5, 0, 0, 0, 3][..]));
    let mut cells = Vec::new();
    while let Some(column) = row.next_column().unwrap() {
        cells.push((column.id, row.cell(column).unwrap()));
    }
    assert_eq!(cells, [(4, Cell::live(TIMESTAMP, b"v")), (9, Cell::live(TIMESTAMP, b"x"))]);
}

#[test]
fn what_cassandra_has_to_decide_is_passed_on() {
    let (three, seven) = (3_i32.to_be_bytes(), 7_i32.to_be_bytes());
    let (three, seven) = (Some(&three[..]), Some(&seven[..]));
    for (values, timestamp, reason) in [
        (vec![seven, three, Some(&b"v"[..])], None, Reason::NoTimestamp),
        (vec![seven, None, Some(&b"v"[..])], Some(TIMESTAMP), Reason::NullValue),
        (vec![None, three, Some(&b"v"[..])], Some(TIMESTAMP), Reason::NullValue),
        (vec![seven, three], Some(TIMESTAMP), Reason::ValueCount),
        (vec![seven, three, Some(&[0xFF][..])], Some(TIMESTAMP), Reason::InvalidValue),
        (vec![seven, Some(&b"abc"[..]), Some(&b"v"[..])], Some(TIMESTAMP), Reason::InvalidValue),
        (vec![Some(&b""[..]), three, Some(&b"v"[..])], Some(TIMESTAMP), Reason::InvalidValue),
        (vec![seven, three, Some(&b"v"[..])], Some(i64::MIN), Reason::Malformed),
    ] {
        assert_eq!(write(&insert(), &body(&values, timestamp)).unwrap_err(), reason);
    }
}

#[test]
fn rows_and_cells_are_deleted_at_the_time_of_now() {
    let seven = 7_i32.to_be_bytes();
    let values = body(&[Some(&seven)], Some(TIMESTAMP));
    let (_, request) = write(&recipe(1, &[bind(0, INT)], 0, &[], 2, &[]), &values).unwrap();
    let (head, _) = RowReader::new(fragment_behind(&request, 0x30, &[0x38])).unwrap();
    let deletion = head.deletion;
    assert_eq!((deletion.marked_for_delete_at, deletion.local_deletion_time_s), (TIMESTAMP, NOW_S));

    let (_, request) = write(&recipe(1, &[bind(0, INT)], 1, &[], 1, &[remove(5)]), &values).unwrap();
    let (head, mut row) = RowReader::new(fragment_behind(&request, 0x20, &[])).unwrap();
    assert!(head.is_empty());
    let column = row.next_column().unwrap().unwrap();
    assert_eq!(row.cell(column).unwrap(), Cell::tombstone(TIMESTAMP, NOW_S));
}

/// The cells of `UPDATE t SET v = ?, w = ? WHERE k = 7`, where values have these lengths.
fn updated(lengths: [i32; 2]) -> Result<Vec<(u32, Cell<'static>)>, Reason> {
    let recipe = recipe(3, &[bind(2, INT)], 0, &[], 1, &[put(4, bind(0, TEXT)), put(9, bind(1, TEXT))]);
    let mut body = [&16u16.to_be_bytes()[..], &ID, &1u16.to_be_bytes(), &[0x21], &3u16.to_be_bytes()].concat();
    for length in lengths {
        body.extend_from_slice(&length.to_be_bytes());
        body.extend_from_slice(&b"v"[..length.max(0) as usize]);
    }
    body.extend_from_slice(&[0, 0, 0, 4, 0, 0, 0, 7]);
    body.extend_from_slice(&TIMESTAMP.to_be_bytes());
    let (_, request) = write(&recipe, &body)?;
    let (head, mut row) = RowReader::new(fragment_behind(&request, 0x30, &[0x38])).unwrap();
    assert!(head.is_empty());
    let mut cells = Vec::new();
    while let Some(column) = row.next_column().unwrap() {
        let cell = row.cell(column).unwrap();
        cells.push((column.id, if cell.value == b"v" { Cell::live(cell.timestamp, b"v") } else { tombstone(&cell) }));
    }
    Ok(cells)
}

fn tombstone(cell: &Cell<'_>) -> Cell<'static> {
    let tombstone = Cell::tombstone(cell.timestamp, NOW_S);
    assert_eq!(*cell, tombstone);
    tombstone
}

#[test]
fn a_null_deletes_its_cell_and_what_is_unset_is_left() {
    let (live, deleted) = (Cell::live(TIMESTAMP, b"v"), Cell::tombstone(TIMESTAMP, NOW_S));
    assert_eq!(updated([1, 1]).unwrap(), [(4, live), (9, live)]);
    assert_eq!(updated([1, -1]).unwrap(), [(4, live), (9, deleted)]);
    assert_eq!(updated([-2, 1]).unwrap(), [(9, live)]);
    assert_eq!(updated([-2, -1]).unwrap(), [(9, deleted)]);
    assert_eq!(updated([-2, -2]), Err(Reason::NullValue), "an update of nothing");
    assert_eq!(updated([1, -3]), Err(Reason::Malformed));
}

#[test]
fn row_and_cells_expire_together() {
    let recipe =
        |ttl: &[u8]| expiring(recipe(2, &[bind(0, INT)], 0, &[], 0, &[put(4, constant(b"v")), remove(5)]), ttl);
    let written = |recipe: &[u8], ttl: &[u8]| {
        write(recipe, &body(&[Some(&7_i32.to_be_bytes()), Some(ttl)], Some(TIMESTAMP))).map(|(_, request)| request)
    };
    for (recipe, ttl) in [(recipe(&bind(1, INT)), 60_i32), (recipe(&constant(&60_i32.to_be_bytes())), 0)] {
        let request = written(&recipe, &ttl.to_be_bytes()).unwrap();
        let (head, mut row) = RowReader::new(fragment_behind(&request, 0x30, &[0x38])).unwrap();
        let (ttl_s, local_expiration_time_s) = (60, NOW_S + 60);
        assert_eq!(head.liveness, Liveness { timestamp: TIMESTAMP, ttl_s, local_expiration_time_s });
        let column = row.next_column().unwrap().unwrap();
        let expiring = Cell { ttl_s, local_deletion_time_s: NOW_S + 60, ..Cell::live(TIMESTAMP, b"v") };
        assert_eq!(row.cell(column).unwrap(), expiring);
        let column = row.next_column().unwrap().unwrap();
        assert_eq!(row.cell(column).unwrap(), Cell::tombstone(TIMESTAMP, NOW_S));
    }
    let bound = recipe(&bind(1, INT));
    let for_ever = written(&bound, &[0; 4]).unwrap();
    let (head, _) = RowReader::new(fragment_behind(&for_ever, 0x30, &[0x38])).unwrap();
    assert_eq!(head.liveness, Liveness::without_ttl(TIMESTAMP));
    for ttl in [&b""[..], &(-1_i32).to_be_bytes(), &630_720_001_i32.to_be_bytes(), &500_000_000_i32.to_be_bytes()] {
        assert_eq!(written(&bound, ttl), Err(Reason::InvalidValue), "{ttl:?}");
    }
    let null = body(&[Some(&7_i32.to_be_bytes()), None], Some(TIMESTAMP));
    assert_eq!(write(&bound, &null).unwrap_err(), Reason::NullValue);
}

#[test]
fn other_bytes_are_no_recipe() {
    let good = insert();
    assert!(Modification::decode(&good).is_ok());
    for length in 0..good.len() {
        assert!(Modification::decode(&good[..length]).is_err(), "{length} bytes");
    }
    for bad in [
        recipe(1, &[], 0, &[], 2, &[]),
        recipe(1, &[bind(1, INT)], 0, &[], 2, &[]),
        recipe(1, &[bind(0, INT)], 0, &[], 2, &[remove(1)]),
        recipe(1, &[bind(0, INT)], 0, &[], 1, &[]),
        recipe(1, &[bind(0, INT)], 0, &[], 3, &[]),
        recipe(1, &[bind(0, INT)], 1, &[], 2, &[]),
        recipe(1, &[bind(0, INT)], 1, &[], 0, &[remove(1)]),
        recipe(1, &[bind(0, INT)], 0, &[], 0, &[remove(2), remove(2)]),
        recipe(1, &[bind(0, INT)], 0, &[], 0, &[remove(2), remove(1)]),
    ] {
        assert!(Modification::decode(&bad).is_err(), "{bad:?}");
    }
}
