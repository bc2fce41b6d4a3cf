// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The values that a recipe names: constants of the statement, and values of the request.

use super::execute::{Absent, Execute};
use super::key_type::KeyType;
use crate::reason::Reason;

/// One value of a key or bound.
#[derive(Debug)]
pub(crate) enum Value {
    Bind { index: u16, of: KeyType },
    Constant(Box<[u8]>),
}

impl Value {
    /// The value's bytes, which its type takes.
    #[inline]
    pub(crate) fn checked<'v>(&'v self, execute: &'v Execute<'_>) -> Result<&'v [u8], Reason> {
        let bytes = self.bytes(execute)?;
        match self {
            Value::Bind { of, .. } if !of.takes(bytes) => Err(Reason::InvalidValue),
            _ => Ok(bytes),
        }
    }

    /// The value's bytes, once they have been checked.
    #[inline]
    pub(crate) fn bytes<'v>(&'v self, execute: &'v Execute<'_>) -> Result<&'v [u8], Reason> {
        match self {
            Value::Bind { index, .. } => execute.value(*index).ok_or(Reason::NullValue),
            Value::Constant(bytes) => Ok(bytes),
        }
    }

    /// Why the request does not give it; `None` where it does, and of a constant.
    pub(crate) fn absent(&self, execute: &Execute<'_>) -> Option<Absent> {
        match self {
            Value::Bind { index, .. } => execute.absent(*index),
            Value::Constant(_) => None,
        }
    }
}

/// A limit of rows.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Limit {
    None,
    Constant(u32),
    Bind(u16),
}

impl Limit {
    /// Cassandra's number for no limit.
    pub(crate) const NONE: u32 = i32::MAX as u32;

    /// How many rows there may be.
    pub(crate) fn rows(self, execute: &Execute<'_>) -> Result<u32, Reason> {
        let index = match self {
            Limit::None => return Ok(Limit::NONE),
            Limit::Constant(rows) => return Ok(rows),
            Limit::Bind(index) => index,
        };
        let bytes = execute.value(index).ok_or(Reason::ValueCount)?;
        let rows = bytes.try_into().map(i32::from_be_bytes).map_err(|_| Reason::Limit)?;
        u32::try_from(rows).ok().filter(|rows| *rows > 0).ok_or(Reason::Limit)
    }
}

/// A clustering column: how its values sort.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ClusteringColumn {
    pub of: KeyType,
    pub reversed: bool,
}

const NEXT: u8 = 0x40;
const NULL: u8 = 0x3E;
const EMPTY: u8 = 0x3F;
const EMPTY_REVERSED: u8 = 0x41;
/// The end of a clustering.
pub(super) const CLUSTERING: u8 = 0x38;
/// The end of a bound that lies before all that it is a prefix of.
pub(super) const BEFORE: u8 = 0x20;
/// The end of a bound that lies after all that it is a prefix of.
pub(super) const AFTER: u8 = 0x60;

impl ClusteringColumn {
    /// Appends the component of a clustering or bound; `None` is null.
    #[inline]
    pub(crate) fn put_component(self, value: Option<&[u8]>, out: &mut Vec<u8>) -> Result<(), Reason> {
        let value = match value {
            None => {
                out.push(NULL);
                return Ok(());
            }
            Some([]) if !self.of.orders_empty() => {
                out.push(if self.reversed { EMPTY_REVERSED } else { EMPTY });
                return Ok(());
            }
            Some(value) => value,
        };
        out.push(NEXT);
        let start = out.len();
        self.of.put_form(value, out).ok_or(Reason::InvalidValue)?;
        if self.reversed {
            out.iter_mut().skip(start).for_each(|byte| *byte = !*byte);
        }
        Ok(())
    }
}
