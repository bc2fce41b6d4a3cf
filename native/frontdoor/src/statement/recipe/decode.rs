// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Reading a recipe.

use super::decoder::{fail, Decoder, Result};
use super::{Column, Encoder, Fetched, FetchedColumn, Recipe, RecipeError};
use crate::statement::metadata::{Metadata, ResultMetadata};
use crate::statement::row_size::RowSize;
use crate::statement::value::{ClusteringColumn, Value};

const VERSION: u8 = 1;
const REVERSED: u8 = 1;
const STATIC: u8 = 2;
const STATIC_ALONE: u8 = 4;
/// The only flag that a result's metadata may bring: all columns are of one table.
const ONE_TABLE: u32 = 1;

impl Recipe {
    /// Reads a recipe, version 1.
    pub fn decode(bytes: &[u8]) -> std::result::Result<Recipe, RecipeError> {
        Decoder::whole(bytes, Decoder::recipe)
    }
}

/// A column of the result as it is written: regular and static ones by id.
enum Written {
    Key(usize),
    Clustering(usize),
    Regular(u32, Encoder),
    Static(u32, Encoder),
}

impl Decoder<'_> {
    fn recipe(&mut self) -> Result<Recipe> {
        let (id, table_id) = self.head(VERSION)?;
        let partition = self.list(|decoder| decoder.value(None))?;
        let clustering = self.list(Self::clustering_column)?;
        let selection = self.selection(&clustering)?;
        let flags = self.u8()?;
        let (limit, partition_limit) = (self.limit()?, self.limit()?);
        let written = self.list(Self::column)?;
        let regulars = fetched(&self.list(Self::u32)?, &written, Written::of_row)?;
        let statics = fetched(&self.list(Self::u32)?, &written, Written::of_static_row)?;
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
        Ok(Recipe {
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
            row_size: RowSize::new(),
        })
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
}

impl Written {
    fn of_row(&self) -> Option<(u32, Encoder)> {
        match self {
            Written::Regular(id, encoder) => Some((*id, *encoder)),
            _ => None,
        }
    }

    fn of_static_row(&self) -> Option<(u32, Encoder)> {
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
