// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Reads from the log of stock senders how each sstable went: as a whole file, or as sections of the wanted ranges.
//!
//! Cassandra counts the bytes of both together; only its DEBUG log tells them apart. The lines are those of
//! `CassandraEntireSSTableStreamWriter`, `CassandraStreamWriter` and `CassandraCompressedStreamWriter` in Cassandra 5.0.

use super::shares::Shares;

/// Loggers that have to be at DEBUG on senders.
pub const LOGGERS: &str = "org.apache.cassandra.db.streaming";

/// The sstables of one keyspace that went in one of these plans.
pub fn shares(log: &str, plans: &[String], keyspace: &str) -> Shares {
    let mut shares = Shares::default();
    for line in log.lines().filter(|line| plans.iter().any(|plan| line.contains(plan.as_str()))) {
        if let Some(bytes) = started(line, "Start streaming sstable ", keyspace) {
            shares.whole_files += 1;
            shares.whole_bytes = shares.whole_bytes.saturating_add(bytes);
        } else if let Some(bytes) = started(line, "Start streaming file ", keyspace) {
            shares.cut_files += 1;
            shares.cut_bytes = shares.cut_bytes.saturating_add(bytes);
        }
    }
    shares
}

/// `... WORDS/path/KEYSPACE/table-id/file to /peer, repairedAt = 0, totalSize = SIZE`
fn started(line: &str, words: &str, keyspace: &str) -> Option<u64> {
    let (_, rest) = line.split_once(words)?;
    let (path, _) = rest.split_once(" to ")?;
    let of_keyspace = path.split('/').any(|part| part == keyspace);
    let (_, size) = rest.rsplit_once("totalSize = ")?;
    size_bytes(size.trim()).filter(|_| of_keyspace)
}

/// `123`, `123B` or, rounded to three digits behind the point, `1.234MiB`.
fn size_bytes(text: &str) -> Option<u64> {
    const UNITS: [&str; 5] = ["B", "KiB", "MiB", "GiB", "TiB"];
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let power = if unit.is_empty() { 0 } else { UNITS.iter().position(|known| *known == unit)? };
    let bytes = number.parse::<f64>().ok()? * f64::from(1024_u32.pow(u32::try_from(power).ok()?.min(3)));
    Some((bytes * if power == 4 { 1024.0 } else { 1.0 }).round() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use lab_testkit::spoilt::spoilt;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn arbitrary_text_never_panics(text in spoilt(vec![TWICE.into()])) {
            let shares = shares(&String::from_utf8_lossy(&text), &["#8e".to_owned()], "ks");
            prop_assert!(shares.whole_bytes <= shares.bytes());
        }
    }

    const TWICE: &str = "#8e Start streaming sstable /ks/t/f to /a, totalSize = 999999999TiB\n\
        #8e Start streaming file /ks/t/f to /a, totalSize = 18446744073709551615\n\
        #8e Start streaming sstable /ks/t/f to /a, totalSize = 18446744073709551615\n";
    const PLAN: &str = "8e14e7f0-0000-1000-8000-000000000001";

    #[test]
    fn whole_and_cut_sstables_of_the_plan_are_told_apart() {
        let log = "\
            DEBUG [NettyStreaming-Outbound-/127.0.0.4:2] 2026-01-01 00:00:00,000 X.java:69 - [Stream #8e14e7f0-0000-1000-8000-000000000001] \
            Start streaming sstable /d/data/lab_stream/test-1/da-1-bti-Data.db to /127.0.0.4:7000, repairedAt = 0, totalSize = 1.500MiB\n\
            DEBUG [N] 2026-01-01 00:00:00,000 Y.java:62 - [Stream #8e14e7f0-0000-1000-8000-000000000001] \
            Start streaming file /d/data/lab_stream/test-1/da-2-bti-Data.db to /127.0.0.4:7000, repairedAt = 0, totalSize = 524288\n\
            DEBUG [N] 2026-01-01 00:00:00,000 Y.java:62 - [Stream #8e14e7f0-0000-1000-8000-000000000001] \
            Finished streaming file /d/data/lab_stream/test-1/da-2-bti-Data.db to /127.0.0.4:7000, bytesTransferred = 512.000KiB, totalSize = 512.000KiB\n\
            DEBUG [N] 2026-01-01 00:00:00,000 Y.java:62 - [Stream #8e14e7f0-0000-1000-8000-000000000001] \
            Start streaming file /d/data/system_auth/roles-1/da-2-bti-Data.db to /127.0.0.4:7000, repairedAt = 0, totalSize = 99\n\
            DEBUG [N] 2026-01-01 00:00:00,000 Y.java:62 - [Stream #00000000-0000-1000-8000-000000000001] \
            Start streaming file /d/data/lab_stream/test-1/da-3-bti-Data.db to /127.0.0.4:7000, repairedAt = 0, totalSize = 7\n";
        let shares = shares(log, &[PLAN.to_owned()], "lab_stream");
        assert_eq!((shares.whole_files, shares.whole_bytes), (1, 3 << 19));
        assert_eq!((shares.cut_files, shares.cut_bytes), (1, 1 << 19));
        assert_eq!(shares.whole_percent(), Some(75.0));
    }

    #[test]
    fn sizes_are_cassandras() {
        assert_eq!(
            ["0B", "17", "1.000KiB", "2.500GiB", "1.000TiB"].map(size_bytes),
            [Some(0), Some(17), Some(1024), Some(5 << 29), Some(1 << 40)]
        );
        assert_eq!(["", "x", "1.0 furlong"].map(size_bytes), [None; 3]);
    }
}
