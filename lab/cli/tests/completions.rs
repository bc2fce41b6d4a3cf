// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! What bash offers after some words, by the completions that the command writes.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::process::Command;

#[test]
fn bash_offers_commands_and_options() {
    let folder = tempfile::tempdir().unwrap();
    let made = Command::new(env!("CARGO_BIN_EXE_cassiterite")).arg("shell-files").arg(folder.path()).status().unwrap();
    assert!(made.success());
    let file = folder.path().join("bash-completion/completions/cassiterite");
    let offered = |words: &[&str]| -> Vec<String> {
        let script = r#"source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
            _cassiterite cassiterite "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"; printf '%s\n' "${COMPREPLY[@]}""#;
        let mut bash = Command::new("bash");
        let told =
            bash.args(["--norc", "-euc", script, "bash"]).arg(&file).arg("cassiterite").args(words).output().unwrap();
        assert!(told.status.success(), "{told:?}");
        String::from_utf8(told.stdout).unwrap().lines().map(str::to_owned).collect()
    };
    assert_eq!(offered(&["pl"]), ["plan"]);
    assert_eq!(offered(&["plan", "ru"]), ["run"]);
    assert_eq!(offered(&["plan", "run", "--bud"]), ["--budget"]);
    assert!(offered(&["compare", "--scale", ""]).contains(&"tiny".to_owned()));
    let all = offered(&[""]);
    for part in ["cluster", "node", "stress", "move", "compare", "plan"] {
        assert!(all.contains(&part.to_owned()), "{part}: {all:?}");
    }
    assert!(!all.contains(&"shell-files".to_owned()), "{all:?}");
}
