// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The nodes by racks, and where each of them takes JMX.

use std::collections::BTreeMap;
use std::net::SocketAddr;

use anyhow::{ensure, Context, Result};

/// A node of the ring.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Of CQL, as the cluster names it.
    pub address: SocketAddr,
    /// `datacenter/rack`.
    pub rack: String,
}

/// The racks in order of their names, each with its nodes in order of their addresses.
pub fn racks(places: &[Place]) -> Vec<(String, Vec<Place>)> {
    let mut racks: BTreeMap<String, Vec<Place>> = BTreeMap::new();
    for place in places {
        racks.entry(place.rack.clone()).or_default().push(place.clone());
    }
    racks.values_mut().for_each(|nodes| nodes.sort_by_key(|node| node.address));
    racks.into_iter().collect()
}

/// Where nodes take JMX.
#[derive(Clone, Debug)]
pub struct Jmx {
    port: u16,
    /// By the nodes' addresses of CQL.
    elsewhere: Vec<(String, String, u16)>,
}

impl Jmx {
    /// `elsewhere`: `ADDRESS=HOST:PORT` each, for nodes that take it elsewhere than on this port of the address of CQL.
    pub fn new(port: u16, elsewhere: &[String]) -> Result<Self> {
        let parsed = elsewhere.iter().map(|text| {
            let parts = text.split_once('=').and_then(|(node, at)| Some((node, at.rsplit_once(':')?)));
            let (node, (host, port)) = parts.with_context(|| format!("--jmx {text}: ADDRESS=HOST:PORT is expected"))?;
            let port = port.parse().with_context(|| format!("--jmx {text}: '{port}' is no port"))?;
            Ok((node.to_owned(), host.to_owned(), port))
        });
        Ok(Self { port, elsewhere: parsed.collect::<Result<_>>()? })
    }

    /// Host and port of a node's JMX.
    pub fn of(&self, node: SocketAddr) -> (String, u16) {
        let named = |name: &str| name == node.ip().to_string() || name == node.to_string();
        match self.elsewhere.iter().find(|(name, _, _)| named(name)) {
            Some((_, host, port)) => (host.clone(), *port),
            None => (node.ip().to_string(), self.port),
        }
    }

    /// Refuses addresses that no node has: a misspelt one would be overlooked.
    pub fn check(&self, places: &[Place]) -> Result<()> {
        for (name, _, _) in &self.elsewhere {
            let known = |place: &Place| *name == place.address.ip().to_string() || *name == place.address.to_string();
            ensure!(places.iter().any(known), "--jmx {name}=...: the ring has no node {name}");
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn place(address: &str, rack: &str) -> Place {
        Place { address: address.parse().unwrap(), rack: rack.to_owned() }
    }

    #[test]
    fn racks_come_by_name_whatever_the_order_of_the_ring() {
        let ring = [place("10.0.0.3:9042", "a/2"), place("10.0.0.2:9042", "a/1"), place("10.0.0.1:9042", "a/2")];
        let racks = racks(&ring);
        let named: Vec<(&str, Vec<String>)> = racks
            .iter()
            .map(|(rack, nodes)| (rack.as_str(), nodes.iter().map(|node| node.address.to_string()).collect()))
            .collect();
        let second = vec!["10.0.0.1:9042".to_owned(), "10.0.0.3:9042".to_owned()];
        assert_eq!(named, [("a/1", vec!["10.0.0.2:9042".to_owned()]), ("a/2", second)]);
    }

    #[test]
    fn jmx_is_at_the_nodes_address_unless_said_otherwise() {
        let ring = [place("10.0.0.1:9042", "a/1"), place("10.0.0.2:9042", "a/1")];
        let jmx = Jmx::new(7199, &["10.0.0.2=127.0.0.1:17199".to_owned()]).unwrap();
        jmx.check(&ring).unwrap();
        assert_eq!(jmx.of(ring[0].address), ("10.0.0.1".to_owned(), 7199));
        assert_eq!(jmx.of(ring[1].address), ("127.0.0.1".to_owned(), 17199));
    }

    #[test]
    fn what_is_no_jmx_address_or_no_nodes_is_refused() {
        for text in ["10.0.0.2", "10.0.0.2=127.0.0.1", "10.0.0.2=127.0.0.1:x"] {
            assert!(Jmx::new(7199, &[text.to_owned()]).unwrap_err().to_string().contains(text));
        }
        let strange = Jmx::new(7199, &["10.0.0.9=127.0.0.1:1".to_owned()]).unwrap();
        assert!(strange.check(&[place("10.0.0.1:9042", "a/1")]).unwrap_err().to_string().contains("10.0.0.9"));
    }
}
