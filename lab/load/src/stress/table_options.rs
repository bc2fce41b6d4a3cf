// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The options that `-engine` and `-schema` ask of a table, and whether a table that is there has them.

use std::collections::HashMap;

use anyhow::{ensure, Context, Result};
use scylla::client::session::Session;
use scylla::value::{CqlValue, Row};

use super::settings::TableSchema;
use lab_node::cluster::Engine;

/// The memtable of the plug-in's tables, as [`Engine::table_options`] has it.
const MEMTABLE: &str = "cassiterite";

/// What is asked of the table.
#[derive(Clone, Debug)]
pub(super) struct TableOptions {
    engine: Option<Engine>,
    /// The map of `-schema`, as CQL.
    compaction: Option<String>,
    /// The class of `-schema`; empty for none.
    compression: Option<String>,
}

/// What a table has.
#[derive(Clone, Debug, PartialEq)]
struct Existing {
    memtable: String,
    /// The class, without its package.
    compaction: String,
    /// The same; empty for none.
    compression: String,
}

impl TableOptions {
    pub(super) fn new(engine: Option<Engine>, schema: &TableSchema) -> Self {
        Self { engine, compaction: schema.compaction.clone(), compression: schema.compression.clone() }
    }

    /// What follows WITH: the engine's table options, then those of `-schema`, which win where both are of the same kind.
    pub(super) fn with(&self) -> String {
        let engine = self.engine.map(|engine| engine.table_options().to_owned()).filter(|options| !options.is_empty());
        let own_compaction = self.compaction.as_ref().map(|map| format!("compaction = {map}"));
        let engine = match &own_compaction {
            Some(_) => engine.filter(|options| !options.starts_with("compaction")),
            None => engine,
        };
        let compression = self.compression.as_ref().map(|name| match name.as_str() {
            "" => "compression = {'enabled': 'false'}".to_owned(),
            name => format!("compression = {{'class': '{name}'}}"),
        });
        [engine, own_compaction, compression].into_iter().flatten().collect::<Vec<_>>().join(" AND ")
    }

    /// Refuses a table that is there with others: it stays as it is, and reports would name what it is not.
    pub(super) async fn ensure_had_by(&self, session: &Session, keyspace: &str, table: &str) -> Result<()> {
        let nothing = self.engine.is_none() && self.compaction.is_none() && self.compression.is_none();
        let existing = if nothing { None } else { Existing::read(session, keyspace, table).await? };
        let differences = existing.map(|existing| self.differences(&existing)).unwrap_or_default();
        ensure!(
            differences.is_empty(),
            "table {keyspace}.{table} is there and stays as it is: {}; drop the table, or leave the option out",
            differences.join("; ")
        );
        Ok(())
    }

    fn differences(&self, existing: &Existing) -> Vec<String> {
        let Existing { memtable, compaction, compression } = existing;
        let other = self.engine.filter(|engine| engine.has_plugin() != (memtable == MEMTABLE)).map(|engine| {
            let asked = if engine.has_plugin() { MEMTABLE } else { "one of Cassandra's own" };
            format!("its memtable is {memtable}, and -engine {engine} asks for {asked}")
        });
        let compacted = self.asked_compaction().filter(|(_, class)| class != compaction);
        let compacted =
            compacted.map(|(option, class)| format!("its compaction is {compaction}, and {option} asks for {class}"));
        let compressed = self.compression.as_deref().map(simple).filter(|class| class != compression);
        let compressed = compressed.map(|class| {
            let (has, asked) = (or_none(compression), or_none(class));
            format!("its compression is {has}, and -schema compression= asks for {asked}")
        });
        [other, compacted, compressed].into_iter().flatten().collect()
    }

    /// The option that asks for a class of compaction, and the class.
    fn asked_compaction(&self) -> Option<(String, &str)> {
        match &self.compaction {
            Some(map) => Some(("-schema compaction(...)".to_owned(), class_of(map)?)),
            None => {
                let engine = self.engine?;
                Some((format!("-engine {engine}"), class_of(engine.table_options())?))
            }
        }
    }
}

impl Existing {
    /// `None`: there is no such table.
    async fn read(session: &Session, keyspace: &str, table: &str) -> Result<Option<Self>> {
        // All columns, since not every version of Cassandra has that of the memtable.
        let cql = "SELECT * FROM system_schema.tables WHERE keyspace_name = ? AND table_name = ?";
        let asked = || format!("the options of {keyspace}.{table}");
        let answer = session.query_unpaged(cql, (keyspace, table)).await.with_context(asked)?.into_rows_result()?;
        let Some(row) = answer.maybe_first_row::<Row>().with_context(asked)? else { return Ok(None) };
        let names = answer.column_specs().iter().map(|column| column.name().to_owned());
        let columns = names.zip(row.columns).filter_map(|(name, value)| Some((name, value?)));
        Ok(Some(Self::of(&columns.collect())))
    }

