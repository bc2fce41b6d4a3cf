// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Words of the plan file: how values are written, and the known word that was meant by one that is not known.

use serde_json::Value;

/// Adds the nearest known word to what serde says of an unknown one.
pub(crate) fn suggested(message: &str) -> String {
    let words: Vec<&str> = message.split('`').collect();
    let (Some(unknown), Some(known)) = (words.get(1), words.get(3..)) else { return message.to_owned() };
    if !message.contains("unknown field") && !message.contains("unknown variant") {
        return message.to_owned();
    }
    let known = known.iter().step_by(2).copied();
    match nearest(unknown, known) {
        Some(nearest) => format!("{message}; did you mean `{nearest}`?"),
        None => message.to_owned(),
    }
}

/// The known word that is most like one that is not known.
pub(crate) fn nearest<'a>(unknown: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let scored = known.map(|word| (strsim::jaro_winkler(unknown, word), word)).filter(|(score, _)| *score > 0.75);
    scored.max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, word)| word)
}

/// How a value is written in tables.
pub(crate) fn label(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Object(map) => {
            map.iter().map(|(key, value)| format!("{key}={}", label(value))).collect::<Vec<_>>().join(",")
        }
        Value::Array(values) => values.iter().map(label).collect::<Vec<_>>().join(" "),
        other => other.to_string(),
    }
}
