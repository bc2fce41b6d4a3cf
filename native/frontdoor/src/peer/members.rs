// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The other nodes with a door, as gossip has them: whom to ask, and who may ask.

use std::net::{IpAddr, SocketAddr};

use crate::rights::digest::HostId;

/// SHA-256 of a public key, as SubjectPublicKeyInfo.
pub(crate) type Fingerprint = [u8; 32];

const VERSION: u8 = 1;
const IS_UP: u8 = 1;

/// Another node with a door.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Member {
    pub host: HostId,
    /// Of the key that its door has made at its start.
    pub fingerprint: Fingerprint,
    /// Whether the failure detector holds it for alive.
    pub is_up: bool,
    pub port: u16,
    /// The first one is where it is asked; it may ask from any.
    pub addresses: Vec<IpAddr>,
}

impl Member {
    /// Where its door listens.
    pub(crate) fn address(&self) -> Option<SocketAddr> {
        self.addresses.first().map(|ip| SocketAddr::new(*ip, self.port))
    }

    /// Whether a connection to one serves for the other: liveness may differ.
    pub(crate) fn is_same(&self, other: &Member) -> bool {
        self.host == other.host
            && self.fingerprint == other.fingerprint
            && self.port == other.port
            && self.addresses == other.addresses
    }
}

/// All of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Members {
    /// This node's own host id.
    pub own: HostId,
    pub others: Vec<Member>,
}

impl Members {
    /// `None` where the bytes are not what the boundary describes ("Peers of a door").
    pub(crate) fn decode(bytes: &[u8]) -> Option<Members> {
        let (&version, rest) = bytes.split_first()?;
        let (own, rest) = rest.split_first_chunk()?;
        let (count, mut rest) = rest.split_first_chunk()?;
        let mut others = Vec::new();
        for _ in 0..u32::from_be_bytes(*count) {
            let (member, behind) = member(rest)?;
            others.push(member);
            rest = behind;
        }
        (version == VERSION && rest.is_empty()).then_some(Members { own: *own, others })
    }

    /// Whether a member may ask from that address.
    pub(crate) fn has_address(&self, address: IpAddr) -> bool {
        self.others.iter().any(|member| member.addresses.contains(&address))
    }

    /// The member whose door has that key.
    pub(crate) fn with_key(&self, fingerprint: &Fingerprint) -> Option<&Member> {
        self.others.iter().find(|member| member.fingerprint == *fingerprint)
    }
}

fn member(bytes: &[u8]) -> Option<(Member, &[u8])> {
    let (host, rest) = bytes.split_first_chunk()?;
    let (fingerprint, rest) = rest.split_first_chunk()?;
    let (flags, rest) = rest.split_first()?;
    let (port, rest) = rest.split_first_chunk()?;
    let (count, mut rest) = rest.split_first()?;
    let mut addresses = Vec::new();
    for _ in 0..*count {
        let (length, behind) = rest.split_first()?;
        let (address, behind) = behind.split_at_checked(usize::from(*length))?;
        addresses.push(ip(address)?.to_canonical());
        rest = behind;
    }
    let port = u16::from_be_bytes(*port);
    let is_up = flags & IS_UP != 0;
    let is_whole = !addresses.is_empty() && flags & !IS_UP == 0;
    is_whole.then_some((Member { host: *host, fingerprint: *fingerprint, is_up, port, addresses }, rest))
}

fn ip(bytes: &[u8]) -> Option<IpAddr> {
    match bytes.len() {
        4 => <[u8; 4]>::try_from(bytes).ok().map(IpAddr::from),
        _ => <[u8; 16]>::try_from(bytes).ok().map(IpAddr::from),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
pub(crate) mod tests {
    use super::*;
    use std::net::Ipv4Addr;

    pub(crate) fn encode(members: &Members) -> Vec<u8> {
        let mut bytes = [&[VERSION][..], &members.own, &(members.others.len() as u32).to_be_bytes()].concat();
        for member in &members.others {
            bytes.extend(member.host);
            bytes.extend(member.fingerprint);
            bytes.push(u8::from(member.is_up));
            bytes.extend(member.port.to_be_bytes());
            bytes.push(member.addresses.len() as u8);
            for address in &member.addresses {
                match address {
                    IpAddr::V4(ip) => bytes.extend([&[4][..], &ip.octets()].concat()),
                    IpAddr::V6(ip) => bytes.extend([&[16][..], &ip.octets()].concat()),
                }
            }
        }
        bytes
    }

    pub(crate) fn member(number: u8, is_up: bool) -> Member {
        let addresses = vec![IpAddr::V4(Ipv4Addr::new(127, 0, 0, number)), "::2".parse().unwrap()];
        Member { host: [number; 16], fingerprint: [number; 32], is_up, port: 7010, addresses }
    }

    #[test]
    fn members_are_read_as_they_were_written() {
        let members = Members { own: [1; 16], others: vec![member(2, true), member(3, false)] };
        let bytes = encode(&members);
        assert_eq!(Members::decode(&bytes), Some(members.clone()));
        assert_eq!(Members::decode(&encode(&Members::default())), Some(Members::default()));
        assert!(
            members.has_address("127.0.0.3".parse().unwrap()) && !members.has_address("127.0.0.4".parse().unwrap())
        );
        assert_eq!(members.with_key(&[3; 32]).map(|member| member.host), Some([3; 16]));
        assert_eq!(members.with_key(&[4; 32]), None);
    }

    #[test]
    fn other_bytes_are_refused() {
        let good = encode(&Members { own: [1; 16], others: vec![member(2, true)] });
        for length in 0..good.len() {
            assert_eq!(Members::decode(&good[..length]), None, "{length} bytes");
        }
        let nowhere = Member { addresses: Vec::new(), ..member(2, true) };
        assert_eq!(Members::decode(&encode(&Members { own: [1; 16], others: vec![nowhere] })), None);
    }
}
