// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The known word that was meant by one that is not known.

/// Adds the nearest known word to what serde says of an unknown one.
pub(super) fn suggested(message: &str) -> String {
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
