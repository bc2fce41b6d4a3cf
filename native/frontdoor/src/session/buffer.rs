// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Bytes that a socket did not take yet.

/// A queue of bytes. It owns no memory while it is empty, and else that of the bytes that waited at most, twice.
#[derive(Debug, Default)]
pub(crate) struct Buffer {
    bytes: Vec<u8>,
    /// Bytes in front that are gone already.
    taken: usize,
}

impl Buffer {
    pub(crate) fn is_empty(&self) -> bool {
        self.pending().is_empty()
    }

    /// What waits, oldest first.
    pub(crate) fn pending(&self) -> &[u8] {
        &self.bytes[self.taken..]
    }

    pub(crate) fn append(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// Drops `count` bytes in front; there are as many.
    pub(crate) fn take(&mut self, count: usize) {
        self.taken += count;
        debug_assert!(self.taken <= self.bytes.len());
        if self.taken == self.bytes.len() {
            *self = Buffer::default();
        } else if self.taken > self.bytes.len() / 2 {
            // Each byte moves at most once for each that is gone. A queue that is never empty would grow for ever.
            self.bytes.drain(..self.taken);
            self.taken = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_leave_in_the_order_in_which_they_came() {
        let mut buffer = Buffer::default();
        buffer.append(b"one");
        buffer.append(b"two");
        buffer.take(2);
        assert_eq!(buffer.pending(), b"etwo");
        buffer.take(4);
        assert!(buffer.is_empty());
        assert_eq!(buffer.bytes.capacity(), 0, "nothing is kept for idle connections");
    }

    #[test]
    fn bytes_that_are_gone_take_no_memory() {
        let mut buffer = Buffer::default();
        buffer.append(b"!");
        for _ in 0..100_000 {
            buffer.append(&[7; 1000]);
            buffer.take(1000);
        }
        assert_eq!(buffer.pending().len(), 1);
        assert!(buffer.bytes.capacity() < 10_000, "{}", buffer.bytes.capacity());
    }
}
