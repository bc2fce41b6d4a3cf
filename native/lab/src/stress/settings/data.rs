// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Which rows: population, columns of the built-in tables, how inserts are cut, the schema.

use anyhow::{bail, ensure, Result};

use super::value::count;
use super::work::{Command, Stop, Work};
use crate::stress::words::{Given, Words};

/// Which partitions, in which order.
#[derive(Clone, Debug, PartialEq)]
pub enum Population {
    /// One after the other.
    Sequence {
        /// The first.
        first: u64,
        /// The last.
        last: u64,
        /// Whether it begins again after the last.
        wrap: bool,
        /// How far behind the writes the reads are, a distribution.
        read_lookback: Option<String>,
    },
    /// Drawn from a distribution.
    Drawn(String),
}

/// Columns of the built-in tables; what is `None` is as cassandra-stress has it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Columns {
    /// How many, a distribution.
    pub count: Option<String>,
    /// Bytes of each, a distribution.
    pub size: Option<String>,
    /// Their names.
    pub names: Vec<String>,
}

/// How inserts are cut; what is `None` is as the profile or cassandra-stress has it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Inserts {
    /// Partitions of one batch, a distribution.
    pub partitions: Option<String>,
    /// Share of a partition's rows in one insert, a ratio.
    pub select: Option<String>,
    /// Share of a row's cells that are not null, a ratio.
    pub row_population: Option<String>,
    /// Inserts that a partition is split into, a distribution.
    pub visits: Option<String>,
    /// Which of the begun partitions comes next, a distribution.
    pub revisit: Option<String>,
    /// `unlogged`, `logged` or `counter`.
    pub batch_type: Option<String>,
}

/// How token range queries cut the ring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TokenRanges {
    /// Whether they begin again after the last range.
    pub wrap: bool,
    /// Parts of each range.
    pub split_factor: u64,
}

/// Keyspace and table.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TableSchema {
    /// The replication map of the keyspace as CQL; `None` leaves a profile's own.
    pub replication: Option<String>,
    /// Keyspace of the built-in tables.
    pub keyspace: Option<String>,
    /// The compaction map of the table as CQL.
    pub compaction: Option<String>,
    /// The compressor of the table; empty for none.
    pub compression: Option<String>,
}

/// Which rows.
#[derive(Clone, Debug)]
pub struct Data {
    /// Which partitions.
    pub population: Population,
    /// Order of the rows within a partition: `sorted` or `shuffled`.
    pub contents: Option<String>,
    /// Columns of the built-in tables.
    pub columns: Columns,
    /// How inserts are cut.
    pub inserts: Inserts,
    /// How token range queries cut the ring.
    pub token_ranges: TokenRanges,
    /// Keyspace and table.
    pub schema: TableSchema,
    /// What all pseudo-random choices begin with.
    pub seed: u64,
}

impl Data {
    /// Understands `-pop`, `-col`, `-insert`, `-tokenrange`, `-schema` and `-seed`.
    pub fn read(words: &mut Words, work: &Work) -> Result<Self> {
        let pop = words.take("-pop");
        let contents = pop.choice("contents=", &["sorted", "shuffled"])?;
        let built_in = !matches!(work.command, Command::User { .. });
        ensure!(built_in || words.option("-col").is_none(), "-col: the profile says what the columns are");
        let seed = match words.take("-seed").only()? {
            None => 0,
            Some(text) => match text.parse() {
                Ok(seed) => seed,
                Err(_) => bail!("-seed: '{text}': a whole number is expected"),
            },
        };
        Ok(Self {
            population: population(&pop, work)?,
            contents: contents.map(|choice| ["sorted", "shuffled"][choice].to_owned()),
            columns: columns(&words.take("-col"))?,
            inserts: inserts(&words.take("-insert"))?,
            token_ranges: token_ranges(&words.take("-tokenrange"))?,
            schema: schema(&words.take("-schema"), built_in)?,
            seed,
        })
    }
}

