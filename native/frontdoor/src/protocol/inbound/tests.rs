// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Requests are found however a client cuts its bytes.

#![allow(clippy::unwrap_used)]

use super::super::frame::put_frames;
use super::*;
use proptest::prelude::*;
use proptest::sample::Index;

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

/// Envelopes in frames, several in one or one over several.
fn framed(kind: FrameKind, envelopes: &[Vec<u8>], together: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    for some in envelopes.chunks(together) {
        if some.concat().len() < 1 << 17 {
            put_frames(kind, &some.concat(), &mut bytes);
        } else {
            some.iter().for_each(|one| put_frames(kind, one, &mut bytes));
        }
    }
    bytes
}

/// What a stream consists of.
#[derive(Debug, Default, PartialEq)]
struct Found {
    passed: Vec<u8>,
    executes: Vec<Vec<u8>>,
    is_opaque: bool,
    is_between: bool,
    seen: Vec<(Opcode, u64)>,
}

/// Reads the bytes in pieces, as a session does; EXECUTEs are taken out.
fn read(bytes: &[u8], cuts: &[Index]) -> Found {
    let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).chain([0, bytes.len()]).collect();
    cuts.sort_unstable();
    let (mut inbound, mut found, mut pending, mut envelopes) =
        (Inbound::default(), Found::default(), Vec::new(), Vec::new());
    for ends in cuts.windows(2) {
        pending.extend_from_slice(&bytes[ends[0]..ends[1]]);
        let mut at = 0;
        while at < pending.len() {
            at += match inbound.next(&pending[at..], &mut envelopes) {
                Unit::Incomplete => break,
                Unit::Pass(count) => {
                    found.passed.extend_from_slice(&pending[at..at + count]);
                    count
                }
                Unit::Execute(_, envelope) => {
                    found.executes.push(envelope.to_vec());
                    envelope.len()
                }
                Unit::Frame(_, frame) => {
                    found.executes.extend(Envelopes::new(&envelopes).map(|(_, envelope)| envelope.to_vec()));
                    frame.len()
                }
            };
        }
        pending.drain(..at);
    }
    found.passed.extend_from_slice(&pending);
    found.is_opaque = inbound.is_opaque();
    found.is_between = inbound.is_between_requests();
    let seen = Opcode::ALL.into_iter().zip(inbound.take_seen());
    found.seen = seen.filter(|(_, count)| *count > 0).collect();
    assert_eq!(inbound.take_seen(), [0; REQUESTS]);
    found
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
    fn requests_are_found_in_every_framing(
        version in 3u8..=5,
        is_packed in any::<bool>(),
        bodies in bodies(),
        together in 1usize..4,
        cuts in prop::collection::vec(any::<Index>(), 0..20),
    ) {
        let executes: Vec<Vec<u8>> = bodies.iter().map(|body| envelope(version, 10, body)).collect();
        let kind = if is_packed { FrameKind::Lz4 } else { FrameKind::Plain };
        let sent = if version == 5 { framed(kind, &executes, together) } else { executes.concat() };
        let compression: &[_] = if is_packed { &[("COMPRESSION", "lz4")] } else { &[] };
        let begin = [envelope(version, 5, &[]), startup(version, compression)].concat();
        let bytes = [&begin[..], &sent].concat();
        let found = read(&bytes, &cuts);
        prop_assert!(!found.is_opaque && found.is_between);
        let expected = vec![(Opcode::Startup, 1), (Opcode::Options, 1), (Opcode::Execute, bodies.len() as u64)];
        prop_assert_eq!(&found.seen, &expected);
        let is_small = |envelope: &&Vec<u8>| envelope.len() <= MAX_EXECUTE_BYTES || version == 5 && envelope.len() < 1 << 17;
        let small: Vec<Vec<u8>> = executes.iter().filter(is_small).cloned().collect();
        prop_assert!(found.executes == small);
        if small.is_empty() {
            prop_assert!(found.passed == bytes);
        }
    }

    #[test]
    fn arbitrary_bytes_pass_and_never_panic(
        bytes in prop::collection::vec(any::<u8>(), 0..2000),
        version in prop::option::of(3u8..=5),
        cuts in prop::collection::vec(any::<Index>(), 0..20),
    ) {
        let begin = version.map(|version| startup(version, &[("COMPRESSION", "LZ4")])).unwrap_or_default();
        let bytes = [begin, bytes].concat();
        let found = read(&bytes, &cuts);
        prop_assert!(!found.executes.is_empty() || found.passed == bytes);
    }

    #[test]
    fn arbitrary_startups_never_panic(body in prop::collection::vec(any::<u8>(), 0..100)) {
        read(&envelope(5, 1, &body), &[]);
    }
}

#[test]
fn an_unknown_compression_makes_version_5_opaque() {
    for (version, is_opaque) in [(4, false), (5, true)] {
        let bytes = [startup(version, &[("COMPRESSION", "snappy")]), envelope(version, 10, &[1, 2])].concat();
        let found = read(&bytes, &[]);
        assert_eq!((found.is_opaque, found.executes.len()), (is_opaque, 0), "version {version}");
        assert_eq!(found.passed, bytes);
    }
}

#[test]
fn what_is_not_understood_is_opaque_for_good() {
    let found = read(&[b"GET / HTTP/1.1".to_vec(), envelope(4, 10, &[])].concat(), &[]);
    assert!(found.is_opaque);
    assert_eq!(found.seen, vec![]);
}

#[test]
fn what_is_not_as_agreed_is_cassandras() {
    let of = |execute: Vec<u8>| read(&[startup(5, &[]), execute].concat(), &[]);
    let mut corrupt = framed(FrameKind::Plain, &[envelope(5, 10, &[1, 2, 3])], 1);
    let last = corrupt.len() - 1;
    corrupt[last] ^= 1;
    let cut = envelope(5, 10, &[1; 50])[..40].to_vec();
    let other_version = envelope(4, 10, &[1]);
    for sent in [corrupt, framed(FrameKind::Plain, &[cut], 1), framed(FrameKind::Plain, &[other_version], 1)] {
        let found = of(sent);
        assert_eq!((found.is_opaque, found.executes.len()), (false, 0));
    }
}

#[test]
fn a_version_that_is_none_does_not_wait_for_more() {
    let mut inbound = Inbound::default();
    assert_eq!(inbound.next(&[5, 0, 0], &mut Vec::new()), Unit::Incomplete);
    assert_eq!(inbound.next(&[6, 0, 0], &mut Vec::new()), Unit::Pass(3));
    assert!(inbound.is_opaque());
}
