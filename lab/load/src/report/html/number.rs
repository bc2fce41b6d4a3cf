// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Formats numbers for people.

/// `12.3 k`, three digits at most.
pub fn plain(value: f64) -> String {
    let (value, unit) = match value.abs() {
        big if big >= 1e9 => (value / 1e9, " G"),
        big if big >= 1e6 => (value / 1e6, " M"),
        big if big >= 1e3 => (value / 1e3, " k"),
        _ => (value, ""),
    };
    format!("{}{unit}", digits(value))
}

/// A time given in milliseconds.
pub fn ms(value: f64) -> String {
    match value {
        0.0 => "0".to_owned(),
        small if small < 0.9995 => format!("{} µs", digits(small * 1e3)),
        large if large >= 999.5 => format!("{} s", digits(large / 1e3)),
        _ => format!("{} ms", digits(value)),
    }
}

/// Bytes, in powers of 1024.
pub fn bytes(value: f64) -> String {
    let units = ["B", "KiB", "MiB", "GiB", "TiB"];
    let (mut value, mut unit) = (value, 0);
    while value.abs() >= 1023.5 && unit + 1 < units.len() {
        (value, unit) = (value / 1024.0, unit + 1);
    }
    format!("{} {}", digits(value), units[unit])
}

/// Percent of something.
pub fn percent(value: f64) -> String {
    format!("{} %", digits(value))
}

/// Three significant digits, without zeros at the end.
pub fn digits(value: f64) -> String {
    let text = match value.abs() {
        big if big >= 99.95 => format!("{value:.0}"),
        middle if middle >= 9.995 => format!("{value:.1}"),
        small if small >= 0.9995 || small == 0.0 => format!("{value:.2}"),
        _ => format!("{value:.3}"),
    };
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_digits_and_a_unit() {
        let written: Vec<_> = [0.0, 0.25, 7.0, 12.34, 999.0, 1500.0, 2_345_678.0].map(plain).into();
        assert_eq!(written, ["0", "0.25", "7", "12.3", "999", "1.5 k", "2.35 M"]);
        assert_eq!([0.05, 1.0, 12.34, 2000.0].map(ms), ["50 µs", "1 ms", "12.3 ms", "2 s"]);
        assert_eq!([512.0, 1536.0, 5e9].map(bytes), ["512 B", "1.5 KiB", "4.66 GiB"]);
    }
}
