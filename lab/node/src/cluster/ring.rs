// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! What `nodetool status` says of the ring.

use std::net::IpAddr;

/// Up or down, and where in its life.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RingState {
    /// Whether the node that was asked believes it alive.
    pub up: bool,
    /// `N`ormal, `L`eaving, `J`oining or `M`oving.
    pub phase: char,
}

impl RingState {
    /// `UN`: up and normal.
    pub fn is_un(self) -> bool {
        self.up && self.phase == 'N'
    }
}

impl std::fmt::Display for RingState {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}{}", if self.up { 'U' } else { 'D' }, self.phase)
    }
}

/// One line of `nodetool status`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RingNode {
    /// UN, DN, UJ ...
    pub state: RingState,
    /// Its address.
    pub address: IpAddr,
    /// Bytes of sstables in words, `?` when not known.
    pub load: String,
    /// Share of the ring in percent, `?` when keyspaces differ.
    pub owns: String,
    /// Its host id.
    pub host_id: String,
}

/// The nodes in the output of `nodetool status`; other lines are passed over.
pub fn parse_status(text: &str) -> Vec<RingNode> {
    text.lines().filter_map(node).collect()
}

fn node(line: &str) -> Option<RingNode> {
    let mut words = line.split_whitespace();
    let state = state(words.next()?)?;
    let address = words.next()?.parse().ok()?;
    let mut load = words.next()?.to_owned();
    if load != "?" {
        load = format!("{load} {}", words.next()?);
    }
    let _tokens: u32 = words.next()?.parse().ok()?;
    Some(RingNode { state, address, load, owns: words.next()?.to_owned(), host_id: words.next()?.to_owned() })
}

fn state(word: &str) -> Option<RingState> {
    match word.as_bytes() {
        [up @ (b'U' | b'D'), phase @ (b'N' | b'L' | b'J' | b'M')] => {
            Some(RingState { up: *up == b'U', phase: char::from(*phase) })
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use lab_testkit::spoilt::spoilt;
    use proptest::prelude::*;

    const TWO_RACKS: &str =
        "Datacenter: datacenter1\n=======================\nStatus=Up/Down\n|/ State=Normal/Leaving/Joining/Moving\n\
            --  Address    Load        Tokens  Owns (effective)  Host ID                               Rack\n\
            UN  127.0.0.1  104.36 KiB  16      66.7%             5d2c8a36-7a3b-4f0b-8c70-2f3a9d1d0001  rack1\n\
            DN  127.0.0.2  ?           16      ?                 5d2c8a36-7a3b-4f0b-8c70-2f3a9d1d0002  rack2\n\
            UJ  127.0.0.3  1.2 MiB     16      ?                 5d2c8a36-7a3b-4f0b-8c70-2f3a9d1d0003  rack1\n\n";

    proptest! {
        #[test]
        fn arbitrary_text_never_panics(text in spoilt(vec![TWO_RACKS.into()])) {
            prop_assert!(parse_status(&String::from_utf8_lossy(&text)).len() <= text.len());
        }
    }

    #[test]
    fn every_node_of_every_rack_is_read() {
        let nodes = parse_status(TWO_RACKS);
        let states: Vec<String> = nodes.iter().map(|node| format!("{} {}", node.state, node.address)).collect();
        assert_eq!(states, ["UN 127.0.0.1", "DN 127.0.0.2", "UJ 127.0.0.3"]);
        assert_eq!((nodes[0].load.as_str(), nodes[0].owns.as_str()), ("104.36 KiB", "66.7%"));
        assert_eq!(nodes[1].load, "?");
        assert!(nodes[0].state.is_un() && !nodes[1].state.is_un() && !nodes[2].state.is_un());
        assert!(parse_status("nodetool: Failed to connect to '127.0.0.1:7199'").is_empty());
    }
}
