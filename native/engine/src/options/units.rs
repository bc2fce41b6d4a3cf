// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Values with units, written as in cassandra.yaml: `512MiB`, `24MiB/s`, `250ms`.

use std::time::Duration;

const SIZES: &[(&str, u64)] = &[("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10), ("B", 1)];
const TIMES: &[(&str, u64)] = &[("ms", 1), ("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1000)];

/// Bytes of `512MiB` (units B, KiB, MiB, GiB).
pub(super) fn size_bytes(text: &str) -> Option<u64> {
    scaled(text, SIZES)
}

/// Bytes per second of `24MiB/s`; 0 is no limit.
pub(super) fn rate_bytes_per_second(text: &str) -> Option<u64> {
    scaled(text.strip_suffix("/s")?, SIZES)
}

/// `250ms`, `10s`, `5m`, `2h`, `10d`.
pub(super) fn duration(text: &str) -> Option<Duration> {
    scaled(text, TIMES).map(Duration::from_millis)
}

/// A size for RocksDB: as much as there may be where it does not fit.
pub(super) fn to_size(bytes: u64) -> usize {
    usize::try_from(bytes).unwrap_or(usize::MAX)
}

fn scaled(text: &str, units: &[(&str, u64)]) -> Option<u64> {
    let digits = text.find(|c: char| !c.is_ascii_digit())?;
    let (number, unit) = text.split_at(digits);
    let (_, scale) = units.iter().find(|(name, _)| *name == unit)?;
    number.parse::<u64>().ok()?.checked_mul(*scale)
}

/// The shortest way to write a size.
pub(super) fn show_size(bytes: u64) -> String {
    let whole = SIZES.iter().find(|(_, scale)| bytes >= *scale && bytes.is_multiple_of(*scale));
    whole.map_or_else(|| format!("{bytes}B"), |(name, scale)| format!("{}{name}", bytes / scale))
}

/// The shortest way to write a duration.
pub(super) fn show_duration(duration: Duration) -> String {
    let ms = u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
    let order = ["d", "h", "m", "s"];
    let whole = order
        .iter()
        .filter_map(|unit| TIMES.iter().find(|(name, _)| name == unit))
        .find(|(_, scale)| ms >= *scale && ms % scale == 0);
    whole.map_or_else(|| format!("{ms}ms"), |(name, scale)| format!("{}{name}", ms / scale))
}
