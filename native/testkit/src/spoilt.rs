// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Bytes for tests of decoders: good ones with a few edits, and any others.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{select, Index};

#[derive(Clone, Debug)]
enum Edit {
    Byte(Index, u8),
    /// What may be a length, a count or a number.
    Word(Index, u32),
    Cut(Index),
    Remove(Index),
    Insert(Index, Vec<u8>),
}

fn edit() -> impl Strategy<Value = Edit> {
    let byte = prop_oneof![0u8..8, Just(0xFF), any::<u8>()];
    let word = prop_oneof![0u32..32, Just(u32::MAX), Just(1 << 31), any::<u32>()];
    prop_oneof![
        (any::<Index>(), byte).prop_map(|(at, byte)| Edit::Byte(at, byte)),
        (any::<Index>(), word).prop_map(|(at, word)| Edit::Word(at, word)),
        any::<Index>().prop_map(Edit::Cut),
        any::<Index>().prop_map(Edit::Remove),
        (any::<Index>(), vec(any::<u8>(), 1..9)).prop_map(|(at, bytes)| Edit::Insert(at, bytes)),
    ]
}

fn edited(mut bytes: Vec<u8>, edit: &Edit) -> Vec<u8> {
    let at = |index: &Index| index.index(bytes.len().max(1));
    match edit {
        _ if bytes.is_empty() => {}
        Edit::Byte(index, byte) => {
            let at = at(index);
            bytes[at] = *byte;
        }
        Edit::Word(index, word) => {
            let at = at(index);
            let end = bytes.len().min(at + 4);
            bytes.splice(at..end, word.to_le_bytes());
        }
        Edit::Cut(index) => {
            let at = at(index);
            bytes.truncate(at);
        }
        Edit::Remove(index) => {
            let at = at(index);
            bytes.remove(at);
        }
        Edit::Insert(index, more) => {
            let at = at(index);
            bytes.splice(at..at, more.iter().copied());
        }
    }
    bytes
}

/// One of these with up to three edits, or arbitrary bytes.
pub fn spoilt(good: Vec<Vec<u8>>) -> impl Strategy<Value = Vec<u8>> {
    let edits = (select(good), vec(edit(), 0..4)).prop_map(|(good, edits)| edits.iter().fold(good, edited));
    prop_oneof![1 => vec(any::<u8>(), 0..64), 5 => edits]
}
