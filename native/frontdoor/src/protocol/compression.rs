// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Bodies that are compressed one by one (versions 3 and 4): a length of four bytes, and an LZ4 block
//! (`Compressor.LZ4Compressor`).

/// What a client has asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Compression {
    None,
    Lz4,
    /// One that the door does not know.
    Other,
}

/// Appends the content of a compressed body; false, and nothing appended, where it is none or has more than `most` bytes.
pub(crate) fn unpack(body: &[u8], most: usize, out: &mut Vec<u8>) -> bool {
    let Some((length, block)) = body.split_first_chunk() else { return false };
    let length = u32::from_be_bytes(*length) as usize;
    if length > most {
        return false;
    }
    let before = out.len();
    out.resize(before + length, 0);
    let unpacked = out.get_mut(before..).map(|target| lz4_flex::block::decompress_into(block, target));
    let is_whole = matches!(unpacked, Some(Ok(bytes)) if bytes == length);
    if !is_whole {
        out.truncate(before);
    }
    is_whole
}

/// Appends a body as its compressed form.
pub(crate) fn pack(body: &[u8], out: &mut Vec<u8>) {
    out.extend_from_slice(&(body.len() as u32).to_be_bytes());
    let before = out.len();
    out.resize(before + lz4_flex::block::get_maximum_output_size(body.len()), 0);
    // The space is enough for any content.
    let packed = out.get_mut(before..).map(|target| lz4_flex::block::compress_into(body, target));
    let bytes = packed.and_then(Result::ok).unwrap_or_default();
    out.truncate(before + bytes);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_come_back() {
        for body in [&b""[..], b"a", &[7; 5000]] {
            let (mut packed, mut unpacked) = (Vec::new(), Vec::new());
            pack(body, &mut packed);
            assert!(unpack(&packed, body.len(), &mut unpacked));
            assert_eq!(unpacked, body);
        }
    }

    #[test]
    fn a_claimed_length_takes_no_memory() {
        let mut out = Vec::new();
        assert!(!unpack(&[0x7f, 0xff, 0xff, 0xff, 0], 1 << 20, &mut out));
        assert!(!unpack(&[0, 0], 1 << 20, &mut out));
        assert!(!unpack(&[0, 0, 0, 9, 0x10, 1], 1 << 20, &mut out));
        assert!(out.is_empty());
    }
}
