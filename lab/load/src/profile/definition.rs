// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Parses `CREATE KEYSPACE`, `CREATE TABLE` and `CREATE TYPE`, as far as rows and options need it.

use std::ops::Range;

use anyhow::{bail, ensure, Context, Result};

use super::column::{Definition, Role};
use super::tokens::{tokens, Cursor, Token, TokenKind};
use super::types::{Definitions, Type, TypeOf};

/// A table as its `CREATE TABLE` says.
#[derive(Clone, Debug)]
pub struct TableDefinition {
    /// Its name.
    pub name: String,
    /// Its columns: keys in the order of the primary key, then the others.
    pub columns: Vec<Definition>,
}

/// The name of the keyspace that `CREATE KEYSPACE` makes.
pub fn keyspace_name(cql: &str) -> Result<String> {
    let tokens = tokens(cql)?;
    let mut cursor = Cursor::new(&tokens);
    let create = cursor.words(&["create", "keyspace"]) || cursor.words(&["create", "schema"]);
    ensure!(create, "is no CREATE KEYSPACE");
    cursor.words(&["if", "not", "exists"]);
    cursor.name()
}

/// Reads `CREATE TABLE`.
pub fn table(cql: &str, types: &Definitions) -> Result<TableDefinition> {
    let tokens = tokens(cql)?;
    let mut cursor = Cursor::new(&tokens);
    let name = begin_table(&mut cursor)?;
    let mut columns: Vec<Definition> = Vec::new();
    let (mut keys, mut clustering) = (Vec::new(), Vec::new());
    loop {
        if cursor.words(&["primary", "key"]) {
            (keys, clustering) = primary_key(&mut cursor)?;
        } else {
            let name = cursor.name()?;
            let kind = TypeOf::parse(&mut cursor, types).with_context(|| format!("column {name}"))?;
            let role = if cursor.words(&["static"]) { Role::Static } else { Role::Regular };
            if cursor.words(&["primary", "key"]) {
                keys = vec![name.clone()];
            }
            ensure!(!cursor.words(&["masked"]), "column {name}: MASKED is not taken");
            columns.push(Definition { name, kind, role });
        }
        if !cursor.symbol(',') {
            break;
        }
    }
    cursor.expect(')')?;
    Ok(TableDefinition { name, columns: in_key_order(columns, &keys, &clustering)? })
}

fn begin_table(cursor: &mut Cursor<'_>) -> Result<String> {
    let create = cursor.words(&["create", "table"]) || cursor.words(&["create", "columnfamily"]);
    ensure!(create, "is no CREATE TABLE");
    cursor.words(&["if", "not", "exists"]);
    let name = cursor.qualified()?;
    cursor.expect('(')?;
    Ok(name)
}

fn primary_key(cursor: &mut Cursor<'_>) -> Result<(Vec<String>, Vec<String>)> {
    cursor.expect('(')?;
    let mut keys = Vec::new();
    if cursor.symbol('(') {
        keys.push(cursor.name()?);
        while cursor.symbol(',') {
            keys.push(cursor.name()?);
        }
        cursor.expect(')')?;
    } else {
        keys.push(cursor.name()?);
    }
    let mut clustering = Vec::new();
    while cursor.symbol(',') {
        clustering.push(cursor.name()?);
    }
    cursor.expect(')')?;
    Ok((keys, clustering))
}

/// The columns with the roles that the primary key gives them, key columns first.
pub fn in_key_order(mut columns: Vec<Definition>, keys: &[String], clustering: &[String]) -> Result<Vec<Definition>> {
    ensure!(!keys.is_empty(), "there is no PRIMARY KEY");
    let mut ordered = Vec::with_capacity(columns.len());
    let named = keys.iter().map(|name| (name, Role::Partition));
    for (name, role) in named.chain(clustering.iter().map(|name| (name, Role::Clustering))) {
        let at = columns.iter().position(|column| column.name == *name);
        let mut column = columns.remove(at.with_context(|| format!("PRIMARY KEY: there is no column {name}"))?);
        column.role = role;
        ordered.push(column);
    }
    ordered.extend(columns);
    Ok(ordered)
}

/// Reads `CREATE TYPE`: its name and fields; `None` if the statement is another.
pub fn user_type(cql: &str, types: &Definitions) -> Result<Option<(String, Type)>> {
    let tokens = tokens(cql)?;
    let mut cursor = Cursor::new(&tokens);
    if !cursor.words(&["create", "type"]) {
        return Ok(None);
    }
    cursor.words(&["if", "not", "exists"]);
    let name = cursor.qualified()?;
    cursor.expect('(')?;
    let mut fields = Vec::new();
    loop {
        let field = cursor.name()?;
        fields.push(TypeOf::parse(&mut cursor, types).with_context(|| format!("type {name}, field {field}"))?.ty);
        if !cursor.symbol(',') {
            break;
        }
    }
    cursor.expect(')')?;
    Ok(Some((name, Type::Tuple(fields))))
}

/// The statement with these options after `WITH`; those that it has of the same name give way. Empty `with` changes nothing.
pub fn with_options(cql: &str, with: &str) -> Result<String> {
    if with.trim().is_empty() {
        return Ok(cql.trim().trim_end_matches(';').trim_end().to_owned());
    }
    let all = tokens(cql)?;
    let end = all.iter().rposition(|token| token.kind != TokenKind::Symbol(';')).context("is empty")? + 1;
    let all = &all[..end];
    let head = (0..all.len()).find(|&i| depth_zero(all, i) && is_word(&all[i], "with")).unwrap_or(all.len());
    let wanted = tokens(with)?;
    let mut options: Vec<String> = Vec::new();
    let replaced: Vec<String> = parts(&wanted).map(|part| name_of(&wanted[part])).collect::<Result<_>>()?;
    let body = all.get(head + 1..).unwrap_or_default();
    for part in parts(body) {
        if !replaced.contains(&name_of(&body[part.clone()])?) {
            options.push(text_of(cql, &body[part]));
        }
    }
    options.extend(parts(&wanted).map(|part| text_of(with, &wanted[part])));
    let before = text_of(cql, &all[..head]);
    Ok(format!("{before} WITH {}", options.join(" AND ")))
}

/// The options between AND.
fn parts(tokens: &[Token]) -> impl Iterator<Item = Range<usize>> + '_ {
    let ends =
        (0..=tokens.len()).filter(|&i| i == tokens.len() || (depth_zero(tokens, i) && is_word(&tokens[i], "and")));
    let mut start = 0;
    ends.map(move |end| std::mem::replace(&mut start, end + 1)..end).filter(|part| !part.is_empty())
}

fn depth_zero(tokens: &[Token], end: usize) -> bool {
    let change = |token: &Token| match token.kind {
        TokenKind::Symbol('(' | '{' | '[') => 1,
        TokenKind::Symbol(')' | '}' | ']') => -1,
        _ => 0,
    };
    tokens[..end].iter().map(change).sum::<i32>() == 0
}

fn is_word(token: &Token, word: &str) -> bool {
    matches!(&token.kind, TokenKind::Name { text, quoted: false } if text == word)
}

fn name_of(option: &[Token]) -> Result<String> {
    match option.first().map(|token| &token.kind) {
        Some(TokenKind::Name { text, .. }) => Ok(text.clone()),
        _ => bail!("an option after WITH has no name"),
    }
}

fn text_of(cql: &str, tokens: &[Token]) -> String {
    match (tokens.first(), tokens.last()) {
        (Some(first), Some(last)) => cql[first.at.start..last.at.end].to_owned(),
        _ => String::new(),
    }
}
