// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The specs of one connection. Both sides forget them by the same rule, so that neither has to be told.

use std::collections::HashMap;

/// One more ends those before it, and so does one with which they would be longer than that.
const MAX_SPECS: usize = 1024;
const MAX_BYTES: usize = 4 << 20;

/// Specs by their numbers, as one side has them.
#[derive(Debug)]
pub(crate) struct Specs<T> {
    known: HashMap<u64, T>,
    bytes: usize,
}

impl<T> Default for Specs<T> {
    fn default() -> Self {
        Specs { known: HashMap::new(), bytes: 0 }
    }
}

impl<T> Specs<T> {
    pub(crate) fn get(&self, number: u64) -> Option<&T> {
        self.known.get(&number)
    }

    /// Adds one whose contents have so many bytes.
    pub(crate) fn insert(&mut self, number: u64, bytes: usize, spec: T) {
        if self.known.len() >= MAX_SPECS || self.bytes + bytes > MAX_BYTES {
            *self = Specs::default();
        }
        self.bytes += bytes;
        self.known.insert(number, spec);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_too_many_ends_those_before() {
        let mut specs = Specs::default();
        (0..1024).for_each(|number| specs.insert(number, 1, ()));
        assert!(specs.get(0).is_some() && specs.get(1023).is_some());
        specs.insert(1024, 1, ());
        assert!(specs.get(1023).is_none() && specs.get(1024).is_some());
    }

    #[test]
    fn their_bytes_are_bounded() {
        let mut specs = Specs::default();
        (0..16).for_each(|number| specs.insert(number, 256 << 10, ()));
        assert!(specs.get(0).is_some());
        specs.insert(16, 1, ());
        assert!(specs.get(0).is_none() && specs.get(16).is_some());
        // The same one again and again has its bytes again and again: no peer does that.
        (0..100).for_each(|_| specs.insert(17, 1 << 20, ()));
        assert!(specs.bytes <= MAX_BYTES);
    }
}
