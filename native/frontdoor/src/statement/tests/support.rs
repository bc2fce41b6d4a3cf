// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Recipes, requests and answers for tests, written down field by field.

use crate::reason::Reason;
use crate::statement::bytes::Bytes;
use crate::statement::execute::Execute;
use crate::statement::recipe::Recipe;
use crate::statement::response::{Answer, Served};
use cassiterite_codec::row::{Cell, ComplexWriter, Head, Liveness, PathCell, RowWriter};
use cassiterite_codec::DeletionTime;

pub(super) const STATEMENT: [u8; 16] = [1; 16];
pub(super) const TABLE: [u8; 16] = [2; 16];
pub(super) const METADATA_ID: [u8; 16] = [3; 16];
pub(super) const NOW_S: i64 = 1_700_000_000;
/// A time of writing, in microseconds.
pub(super) const T: i64 = NOW_S * 1_000_000;
pub(super) const INT: u8 = 9;
pub(super) const TEXT: u8 = 13;

pub(super) fn unhex(hex: &str) -> Vec<u8> {
    hex.as_bytes().chunks(2).map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap()).collect()
}

pub(super) fn int(number: i32) -> Vec<u8> {
    number.to_be_bytes().to_vec()
}

pub(super) fn bind(index: u16, of: u8) -> Vec<u8> {
    [&[0][..], &index.to_be_bytes(), &[of]].concat()
}

pub(super) fn constant(bytes: &[u8]) -> Vec<u8> {
    [&[1][..], &counted(bytes)].concat()
}

pub(super) fn counted(bytes: &[u8]) -> Vec<u8> {
    [&(bytes.len() as u32).to_be_bytes()[..], bytes].concat()
}

fn list(items: &[Vec<u8>]) -> Vec<u8> {
    [&(items.len() as u16).to_be_bytes()[..], &items.concat()].concat()
}

pub(super) fn key(component: u16) -> Vec<u8> {
    [&[0][..], &component.to_be_bytes()].concat()
}

pub(super) fn clustering(component: u16) -> Vec<u8> {
    [&[1][..], &component.to_be_bytes()].concat()
}

pub(super) fn regular(id: u32, encoder: &[u8]) -> Vec<u8> {
    [&[2][..], &id.to_be_bytes(), encoder].concat()
}

pub(super) fn static_column(id: u32, encoder: &[u8]) -> Vec<u8> {
    [&[3][..], &id.to_be_bytes(), encoder].concat()
}

/// A recipe as the plug-in writes it; the default is `SELECT p, c, v FROM t WHERE p = ? AND c = ?`, all of them ints, with
/// v in column 1 and a further column 2.
pub(super) struct RecipeBytes {
    pub binds: u16,
    pub partition: Vec<Vec<u8>>,
    pub clustering: Vec<u8>,
    /// From the kind of selection on.
    pub selection: Vec<u8>,
    pub flags: u8,
    pub limit: Vec<u8>,
    pub partition_limit: Vec<u8>,
    pub columns: Vec<Vec<u8>>,
    pub regulars: Vec<u32>,
    pub statics: Vec<u32>,
    pub is_as_prepared: bool,
}

impl Default for RecipeBytes {
    fn default() -> Self {
        RecipeBytes {
            binds: 2,
            partition: vec![bind(0, INT)],
            clustering: vec![INT],
            selection: rows(&[vec![bind(1, INT)]]),
            flags: 0,
            limit: vec![0],
            partition_limit: vec![0],
            columns: vec![key(0), clustering(0), regular(1, &[0])],
            regulars: vec![1, 2],
            statics: vec![],
            is_as_prepared: true,
        }
    }
}

/// A selection of rows.
pub(super) fn rows(clusterings: &[Vec<Vec<u8>>]) -> Vec<u8> {
    let count = (clusterings.len() as u16).to_be_bytes();
    [&[0][..], &count, &clusterings.concat().concat()].concat()
}

/// The metadata behind flags and count that a recipe has for a version of the protocol.
pub(super) fn tail(version: u8) -> Vec<u8> {
    format!("metadata {version}").into_bytes()
}

impl RecipeBytes {
    pub(super) fn encode(&self) -> Vec<u8> {
        let ids = |ids: &[u32]| list(&ids.iter().map(|id| id.to_be_bytes().to_vec()).collect::<Vec<_>>());
        let metadata = |version| {
            let columns = (self.columns.len() as u32).to_be_bytes();
            [&1u32.to_be_bytes()[..], &columns, &counted(&tail(version))].concat()
        };
        let types: Vec<_> = self.clustering.iter().map(|code| vec![*code]).collect();
        [
            &[1][..],
            &STATEMENT,
            &TABLE,
            &self.binds.to_be_bytes(),
            &list(&self.partition),
            &list(&types),
            &self.selection,
            &[self.flags],
            &self.limit,
            &self.partition_limit,
            &list(&self.columns),
            &ids(&self.regulars),
            &ids(&self.statics),
            &metadata(3),
            &metadata(4),
            &metadata(5),
            &METADATA_ID,
            &[u8::from(self.is_as_prepared)],
        ]
        .concat()
    }

