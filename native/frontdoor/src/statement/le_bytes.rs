// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Writing little-endian bytes, as the engine's requests have them.

pub(super) fn put_u32(number: usize, out: &mut Vec<u8>) {
    out.extend_from_slice(&(number as u32).to_le_bytes());
}

/// Appends what `put` appends, after its length.
pub(super) fn put_counted<T>(out: &mut Vec<u8>, put: impl FnOnce(&mut Vec<u8>) -> T) -> T {
    put_u32(0, out);
    let start = out.len();
    let done = put(out);
    let length = (out.len() - start) as u32;
    if let Some(slot) = out.get_mut(start - 4..start) {
        slot.copy_from_slice(&length.to_le_bytes());
    }
    done
}
