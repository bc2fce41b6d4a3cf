// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The text of `help`, from the syntax.

use std::fmt::Write;

use anyhow::Result;

use super::command_line;
use super::syntax::{Form, Group, Parameter, COMMANDS, INFO_COMMANDS, OPTIONS, REFUSED_COMMANDS, REFUSED_OPTIONS};

/// All commands and options, one line each; or all words of one of them.
pub fn help(name: Option<&str>) -> Result<String> {
    match name {
        Some(name) => Ok(explain(command_line::group(name)?)),
        None => Ok(overview()),
    }
}

fn overview() -> String {
    let mut text = String::from("Usage:      cassiterite stress COMMAND [PARAMETERS] [-OPTION PARAMETERS ...]\n");
    text += "Help usage: cassiterite stress help COMMAND|-OPTION\n\n---Commands---\n";
    for group in COMMANDS.iter().chain(INFO_COMMANDS) {
        line(&mut text, group.names[0], group.about);
    }
    text += "\n---Options---\n";
    for group in OPTIONS {
        line(&mut text, group.names[0], group.about);
    }
    text += "\n---Not supported---\n";
    for refused in REFUSED_COMMANDS.iter().chain(REFUSED_OPTIONS) {
        line(&mut text, refused.name, refused.why);
    }
    text + "\nExit codes: 0 pass, 1 an SLA was missed, 2 invalid run or wrong use.\n"
}

fn explain(group: &Group) -> String {
    let mut text = format!("{}: {}\n", group.names.join(", "), group.about);
    for word in group.parameters {
        line(&mut text, &display(word), word.about);
    }
    if !group.refused.is_empty() {
        text += "\nNot supported:\n";
    }
    for refused in group.refused {
        line(&mut text, refused.name, refused.why);
    }
    text
}

fn display(word: &Parameter) -> String {
    match word.form {
        Form::Flag => word.name.to_owned(),
        Form::Value(what) | Form::Free(what) => format!("{}{what}", word.name),
        Form::List(what) => format!("{}({what})", word.name),
    }
}

fn line(text: &mut String, name: &str, about: &str) {
    let _ = writeln!(text, "  {name:<38} {about}");
}
