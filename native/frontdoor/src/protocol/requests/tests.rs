// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Requests are found however a client cuts its bytes.

#![allow(clippy::unwrap_used)]

use super::super::crc24::crc24;
use super::*;
use proptest::prelude::*;
use proptest::sample::Index;

const MAX_PAYLOAD_BYTES: usize = (1 << 17) - 1;

fn envelope(version: u8, opcode: u8, body: &[u8]) -> Vec<u8> {
    let length = u32::try_from(body.len()).unwrap().to_be_bytes();
    [&[version, 0, 0, 7, opcode][..], &length, body].concat()
}

fn startup(version: u8, options: &[(&str, &str)]) -> Vec<u8> {
    let string = |text: &str| [&u16::try_from(text.len()).unwrap().to_be_bytes()[..], text.as_bytes()].concat();
    let entries = options.iter().flat_map(|(key, value)| [string(key), string(value)].concat());
    let body: Vec<u8> = u16::try_from(options.len()).unwrap().to_be_bytes().into_iter().chain(entries).collect();
    envelope(version, 1, &body)
}

fn frame(payload: &[u8], is_self_contained: bool) -> Vec<u8> {
    let length = u32::try_from(payload.len()).unwrap() | u32::from(is_self_contained) << 17;
    let header = &length.to_le_bytes()[..3];
    let crc = &crc24(header).to_le_bytes()[..3];
    [header, crc, payload, &[0; 4]].concat()
}

/// Envelopes in frames, several in one or one over several.
fn framed(envelopes: &[Vec<u8>], together: usize) -> Vec<u8> {
    let frames = envelopes.chunks(together).flat_map(|some| {
        let payload = some.concat();
        let is_self_contained = payload.len() <= MAX_PAYLOAD_BYTES;
        payload.chunks(MAX_PAYLOAD_BYTES).flat_map(|part| frame(part, is_self_contained)).collect::<Vec<u8>>()
    });
    frames.collect()
}

/// Reads the bytes in pieces.
fn read(requests: &mut Requests, bytes: &[u8], cuts: &[Index]) {
    let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).chain([0, bytes.len()]).collect();
    cuts.sort_unstable();
    cuts.windows(2).for_each(|ends| requests.read(&bytes[ends[0]..ends[1]]));
}

fn seen(requests: &mut Requests) -> Vec<(Opcode, u64)> {
    Opcode::ALL.into_iter().zip(requests.take_seen()).filter(|(_, count)| *count > 0).collect()
}

fn bodies() -> impl Strategy<Value = Vec<Vec<u8>>> {
    prop::collection::vec(
        prop_oneof![9 => 0usize..300, 1 => 100_000usize..400_000].prop_map(|size| vec![9; size]),
        1..12,
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn requests_are_counted_in_every_version(
        version in 3u8..=5,
        bodies in bodies(),
        together in 1usize..4,
        cuts in prop::collection::vec(any::<Index>(), 0..20),
    ) {
        let executes: Vec<Vec<u8>> = bodies.iter().map(|body| envelope(version, 10, body)).collect();
        let sent = if version == 5 { framed(&executes, together) } else { executes.concat() };
        let bytes = [envelope(version, 5, &[]), startup(version, &[("CQL_VERSION", "3.0.0")]), sent].concat();
        let mut requests = Requests::default();
        read(&mut requests, &bytes, &cuts);
        prop_assert!(!requests.is_opaque());
        let expected = vec![(Opcode::Startup, 1), (Opcode::Options, 1), (Opcode::Execute, bodies.len() as u64)];
        prop_assert_eq!(seen(&mut requests), expected);
        prop_assert_eq!(seen(&mut requests), vec![]);
    }

    #[test]
    fn arbitrary_bytes_never_panic(
        bytes in prop::collection::vec(any::<u8>(), 0..2000),
        begins_well in any::<bool>(),
        cuts in prop::collection::vec(any::<Index>(), 0..20),
    ) {
        let begin = if begins_well { startup(5, &[]) } else { Vec::new() };
        read(&mut Requests::default(), &[begin, bytes].concat(), &cuts);
    }

    #[test]
    fn arbitrary_startups_never_panic(body in prop::collection::vec(any::<u8>(), 0..100)) {
        read(&mut Requests::default(), &envelope(5, 1, &body), &[]);
    }
}

#[test]
fn compressed_clients_of_version_5_are_opaque() {
    for (version, is_opaque) in [(4, false), (5, true)] {
        let mut requests = Requests::default();
        requests.read(&startup(version, &[("CQL_VERSION", "3.0.0"), ("COMPRESSION", "lz4")]));
        assert_eq!(requests.is_opaque(), is_opaque, "version {version}");
    }
}

#[test]
fn what_is_not_understood_is_opaque_for_good() {
    let mut requests = Requests::default();
    requests.read(b"GET / HTTP/1.1");
    requests.read(&envelope(4, 10, &[]));
    assert!(requests.is_opaque());
    assert_eq!(seen(&mut requests), vec![]);
}
