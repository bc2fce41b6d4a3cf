// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Profiles that need no file: cassandra-stress's own tables, NDBench's, and one for plain key-value benchmarks.
//!
//! Each is a [`Profile`] like those read from files. In all of them the key is made of the partition's seed alone,
//! so `-pop seq=1..N` makes N rows.

use anyhow::{bail, ensure, Context, Result};

use super::distribution::Distribution;
use super::profile::Profile;
use super::value::Content;

const UNCOMPRESSED: &str = "WITH compression = {'enabled': 'false'}";
/// Any seed is a value of its own.
const BY_SEED: &str = "seq(0..9223372036854775806)";

/// The columns of cassandra-stress's `standard1` (`-col`).
#[derive(Clone, Debug)]
pub struct StandardColumns {
    /// Names.
    pub names: Vec<String>,
    /// Bytes of each value.
    pub size: Distribution,
}

impl Default for StandardColumns {
    /// C0 to C4, 34 bytes each.
    fn default() -> Self {
        Self { names: numbered(5), size: Distribution::fixed(34) }
    }
}

fn numbered(columns: usize) -> Vec<String> {
    (0..columns).map(|i| format!("C{i}")).collect()
}

impl StandardColumns {
    /// Reads the words after `-col`: `n=FIXED(5)`, `size=FIXED(34)`, `names=a,b` (`SettingsColumn`).
    pub fn parse<'a>(words: impl IntoIterator<Item = &'a str>) -> Result<Self> {
        let mut columns = Self::default();
        for word in words {
            match word.split_once('=') {
                Some(("n", text)) => columns.names = numbered(column_count(text)?),
                Some(("size", text)) => columns.size = text.parse()?,
                Some(("names", text)) => columns.names = text.split(',').map(str::to_owned).collect(),
                _ => bail!("-col {word}: not taken; taken are n=, size=, names="),
            }
        }
        Ok(columns)
    }
}

fn column_count(text: &str) -> Result<usize> {
    let count = text.parse::<i64>().map(Distribution::fixed).or_else(|_| text.parse::<Distribution>())?;
    ensure!(count.min() == count.max(), "-col n={text}: only fixed(n) is taken");
    usize::try_from(count.min()).ok().filter(|n| (1..=10_000).contains(n)).with_context(|| format!("-col n={text}"))
}

/// `standard1` in a keyspace (cassandra-stress's is `keyspace1`): operations `write` and `read`. Not compressed, as there.
pub fn standard(keyspace: &str, columns: &StandardColumns) -> Result<Profile> {
    let definitions: Vec<String> = columns.names.iter().map(|name| format!("\"{name}\" blob")).collect();
    let table = format!("CREATE TABLE standard1 (key blob PRIMARY KEY, {}) {UNCOMPRESSED}", definitions.join(", "));
    let specs: Vec<(&str, String)> =
        columns.names.iter().map(|name| (name.as_str(), columns.size.to_string())).collect();
    let key = [("key", "fixed(10)".to_owned())];
    build(
        keyspace,
        "standard1",
        &table,
        "write",
        &[key.as_slice(), &specs].concat(),
        &[("read", "SELECT * FROM standard1 WHERE key = ?")],
    )
}

/// `counter1` in a keyspace: operations `counter_write`, which adds `add` to each of the counters C0 ..., and `counter_read`.
pub fn counter(keyspace: &str, columns: usize, add: &Distribution) -> Result<Profile> {
    let names = numbered(columns);
    let definitions: Vec<String> = names.iter().map(|name| format!("\"{name}\" counter")).collect();
    let table = format!("CREATE TABLE counter1 (key blob PRIMARY KEY, {}) {UNCOMPRESSED}", definitions.join(", "));
    let queries = [("counter_read", "SELECT * FROM counter1 WHERE key = ?")];
    let mut profile =
        build(keyspace, "counter1", &table, "counter_write", &[("key", "fixed(10)".to_owned())], &queries)?;
    let spec =
        |name: &String| super::ColumnSpec { name: name.clone(), population: Some(add.clone()), ..Default::default() };
    profile.columnspec.extend(names.iter().map(spec));
    Ok(profile)
}

/// NDBench's `emp`: rows of about `row_bytes` (6 KB in the articles); operations `write` and `read`.
pub fn emp(row_bytes: u64) -> Result<Profile> {
    ensure!((64..=1 << 26).contains(&row_bytes), "emp: rows of {row_bytes} bytes; 64 bytes to 64 MiB are taken");
    const NAME_BYTES: u64 = 12;
    let rest = row_bytes - NAME_BYTES;
    let sizes = [rest / 3, rest / 3, rest - 2 * (rest / 3)].map(|bytes| format!("fixed({bytes})"));
    let table = "CREATE TABLE emp (emp_uname text PRIMARY KEY, emp_dept text, emp_first text, emp_last text)";
    let [dept, first, last] = sizes;
    let specs =
        [("emp_uname", format!("fixed({NAME_BYTES})")), ("emp_dept", dept), ("emp_first", first), ("emp_last", last)];
    build("ndbench", "emp", table, "write", &specs, &[("read", "SELECT * FROM emp WHERE emp_uname = ?")])
}

/// `lab.rows (k bigint PRIMARY KEY, v blob)`: k is the seed, v has `value_bytes`, half noise, half zeros; `write` and `read`.
pub fn rows(value_bytes: u64) -> Result<Profile> {
    ensure!((1..=1 << 28).contains(&value_bytes), "rows: values of {value_bytes} bytes; 1 byte to 256 MiB are taken");
    let table = "CREATE TABLE rows (k bigint PRIMARY KEY, v blob)";
    let specs = [("k", "fixed(8)".to_owned()), ("v", format!("fixed({value_bytes})"))];
    let mut profile = build("lab", "rows", table, "write", &specs, &[("read", "SELECT k, v FROM rows WHERE k = ?")])?;
    for spec in &mut profile.columnspec {
        spec.content = Content::HalfZero;
    }
    Ok(profile)
}

/// A profile of one table; the first column of `specs` is its key.
fn build(
    keyspace: &str,
    table: &str,
    cql: &str,
    insert: &str,
    specs: &[(&str, String)],
    queries: &[(&str, &str)],
) -> Result<Profile> {
    let mut text =
        format!("keyspace: {keyspace}\nkeyspace_definition: >\n  CREATE KEYSPACE {keyspace} WITH replication = ");
    text += "{'class': 'SimpleStrategy', 'replication_factor': 1}\n";
    text += &format!("table: {table}\ntable_definition: >\n  {cql}\ncolumnspec:\n");
    for (i, (name, size)) in specs.iter().enumerate() {
        let population = if i == 0 { format!(", population: {BY_SEED}") } else { String::new() };
        text += &format!("  - {{name: {name:?}, size: \"{size}\"{population}}}\n");
    }
    text += "queries:\n";
    for (name, cql) in queries {
        text += &format!("  {name}: {{cql: {cql:?}, fields: samerow}}\n");
    }
    Profile::parse(&text).map(|profile| profile.with_insert_name(insert))
}
