// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! CQL types, as the generator of values needs them.

use std::collections::HashMap;

use anyhow::{bail, ensure, Context, Result};
use scylla::cluster::metadata::{CollectionType, ColumnType, NativeType};

use super::tokens::{Cursor, TokenKind};

/// Types within a type are read by recursion.
const DEEPEST: usize = 100;

/// A CQL type. Whether it is frozen matters only for a column, see [`TypeOf`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Type {
    Ascii,
    Bigint,
    Blob,
    Boolean,
    Counter,
    Date,
    Decimal,
    Double,
    Duration,
    Float,
    Inet,
    Int,
    Smallint,
    Text,
    Time,
    Timestamp,
    Timeuuid,
    Tinyint,
    Uuid,
    Varint,
    List(Box<Type>),
    Set(Box<Type>),
    Map(Box<Type>, Box<Type>),
    /// A tuple, or the fields of a user-defined type.
    Tuple(Vec<Type>),
    Vector(Box<Type>, usize),
}

/// The type of a column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypeOf {
    /// The type without `frozen`.
    pub ty: Type,
    /// A collection or user-defined type that is not frozen: its elements are cells of their own.
    pub multicell: bool,
}

/// User-defined types by name: their fields.
pub type Definitions = HashMap<String, Type>;

impl Type {
    /// Whether a value may come back in another order than it was written in: sets and maps, wherever they are.
    pub fn is_reordered(&self) -> bool {
        match self {
            Type::Set(_) | Type::Map(..) => true,
            Type::List(element) | Type::Vector(element, _) => element.is_reordered(),
            Type::Tuple(fields) => fields.iter().any(Type::is_reordered),
            _ => false,
        }
    }

    /// Bytes of a value inside a vector, if all values have as many (`AbstractType.valueLengthIfFixed`).
    pub fn vector_bytes(&self) -> Option<usize> {
        match self {
            Type::Boolean => Some(1),
            Type::Int | Type::Float => Some(4),
            Type::Bigint | Type::Double | Type::Timestamp => Some(8),
            Type::Uuid | Type::Timeuuid => Some(16),
            Type::Vector(element, length) => element.vector_bytes().map(|bytes| bytes * length),
            _ => None,
        }
    }

    fn native(name: &str) -> Option<Type> {
        Some(match name {
            "ascii" => Type::Ascii,
            "bigint" => Type::Bigint,
            "blob" => Type::Blob,
            "boolean" => Type::Boolean,
            "counter" => Type::Counter,
            "date" => Type::Date,
            "decimal" => Type::Decimal,
            "double" => Type::Double,
            "duration" => Type::Duration,
            "float" => Type::Float,
            "inet" => Type::Inet,
            "int" => Type::Int,
            "smallint" => Type::Smallint,
            "text" | "varchar" => Type::Text,
            "time" => Type::Time,
            "timestamp" => Type::Timestamp,
            "timeuuid" => Type::Timeuuid,
            "tinyint" => Type::Tinyint,
            "uuid" => Type::Uuid,
            "varint" => Type::Varint,
            _ => return None,
        })
    }
}

impl TypeOf {
    /// Reads a type in front of the cursor.
    pub fn parse(cursor: &mut Cursor<'_>, definitions: &Definitions) -> Result<Self> {
        Self::nested(cursor, definitions, DEEPEST)
    }

