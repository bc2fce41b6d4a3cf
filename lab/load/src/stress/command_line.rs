// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Parses a command line into its command and options; unknown and unsupported parameters are refused by name.

use std::collections::BTreeMap;

use anyhow::{bail, ensure, Result};

use super::syntax::{
    Form, Group, Parameter, Refused, COMMANDS, INFO_COMMANDS, OPTIONS, REFUSED_COMMANDS, REFUSED_OPTIONS,
};

/// The parameters given to one command or option.
#[derive(Debug, Default)]
pub struct Given {
    /// The group's usual name, for messages.
    name: &'static str,
    values: BTreeMap<&'static str, String>,
    free: Vec<String>,
}

/// A whole command line.
#[derive(Debug)]
pub struct CommandLine {
    /// The command and its words.
    pub command: Given,
    options: BTreeMap<&'static str, Given>,
}

impl Given {
    /// The group's usual name: `write`, `-rate`.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Whether that parameter is given.
    pub fn has(&self, word: &str) -> bool {
        self.values.contains_key(word)
    }

    /// The value of that parameter.
    pub fn value(&self, word: &str) -> Option<&str> {
        self.values.get(word).map(String::as_str)
    }

    /// The words that are none of the group's others.
    pub fn free(&self) -> &[String] {
        &self.free
    }

    /// The only free word; `None` without one.
    pub fn only(&self) -> Result<Option<&str>> {
        ensure!(self.free.len() <= 1, "{}: one value, not {} ('{}')", self.name, self.free.len(), self.free.join(" "));
        Ok(self.free.first().map(String::as_str))
    }

    /// The items of a list: `insert=24,get=1`; each name once, in their order.
    pub fn items(&self, word: &str) -> Result<Vec<(String, String)>> {
        let mut items: Vec<(String, String)> = Vec::new();
        for item in self.value(word).unwrap_or_default().split(',').filter(|item| !item.is_empty()) {
            let Some((name, value)) = item.split_once('=') else {
                bail!("{}: {word}(...): '{item}' is not NAME=VALUE", self.name);
            };
            ensure!(!items.iter().any(|(known, _)| known == name), "{}: {word}(...): '{name}' is set twice", self.name);
            items.push((name.trim().to_owned(), value.trim().to_owned()));
        }
        Ok(items)
    }

    fn take(&mut self, group: &'static Group, given: &str) -> Result<()> {
        if let Some((word, value)) = group.parameters.iter().find_map(|word| Some((word, matched(word, given)?))) {
            ensure!(!self.has(word.name), "{}: '{}' is given twice", self.name, word.name);
            self.values.insert(word.name, value.to_owned());
            return Ok(());
        }
        if let Some(refused) = group.refused.iter().find(|refused| is_refused(refused, given)) {
            bail!("{}: '{given}' is not supported: {}", self.name, refused.why);
        }
        if group.parameters.iter().any(|word| matches!(word.form, Form::Free(_))) {
            self.free.push(given.to_owned());
            return Ok(());
        }
        let names = group.parameters.iter().map(|word| word.name);
        bail!("{}: '{given}' is unknown{}", self.name, nearest(given, names))
    }
}

impl CommandLine {
    /// Sorts a command line as cassandra-stress does (`StressSettings.parseMap`): the command first, then options and their
    /// words; names in any case.
    pub fn parse(line: &[String]) -> Result<Self> {
        let Some((first, rest)) = line.split_first() else {
            bail!("no command given; 'cassiterite stress help' lists them")
        };
        let group = command(first)?;
        let mut words = CommandLine { command: given_to(group), options: BTreeMap::new() };
        let (mut at, mut current) = (group, &mut words.command);
        for word in rest {
            if starts_an_option(word) && group.names[0] != "help" {
                at = option(word)?;
                ensure!(!words.options.contains_key(at.names[0]), "{} is given twice", at.names[0]);
                current = words.options.entry(at.names[0]).or_insert_with(|| given_to(at));
            } else {
                current.take(at, word)?;
            }
        }
        Ok(words)
    }

    /// The parameters of an option.
    pub fn option(&self, name: &str) -> Option<&Given> {
        self.options.get(name)
    }

    /// The parameters of an option; none if it is absent.
    pub fn take(&mut self, name: &str) -> Given {
        self.options.remove(name).unwrap_or_default()
    }
}

/// The command or option of that name, for help.
pub fn group(name: &str) -> Result<&'static Group> {
    if name.starts_with('-') {
        option(name)
    } else {
        command(name)
    }
}

fn given_to(group: &Group) -> Given {
    Given { name: group.names[0], ..Given::default() }
}

fn starts_an_option(word: &str) -> bool {
    word.starts_with('-') && word.chars().nth(1).is_some_and(|letter| !letter.is_ascii_digit())
}

fn command(name: &str) -> Result<&'static Group> {
    find("command", name, COMMANDS.iter().chain(INFO_COMMANDS), REFUSED_COMMANDS)
}

fn option(name: &str) -> Result<&'static Group> {
    find("option", name, OPTIONS.iter(), REFUSED_OPTIONS)
}

fn find(
    what: &str,
    name: &str,
    groups: impl Iterator<Item = &'static Group> + Clone,
    refused: &[Refused],
) -> Result<&'static Group> {
    let plain = name.to_lowercase();
    if let Some(group) = groups.clone().find(|group| group.names.contains(&plain.as_str())) {
        return Ok(group);
    }
    if let Some(refused) = refused.iter().find(|refused| refused.name == plain) {
        bail!("{what} '{name}' is not supported: {}", refused.why);
    }
    bail!("there is no {what} '{name}'{}", nearest(&plain, groups.flat_map(|group| group.names.iter().copied())))
}

fn matched<'a>(word: &Parameter, given: &'a str) -> Option<&'a str> {
    match word.form {
        Form::Flag => given.eq_ignore_ascii_case(word.name).then_some(""),
        Form::Value(_) => given.strip_prefix(word.name),
        Form::List(_) => given.strip_prefix(word.name)?.strip_prefix('(')?.strip_suffix(')'),
        Form::Free(_) => None,
    }
}

fn is_refused(refused: &Refused, given: &str) -> bool {
    if refused.name.ends_with('=') {
        given.starts_with(refused.name)
    } else {
        given == refused.name
    }
}

/// `; did you mean 'threads='?` or nothing when no word is near.
fn nearest<'a>(given: &str, names: impl Iterator<Item = &'a str>) -> String {
    let beginning = given.split_inclusive(['=', '<', '>', '(']).next().unwrap_or(given);
    let near = names
        .filter(|name| !name.is_empty())
        .map(|name| (strsim::damerau_levenshtein(beginning.trim_end_matches('('), name), name))
        .min_by_key(|(distance, _)| *distance);
    match near {
        Some((distance, name)) if distance <= 1 + name.len() / 3 => format!("; did you mean '{name}'?"),
        _ => String::new(),
    }
}
