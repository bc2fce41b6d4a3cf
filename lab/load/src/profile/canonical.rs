// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Sorts sets and maps within a value, so that equal values have equal bytes.

use super::types::Type;

/// The value with the elements of every set and map sorted by their bytes; `None` if the bytes are not of the type.
pub fn canonical(ty: &Type, bytes: &[u8]) -> Option<Vec<u8>> {
    if !ty.is_reordered() {
        return Some(bytes.to_vec());
    }
    let mut rest = bytes;
    let mut parts = Vec::new();
    match ty {
        Type::Tuple(fields) => {
            for field in fields {
                match part(&mut rest)? {
                    Some(bytes) => parts.push(Some(canonical(field, bytes)?)),
                    None => parts.push(None),
                }
            }
        }
        Type::List(element) | Type::Set(element) => {
            let count = count(&mut rest)?;
            for _ in 0..count {
                parts.push(Some(canonical(element, part(&mut rest)??)?));
            }
        }
        Type::Map(key, value) => {
            let count = count(&mut rest)?;
            for _ in 0..count {
                let mut pair = Vec::new();
                append(&mut pair, Some(&canonical(key, part(&mut rest)??)?));
                append(&mut pair, Some(&canonical(value, part(&mut rest)??)?));
                parts.push(Some(pair));
            }
        }
        Type::Vector(element, length) => {
            for _ in 0..*length {
                parts.push(Some(canonical(element, vector_part(&mut rest)?)?));
            }
        }
        _ => return Some(bytes.to_vec()),
    }
    if matches!(ty, Type::Set(_) | Type::Map(..)) {
        parts.sort();
    }
    let mut sorted = Vec::with_capacity(bytes.len());
    for part in &parts {
        append(&mut sorted, part.as_deref());
    }
    Some(sorted)
}

fn count(rest: &mut &[u8]) -> Option<i32> {
    let (count, after) = rest.split_first_chunk::<4>()?;
    *rest = after;
    Some(i32::from_be_bytes(*count))
}

/// A sized part: `Some(None)` is null.
fn part<'a>(rest: &mut &'a [u8]) -> Option<Option<&'a [u8]>> {
    if rest.is_empty() {
        return Some(None); // trailing fields of a tuple may be left out
    }
    let length = count(rest)?;
    if length < 0 {
        return Some(None);
    }
    let (part, after) = rest.split_at_checked(length as usize)?;
    *rest = after;
    Some(Some(part))
}

/// Elements that hold a set or a map vary in length, so each has its length as an unsigned vint in front.
fn vector_part<'a>(rest: &mut &'a [u8]) -> Option<&'a [u8]> {
    let (first, after) = rest.split_first()?;
    let more = first.leading_ones() as usize;
    let (tail, after) = after.split_at_checked(more)?;
    let head = if more >= 7 { 0 } else { u64::from(first & (0xff >> (more + 1))) };
    let length = tail.iter().fold(head, |length, byte| (length << 8) | u64::from(*byte));
    let (part, after) = after.split_at_checked(usize::try_from(length).ok()?)?;
    *rest = after;
    Some(part)
}

fn append(out: &mut Vec<u8>, part: Option<&[u8]>) {
    let length = part.map_or(-1, |part| part.len() as i32);
    out.extend(length.to_be_bytes());
    out.extend(part.unwrap_or_default());
}
