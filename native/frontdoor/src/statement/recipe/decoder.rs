// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The parts of which a recipe consists, read one by one.

use super::{Bound, RecipeError, Selection};
use crate::statement::bytes::Bytes;
use crate::statement::key_type::KeyType;
use crate::statement::value::{ClusteringColumn, Limit, Value, AFTER, BEFORE};

/// Added to the type of a clustering column that sorts the other way round.
const REVERSED_TYPE: u8 = 0x80;
const CUT: RecipeError = RecipeError { what: "it ends early" };

pub(in crate::statement) type Result<T> = std::result::Result<T, RecipeError>;

pub(in crate::statement) fn fail<T>(what: &'static str) -> Result<T> {
    Err(RecipeError { what })
}

pub(in crate::statement) struct Decoder<'a> {
    pub bytes: Bytes<'a>,
    /// How many bind variables the statement has.
    pub binds: u16,
}

impl<'a> Decoder<'a> {
    /// What `read` makes of bytes, which are to be read to their end.
    pub(in crate::statement) fn whole<T>(bytes: &'a [u8], read: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        let mut decoder = Decoder { bytes: Bytes::new(bytes), binds: 0 };
        let read = read(&mut decoder)?;
        match decoder.bytes.is_done() {
            true => Ok(read),
            false => fail("bytes behind its end"),
        }
    }

    /// What recipes of all kinds begin with: the ids of the statement and of its table. Notes the bind variables.
    pub(in crate::statement) fn head(&mut self, version: u8) -> Result<([u8; 16], [u8; 16])> {
        if self.u8()? != version {
            return fail("version");
        }
        let ids = (*self.id()?, *self.id()?);
        self.binds = self.u16()?;
        Ok(ids)
    }

    /// A value; of a clustering column's type, where there is one.
    pub(in crate::statement) fn value(&mut self, column: Option<&ClusteringColumn>) -> Result<Value> {
        match self.u8()? {
            0 => {
                let index = self.bind()?;
                let Some(of) = KeyType::of(self.u8()?) else { return fail("type of a value") };
                if column.is_some_and(|column| column.of != of) {
                    return fail("value of another type than its column's");
                }
                Ok(Value::Bind { index, of })
            }
            1 => {
                let bytes = self.counted()?;
                if column.is_some_and(|column| column.put_component(Some(bytes), &mut Vec::new()).is_err()) {
                    return fail("constant without a byte-comparable form");
                }
                Ok(Value::Constant(bytes.into()))
            }
            _ => fail("kind of value"),
        }
    }

    pub(in crate::statement) fn clustering_column(&mut self) -> Result<ClusteringColumn> {
        let code = self.u8()?;
        match KeyType::of(code & !REVERSED_TYPE) {
            Some(of) => Ok(ClusteringColumn { of, reversed: code & REVERSED_TYPE != 0 }),
            None => fail("type of a clustering column"),
        }
    }

    pub(in crate::statement) fn selection(&mut self, clustering: &[ClusteringColumn]) -> Result<Selection> {
        let selection = match self.u8()? {
            0 => Selection::Rows(self.list(|decoder| decoder.values(clustering))?),
            1 => Selection::Slices(
                self.list(|decoder| Ok((decoder.bound(clustering, 0)?, decoder.bound(clustering, 2)?)))?,
            ),
            _ => return fail("kind of selection"),
        };
        match &selection {
            Selection::Rows(rows) if rows.is_empty() => fail("no rows"),
            Selection::Rows(rows) if rows.len() > 1 && clustering.is_empty() => fail("rows without a clustering"),
            Selection::Slices(slices) if slices.is_empty() || clustering.is_empty() => fail("no slices"),
            _ => Ok(selection),
        }
    }

    /// An end of a slice, whose kinds are `inclusive` and the next one.
    pub(in crate::statement) fn bound(&mut self, clustering: &[ClusteringColumn], inclusive: u8) -> Result<Bound> {
        let kind = self.u8()?;
        let count = usize::from(self.u16()?);
        let Some(columns) = clustering.get(..count) else { return fail("values of a bound") };
        let is_start = inclusive == 0;
        let side = match kind.checked_sub(inclusive) {
            Some(0) => {
                if is_start {
                    BEFORE
                } else {
                    AFTER
                }
            }
            Some(1) if count > 0 => {
                if is_start {
                    AFTER
                } else {
                    BEFORE
                }
            }
            _ => return fail("kind of bound"),
        };
        Ok(Bound { values: self.values(columns)?, side })
    }

    pub(in crate::statement) fn values(&mut self, columns: &[ClusteringColumn]) -> Result<Box<[Value]>> {
        columns.iter().map(|column| self.value(Some(column))).collect()
    }

    pub(in crate::statement) fn limit(&mut self) -> Result<Limit> {
        match self.u8()? {
            0 => Ok(Limit::None),
            1 => match self.u32()? {
                rows @ 1..=Limit::NONE => Ok(Limit::Constant(rows)),
                _ => fail("limit"),
            },
            2 => self.bind().map(Limit::Bind),
            _ => fail("kind of limit"),
        }
    }

    pub(in crate::statement) fn bind(&mut self) -> Result<u16> {
        match self.u16()? {
            index if index < self.binds => Ok(index),
            _ => fail("bind variable"),
        }
    }

    pub(in crate::statement) fn list<T>(&mut self, mut one: impl FnMut(&mut Self) -> Result<T>) -> Result<Box<[T]>> {
        let count = self.u16()?;
        (0..count).map(|_| one(self)).collect()
    }

    pub(in crate::statement) fn counted(&mut self) -> Result<&[u8]> {
        let length = usize::try_from(self.u32()?).map_err(|_| CUT)?;
        self.bytes.take(length).ok_or(CUT)
    }

    pub(in crate::statement) fn id(&mut self) -> Result<&[u8; 16]> {
        self.bytes.array().ok_or(CUT)
    }

    pub(in crate::statement) fn u8(&mut self) -> Result<u8> {
        self.bytes.u8().ok_or(CUT)
    }

    pub(in crate::statement) fn u16(&mut self) -> Result<u16> {
        self.bytes.u16().ok_or(CUT)
    }

    pub(in crate::statement) fn u32(&mut self) -> Result<u32> {
        self.bytes.u32().ok_or(CUT)
    }
}