    pub(super) fn recipe(&self) -> Recipe {
        Recipe::decode(&self.encode()).unwrap()
    }
}

/// The body of an EXECUTE.
#[derive(Clone)]
pub(super) struct ExecuteBytes {
    pub version: u8,
    pub metadata_id: [u8; 16],
    pub flags: u32,
    pub values: Vec<Option<Vec<u8>>>,
    /// What follows the values.
    pub options: Vec<u8>,
}

impl ExecuteBytes {
    pub(super) fn new(version: u8, values: &[&[u8]]) -> Self {
        let values = values.iter().map(|value| Some(value.to_vec())).collect();
        ExecuteBytes { version, metadata_id: METADATA_ID, flags: 1, values, options: vec![] }
    }

    /// With a further flag, and what it brings.
    pub(super) fn with(mut self, flag: u32, option: &[u8]) -> Self {
        self.flags |= flag;
        self.options.extend_from_slice(option);
        self
    }

    pub(super) fn encode(&self) -> Vec<u8> {
        let id = |id: &[u8]| [&[0, 16][..], id].concat();
        let mut body = id(&STATEMENT);
        if self.version >= 5 {
            body.extend(id(&self.metadata_id));
        }
        body.extend([0, 1]);
        match self.version {
            5 => body.extend(self.flags.to_be_bytes()),
            _ => body.push(self.flags as u8),
        }
        if self.flags & 1 != 0 {
            body.extend((self.values.len() as u16).to_be_bytes());
            for value in &self.values {
                match value {
                    Some(value) => body.extend(counted(value)),
                    None => body.extend((-1i32).to_be_bytes()),
                }
            }
        }
        body.extend(&self.options);
        body
    }
}

/// An entry of an answer.
pub(super) fn entry(kind: u8, bytes: &[u8]) -> Vec<u8> {
    [&[kind][..], &(bytes.len() as u32).to_le_bytes(), bytes].concat()
}

pub(super) const HEADER: u8 = 1;
pub(super) const STATIC: u8 = 2;
pub(super) const ROW: u8 = 3;
pub(super) const SLICE_END: u8 = 5;

/// The raw clustering of one int.
pub(super) fn raw_int(number: i32) -> Vec<u8> {
    [&[5][..], &number.to_be_bytes()].concat()
}

/// A row's fragment with simple columns.
pub(super) fn fragment(
    clustering: Option<&[u8]>,
    liveness: Liveness,
    deletion: DeletionTime,
    columns: &[(u32, Cell<'_>)],
) -> Vec<u8> {
    let mut out = Vec::new();
    let mut writer = RowWriter::new(&Head { clustering, liveness, deletion, is_shadowable: false }, &mut out);
    columns.iter().for_each(|(id, cell)| writer.simple(*id, cell));
    writer.finish();
    out
}

/// The fragment of the row 5 with cells of column 1, in this order.
pub(super) fn many_cells(
    deletion: DeletionTime,
    column_deletion: DeletionTime,
    cells: &[(&[u8], Cell<'_>)],
) -> Vec<u8> {
    let (clustering, mut out) = (raw_int(5), Vec::new());
    let head = Head { clustering: Some(&clustering), deletion, ..Head::NOTHING };
    let mut writer = RowWriter::new(&head, &mut out);
    let each = |out: &mut ComplexWriter<'_, '_>| {
        for (at, (path, cell)) in cells.iter().enumerate() {
            out.cell(&PathCell { order: &(at as u16).to_be_bytes(), raw: Some(path), cell: *cell });
        }
        Ok::<(), ()>(())
    };
    writer.complex(1, &column_deletion, cells.len() as u64, each).unwrap();
    writer.finish();
    out
}

/// What a recipe makes of an answer.
pub(super) fn answered(
    recipe: &Recipe,
    execute: &ExecuteBytes,
    answer: &[Vec<u8>],
    tombstones_max: u32,
) -> Result<(Vec<u8>, Served), Reason> {
    let body = execute.encode();
    let execute = Execute::parse(execute.version, &body)?;
    let mut response = b"before".to_vec();
    let answer = Answer { entries: &answer.concat(), is_complete: true };
    let served = recipe.rows(&execute, answer, NOW_S, tombstones_max, &mut response);
    assert!(response.starts_with(b"before"));
    if served.is_err() {
        assert_eq!(response, b"before");
    }
    served.map(|served| (response.split_off(6), served))
}

/// A cell's value in a result.
pub(super) type Returned = Option<Vec<u8>>;

/// The rows behind the metadata of a response to `SKIP_METADATA`.
pub(super) fn returned(response: &[u8], columns: usize) -> Vec<Vec<Returned>> {
    let mut bytes = Bytes::new(response.get(12..).unwrap());
    let rows = bytes.u32().unwrap();
    let mut value = || {
        let length = usize::try_from(bytes.i32().unwrap()).ok()?;
        Some(bytes.take(length).unwrap().to_vec())
    };
    let rows = (0..rows).map(|_| (0..columns).map(|_| value()).collect()).collect();
    assert!(bytes.is_done());
    rows
}
