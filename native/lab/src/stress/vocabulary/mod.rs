// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Every word that `cassiterite stress` knows: those it takes, with their help, and those it refuses, with the reason.
//!
//! The words are those of cassandra-stress 5.0 (`org.apache.cassandra.stress.settings.Settings*`); the groups `-engine`,
//! `-check`, `-sla`, `-json`, `-html`, `-draw` and the command `emp` are additions.

mod commands;
mod options;

pub use commands::{COMMANDS, REFUSED_COMMANDS, TALKS};
pub use options::{OPTIONS, REFUSED_OPTIONS};

/// How a word is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// As it is: `no-warmup`.
    Flag,
    /// With a value right behind it: `n=1000`, `err<0.02`.
    Value(&'static str),
    /// With a list in parentheses: `ops(insert=1,read=2)`.
    List(&'static str),
    /// Anything that is none of the group's other words.
    Free(&'static str),
}

/// A word that is taken.
#[derive(Debug)]
pub struct Word {
    /// Its beginning: `n=`, `err<`, `ops`, `no-warmup`; empty for free words.
    pub name: &'static str,
    /// What follows.
    pub form: Form,
    /// One line of help.
    pub about: &'static str,
}

/// A word of cassandra-stress that is refused.
#[derive(Debug)]
pub struct Refused {
    /// Its beginning.
    pub name: &'static str,
    /// Why, in words that follow "is not taken:".
    pub why: &'static str,
}

/// A command or an option with its words.
#[derive(Debug)]
pub struct Group {
    /// `write` or `-rate`; the first is its usual name.
    pub names: &'static [&'static str],
    /// One line of help.
    pub about: &'static str,
    /// What it takes.
    pub words: &'static [Word],
    /// What it does not take.
    pub refused: &'static [Refused],
}

const fn flag(name: &'static str, about: &'static str) -> Word {
    Word { name, form: Form::Flag, about }
}

const fn value(name: &'static str, form: &'static str, about: &'static str) -> Word {
    Word { name, form: Form::Value(form), about }
}

const fn list(name: &'static str, form: &'static str, about: &'static str) -> Word {
    Word { name, form: Form::List(form), about }
}

const fn free(form: &'static str, about: &'static str) -> Word {
    Word { name: "", form: Form::Free(form), about }
}

const fn refused(name: &'static str, why: &'static str) -> Refused {
    Refused { name, why }
}
