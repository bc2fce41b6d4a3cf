// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The JSON Schema of plan files, and the tables of the reference that come from it.

use std::fmt::Write;

use anyhow::Result;
use serde_json::{Map, Value};

use crate::file::PlanFile;
use crate::words::label;

/// For editors.
pub fn json() -> Result<String> {
    Ok(serde_json::to_string_pretty(&schemars::schema_for!(PlanFile))?)
}

/// A table for each part of the file, in Markdown.
pub fn tables() -> Result<String> {
    let schema = serde_json::to_value(schemars::schema_for!(PlanFile))?;
    let mut text = String::new();
    table(&mut text, "The file", &schema);
    for (name, part) in schema.get("$defs").and_then(Value::as_object).unwrap_or(&Map::new()) {
        if part.get("properties").is_some() {
            table(&mut text, name, part);
        } else if let Some(words) = part.get("oneOf").and_then(Value::as_array) {
            let _ = write!(text, "\n### {name}\n\n| word | meaning |\n|---|---|\n");
            for word in words {
                let _ = writeln!(text, "| `{}` | {} |", string(word, "const"), about(word));
            }
        }
    }
    Ok(text)
}

fn table(text: &mut String, name: &str, part: &Value) {
    let _ = write!(text, "\n### {name}\n\n| key | value | meaning |\n|---|---|---|\n");
    let required: Vec<&str> =
        part.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
    for (key, property) in part.get("properties").and_then(Value::as_object).unwrap_or(&Map::new()) {
        let must = if required.contains(&key.as_str()) { " (required)" } else { "" };
        let _ = writeln!(text, "| `{key}`{must} | {} | {} |", value(property), about(property));
    }
}

/// The name of another table, or the type.
fn value(property: &Value) -> String {
    let reference = |value: &Value| {
        value.get("$ref").and_then(Value::as_str).map(|path| path.rsplit('/').next().unwrap_or("").to_owned())
    };
    let any_of = property.get("anyOf").and_then(Value::as_array);
    if let Some(name) = reference(property).or_else(|| any_of?.iter().find_map(reference)) {
        return name;
    }
    let items = property.get("items").map(|items| format!(" of {}", value(items))).unwrap_or_default();
    match property.get("type") {
        Some(Value::String(kind)) => format!("{kind}{items}"),
        Some(Value::Array(kinds)) => {
            kinds.iter().filter_map(Value::as_str).filter(|kind| *kind != "null").collect::<Vec<_>>().join(", ")
        }
        _ => "any".to_owned(),
    }
}

fn string<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

fn about(property: &Value) -> String {
    let default = property.get("default").filter(|default| default.is_number() || default.is_string());
    let default = default.map(|default| format!(" Default: `{}`.", label(default))).unwrap_or_default();
    string(property, "description").replace('\n', " ").replace('|', "\\|") + &default
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const BEGIN: &str = "<!-- keys: made from the schema by a test -->\n";
    const END: &str = "<!-- end of keys -->";

    /// With `UPDATE_DOCS=1`, it writes the tables.
    #[test]
    fn the_reference_has_the_keys_of_the_schema() {
        let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/plan-file.md");
        let text = std::fs::read_to_string(&file).unwrap();
        let (head, rest) = text.split_once(BEGIN).unwrap();
        let (_, tail) = rest.split_once(END).unwrap();
        let wanted = format!("{head}{BEGIN}{}\n{END}{tail}", tables().unwrap());
        if std::env::var_os("UPDATE_DOCS").is_some() {
            std::fs::write(&file, &wanted).unwrap();
        }
        assert_eq!(std::fs::read_to_string(&file).unwrap(), wanted, "UPDATE_DOCS=1 writes it anew");
    }
}
