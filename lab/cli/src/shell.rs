// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Completions for bash, zsh and fish, and man pages, laid out as in `/usr/share`. `make dist` has them made.

use std::path::Path;

use anyhow::{Context, Result};
use clap::builder::PossibleValuesParser;
use clap::Command;
use clap_complete::{generate, Shell};
use clap_mangen::roff::{bold, roman, Roff};

use lab_load::stress::cli as stress;

const NAME: &str = "cassiterite";
/// Where Debian's packages have them.
const COMPLETIONS: [(Shell, &str); 3] = [
    (Shell::Bash, "bash-completion/completions/cassiterite"),
    (Shell::Zsh, "zsh/vendor-completions/_cassiterite"),
    (Shell::Fish, "fish/vendor_completions.d/cassiterite.fish"),
];
const PAGES: &str = "man/man1";

/// Writes all of them into a folder.
pub fn write(command: &Command, folder: &Path) -> Result<()> {
    for (shell, path) in COMPLETIONS {
        let mut text = Vec::new();
        generate(shell, &mut completed(command), NAME, &mut text);
        write_file(&folder.join(path), &text)?;
    }
    let pages = folder.join(PAGES);
    std::fs::create_dir_all(&pages).with_context(|| pages.display().to_string())?;
    clap_mangen::generate_to(shown(command, |part| part), &pages).with_context(|| pages.display().to_string())?;
    add_words(&pages.join("cassiterite-stress.1"))
}

/// To the page of `stress`: clap knows none of cassandra-stress's words.
fn add_words(page: &Path) -> Result<()> {
    let mut roff = Roff::new();
    for (heading, words) in stress::known() {
        roff.control("SH", [heading]);
        for (name, about) in words {
            roff.control("TP", []);
            roff.text([bold(name)]);
            roff.text([roman(about)]);
        }
    }
    let text = std::fs::read_to_string(page).with_context(|| page.display().to_string())?;
    write_file(page, (text + &roff.render()).as_bytes())
}

fn write_file(path: &Path, text: &[u8]) -> Result<()> {
    let parent = path.parent().unwrap_or(path);
    std::fs::create_dir_all(parent).with_context(|| parent.display().to_string())?;
    std::fs::write(path, text).with_context(|| path.display().to_string())
}

/// Without what only this program itself starts; `stress` takes the words that it knows.
fn completed(command: &Command) -> Command {
    let names = stress::known().into_iter().flat_map(|(_, words)| words).map(|(name, _)| name);
    let known = PossibleValuesParser::new(names.collect::<Vec<_>>());
    let with_words = |part: Command| match part.get_name() {
        "stress" => part.mut_arg(stress::WORDS, |words| words.value_parser(known.clone())),
        _ => part,
    };
    shown(command, with_words)
}

fn shown(command: &Command, of: impl Fn(Command) -> Command) -> Command {
    let parts = command.get_subcommands().filter(|part| !part.is_hide_set()).cloned().map(of);
    let about = command.get_about().cloned().unwrap_or_default();
    let after = command.get_after_help().cloned().unwrap_or_default();
    Command::new(NAME).version(env!("CARGO_PKG_VERSION")).about(about).after_help(after).subcommands(parts)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use clap::CommandFactory;

    use super::*;
    use crate::Cassiterite;

    /// `cassiterite`, `cassiterite plan`, `cassiterite plan run` ... as words.
    fn paths(command: &Command, above: &[String]) -> Vec<Vec<String>> {
        let own = [above, &[command.get_name().to_owned()]].concat();
        let parts = command.get_subcommands().filter(|part| !part.is_hide_set());
        std::iter::once(own.clone()).chain(parts.flat_map(|part| paths(part, &own))).collect()
    }

    #[test]
    fn each_command_has_its_page_and_is_completed_by_each_shell() {
        let folder = tempfile::tempdir().unwrap();
        let command = Cassiterite::command();
        write(&command, folder.path()).unwrap();
        let read = |path: &str| std::fs::read_to_string(folder.path().join(path)).unwrap();
        let all = paths(&command, &[]);
        for words in ["plan run", "cluster up", "stress", "move", "compare", "node"] {
            assert!(all.iter().any(|path| path.join(" ") == format!("{NAME} {words}")), "{words}: {all:?}");
        }
        let shells = COMPLETIONS.map(|(_, path)| read(path));
        for path in &all {
            let page = read(&format!("{PAGES}/{}.1", path.join("-")));
            assert!(page.contains(".SH NAME") && page.contains(".SH SYNOPSIS"), "{page}");
            let last = path.last().unwrap();
            for text in &shells {
                assert!(text.contains(last.as_str()), "{path:?}");
            }
        }
        let pages = std::fs::read_dir(folder.path().join(PAGES)).unwrap().count();
        assert_eq!(pages, all.len());
        let hidden: Vec<&str> =
            command.get_subcommands().filter(|part| part.is_hide_set()).map(Command::get_name).collect();
        assert_eq!(hidden.len(), 2);
        for text in shells.iter().chain([&read("man/man1/cassiterite.1")]) {
            assert!(hidden.iter().all(|hidden| !text.contains(hidden)), "{hidden:?}");
        }
        let stress = read("man/man1/cassiterite-stress.1");
        assert!(stress.contains(".SH COMMANDS") && stress.contains("counter_write"), "{stress}");
        assert!(stress.contains("tokenrange") && stress.contains("TLS, with PEM files"), "{stress}");
    }
}
