// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

#![allow(clippy::unwrap_used)]

use std::io::{ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::time::Instant;

use super::*;

/// What does not arrive within it is lost; a machine that is slower than this believes too much, and fails nothing.
const LOST_AFTER: Duration = Duration::from_millis(300);
const PATIENCE: Duration = Duration::from_secs(60);

/// A process in a group of its own that is connected to a peer.
struct Sender {
    child: Child,
    node: Node,
    input: ChildStdin,
    arrives: TcpStream,
}

impl Sender {
    fn new(number: u8, peer: &TcpListener) -> Self {
        let to = peer.local_addr().unwrap();
        let sends = format!("read x; exec 3<>/dev/tcp/{}/{}; while read x; do echo $x >&3; done", to.ip(), to.port());
        let mut command = Command::new("bash");
        let mut child = command.args(["-c", &sends]).stdin(Stdio::piped()).spawn().unwrap();
        let group = format!("test-{}-{number}", std::process::id());
        hold(&group, i32::try_from(child.id()).unwrap()).unwrap();
        let mut input = child.stdin.take().unwrap();
        input.write_all(b"in the group\n").unwrap();
        let arrives = peer.accept().unwrap().0;
        Self { child, node: Node { address: Ipv4Addr::new(127, 0, 0, number), group }, input, arrives }
    }

    /// Whether a byte that it sends now arrives in time.
    fn arrives(&mut self, within: Duration) -> bool {
        self.arrives.set_read_timeout(Some(within)).unwrap();
        self.input.write_all(b"x\n").unwrap();
        let mut line = [0; 2];
        match self.arrives.read_exact(&mut line) {
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => false,
            read => read.map(|()| true).unwrap(),
        }
    }

    fn end(mut self) {
        drop(self.input);
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        remove(&self.node.group).unwrap();
    }
}

/// Where rights and kernel do not allow it, it says so.
#[test]
fn what_two_nodes_send_is_lost_or_late_and_what_others_send_is_not() {
    if let Err(why) = able() {
        return println!("it is not tested here: {why:#}");
    }
    let peer = TcpListener::bind("127.0.0.12:0").unwrap();
    let network = Network::of(peer.local_addr().unwrap().port());
    let (mut one, mut other) = (Sender::new(11, &peer), Sender::new(13, &peer));
    let node = Node { address: Ipv4Addr::new(127, 0, 0, 12), group: one.node.group.clone() };
    let pairs = [(one.node.clone(), node)];
    assert!(one.arrives(PATIENCE) && other.arrives(PATIENCE));

    assert!(network.disturb(Disturbance::Partition, &pairs).unwrap().is_none());
    assert!(!one.arrives(LOST_AFTER) && other.arrives(PATIENCE));
    network.heal().unwrap();
    assert!(one.arrives(PATIENCE), "what was lost is sent again");
    one.arrives.read_exact(&mut [0; 2]).unwrap();

    assert!(network.disturb(Disturbance::Loss(100.0), &pairs).unwrap().is_none());
    assert!(!one.arrives(LOST_AFTER) && other.arrives(PATIENCE));
    network.heal().unwrap();
    one.arrives.set_read_timeout(Some(PATIENCE)).unwrap();
    one.arrives.read_exact(&mut [0; 2]).unwrap();

    let delay = Duration::from_millis(150);
    let delaying = network.disturb(Disturbance::Delay(delay), &pairs).unwrap().unwrap();
    let begin = Instant::now();
    assert!(one.arrives(PATIENCE) && begin.elapsed() >= delay, "{:?}", begin.elapsed());
    drop(delaying);
    assert!(one.arrives(PATIENCE), "without its thread nothing is lost");
    network.heal().unwrap();
    network.heal().unwrap();
    let left = Command::new("iptables").args(["-w", "-t", "mangle", "-S"]).output().unwrap();
    let left = String::from_utf8_lossy(&left.stdout).into_owned();
    assert!(!left.contains(&format!("cassiterite-{}", network.storage_port)), "{left}");
    one.end();
    other.end();
}
