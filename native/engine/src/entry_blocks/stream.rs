// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Bytes and LEB128 numbers, read with bounds and written.

const CONTINUES: u8 = 0x80;
const GROUP_BITS: u32 = 7;

pub(super) fn put_uvarint(out: &mut Vec<u8>, mut number: u64) {
    while number >= u64::from(CONTINUES) {
        out.push(number as u8 | CONTINUES);
        number >>= GROUP_BITS;
    }
    out.push(number as u8);
}

/// Bytes behind their length.
pub(super) fn put_counted(out: &mut Vec<u8>, bytes: &[u8]) {
    put_uvarint(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

/// What differs from the bytes before: how many are shared, how many follow, and these.
pub(super) fn put_shared(out: &mut Vec<u8>, before: &[u8], bytes: &[u8]) {
    let shared = before.iter().zip(bytes).take_while(|(a, b)| a == b).count();
    put_uvarint(out, shared as u64);
    put_counted(out, &bytes[shared..]);
}

/// Reads from the front; None beyond the end.
pub(super) struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    pub(super) fn new(rest: &'a [u8]) -> Self {
        Self { rest }
    }

    pub(super) fn is_done(&self) -> bool {
        self.rest.is_empty()
    }

    pub(super) fn rest(&self) -> &'a [u8] {
        self.rest
    }

    pub(super) fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(length)?;
        self.rest = rest;
        Some(taken)
    }

    pub(super) fn u8(&mut self) -> Option<u8> {
        self.take(1)?.first().copied()
    }

    pub(super) fn uvarint(&mut self) -> Option<u64> {
        let mut number = 0u64;
        for shift in (0..u64::BITS).step_by(GROUP_BITS as usize) {
            let byte = self.u8()?;
            number |= u64::from(byte & !CONTINUES).checked_shl(shift)?;
            if byte < CONTINUES {
                return Some(number);
            }
        }
        None
    }

    pub(super) fn length(&mut self) -> Option<usize> {
        usize::try_from(self.uvarint()?).ok()
    }

    pub(super) fn counted(&mut self) -> Option<&'a [u8]> {
        let length = self.length()?;
        self.take(length)
    }

    /// What [`put_shared`] wrote behind `before`.
    pub(super) fn shared(&mut self, before: &[u8]) -> Option<Vec<u8>> {
        let shared = self.length()?;
        Some([before.get(..shared)?, self.counted()?].concat())
    }
}