fn population(given: &Given, work: &Work) -> Result<Population> {
    let most = match work.stop {
        Stop::Count(count) if count > 0 => count,
        _ => 1_000_000,
    };
    for word in ["no-wrap", "read-lookback="] {
        ensure!(!given.has(word) || given.has("seq="), "-pop: {word} belongs to seq=");
    }
    given.at_most_one_of(&["seq=", "dist="])?;
    if let Some(dist) = given.text("dist=")? {
        return Ok(Population::Drawn(dist));
    }
    let range = given.parsed("seq=", "a range as 1..1M", range)?;
    let (first, last) = match range {
        Some(range) => range,
        None if work.only_inserts() => (1, most),
        None => return Ok(Population::Drawn(format!("gaussian(1..{most})"))),
    };
    Ok(Population::Sequence { first, last, wrap: !given.has("no-wrap"), read_lookback: given.text("read-lookback=")? })
}

fn range(text: &str) -> Option<(u64, u64)> {
    let (first, last) = text.split_once("..")?;
    let (first, last) = (count(first)?, count(last.trim_start_matches('.'))?);
    (first <= last).then_some((first, last))
}

fn columns(given: &Given) -> Result<Columns> {
    given.at_most_one_of(&["n=", "names="])?;
    let names: Vec<String> =
        given.value("names=").map_or(Vec::new(), |names| names.split(',').map(str::to_owned).collect());
    ensure!(!names.iter().any(String::is_empty), "-col: names= has an empty name");
    Ok(Columns { count: given.text("n=")?, size: given.text("size=")?, names })
}

fn inserts(given: &Given) -> Result<Inserts> {
    let types = ["unlogged", "logged", "counter"];
    Ok(Inserts {
        partitions: given.text("partitions=")?,
        select: given.text("select-ratio=")?,
        row_population: given.text("row-population-ratio=")?,
        visits: given.text("visits=")?,
        revisit: given.text("revisit=")?,
        batch_type: given.choice("batchtype=", &types)?.map(|choice| types[choice].to_owned()),
    })
}

fn token_ranges(given: &Given) -> Result<TokenRanges> {
    let split_factor = given.count("split-factor=")?.unwrap_or(1);
    ensure!(split_factor > 0, "-tokenrange: split-factor=0: at least 1");
    Ok(TokenRanges { wrap: given.has("wrap"), split_factor })
}

fn schema(given: &Given, built_in: bool) -> Result<TableSchema> {
    for word in ["keyspace=", "compaction", "compression="] {
        ensure!(built_in || !given.has(word), "-schema: {word}: the profile says that in its table_definition");
    }
    Ok(TableSchema {
        replication: map(given, "replication", replication)?,
        keyspace: given.text("keyspace=")?,
        compaction: map(given, "compaction", compaction)?,
        compression: given.value("compression=").map(str::to_owned),
    })
}

type Items = Vec<(String, String)>;

fn map(given: &Given, word: &str, read: impl Fn(&str, Items) -> (String, Items)) -> Result<Option<String>> {
    if !given.has(word) {
        return Ok(None);
    }
    let mut items = given.items(word)?;
    ensure!(!items.is_empty(), "-schema: {word}(...) is empty");
    ensure!(
        !items.iter().any(|(name, value)| format!("{name}{value}").contains('\'')),
        "-schema: {word}(...) has a quote"
    );
    let strategy = items.iter().position(|(name, _)| name == "strategy").map(|at| items.remove(at).1);
    let (class, items) = read(strategy.as_deref().unwrap_or_default(), items);
    ensure!(!class.is_empty(), "-schema: {word}(strategy=...) is missing");
    let items: String = items.iter().map(|(name, value)| format!(", '{name}': '{value}'")).collect();
    Ok(Some(format!("{{'class': '{class}'{items}}}")))
}

/// `factor` alone is SimpleStrategy's, as in `OptionReplication`.
fn replication(strategy: &str, mut items: Items) -> (String, Items) {
    for (name, _) in &mut items {
        if name == "factor" {
            "replication_factor".clone_into(name);
        }
    }
    let strategy = if strategy.is_empty() { "SimpleStrategy" } else { strategy };
    if strategy.ends_with("SimpleStrategy") && items.is_empty() {
        items.push(("replication_factor".to_owned(), "1".to_owned()));
    }
    (strategy.to_owned(), items)
}

fn compaction(strategy: &str, items: Items) -> (String, Items) {
    (strategy.to_owned(), items)
}
