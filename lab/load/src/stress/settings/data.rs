// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Data settings: population, columns of the built-in tables, how inserts are cut, the schema.

use anyhow::{anyhow, bail, ensure, Context, Result};

use super::value::count;
use super::work::{Command, Stop, Work};
use crate::profile::builtin::StandardColumns;
use crate::profile::{Distribution, InsertSpec, Population};
use crate::stress::command_line::{CommandLine, Given};

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
    /// Columns of the built-in tables.
    pub columns: StandardColumns,
    /// How inserts are cut.
    pub inserts: InsertSpec,
    /// Parts that a token range query cuts each range into; `None` leaves a profile's own.
    pub split_factor: Option<u32>,
    /// Keyspace and table.
    pub schema: TableSchema,
    /// The seed of all pseudo-random choices.
    pub seed: u64,
}

impl Data {
    /// Understands `-pop`, `-col`, `-insert`, `-tokenrange`, `-schema` and `-seed`.
    pub fn read(line: &mut CommandLine, work: &Work) -> Result<Self> {
        let pop = line.take("-pop");
        let built_in = !matches!(work.command, Command::User { .. });
        ensure!(built_in || line.option("-col").is_none(), "-col: the profile says what the columns are");
        let is_emp = matches!(work.command, Command::Emp(_));
        ensure!(!is_emp || line.option("-col").is_none(), "-col: emp has the columns of NDBench; leave it out");
        let is_elsewhere = line.option("-schema").is_some_and(|schema| schema.has("keyspace="));
        ensure!(!is_emp || !is_elsewhere, "-schema: keyspace=: the table of emp is ndbench.emp; leave it out");
        let seed = match line.take("-seed").only()? {
            None => 1,
            Some(text) => match text.parse() {
                Ok(seed) => seed,
                Err(_) => bail!("-seed: '{text}': a whole number is expected"),
            },
        };
        Ok(Self {
            population: population(&pop, work)?,
            columns: columns(&line.take("-col"), work)?,
            inserts: inserts(&line.take("-insert"))?,
            split_factor: split_factor(&line.take("-tokenrange"))?,
            schema: schema(&line.take("-schema"), built_in)?,
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
    if let Some(drawn) = distribution(given, "dist=")? {
        ensure!(drawn.min() >= 0, "-pop: dist={drawn}: seeds can be negative");
        return Ok(Population::Spread(drawn));
    }
    let Some((first, last)) = given.parsed("seq=", "a range as 1..1M", range)? else {
        return Population::by_default(Some(most), work.only_inserts());
    };
    let lookback = distribution(given, "read-lookback=")?;
    if let Some(lookback) = &lookback {
        let furthest = u64::try_from(lookback.max()).unwrap_or(0);
        let inside = lookback.min() >= 0 && furthest <= last - first + 1;
        ensure!(inside, "-pop: read-lookback={lookback}: goes back further than the sequence");
    }
    Ok(Population::Sequence { first, last, wraps: !given.has("no-wrap"), lookback })
}

/// A distribution behind a word.
pub fn distribution(given: &Given, word: &str) -> Result<Option<Distribution>> {
    let Some(text) = given.text(word)? else { return Ok(None) };
    text.parse().map(Some).with_context(|| format!("{}: '{word}{text}'", given.name()))
}

fn range(text: &str) -> Option<(u64, u64)> {
    let (first, last) = text.split_once("..")?;
    let (first, last) = (count(first)?, count(last.trim_start_matches('.'))?);
    (first <= last).then_some((first, last))
}

fn columns(given: &Given, work: &Work) -> Result<StandardColumns> {
    given.at_most_one_of(&["n=", "names="])?;
    for word in ["names=", "size="] {
        let is_of_use = !given.has(word) || !work.counts();
        ensure!(is_of_use, "-col: {word}: counters are C0, C1 ... and have no size; only n= is taken for them");
    }
    let words: Vec<String> =
        ["n=", "size=", "names="].iter().filter_map(|word| Some(format!("{word}{}", given.value(word)?))).collect();
    let columns = StandardColumns::parse(words.iter().map(String::as_str)).context("-col")?;
    ensure!(!columns.names.iter().any(String::is_empty), "-col: names= has an empty name");
    Ok(columns)
}

fn inserts(given: &Given) -> Result<InsertSpec> {
    let mut spec = InsertSpec::default();
    for word in ["partitions=", "select-ratio=", "row-population-ratio=", "visits=", "revisit=", "batchtype="] {
        if let Some(value) = given.text(word)? {
            spec.set(word.trim_end_matches('='), &value).with_context(|| format!("-insert: '{word}{value}'"))?;
        }
    }
    Ok(spec)
}

fn split_factor(given: &Given) -> Result<Option<u32>> {
    let Some(factor) = given.size("split-factor=")? else { return Ok(None) };
    u32::try_from(factor).map(Some).map_err(|_| anyhow!("-tokenrange: split-factor={factor} is too large"))
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
