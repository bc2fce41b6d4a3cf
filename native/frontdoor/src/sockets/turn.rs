// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Whose turn a connection is: that of its loop, or of the thread that writes Cassandra's responses.

use std::sync::atomic::{AtomicU8, Ordering};

const FREE: u8 = 0;
const TAKEN: u8 = 1;
/// The loop was refused, and wants to be woken.
const WAITING: u8 = 2;

/// One atomic, so that no refusal falls between a release and the look at who waits. Nobody ever blocks.
#[derive(Debug, Default)]
pub(crate) struct Turn(AtomicU8);

impl Turn {
    /// Takes the turn, if it is free: for a thread that has another way, and is not woken.
    pub(crate) fn try_take(&self) -> bool {
        self.0.compare_exchange(FREE, TAKEN, Ordering::Acquire, Ordering::Relaxed).is_ok()
    }

    /// Takes the turn, or has whoever has it told that the loop waits.
    pub(crate) fn take_or_wait(&self) -> bool {
        let next = |now| Some(if now == FREE { TAKEN } else { now | WAITING });
        self.0.fetch_update(Ordering::AcqRel, Ordering::Relaxed, next) == Ok(FREE)
    }

    /// Gives the turn back; whether the loop is to be woken.
    pub(crate) fn release(&self) -> bool {
        self.0.swap(FREE, Ordering::AcqRel) & WAITING != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_taken_turn_is_refused_to_both() {
        let turn = Turn::default();
        assert!(turn.try_take());
        assert!(!turn.try_take());
        assert!(!turn.take_or_wait());
    }

    #[test]
    fn only_a_refused_loop_is_woken() {
        let turn = Turn::default();
        assert!(turn.try_take());
        assert!(!turn.release(), "nobody asked");
        assert!(turn.take_or_wait());
        assert!(!turn.try_take());
        assert!(!turn.release(), "the other thread has another way");
        assert!(turn.try_take());
        assert!(!turn.take_or_wait());
        assert!(turn.release());
        assert!(turn.take_or_wait(), "it is woken once");
        assert!(!turn.release());
    }
}
