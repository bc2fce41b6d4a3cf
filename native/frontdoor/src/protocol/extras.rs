// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! What the flags of a response put in front of its body (`Message.ProtocolEncoder`).

const TRACING: u8 = 0x02;
const CUSTOM_PAYLOAD: u8 = 0x04;
const WARNING: u8 = 0x08;
const TRACE_ID_BYTES: usize = 16;

/// The body behind what `flags` announce; `None` where it is cut short.
pub(crate) fn without_extras(flags: u8, body: &[u8]) -> Option<&[u8]> {
    let mut rest = body;
    if flags & TRACING != 0 {
        rest = rest.get(TRACE_ID_BYTES..)?;
    }
    if flags & WARNING != 0 {
        for _ in 0..take_short(&mut rest)? {
            skip_string(&mut rest)?;
        }
    }
    if flags & CUSTOM_PAYLOAD != 0 {
        for _ in 0..take_short(&mut rest)? {
            skip_string(&mut rest)?;
            skip_bytes(&mut rest)?;
        }
    }
    Some(rest)
}

fn take_short(bytes: &mut &[u8]) -> Option<usize> {
    let (short, rest) = bytes.split_first_chunk()?;
    *bytes = rest;
    Some(usize::from(u16::from_be_bytes(*short)))
}

fn skip_string(bytes: &mut &[u8]) -> Option<()> {
    let length = take_short(bytes)?;
    *bytes = bytes.get(length..)?;
    Some(())
}

/// A negative length stands for none.
fn skip_bytes(bytes: &mut &[u8]) -> Option<()> {
    let (length, rest) = bytes.split_first_chunk()?;
    *bytes = rest.get(usize::try_from(i32::from_be_bytes(*length)).unwrap_or_default()..)?;
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const WARNINGS: &[u8] = b"\x00\x02\x00\x01a\x00\x00";
    const PAYLOAD: &[u8] = b"\x00\x02\x00\x01k\x00\x00\x00\x03abc\x00\x00\xff\xff\xff\xff";

    #[test]
    fn a_body_follows_what_the_flags_announce() {
        let all = [&[9; TRACE_ID_BYTES][..], WARNINGS, PAYLOAD, b"body"].concat();
        assert_eq!(without_extras(TRACING | WARNING | CUSTOM_PAYLOAD, &all), Some(&b"body"[..]));
        assert_eq!(without_extras(WARNING, &[WARNINGS, b"body"].concat()), Some(&b"body"[..]));
        assert_eq!(without_extras(0, b"body"), Some(&b"body"[..]));
    }

    #[test]
    fn what_is_cut_short_has_no_body() {
        let all = [&[9; TRACE_ID_BYTES][..], WARNINGS, PAYLOAD].concat();
        for length in 0..all.len() {
            let cut = all.get(..length).unwrap_or_default();
            assert_eq!(without_extras(TRACING | WARNING | CUSTOM_PAYLOAD, cut), None, "{length} bytes");
        }
    }
}
