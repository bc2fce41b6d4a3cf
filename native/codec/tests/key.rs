// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Keys: escaping, order, tokens, and the parts of a key.

#![allow(clippy::unwrap_used, clippy::panic)]

use cassiterite_codec::key::{
    encode_partition, is_partition, murmur3_token, partition_len, put_entry, raw_partition_key, row_name, split, token,
    KeyParts, Kind,
};
use proptest::collection::vec;
use proptest::prelude::*;

fn partition(token: i64, raw_key: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    encode_partition(token, raw_key, &mut out);
    out
}

/// Keys rich in the bytes that escaping is about.
fn raw_key() -> impl Strategy<Value = Vec<u8>> {
    let byte = prop_oneof![4 => Just(0u8), 1 => Just(0xFE), 1 => Just(0xFF), 1 => Just(0x38), 2 => any::<u8>()];
    vec(byte, 0..12)
}

proptest! {
    #[test]
    fn keys_of_indexes_come_back(
        form in vec(any::<u8>(), 1..8),
        row in prop_oneof![vec(any::<u8>(), 1..8), vec(any::<u8>(), 250..260)],
    ) {
        let value = [&[0x41], &form[..], &[0x38]].concat();
        let mut key = vec![];
        put_entry(&value, &row, &mut key);
        prop_assert!(is_partition(&value));
        prop_assert_eq!(partition_len(&key), Some(value.len()));
        prop_assert_eq!(split(&key).unwrap(), KeyParts { partition: &value, kind: Kind::Entry, clustering: &row });
        prop_assert_eq!(token(&key), Ok(0));
        prop_assert!(row_name(&key, &value).starts_with(&row));
        let mut raw = Vec::new();
        raw_partition_key(&value, &mut raw).unwrap();
        prop_assert_eq!(raw, form);
    }

    #[test]
    fn arbitrary_keys_of_indexes_never_panic(rest in vec(prop_oneof![Just(0x31u8), Just(0x38), Just(0xFF), any::<u8>()], 0..16)) {
        let key = [&[0x41], &rest[..]].concat();
        let length = partition_len(&key);
        prop_assert_eq!(split(&key).is_ok(), length.is_some());
        let _ = (is_partition(&key), token(&key), raw_partition_key(&key, &mut Vec::new()));
    }

    #[test]
    fn partitions_come_back(place in any::<i64>(), raw in raw_key(), kind in 1u8..4, clustering in vec(any::<u8>(), 1..5)) {
        let mut key = partition(place, &raw);
        let length = key.len();
        let kind = Kind::try_from(kind * 0x10).unwrap();
        key.push(kind.into());
        if kind == Kind::Row {
            key.extend(&clustering);
        }
        prop_assert_eq!(partition_len(&key), Some(length));
        let parts = split(&key).unwrap();
        let expected: &[u8] = if kind == Kind::Row { &clustering } else { &[] };
        prop_assert_eq!(parts, KeyParts { partition: &key[..length], kind, clustering: expected });
        prop_assert_eq!(token(parts.partition), Ok(place));
        let mut decoded = vec![9];
        raw_partition_key(parts.partition, &mut decoded).unwrap();
        prop_assert_eq!(&decoded[1..], &raw[..]);
    }

    #[test]
    fn order_is_by_token_then_unsigned_bytes(one in (-2i64..2, raw_key()), two in (-2i64..2, raw_key())) {
        prop_assert_eq!(partition(one.0, &one.1).cmp(&partition(two.0, &two.1)), one.cmp(&two));
    }

    #[test]
    fn no_partition_is_a_prefix_of_another(one in raw_key(), two in raw_key()) {
        prop_assume!(one != two);
        prop_assert!(!partition(0, &one).starts_with(&partition(0, &two)));
    }

    #[test]
    fn cut_keys_are_malformed(raw in raw_key(), cut in 0usize..30) {
        let key = partition(7, &raw);
        let cut = &key[..cut % key.len()];
        prop_assert_eq!(partition_len(cut), None);
        prop_assert!(split(cut).is_err());
        prop_assert!(raw_partition_key(cut, &mut Vec::new()).is_err());
    }
}

#[test]
fn escaping_follows_the_examples_of_cassandra() {
    let escaped = |raw: &[u8]| partition(0, raw)[10..].to_vec();
    assert_eq!(escaped(b"A\0\0B"), [0x41, 0x00, 0xFE, 0xFF, 0x42, 0x00, 0x38]);
    assert_eq!(escaped(b"A\0B\0"), [0x41, 0x00, 0xFF, 0x42, 0x00, 0xFE, 0x38]);
    assert_eq!(escaped(b"A\0"), [0x41, 0x00, 0xFE, 0x38]);
    assert_eq!(escaped(b"AB"), [0x41, 0x42, 0x00, 0x38]);
    assert_eq!(escaped(b""), [0x00, 0x38]);
}

#[test]
fn keys_without_a_sensible_end_are_refused() {
    let mut key = partition(1, b"k");
    assert!(split(&key).is_err());
    for (end, fits) in [(&[0x10][..], true), (&[0x20], true), (&[0x30, 0x38], true)] {
        let whole = [&key, end].concat();
        assert_eq!(split(&whole).is_ok(), fits);
    }
    for end in [&[0x10, 0x38][..], &[0x20, 0x38], &[0x30], &[0x40, 0x38], &[0]] {
        assert!(split(&[&key, end].concat()).is_err(), "{end:?}");
    }
    // a zero after "escaping is done" has a shorter form
    key = [&partition(1, b"")[..10], &[0x00, 0xFF, 0x00, 0x38]].concat();
    assert_eq!(partition_len(&key), None);
}

#[test]
fn tokens_and_partitions_are_those_that_cassandra_wrote() {
    let hex = |text: &str| -> Vec<u8> {
        (0..text.len() / 2).map(|at| u8::from_str_radix(&text[2 * at..2 * at + 2], 16).unwrap()).collect()
    };
    let lines = include_str!("golden/partitions.txt").lines().filter(|line| !line.starts_with('#'));
    for line in lines {
        let [raw, place, prefix] = line.split(' ').collect::<Vec<_>>()[..] else { panic!("{line}") };
        let (raw, place) = (hex(raw), place.parse().unwrap());
        assert_eq!(murmur3_token(&raw), place, "{line}");
        assert_eq!(partition(place, &raw), hex(prefix), "{line}");
    }
    assert_eq!(murmur3_token(b""), i64::MIN);
}
