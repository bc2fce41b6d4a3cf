// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! A relay between sockets that read and write as little as they like, at any time.

#![allow(clippy::unwrap_used)]

use super::*;
use proptest::prelude::*;
use std::collections::VecDeque;

/// A socket whose calls go as a script says; `None` blocks.
struct Scripted {
    bytes: Vec<u8>,
    position: usize,
    script: VecDeque<Option<usize>>,
}

impl Scripted {
    fn new(bytes: Vec<u8>, script: Vec<Option<usize>>) -> Self {
        Self { bytes, position: 0, script: script.into() }
    }

    /// How many of `wanted` bytes the next call moves; the whole after the end of the script.
    fn step(&mut self, wanted: usize) -> Result<usize> {
        match self.script.pop_front() {
            Some(None) => Err(ErrorKind::WouldBlock.into()),
            Some(Some(most)) => Ok(wanted.min(most.max(1))),
            None => Ok(wanted),
        }
    }
}

impl Read for Scripted {
    fn read(&mut self, into: &mut [u8]) -> Result<usize> {
        let left = self.bytes.len() - self.position;
        let count = self.step(left.min(into.len()))?.min(left);
        into[..count].copy_from_slice(&self.bytes[self.position..self.position + count]);
        self.position += count;
        Ok(count)
    }
}

impl Write for Scripted {
    fn write(&mut self, from: &[u8]) -> Result<usize> {
        let count = self.step(from.len())?;
        self.bytes.extend_from_slice(&from[..count]);
        Ok(count)
    }

    fn flush(&mut self) -> Result<()> {
        Ok(())
    }
}

fn steps() -> impl Strategy<Value = Vec<Option<usize>>> {
    prop::collection::vec(prop::option::of(1usize..200), 0..40)
}

proptest! {
    #[test]
    fn every_byte_arrives_once_and_in_order(
        bytes in prop::collection::vec(any::<u8>(), 0..4000),
        reads in steps(),
        writes in steps(),
        scratch_bytes in 1usize..300,
    ) {
        let mut source = Scripted::new(bytes.clone(), reads);
        let mut target = Scripted::new(Vec::new(), writes);
        let mut relay = Relay::default();
        let mut scratch = vec![0; scratch_bytes];
        let mut passed_bytes = 0;
        let mut read = Vec::new();
        let mut turns = 0;
        while relay.turn(&mut source, &mut target, true, &mut scratch, &mut passed_bytes, |seen| read.extend_from_slice(seen)).unwrap() != Turn::Ended {
            turns += 1;
            prop_assert!(turns < 10_000);
        }
        prop_assert_eq!(passed_bytes, bytes.len() as u64);
        prop_assert_eq!(&target.bytes, &bytes);
        prop_assert_eq!(read, bytes);
    }
}

#[test]
fn a_blocked_target_stops_the_reading() {
    let mut source = Scripted::new(vec![7; 1000], vec![]);
    let mut target = Scripted::new(Vec::new(), vec![Some(10), None, None]);
    let mut relay = Relay::default();
    let mut passed_bytes = 0;
    let mut turn = |relay: &mut Relay, source: &mut Scripted, target: &mut Scripted| {
        relay.turn(source, target, false, &mut [0; 100], &mut passed_bytes, |_| {}).unwrap()
    };
    assert_eq!(turn(&mut relay, &mut source, &mut target), Turn::Blocked);
    assert_eq!(turn(&mut relay, &mut source, &mut target), Turn::Blocked);
    assert_eq!(source.position, 100, "one read, whose rest waits");
    assert!(relay.is_blocked());
}

#[test]
fn a_flood_leaves_the_others_their_turn() {
    let mut source = Scripted::new(vec![7; 2 * TURN_BYTES], vec![]);
    let mut target = Scripted::new(Vec::new(), vec![]);
    let turn = Relay::default().turn(&mut source, &mut target, false, &mut [0; 1024], &mut 0, |_| {}).unwrap();
    assert_eq!((turn, target.bytes.len()), (Turn::More, TURN_BYTES));
}
