// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Tokens of CQL: as much of the language as a definition of a table or a type needs.

use std::ops::Range;

use anyhow::{bail, Context, Result};

/// The kind of a token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TokenKind {
    /// A name or a keyword, lower case, or a quoted name as it is.
    Name {
        /// Without quotes.
        text: String,
        /// Whether it was quoted: then it is no keyword.
        quoted: bool,
    },
    /// A string or a number.
    Constant(String),
    /// Anything else, one character.
    Symbol(char),
}

/// A token and where it stands.
#[derive(Clone, Debug)]
pub struct Token {
    /// Its kind.
    pub kind: TokenKind,
    /// Bytes of the statement.
    pub at: Range<usize>,
}

/// The tokens of one statement; comments are left out.
pub fn tokens(cql: &str) -> Result<Vec<Token>> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(next) = cql[at..].chars().next() {
        let rest = &cql[at..];
        let length = match next {
            _ if next.is_whitespace() => next.len_utf8(),
            '-' if rest.starts_with("--") => line(rest),
            '/' if rest.starts_with("//") => line(rest),
            '/' if rest.starts_with("/*") => rest.find("*/").context("a comment /* does not end")? + 2,
            _ => {
                let (kind, length) = token(rest, next)?;
                found.push(Token { kind, at: at..at + length });
                length
            }
        };
        at += length;
    }
    Ok(found)
}

fn line(rest: &str) -> usize {
    rest.find('\n').unwrap_or(rest.len())
}

fn token(rest: &str, first: char) -> Result<(TokenKind, usize)> {
    let word = |c: char| c.is_alphanumeric() || c == '_';
    Ok(match first {
        '\'' => quoted(rest, '\'').map(|(text, length)| (TokenKind::Constant(text), length))?,
        '"' => quoted(rest, '"').map(|(text, length)| (TokenKind::Name { text, quoted: true }, length))?,
        c if c.is_ascii_digit() => {
            let length = rest.find(|c: char| !word(c) && c != '.').unwrap_or(rest.len());
            (TokenKind::Constant(rest[..length].to_owned()), length)
        }
        c if word(c) => {
            let length = rest.find(|c: char| !word(c)).unwrap_or(rest.len());
            (TokenKind::Name { text: rest[..length].to_lowercase(), quoted: false }, length)
        }
        c => (TokenKind::Symbol(c), c.len_utf8()),
    })
}

fn quoted(rest: &str, quote: char) -> Result<(String, usize)> {
    let mut text = String::new();
    let mut characters = rest.char_indices().skip(1).peekable();
    while let Some((at, c)) = characters.next() {
        if c != quote {
            text.push(c);
        } else if characters.peek().is_some_and(|(_, next)| *next == quote) {
            characters.next();
            text.push(quote);
        } else {
            return Ok((text, at + 1));
        }
    }
    bail!("a {quote} is not closed")
}

/// Tokens read one after the other.
#[derive(Clone, Debug)]
pub struct Cursor<'a> {
    tokens: &'a [Token],
    next: usize,
}

impl<'a> Cursor<'a> {
    /// In front of the first token.
    pub fn new(tokens: &'a [Token]) -> Self {
        Self { tokens, next: 0 }
    }

    /// The next token, not taken.
    pub fn peek(&self) -> Option<&'a Token> {
        self.tokens.get(self.next)
    }

    /// Takes the next token.
    pub fn take(&mut self) -> Option<&'a Token> {
        let token = self.peek();
        self.next += 1;
        token
    }

    /// Takes the keywords if they are next.
    pub fn words(&mut self, words: &[&str]) -> bool {
        let matches = words.iter().enumerate().all(|(i, word)| {
            let token = self.tokens.get(self.next + i);
            token.is_some_and(|token| matches!(&token.kind, TokenKind::Name { text, quoted: false } if text == word))
        });
        self.next += if matches { words.len() } else { 0 };
        matches
    }

    /// Takes the symbol if it is next.
    pub fn symbol(&mut self, symbol: char) -> bool {
        let matches = self.peek().is_some_and(|token| token.kind == TokenKind::Symbol(symbol));
        self.next += usize::from(matches);
        matches
    }

    /// Takes the symbol, which must be next.
    pub fn expect(&mut self, symbol: char) -> Result<()> {
        if self.symbol(symbol) {
            return Ok(());
        }
        bail!("expected {symbol:?}, found {}", self.describe())
    }

    /// Takes a name.
    pub fn name(&mut self) -> Result<String> {
        if let Some(Token { kind: TokenKind::Name { text, .. }, .. }) = self.peek() {
            self.next += 1;
            return Ok(text.clone());
        }
        bail!("expected a name, found {}", self.describe())
    }

    /// Takes `keyspace.name` or `name`; gives the name.
    pub fn qualified(&mut self) -> Result<String> {
        let name = self.name()?;
        if self.symbol('.') {
            return self.name();
        }
        Ok(name)
    }

    /// The next token in words.
    pub fn describe(&self) -> String {
        match self.peek().map(|token| &token.kind) {
            None => "the end".to_owned(),
            Some(TokenKind::Name { text, .. } | TokenKind::Constant(text)) => format!("{text:?}"),
            Some(TokenKind::Symbol(symbol)) => format!("{symbol:?}"),
        }
    }
}

/// A name as CQL needs it: quoted unless it is lower case letters, digits and underscores.
pub fn quoted_name(name: &str) -> String {
    let plain = name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
    if plain {
        return name.to_owned();
    }
    format!("\"{}\"", name.replace('"', "\"\""))
}
