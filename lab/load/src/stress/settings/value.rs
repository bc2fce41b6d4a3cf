// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Parses the values of parameters, strictly.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{anyhow, bail, ensure, Result};

use crate::stress::command_line::Given;

/// A whole number; `k`, `m` and `b` stand for thousand, million and billion (`OptionDistribution.parseLong`).
pub fn count(text: &str) -> Option<u64> {
    let text = text.trim();
    let (digits, factor) = match text.char_indices().last() {
        Some((at, 'k' | 'K')) => (&text[..at], 1_000),
        Some((at, 'm' | 'M')) => (&text[..at], 1_000_000),
        Some((at, 'b' | 'B')) => (&text[..at], 1_000_000_000),
        _ => (text, 1),
    };
    if !digits.bytes().all(|digit| digit.is_ascii_digit()) {
        return None;
    }
    digits.parse::<u64>().ok()?.checked_mul(factor)
}

/// `30s`, `5m`, `1h`, `500ms`.
pub fn duration(text: &str) -> Option<Duration> {
    let digits = text.find(|letter: char| !letter.is_ascii_digit())?;
    let number: u64 = text[..digits].parse().ok()?;
    match &text[digits..] {
        "ms" => Some(Duration::from_millis(number)),
        "s" => Some(Duration::from_secs(number)),
        "m" => Some(Duration::from_secs(number.checked_mul(60)?)),
        "h" => Some(Duration::from_secs(number.checked_mul(3600)?)),
        _ => None,
    }
}

/// The file of a profile, by its path or by its `file:` address, as cassandra-stress takes it.
pub fn profile(text: &str) -> Result<PathBuf> {
    let path = Path::new(text.strip_prefix("file://").or_else(|| text.strip_prefix("file:")).unwrap_or(text));
    ensure!(path.exists() || !text.contains(','), "user: profile={text}: a run has one profile");
    Ok(path.to_owned())
}

impl Given {
    /// A whole number behind a word.
    pub fn count(&self, word: &str) -> Result<Option<u64>> {
        self.parsed(word, "a whole number, with k, m or b for thousand, million or billion", count)
    }

    /// The same, as a number of things in memory; at least one.
    pub fn size(&self, word: &str) -> Result<Option<usize>> {
        let Some(number) = self.count(word)? else { return Ok(None) };
        ensure!(number > 0, "{}: {word}{number}: at least 1", self.name());
        usize::try_from(number).map(Some).map_err(|_| anyhow!("{}: {word}{number} is too large", self.name()))
    }

    /// Operations per second, `5000/s`; 0 is as if it was not there, as in cassandra-stress.
    pub fn per_s(&self, word: &str) -> Result<Option<f64>> {
        let rate = self.parsed(word, "a rate as 5000/s", |text| count(text.strip_suffix("/s")?))?;
        Ok(rate.filter(|rate| *rate > 0).map(|rate| rate as f64))
    }

    /// A time behind a word.
    pub fn duration(&self, word: &str) -> Result<Option<Duration>> {
        self.parsed(word, "a time above 0 as 30s, 5m or 1h", |text| duration(text).filter(|time| !time.is_zero()))
    }

    /// One of a few words, in any case; the number of it.
    pub fn choice(&self, word: &str, choices: &[&str]) -> Result<Option<usize>> {
        let Some(text) = self.value(word) else { return Ok(None) };
        match choices.iter().position(|choice| choice.eq_ignore_ascii_case(text)) {
            Some(number) => Ok(Some(number)),
            None => bail!("{}: '{word}{text}' is none of {}", self.name(), choices.join(", ")),
        }
    }

    /// The value of a parameter, parsed by `read`.
    pub fn parsed<T>(&self, word: &str, what: &str, read: impl Fn(&str) -> Option<T>) -> Result<Option<T>> {
        let Some(text) = self.value(word) else { return Ok(None) };
        match read(text) {
            Some(value) => Ok(Some(value)),
            None => bail!("{}: '{word}{text}': {what} is expected", self.name()),
        }
    }

    /// The text behind a word; not empty.
    pub fn text(&self, word: &str) -> Result<Option<String>> {
        self.parsed(word, "something", |text| (!text.is_empty()).then(|| text.to_owned()))
    }

    /// Refuses words that do not go together.
    pub fn at_most_one_of(&self, words: &[&str]) -> Result<()> {
        let there: Vec<_> = words.iter().filter(|word| self.has(word)).copied().collect();
        ensure!(there.len() <= 1, "{}: {} do not go together", self.name(), there.join(" and "));
        Ok(())
    }
}
