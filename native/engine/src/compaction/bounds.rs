// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Which files that a compaction does not read may hold older data of a partition.

use crate::raw::LiveFile;

/// The files outside a compaction, asked partition by partition in key order.
pub(super) struct FileBounds {
    /// Ascending by smallest key.
    files: Vec<LiveFile>,
    /// Up to here `files` begin at or before the last partition asked for.
    begun: usize,
    /// Those of them that had not ended before it.
    open: Vec<usize>,
    asked: Vec<u8>,
}

impl FileBounds {
    pub(super) fn new(mut files: Vec<LiveFile>) -> Self {
        files.sort_by(|left, right| left.smallest_key.cmp(&right.smallest_key));
        FileBounds { files, begun: 0, open: Vec::new(), asked: Vec::new() }
    }

    /// The smallest timestamp in files whose keys overlap those of `partition` (a key prefix); `i64::MAX` without such
    /// files, `i64::MIN` where one of them does not tell.
    pub(super) fn smallest_timestamp(&mut self, partition: &[u8]) -> i64 {
        if partition < self.asked.as_slice() {
            self.begun = 0;
            self.open.clear();
        }
        self.asked.clear();
        self.asked.extend_from_slice(partition);
        while let Some(file) = self.files.get(self.begun) {
            let begins_later = file.smallest_key.as_slice() > partition && !file.smallest_key.starts_with(partition);
            if begins_later {
                break;
            }
            self.open.push(self.begun);
            self.begun += 1;
        }
        let files = &self.files;
        let mut smallest = i64::MAX;
        self.open.retain(|&at| {
            let Some(file) = files.get(at).filter(|file| file.largest_key.as_slice() >= partition) else {
                return false;
            };
            smallest = smallest.min(file.min_timestamp.unwrap_or(i64::MIN));
            true
        });
        smallest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(smallest: &str, largest: &str, min_timestamp: Option<i64>) -> LiveFile {
        LiveFile {
            number: 1,
            level: 1,
            file_bytes: 1,
            smallest_key: smallest.as_bytes().to_vec(),
            largest_key: largest.as_bytes().to_vec(),
            min_timestamp,
            ..LiveFile::default()
        }
    }

    #[test]
    fn only_overlapping_files_count() {
        let mut bounds = FileBounds::new(vec![
            file("c1", "e5", Some(7)),
            file("a1", "a9", Some(3)),
            file("b", "z", Some(100)),
            file("g2", "g2", None),
        ]);
        for (partition, expected) in
            [("a", 3), ("b", 100), ("c", 7), ("d", 7), ("e", 7), ("f", 100), ("g", i64::MIN), ("zz", i64::MAX)]
        {
            assert_eq!(bounds.smallest_timestamp(partition.as_bytes()), expected, "{partition}");
        }
        assert_eq!(bounds.smallest_timestamp(b"a"), 3, "backwards too");
    }

    #[test]
    fn a_file_that_ends_or_begins_inside_the_partition_counts() {
        let mut bounds = FileBounds::new(vec![file("a1", "b2", Some(5)), file("b7", "c1", Some(4))]);
        assert_eq!(bounds.smallest_timestamp(b"b"), 4);
        let mut bounds = FileBounds::new(vec![file("a1", "b2", Some(5)), file("b7", "c1", Some(9))]);
        assert_eq!(bounds.smallest_timestamp(b"b"), 5);
    }
}
