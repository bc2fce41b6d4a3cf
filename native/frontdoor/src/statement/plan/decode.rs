// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Reading a plan.

use super::{Bound, Column, Encoder, Fetched, FetchedColumn, Plan, PlanError, Selection};
use crate::statement::bytes::Bytes;
use crate::statement::key_type::KeyType;
use crate::statement::metadata::{Metadata, ResultMetadata};
use crate::statement::places::{AFTER, BEFORE};
use crate::statement::value::{ClusteringColumn, Limit, Value};

const VERSION: u8 = 1;
const REVERSED: u8 = 1;
const STATIC: u8 = 2;
const STATIC_ALONE: u8 = 4;
/// Added to the type of a clustering column that sorts the other way round.
const REVERSED_TYPE: u8 = 0x80;
/// The only flag that a result's metadata may bring: all columns are of one table.
const ONE_TABLE: u32 = 1;

type Result<T> = std::result::Result<T, PlanError>;

fn fail<T>(what: &'static str) -> Result<T> {
    Err(PlanError { what })
}

impl Plan {
    /// Reads a plan, version 1.
    pub fn decode(bytes: &[u8]) -> Result<Plan> {
        let mut decoder = Decoder { bytes: Bytes::new(bytes), binds: 0 };
        let plan = decoder.plan()?;
        if !decoder.bytes.is_done() {
            return fail("bytes behind its end");
        }
        Ok(plan)
    }
}

struct Decoder<'a> {
    bytes: Bytes<'a>,
    /// How many bind variables the statement has.
    binds: u16,
}

/// A column of the result as it is written: regular and static ones by id.
enum Written {
    Key(usize),
    Clustering(usize),
    Regular(u32, Encoder),
    Static(u32, Encoder),
}

