// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! `cassiterite stress` as a process: one line for what is wrong, and exit code 2.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::net::TcpListener;
use std::process::{Command, Output};

fn stress(words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_cassiterite")).arg("stress").args(words).output().unwrap()
}

/// The one line on standard error of a command that ends with exit code 2.
fn refused(words: &[&str]) -> String {
    let output = stress(words);
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{message}");
    assert_eq!(message.lines().count(), 1, "{message}");
    message.trim_end().to_owned()
}

fn profile(text: &str) -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("profile.yaml");
    std::fs::write(&path, text).unwrap();
    let word = format!("profile={}", path.display());
    (folder, word)
}

const PROFILE: &str = include_str!("../../load/tests/profiles/spot.yaml");

#[test]
fn words_that_are_not_taken() {
    assert_eq!(refused(&["raed"]), "cassiterite: there is no command 'raed'; did you mean 'read'?");
    let daemon = refused(&["read", "n=1", "-sendto", "host"]);
    assert_eq!(
        daemon,
        "cassiterite: option '-sendto' is not supported: there is no daemon; start the command where it shall run"
    );
    assert_eq!(refused(&[]), "cassiterite: no command given; 'cassiterite stress help' lists them");
}

#[test]
fn a_bad_profile() {
    let (_folder, word) = profile("keyspace: x\ntable: y\nbogus: 1\n");
    let message = refused(&["user", &word, "ops(insert=1)", "n=1"]);
    assert!(message.contains("unknown field `bogus`") && message.contains("line 3"), "{message}");
    let message = refused(&["user", "profile=/nowhere.yaml", "ops(insert=1)", "n=1"]);
    assert!(message.contains("/nowhere.yaml: No such file"), "{message}");
    let message = refused(&["user", "profile=/one.yaml,/two.yaml", "ops(one.insert=1,two.insert=1)", "n=1"]);
    assert_eq!(message, "cassiterite: user: profile=/one.yaml,/two.yaml: a run has one profile");
    let (_folder, word) = profile(PROFILE);
    let message = refused(&["user", &word, "ops(inzert=1)", "n=1"]);
    assert_eq!(message, "cassiterite: ops: the profile has no 'inzert', only insert, get");
}

#[test]
fn a_condition_on_a_kind_that_the_mix_lacks() {
    let (_folder, word) = profile(PROFILE);
    for option in ["-sla", "-capacity"] {
        let message = refused(&["user", &word, "ops(insert=1)", option, "Get:p99<=1ms"]);
        assert_eq!(message, format!("cassiterite: {option} Get:p99<=1ms: there is no 'get', only insert"));
    }
    let output = stress(&["user", &word, "ops(insert=1,get=1)", "-draw", "-pop", "seq=1..10", "-sla", "GET:p99<=1ms"]);
    assert!(output.status.success(), "{output:?}");
}

#[test]
fn a_profile_by_its_address() {
    let (_folder, word) = profile(PROFILE);
    for address in [word.replace('=', "=file://"), word.replace('=', "=file:")] {
        let output = stress(&["user", &address, "ops(insert=1)", "-draw", "-pop", "seq=1..10"]);
        assert!(output.status.success(), "{address}: {output:?}");
    }
}

#[test]
fn names_of_queries_do_not_depend_on_case() {
    let (_folder, word) = profile(&PROFILE.replace("  get:", "  singleGet:"));
    let output = stress(&["user", &word, "ops(insert=3,SingleGet=1)", "-draw", "-pop", "seq=1..1000"]);
    assert!(output.status.success(), "{output:?}");
}

#[test]
fn reports_that_cannot_be_written_are_refused_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("missing/run");
    let other = folder.path().join("other.html");
    std::fs::write(&other, "<p>not a page of runs</p>").unwrap();
    for (option, file, why) in [
        ("-json", missing.display().to_string(), "cannot write"),
        ("-html", missing.display().to_string(), "cannot write"),
        ("-graph", format!("file={}", other.display()), "is not a page of runs"),
    ] {
        let message = refused(&["read", "n=1", "-node", "127.0.0.1", "-port", "native=1", option, &file]);
        assert!(message.contains(why), "{option}: {message}");
    }
    assert_eq!(std::fs::read_to_string(other).unwrap(), "<p>not a page of runs</p>");
}

#[test]
fn a_dead_node() {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let message = refused(&["read", "n=1", "-node", "127.0.0.1", "-port", &format!("native={port}")]);
    assert!(message.starts_with(&format!("cassiterite: cannot connect to 127.0.0.1:{port}: ")), "{message}");
}

#[test]
fn help_version_and_print_need_no_cluster() {
    let text = |words: &[&str]| {
        let output = stress(words);
        assert!(output.status.success());
        String::from_utf8(output.stdout).unwrap()
    };
    let help = text(&["help"]);
    for name in ["write", "counter_read", "user", "emp", "-rate", "-transport", "-sla", "legacy", "-sendto"] {
        assert!(help.lines().any(|line| line.trim_start().starts_with(name)), "{name}");
    }
    assert!(text(&["help", "-mode"]).contains("simplenative"));
    assert!(text(&["version"]).starts_with("Version: "));
    let uniform = text(&["print", "dist=uniform(1..100)"]);
    assert_eq!(uniform.lines().count(), 13, "{uniform}");
    assert!(uniform.lines().last().is_some_and(|line| line == "100.0           100                100.0"), "{uniform}");
}

#[test]
fn the_shape_of_a_profile_is_drawn_without_a_cluster() {
    let (_folder, word) = profile(PROFILE);
    let output = stress(&["user", &word, "ops(insert=3,get=1)", "-draw", "-pop", "seq=1..1000"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success() && text.starts_with("spot.features: 1000 partitions, about 4000 rows"), "{text}");
}
