// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! A load through TLS on a real node that wants clients' certificates. Needs what `make build` makes; run by `make test-lab`.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "common/node.rs"]
mod node;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::node::Node;
use lab_testkit::authority::Authority;

/// A certificate and its private key in one file, as Cassandra's PEM factory and `-transport keystore=` take them.
fn identity(authority: &Authority, name: &str) -> PathBuf {
    let (public, private) = authority.sign(name);
    let path = authority.folder.path().join(format!("{name}-identity.pem"));
    let both = [private, public].map(|file| std::fs::read_to_string(file).unwrap()).concat();
    std::fs::write(&path, both).unwrap();
    path
}

fn encryption(authority: &Authority) -> String {
    encryption_where(authority, "optional: false\n  require_client_auth: true")
}

fn encryption_where(authority: &Authority, policy: &str) -> String {
    let (identity, ca) = (identity(authority, "node"), authority.ca());
    format!(
        "client_encryption_options:\n  enabled: true\n  {policy}\n  \
         ssl_context_factory:\n    class_name: org.apache.cassandra.security.PEMBasedSslContextFactory\n  \
         keystore: {}\n  truststore: {}",
        identity.display(),
        ca.display()
    )
}

fn stress(node: &Node, command: &str, transport: &[String]) -> Output {
    stress_with(node, command, &[], transport)
}

fn stress_engine(node: &Node, command: &str, transport: &[String]) -> Output {
    stress_with(node, command, &["-engine", "cassiterite-door"], transport)
}

fn stress_with(node: &Node, command: &str, options: &[&str], transport: &[String]) -> Output {
    let mut stress = Command::new(env!("CARGO_BIN_EXE_cassiterite"));
    stress.args(["stress", command, "n=200", "no-warmup", "-rate", "threads=4", "-node", &node.contact_point()]);
    stress.args(options);
    if !transport.is_empty() {
        stress.arg("-transport").args(transport);
    }
    stress.output().unwrap()
}

fn words(trusted: &Path, identity: Option<&Path>) -> Vec<String> {
    let keystore = identity.map(|path| format!("keystore={}", path.display()));
    std::iter::once(format!("truststore={}", trusted.display())).chain(keystore).collect()
}

/// A number from a run's results.
fn total<'a>(message: &'a str, what: &str) -> Option<&'a str> {
    let line = message.lines().find(|line| line.starts_with(&format!("Total {what} ")))?;
    line.split_whitespace().nth(3)
}

/// The one line on standard error of a command that ends with exit code 2.
fn refusal(output: &Output) -> String {
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!((output.status.code(), message.lines().count()), (Some(2), 1), "{message}");
    message
}

#[test]
#[ignore = "starts a node: make test-lab"]
fn rows_go_through_tls_and_who_is_not_trusted_is_told_so() {
    let (own, other) = (Authority::new(), Authority::new());
    let node = Node::start(&[&encryption(&own)]);
    let client = identity(&own, "client");

    for command in ["write", "read"] {
        // Not its exit code: a client that waits for a core has an invalid run, through TLS or not.
        let message = String::from_utf8(stress(&node, command, &words(&own.ca(), Some(&client))).stdout).unwrap();
        assert_eq!((total(&message, "partitions"), total(&message, "errors")), (Some("200"), Some("0")), "{message}");
    }
    let message = refusal(&stress(&node, "read", &words(&other.ca(), Some(&client))));
    assert!(message.contains("its certificate is not trusted: no authority in"), "{message}");
    let message = refusal(&stress(&node, "read", &words(&own.ca(), None)));
    assert!(message.contains("client's certificate") || message.contains("client certificate"), "{message}");
    let message = refusal(&stress(&node, "read", &words(&own.ca(), Some(&identity(&other, "stranger")))));
    assert!(message.contains("client's certificate") || message.contains("client certificate"), "{message}");
    let message = refusal(&stress(&node, "read", &[]));
    assert!(message.contains("TLS"), "{message}");
}

#[test]
#[ignore = "starts a node: make test-lab"]
fn one_port_takes_tls_and_plain_clients_through_the_front_door() {
    let own = Authority::new();
    let encryption = encryption_where(&own, "optional: true\n  require_client_auth: false");
    let node = Node::start_engine(&[&encryption, "memtable.configurations.cassiterite.parameters.front_door: proxy"]);
    let tls = words(&own.ca(), None);
    // The first engine table opens the door.
    for (command, transport) in [("write", &tls[..]), ("read", &tls[..]), ("read", &[])] {
        let message = String::from_utf8(stress_engine(&node, command, transport).stdout).unwrap();
        assert_eq!((total(&message, "partitions"), total(&message, "errors")), (Some("200"), Some("0")), "{message}");
    }
    assert!(node.log().contains("(optionally encrypted) through the front door"), "{}", node.log());
}