impl Decoder<'_> {
    fn plan(&mut self) -> Result<Plan> {
        if self.u8()? != VERSION {
            return fail("version");
        }
        let (id, table_id) = (*self.id()?, *self.id()?);
        self.binds = self.u16()?;
        let partition = self.list(|decoder| decoder.value(None))?;
        let clustering = self.list(Self::clustering_column)?;
        let selection = self.selection(&clustering)?;
        let flags = self.u8()?;
        let (limit, partition_limit) = (self.limit()?, self.limit()?);
        let written = self.list(Self::column)?;
        let regulars = fetched(&self.list(Self::u32)?, &written, Written::regular)?;
        let statics = fetched(&self.list(Self::u32)?, &written, Written::r#static)?;
        let columns = written.iter().map(|column| column.resolved(&partition, &clustering, &regulars, &statics));
        let columns = columns.collect::<Result<Box<[Column]>>>()?;
        let metadata = self.metadata(columns.len())?;
        if partition.is_empty() {
            return fail("no partition key");
        }
        if flags & !(REVERSED | STATIC | STATIC_ALONE) != 0 {
            return fail("flags");
        }
        let reads_static = flags & STATIC != 0;
        if !reads_static && !statics.columns.is_empty() {
            return fail("static columns without their row");
        }
        Ok(Plan {
            id,
            table_id,
            binds: usize::from(self.binds),
            partition,
            clustering,
            selection,
            reversed: flags & REVERSED != 0,
            reads_static,
            returns_static_alone: flags & STATIC_ALONE != 0,
            limit,
            partition_limit,
            columns,
            regulars,
            statics,
            metadata,
        })
    }

    /// A value; of a clustering column's type, where there is one.
    fn value(&mut self, column: Option<&ClusteringColumn>) -> Result<Value> {
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

    fn clustering_column(&mut self) -> Result<ClusteringColumn> {
        let code = self.u8()?;
        match KeyType::of(code & !REVERSED_TYPE) {
            Some(of) => Ok(ClusteringColumn { of, reversed: code & REVERSED_TYPE != 0 }),
            None => fail("type of a clustering column"),
        }
    }

    fn selection(&mut self, clustering: &[ClusteringColumn]) -> Result<Selection> {
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
    fn bound(&mut self, clustering: &[ClusteringColumn], inclusive: u8) -> Result<Bound> {
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

    fn values(&mut self, columns: &[ClusteringColumn]) -> Result<Box<[Value]>> {
        columns.iter().map(|column| self.value(Some(column))).collect()
    }

    fn limit(&mut self) -> Result<Limit> {
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

    fn column(&mut self) -> Result<Written> {
        Ok(match self.u8()? {
            0 => Written::Key(usize::from(self.u16()?)),
            1 => Written::Clustering(usize::from(self.u16()?)),
            2 => Written::Regular(self.u32()?, self.encoder()?),
            3 => Written::Static(self.u32()?, self.encoder()?),
            _ => return fail("kind of column"),
        })
    }

    fn encoder(&mut self) -> Result<Encoder> {
        Ok(match self.u8()? {
            0 => Encoder::Cell,
            1 => Encoder::Set,
            2 => Encoder::List,
            3 => Encoder::Map,
            4 => Encoder::Udt { fields: self.u16()? },
            5 => Encoder::Counter,
            _ => return fail("encoder"),
        })
    }

    fn metadata(&mut self, columns: usize) -> Result<ResultMetadata> {
        let by_version =
            [self.version_metadata(columns)?, self.version_metadata(columns)?, self.version_metadata(columns)?];
        let id = *self.id()?;
        let is_as_prepared = match self.u8()? {
            0 => false,
            1 => true,
            _ => return fail("metadata as prepared"),
        };
        Ok(ResultMetadata { by_version, id, is_as_prepared })
    }

    fn version_metadata(&mut self, count: usize) -> Result<Metadata> {
        let (flags, columns) = (self.u32()?, self.u32()?);
        if flags & !ONE_TABLE != 0 || usize::try_from(columns) != Ok(count) {
            return fail("metadata");
        }
        Ok(Metadata { flags, columns, tail: self.counted()?.into() })
    }

    fn bind(&mut self) -> Result<u16> {
        match self.u16()? {
            index if index < self.binds => Ok(index),
            _ => fail("bind variable"),
        }
    }

    fn list<T>(&mut self, mut one: impl FnMut(&mut Self) -> Result<T>) -> Result<Box<[T]>> {
        let count = self.u16()?;
        (0..count).map(|_| one(self)).collect()
    }

    fn counted(&mut self) -> Result<&[u8]> {
        let length = usize::try_from(self.u32()?).map_err(|_| CUT)?;
        self.bytes.take(length).ok_or(CUT)
    }

    fn id(&mut self) -> Result<&[u8; 16]> {
        self.bytes.array().ok_or(CUT)
    }

    fn u8(&mut self) -> Result<u8> {
        self.bytes.u8().ok_or(CUT)
    }

    fn u16(&mut self) -> Result<u16> {
        self.bytes.u16().ok_or(CUT)
    }

    fn u32(&mut self) -> Result<u32> {
        self.bytes.u32().ok_or(CUT)
    }
}

const CUT: PlanError = PlanError { what: "it ends early" };

impl Written {
    fn regular(&self) -> Option<(u32, Encoder)> {
        match self {
            Written::Regular(id, encoder) => Some((*id, *encoder)),
            _ => None,
        }
    }

    fn r#static(&self) -> Option<(u32, Encoder)> {
        match self {
            Written::Static(id, encoder) => Some((*id, *encoder)),
            _ => None,
        }
    }

    fn resolved(
        &self,
        partition: &[Value],
        clustering: &[ClusteringColumn],
        regulars: &Fetched,
        statics: &Fetched,
    ) -> Result<Column> {
        match *self {
            Written::Key(at) if at < partition.len() => Ok(Column::Key(at)),
            Written::Clustering(at) if at < clustering.len() => Ok(Column::Clustering(at)),
            Written::Regular(id, encoder) => regulars.position(id, encoder).map(Column::Regular),
            Written::Static(id, encoder) => statics.position(id, encoder).map(Column::Static),
            _ => fail("component of a key"),
        }
    }
}

/// The fetched columns, with the encoders of those in the result.
fn fetched(ids: &[u32], result: &[Written], of: impl Fn(&Written) -> Option<(u32, Encoder)>) -> Result<Fetched> {
    let encoder = |id| result.iter().filter_map(&of).find(|column| column.0 == id).map(|column| column.1);
    let mut columns: Vec<_> = ids.iter().map(|&id| FetchedColumn { id, encoder: encoder(id) }).collect();
    columns.sort_unstable_by_key(|column| column.id);
    if columns.windows(2).any(|pair| matches!(pair, [one, two] if one.id == two.id)) {
        return fail("column that is fetched twice");
    }
    Ok(Fetched { columns: columns.into() })
}

impl Fetched {
    fn position(&self, id: u32, encoder: Encoder) -> Result<usize> {
        let at = self.columns.binary_search_by_key(&id, |column| column.id);
        match at.map(|at| (at, self.columns.get(at))) {
            Ok((at, Some(found))) if found.encoder == Some(encoder) => Ok(at),
            _ => fail("column that is not fetched, or in two forms"),
        }
    }
}
