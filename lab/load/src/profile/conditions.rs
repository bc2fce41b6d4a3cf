// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The restrictions of a statement: which rows a `SELECT` must return, and which a `DELETE` removes.

use anyhow::Result;

use super::tokens::{tokens, Cursor, Token, TokenKind};

/// The conditions of a statement, which tell which rows it concerns.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Conditions {
    /// Whether it only reads.
    pub selects: bool,
    /// Whether it deletes whole rows, with the timestamp of the client.
    pub deletes: bool,
    /// Columns that are bound by `column = ?`, with the place of the `?` in the statement.
    pub equal: Vec<(String, usize)>,
    /// Whether the answer may leave out rows that these equalities let through: other conditions, LIMIT.
    pub partial: bool,
    /// Whether rows of the answer are rows of the table: no DISTINCT, GROUP BY or functions.
    pub plain: bool,
}

impl Conditions {
    /// Of a statement.
    pub fn of(cql: &str) -> Result<Self> {
        let tokens = tokens(cql)?;
        let is =
            |token: &Token, word: &str| matches!(&token.kind, TokenKind::Name { text, quoted: false } if text == word);
        let at = |word: &str| tokens.iter().position(|token| is(token, word));
        let mut found = Self { selects: at("select") == Some(0), ..Self::default() };
        let from = at("from").unwrap_or(tokens.len());
        let begin = at("where").unwrap_or(tokens.len());
        let called = tokens[..from].iter().any(|token| token.kind == TokenKind::Symbol('('));
        found.plain = found.selects && !called && !["distinct", "group", "json"].iter().any(|word| at(word).is_some());
        // Behind FROM only `table` or `keyspace.table`: no USING TIMESTAMP; before it no columns.
        found.deletes = at("delete") == Some(0) && from == 1 && matches!(begin, 3 | 5);
        found.partial = ["limit", "per"].iter().any(|word| at(word).is_some());
        let mut marks = tokens[..begin].iter().filter(|token| token.kind == TokenKind::Symbol('?')).count();
        let end = ["order", "limit", "per", "allow", "group"].iter().filter_map(|word| at(word)).min();
        let body = tokens.get(begin + 1..end.unwrap_or(tokens.len())).unwrap_or_default();
        for condition in body.split(|token| is(token, "and")) {
            match equality(condition) {
                Some(name) => found.equal.push((name, marks)),
                None => found.partial |= condition.iter().any(|token| token.kind != TokenKind::Symbol(';')),
            }
            marks += condition.iter().filter(|token| token.kind == TokenKind::Symbol('?')).count();
        }
        Ok(found)
    }

    /// The place of the `?` that a column is equal to.
    pub fn mark_of(&self, column: &str) -> Option<usize> {
        self.equal.iter().find(|(name, _)| name == column).map(|(_, mark)| *mark)
    }
}

fn equality(condition: &[Token]) -> Option<String> {
    let mut cursor = Cursor::new(condition);
    let name = cursor.name().ok()?;
    let matches = cursor.symbol('=') && cursor.symbol('?');
    cursor.symbol(';');
    (matches && cursor.peek().is_none()).then_some(name)
}
