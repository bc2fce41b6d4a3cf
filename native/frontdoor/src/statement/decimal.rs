// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The byte-comparable form of a decimal: sign and exponent, then pairs of decimal digits.

use smallvec::SmallVec;

/// A decimal begins with its scale; the unscaled number follows.
pub(crate) const SCALE_BYTES: usize = 4;

const NEGATIVE: u8 = 0x00;
const POSITIVE: u8 = 0x80;
/// Plus the number of the exponent's bytes, or minus it where the exponent is negative.
const EXPONENT: u8 = 0x40;
/// What is added to a pair of digits.
const PAIR: u8 = 0x80;
const END: u8 = 0x00;

/// Appends the form of a decimal; `None` where the unscaled number is missing, or has more than 16 bytes.
pub(crate) fn put_form(value: &[u8], out: &mut Vec<u8>) -> Option<()> {
    let (scale, unscaled) = value.split_first_chunk::<SCALE_BYTES>()?;
    let (is_negative, magnitude) = signed(unscaled)?;
    if magnitude == 0 {
        out.push(POSITIVE);
        return Some(());
    }
    let mut digits = decimal_digits(magnitude);
    // The number is 0.DIGITS times 100 to the power of the exponent.
    let point = digits.len() as i64 - i64::from(i32::from_be_bytes(*scale));
    if point % 2 != 0 {
        digits.insert(0, 0);
    }
    if !digits.len().is_multiple_of(2) {
        digits.push(0);
    }
    let exponent = i32::try_from((point + 1).div_euclid(2)).ok()?;
    put_exponent(is_negative, exponent, out);
    put_pairs(is_negative, &digits, out);
    Some(())
}

/// Sign and magnitude of a number of any length, if it fits.
fn signed(bytes: &[u8]) -> Option<(bool, u128)> {
    let is_negative = bytes.first()? & 0x80 != 0;
    let fill = if is_negative { 0xFF } else { 0x00 };
    let cut = bytes.len().saturating_sub(16);
    let (extension, number) = bytes.split_at(cut);
    // Whatever does not fit has to repeat the sign.
    let fits = extension.iter().all(|byte| *byte == fill) && (cut == 0 || (number.first()? ^ fill) & 0x80 == 0);
    if !fits {
        return None;
    }
    let mut whole = [fill; 16];
    whole.get_mut(16 - number.len()..)?.copy_from_slice(number);
    Some((is_negative, i128::from_be_bytes(whole).unsigned_abs()))
}

fn decimal_digits(mut magnitude: u128) -> SmallVec<[u8; 48]> {
    let mut digits = SmallVec::new();
    while magnitude > 0 {
        digits.push((magnitude % 10) as u8);
        magnitude /= 10;
    }
    digits.reverse();
    digits
}

fn put_exponent(is_negative: bool, exponent: i32, out: &mut Vec<u8>) {
    let modulated = if is_negative { -exponent } else { exponent };
    let count = 4 - modulated.unsigned_abs().leading_zeros() as usize / 8;
    let length = if modulated < 0 { EXPONENT - count as u8 } else { EXPONENT + count as u8 };
    out.push(length + if is_negative { NEGATIVE } else { POSITIVE });
    out.extend(modulated.to_be_bytes().iter().skip(4 - count));
}

/// The digits of a number below zero are those of what is missing to one, after the first pair was rounded down.
fn put_pairs(is_negative: bool, digits: &[u8], out: &mut Vec<u8>) {
    let significant = digits.len() - digits.iter().rev().take_while(|digit| **digit == 0).count();
    let last = significant.div_ceil(2).saturating_sub(1);
    for (at, pair) in digits.chunks_exact(2).take(last + 1).enumerate() {
        let pair = pair.iter().fold(0, |number, digit| 10 * number + digit);
        out.push(match (is_negative, at == 0, at == last) {
            (false, ..) => PAIR + pair,
            (true, true, true) => PAIR - pair,
            (true, true, false) => PAIR - pair - 1,
            (true, false, true) => PAIR + 100 - pair,
            (true, false, false) => PAIR + 99 - pair,
        });
    }
    out.push(END);
}
