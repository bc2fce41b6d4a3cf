// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Reading the recipe of a modification.

use super::{CellChange, Change, Modification};
use crate::statement::recipe::decoder::{fail, Decoder, Result};
use crate::statement::recipe::RecipeError;
use cassiterite_codec::key::Kind;
use std::sync::atomic::AtomicU32;

const VERSION: u8 = 2;
const INSERT: u8 = 0;
const UPDATE: u8 = 1;
const DELETE: u8 = 2;
const ROW: u8 = 0;
const STATIC_ROW: u8 = 1;
const PUT: u8 = 0;
const REMOVE: u8 = 1;
const FOR_EVER: u8 = 0;
const EXPIRES: u8 = 1;

impl Modification {
    /// Reads the recipe of a modification, version 2.
    pub fn decode(bytes: &[u8]) -> std::result::Result<Modification, RecipeError> {
        Decoder::whole(bytes, Decoder::modification)
    }
}

impl Decoder<'_> {
    fn modification(&mut self) -> Result<Modification> {
        let (id, table_id) = self.head(VERSION)?;
        let partition = self.list(|decoder| decoder.value(None))?;
        if partition.is_empty() {
            return fail("no partition key");
        }
        let kind = match self.u8()? {
            ROW => Kind::Row,
            STATIC_ROW => Kind::Static,
            _ => return fail("kind of row"),
        };
        let clustering = self.list(|decoder| {
            let column = decoder.clustering_column()?;
            let value = decoder.value(Some(&column))?;
            Ok((column, value))
        })?;
        let change = self.change()?;
        let ttl = match self.u8()? {
            FOR_EVER => None,
            EXPIRES => Some(self.value(None)?),
            _ => return fail("whether it expires"),
        };
        if kind == Kind::Static && !clustering.is_empty() {
            return fail("clustering of a static row");
        }
        match (kind, &change) {
            (Kind::Static, Change::Delete | Change::Write { is_insert: true, .. }) => fail("a static row as a row"),
            _ => Ok(Modification {
                id,
                table_id,
                binds: usize::from(self.binds),
                partition,
                clustering,
                kind,
                change,
                ttl,
                panics: AtomicU32::new(0),
            }),
        }
    }

    fn change(&mut self) -> Result<Change> {
        let what = self.u8()?;
        let cells = self.list(Self::cell_change)?;
        let are_sorted = cells.windows(2).all(|two| matches!(two, [(one, _), (next, _)] if one < next));
        match what {
            _ if !are_sorted => fail("order of columns"),
            INSERT => Ok(Change::Write { is_insert: true, cells }),
            UPDATE if !cells.is_empty() => Ok(Change::Write { is_insert: false, cells }),
            DELETE if cells.is_empty() => Ok(Change::Delete),
            _ => fail("kind of change"),
        }
    }

    fn cell_change(&mut self) -> Result<(u32, CellChange)> {
        let id = self.u32()?;
        let change = match self.u8()? {
            PUT => CellChange::Put(self.value(None)?),
            REMOVE => CellChange::Delete,
            _ => return fail("kind of cell"),
        };
        Ok((id, change))
    }
}
