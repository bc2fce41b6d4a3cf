// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! What another node has to know of a statement: its table, and the columns that it fetches; or of a table that is written.

use std::sync::Arc;

use super::layout::Layout;
use crate::statement::bytes::Bytes;
use crate::statement::execute::Id;
use crate::statement::recipe::{Encoder, Fetched, Recipe};

const VERSION: u8 = 1;
/// What a connection between nodes takes as one.
const BYTES_MAX: usize = 64 << 10;

/// A statement as its reads of other nodes need it (docs/internals/formats.md, "Spec").
#[derive(Debug)]
pub(crate) struct PeerSpec {
    table_id: Id,
    layout: Arc<Layout>,
    regulars: Box<[SpecColumn]>,
    statics: Box<[SpecColumn]>,
}

/// A column whose cells are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SpecColumn {
    pub id: u32,
    /// Whether its values count; otherwise it only tells whether a row exists.
    pub is_selected: bool,
}

impl PeerSpec {
    /// The spec of a recipe for a table of this layout; `None` where the recipe is of another one, or where replicas of its
    /// table cannot be compared.
    pub(crate) fn of(recipe: &Recipe, layout: &Arc<Layout>) -> Option<PeerSpec> {
        let regulars = columns(&recipe.regulars, |id| layout.has_regular(id))?;
        let statics = columns(&recipe.statics, |id| layout.has_static(id))?;
        let is_alike = *recipe.clustering == *layout.clustering();
        let spec = PeerSpec { table_id: recipe.table_id, layout: Arc::clone(layout), regulars, statics };
        (is_alike && spec.encode().len() <= BYTES_MAX).then_some(spec)
    }

    /// The spec of writes to a table: of no column, for they say themselves which they write. `None` where it is too long.
    pub(crate) fn of_table(table_id: Id, layout: &Arc<Layout>) -> Option<PeerSpec> {
        let spec = PeerSpec { table_id, layout: Arc::clone(layout), regulars: Box::default(), statics: Box::default() };
        (spec.encode().len() <= BYTES_MAX).then_some(spec)
    }

    /// `None` where the bytes are no spec, version 1.
    pub(crate) fn decode(bytes: &[u8]) -> Option<PeerSpec> {
        let mut rest = Bytes::new(bytes);
        if bytes.len() > BYTES_MAX || rest.u8()? != VERSION {
            return None;
        }
        let table_id = *rest.array()?;
        let length = usize::try_from(rest.u32()?).ok()?;
        let layout = Arc::new(Layout::decode(rest.take(length)?)?);
        let regulars = decode_columns(&mut rest, |id| layout.has_regular(id))?;
        let statics = decode_columns(&mut rest, |id| layout.has_static(id))?;
        rest.is_done().then_some(PeerSpec { table_id, layout, regulars, statics })
    }

    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut out = vec![VERSION];
        out.extend_from_slice(&self.table_id);
        out.extend_from_slice(&(self.layout.bytes().len() as u32).to_be_bytes());
        out.extend_from_slice(self.layout.bytes());
        for columns in [&self.regulars, &self.statics] {
            out.extend_from_slice(&(columns.len() as u16).to_be_bytes());
            for column in columns {
                out.extend_from_slice(&column.id.to_be_bytes());
                out.push(u8::from(column.is_selected));
            }
        }
        out
    }

    pub(crate) fn table_id(&self) -> &Id {
        &self.table_id
    }

    pub(crate) fn layout(&self) -> &Arc<Layout> {
        &self.layout
    }

    pub(super) fn regulars(&self) -> &[SpecColumn] {
        &self.regulars
    }

    pub(super) fn statics(&self) -> &[SpecColumn] {
        &self.statics
    }
}

/// `None` where a column is not known, or is a counter: its shards differ between replicas that agree.
fn columns(fetched: &Fetched, is_known: impl Fn(u32) -> bool) -> Option<Box<[SpecColumn]>> {
    let columns = fetched.columns.iter().map(|column| {
        let is_comparable = column.encoder != Some(Encoder::Counter) && is_known(column.id);
        is_comparable.then_some(SpecColumn { id: column.id, is_selected: column.encoder.is_some() })
    });
    columns.collect()
}

fn decode_columns(bytes: &mut Bytes<'_>, is_known: impl Fn(u32) -> bool) -> Option<Box<[SpecColumn]>> {
    let mut columns: Vec<SpecColumn> = Vec::new();
    for _ in 0..bytes.u16()? {
        let column = SpecColumn { id: bytes.u32()?, is_selected: decode_flag(bytes.u8()?)? };
        let is_behind = columns.last().is_none_or(|last| last.id < column.id);
        if !is_behind || !is_known(column.id) {
            return None;
        }
        columns.push(column);
    }
    Some(columns.into())
}

fn decode_flag(byte: u8) -> Option<bool> {
    match byte {
        0 => Some(false),
        1 => Some(true),
        _ => None,
    }
}