    fn nested(cursor: &mut Cursor<'_>, definitions: &Definitions, depth: usize) -> Result<Self> {
        let inner_depth = depth.checked_sub(1).with_context(|| format!("a type is more than {DEEPEST} types deep"))?;
        let name = cursor.qualified()?;
        if name == "frozen" {
            cursor.expect('<')?;
            let inner = Self::nested(cursor, definitions, inner_depth)?;
            cursor.expect('>')?;
            return Ok(Self { ty: inner.ty, multicell: false });
        }
        let mut inside = |parts: usize| -> Result<Vec<Type>> {
            cursor.expect('<')?;
            let mut found = vec![Self::nested(cursor, definitions, inner_depth)?.ty];
            while cursor.symbol(',') {
                found.push(Self::nested(cursor, definitions, inner_depth)?.ty);
            }
            cursor.expect('>')?;
            ensure!(parts == 0 || found.len() == parts, "{name} takes {parts} types, not {}", found.len());
            Ok(found)
        };
        let (ty, multicell) = match name.as_str() {
            "list" => (Type::List(Box::new(only(inside(1)?)?)), true),
            "set" => (Type::Set(Box::new(only(inside(1)?)?)), true),
            "map" => {
                let mut parts = inside(2)?.into_iter();
                let (key, value) = parts.next().zip(parts.next()).context("map")?;
                (Type::Map(Box::new(key), Box::new(value)), true)
            }
            "tuple" => (Type::Tuple(inside(0)?), false),
            "vector" => (vector(cursor, definitions, inner_depth)?, false),
            _ => match (Type::native(&name), definitions.get(&name)) {
                (_, Some(fields)) => (fields.clone(), true),
                (Some(native), None) => (native, false),
                (None, None) => bail!("unknown type {name}; user-defined types belong into extra_definitions"),
            },
        };
        Ok(Self { ty, multicell })
    }

    /// Of a column as the driver knows it.
    pub fn of_column(known: &ColumnType<'_>) -> Result<Self> {
        let multicell = match known {
            ColumnType::Collection { frozen, .. } | ColumnType::UserDefinedType { frozen, .. } => !frozen,
            _ => false,
        };
        Ok(Self { ty: type_of(known)?, multicell })
    }
}

fn only(types: Vec<Type>) -> Result<Type> {
    types.into_iter().next().context("a type is missing")
}

fn vector(cursor: &mut Cursor<'_>, definitions: &Definitions, depth: usize) -> Result<Type> {
    cursor.expect('<')?;
    let element = TypeOf::nested(cursor, definitions, depth)?.ty;
    cursor.expect(',')?;
    let Some(TokenKind::Constant(length)) = cursor.take().map(|token| token.kind.clone()) else {
        bail!("vector has no length");
    };
    cursor.expect('>')?;
    Ok(Type::Vector(Box::new(element), length.parse().with_context(|| format!("length {length} of a vector"))?))
}

fn type_of(known: &ColumnType<'_>) -> Result<Type> {
    Ok(match known {
        ColumnType::Native(native) => native_of(native)?,
        ColumnType::Collection { typ, .. } => match typ {
            CollectionType::List(element) => Type::List(Box::new(type_of(element)?)),
            CollectionType::Set(element) => Type::Set(Box::new(type_of(element)?)),
            CollectionType::Map(key, value) => Type::Map(Box::new(type_of(key)?), Box::new(type_of(value)?)),
            other => bail!("no generator for the type {other:?}"),
        },
        ColumnType::Vector { typ, dimensions } => Type::Vector(Box::new(type_of(typ)?), usize::from(*dimensions)),
        ColumnType::UserDefinedType { definition, .. } => {
            Type::Tuple(definition.field_types.iter().map(|(_, field)| type_of(field)).collect::<Result<_>>()?)
        }
        ColumnType::Tuple(fields) => Type::Tuple(fields.iter().map(type_of).collect::<Result<_>>()?),
        other => bail!("no generator for the type {other:?}"),
    })
}

fn native_of(native: &NativeType) -> Result<Type> {
    Ok(match native {
        NativeType::Ascii => Type::Ascii,
        NativeType::BigInt => Type::Bigint,
        NativeType::Blob => Type::Blob,
        NativeType::Boolean => Type::Boolean,
        NativeType::Counter => Type::Counter,
        NativeType::Date => Type::Date,
        NativeType::Decimal => Type::Decimal,
        NativeType::Double => Type::Double,
        NativeType::Duration => Type::Duration,
        NativeType::Float => Type::Float,
        NativeType::Inet => Type::Inet,
        NativeType::Int => Type::Int,
        NativeType::SmallInt => Type::Smallint,
        NativeType::Text => Type::Text,
        NativeType::Time => Type::Time,
        NativeType::Timestamp => Type::Timestamp,
        NativeType::Timeuuid => Type::Timeuuid,
        NativeType::TinyInt => Type::Tinyint,
        NativeType::Uuid => Type::Uuid,
        NativeType::Varint => Type::Varint,
        other => bail!("no generator for the type {other:?}"),
    })
}
