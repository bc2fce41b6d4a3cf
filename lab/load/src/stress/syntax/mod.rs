// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The syntax of `cassiterite stress`: supported parameters with their help, unsupported ones with the reason.
//!
//! It is the syntax of cassandra-stress 5.0 (`org.apache.cassandra.stress.settings.Settings*`); the groups `-engine`,
//! `-check`, `-sla`, `-json`, `-html`, `-draw` and the command `emp` are additions.

mod commands;
mod options;

pub use commands::{COMMANDS, INFO_COMMANDS, REFUSED_COMMANDS};
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
    /// Anything that is none of the group's other parameters.
    Free(&'static str),
}

/// A parameter of a command or option.
#[derive(Debug)]
pub struct Parameter {
    /// Its beginning: `n=`, `err<`, `ops`, `no-warmup`; empty for free parameters.
    pub name: &'static str,
    /// Its form.
    pub form: Form,
    /// One line of help.
    pub about: &'static str,
}

/// A command, option or parameter of cassandra-stress that is not supported.
#[derive(Debug)]
pub struct Refused {
    /// Its beginning.
    pub name: &'static str,
    /// Why; it follows "is not supported:".
    pub why: &'static str,
}

/// A command or an option with its parameters.
#[derive(Debug)]
pub struct Group {
    /// `write` or `-rate`; the first is its usual name.
    pub names: &'static [&'static str],
    /// One line of help.
    pub about: &'static str,
    /// Supported parameters.
    pub parameters: &'static [Parameter],
    /// Unsupported parameters.
    pub refused: &'static [Refused],
}

const fn flag(name: &'static str, about: &'static str) -> Parameter {
    Parameter { name, form: Form::Flag, about }
}

const fn value(name: &'static str, form: &'static str, about: &'static str) -> Parameter {
    Parameter { name, form: Form::Value(form), about }
}

const fn list(name: &'static str, form: &'static str, about: &'static str) -> Parameter {
    Parameter { name, form: Form::List(form), about }
}

const fn free(form: &'static str, about: &'static str) -> Parameter {
    Parameter { name: "", form: Form::Free(form), about }
}

const fn refused(name: &'static str, why: &'static str) -> Refused {
    Refused { name, why }
}