    fn of(columns: &HashMap<String, CqlValue>) -> Self {
        let entry = |column: &str, key: &str| {
            let map = columns.get(column).and_then(CqlValue::as_map)?;
            let (_, value) = map.iter().find(|(name, _)| name.as_text().is_some_and(|name| name == key))?;
            value.as_text().cloned()
        };
        let class = |column: &str| entry(column, "class").map(|class| simple(&class).to_owned()).unwrap_or_default();
        let is_plain = entry("compression", "enabled").is_some_and(|enabled| enabled == "false");
        let memtable = columns.get("memtable").and_then(CqlValue::as_text);
        Self {
            memtable: memtable.cloned().unwrap_or_else(|| "default".to_owned()),
            compaction: class("compaction"),
            compression: if is_plain { String::new() } else { class("compression") },
        }
    }
}

/// The class in `{'class': 'NAME', ...}`, whatever is in front; `None` where there is none.
fn class_of(map: &str) -> Option<&str> {
    map.split('\'').nth(3).map(simple)
}

/// A class without its package: the schema keeps it, whoever writes CQL may leave it out.
fn simple(class: &str) -> &str {
    class.rsplit('.').next().unwrap_or(class)
}

fn or_none(class: &str) -> &str {
    if class.is_empty() {
        "none"
    } else {
        class
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(engine: Option<Engine>, compaction: Option<&str>, compression: Option<&str>) -> TableOptions {
        let (compaction, compression) = (compaction.map(str::to_owned), compression.map(str::to_owned));
        TableOptions { engine, compaction, compression }
    }

    fn text(text: &str) -> CqlValue {
        CqlValue::Text(text.to_owned())
    }

    /// As `system_schema.tables` tells it.
    fn existing(memtable: Option<&str>, compaction: &str, compression: &[(&str, &str)]) -> Existing {
        let map =
            |pairs: &[(&str, &str)]| CqlValue::Map(pairs.iter().map(|(key, value)| (text(key), text(value))).collect());
        let compaction = map(&[("class", compaction), ("enabled", "false")]);
        let columns = [("compaction", Some(compaction)), ("compression", Some(map(compression)))];
        let columns = columns.into_iter().chain([("memtable", memtable.map(text))]);
        Existing::of(&columns.filter_map(|(name, value)| Some((name.to_owned(), value?))).collect())
    }

    const TIERED: &str = "org.apache.cassandra.db.compaction.SizeTieredCompactionStrategy";
    const UNIFIED: &str = "org.apache.cassandra.db.compaction.UnifiedCompactionStrategy";
    const LZ4: (&str, &str) = ("class", "org.apache.cassandra.io.compress.LZ4Compressor");
    const PLAIN: (&str, &str) = ("enabled", "false");

    #[test]
    fn options_follow_with() {
        let leveled = "{'class': 'LeveledCompactionStrategy'}";
        assert_eq!(asked(None, None, None).with(), "");
        assert_eq!(asked(Some(Engine::Stock), Some(leveled), None).with(), format!("compaction = {leveled}"));
        assert_eq!(
            asked(Some(Engine::Cassiterite), None, Some("")).with(),
            "memtable = 'cassiterite' AND compression = {'enabled': 'false'}"
        );
    }

    #[test]
    fn a_table_of_another_engine_differs() {
        let (own, stock) = (existing(Some("cassiterite"), TIERED, &[LZ4]), existing(None, UNIFIED, &[LZ4]));
        let differences = |engine, existing: &Existing| asked(Some(engine), None, None).differences(existing);
        for engine in [Engine::Cassiterite, Engine::CassiteriteDoor] {
            assert!(differences(engine, &own).is_empty());
        }
        for engine in [Engine::Stock, Engine::StockSai, Engine::Stock6, Engine::StockDefault] {
            assert!(differences(engine, &stock).is_empty());
        }
        assert_eq!(
            differences(Engine::Cassiterite, &stock),
            ["its memtable is default, and -engine cassiterite asks for cassiterite"]
        );
        assert_eq!(
            differences(Engine::Stock, &own),
            [
                "its memtable is cassiterite, and -engine stock asks for one of Cassandra's own",
                "its compaction is SizeTieredCompactionStrategy, and -engine stock asks for UnifiedCompactionStrategy"
            ]
        );
        assert!(asked(None, None, None).differences(&own).is_empty());
    }

    #[test]
    fn what_schema_asks_for_is_compared_by_class() {
        let compressed = existing(None, TIERED, &[LZ4, ("chunk_length_in_kb", "16")]);
        let plain = existing(None, TIERED, &[PLAIN]);
        let tiered = "{'class': 'SizeTieredCompactionStrategy', 'min_threshold': '8'}";
        assert!(asked(Some(Engine::Stock), Some(tiered), Some(LZ4.1)).differences(&compressed).is_empty());
        assert!(asked(None, None, Some("")).differences(&plain).is_empty());
        assert_eq!(
            asked(None, Some("{'class': 'LeveledCompactionStrategy'}"), Some("")).differences(&compressed),
            [
                "its compaction is SizeTieredCompactionStrategy, and -schema compaction(...) asks for \
                 LeveledCompactionStrategy",
                "its compression is LZ4Compressor, and -schema compression= asks for none"
            ]
        );
        assert_eq!(
            asked(None, None, Some("ZstdCompressor")).differences(&plain),
            ["its compression is none, and -schema compression= asks for ZstdCompressor"]
        );
    }
}
