// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Follows the GC log of a JVM (`-Xlog:gc*:file=...`) while it grows.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use regex::Regex;
use serde::{Deserialize, Serialize};

/// Unified logging's line at the end of a pause: `GC(3) Pause Young (Normal) (G1 Evacuation Pause) 78M->4M(128M) 3.656ms`.
static PAUSE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"GC\(\d+\) Pause [^\n]*?(?:(\d+)([BKMG])->(\d+)([BKMG])\(\d+[BKMG]\) )?([0-9.]+)ms\s*$").ok()
});

/// Totals of the collections since the log began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GcTotals {
    /// Pauses that stopped all threads.
    pub pauses: u64,
    /// Their time together, in seconds.
    pub pause_s: f64,
    /// The longest of them.
    pub longest_pause_s: f64,
    /// Bytes allocated on the heap up to the last collection; `None` when the collector logs no sizes with its pauses.
    pub allocated_bytes: Option<u64>,
    /// Bytes in use after the last collection.
    pub used_bytes: u64,
}

/// Follows one GC log over rotation, truncation and the server's restart (totals go on counting).
#[derive(Debug)]
pub struct GcLog {
    path: PathBuf,
    file: Option<File>,
    partial: Vec<u8>,
    totals: GcTotals,
}

impl GcLog {
    /// Will follow that file; it need not be there yet.
    pub fn follow(path: &Path) -> Self {
        let totals = GcTotals { allocated_bytes: Some(0), ..GcTotals::default() };
        Self { path: path.to_owned(), file: None, partial: Vec::new(), totals }
    }

    /// Reads what was added. `None` as long as there is no such file.
    pub fn totals(&mut self) -> Option<GcTotals> {
        self.read_open_file();
        if self.has_moved_on() {
            self.file = File::open(&self.path).ok();
            self.partial.clear();
            self.read_open_file();
        }
        self.file.as_ref().map(|_| self.totals)
    }

    /// The JVM rotates by renaming: the open handle then still reads the old file to its end.
    fn has_moved_on(&self) -> bool {
        let Some(file) = &self.file else { return true };
        match (file.metadata(), std::fs::metadata(&self.path)) {
            (Ok(open), Ok(named)) => (open.dev(), open.ino()) != (named.dev(), named.ino()),
            _ => false,
        }
    }

    fn read_open_file(&mut self) {
        let Some(file) = &mut self.file else { return };
        let at = file.stream_position().unwrap_or(0);
        if file.metadata().is_ok_and(|metadata| metadata.len() < at) {
            let _ = file.seek(SeekFrom::Start(0));
            self.partial.clear();
        }
        let mut text = std::mem::take(&mut self.partial);
        let _ = file.read_to_end(&mut text);
        let whole = text.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        self.partial = text.split_off(whole);
        for line in String::from_utf8_lossy(&text).lines() {
            self.take(line);
        }
    }

    fn take(&mut self, line: &str) {
        if line.contains("Using ") && line.contains("[gc") && !line.contains("GC(") {
            // A JVM's first line: a new process starts with an empty heap.
            self.totals.used_bytes = 0;
        }
        let Some(pause) = PAUSE.as_ref().and_then(|pattern| pattern.captures(line)) else { return };
        let pause_s = pause.get(5).and_then(|ms| ms.as_str().parse::<f64>().ok()).unwrap_or(0.0) / 1000.0;
        self.totals.pauses += 1;
        self.totals.pause_s += pause_s;
        self.totals.longest_pause_s = self.totals.longest_pause_s.max(pause_s);
        let size = |number: usize| Some(bytes(pause.get(number)?.as_str(), pause.get(number + 1)?.as_str()));
        match (size(1), size(3)) {
            (Some(before), Some(after)) => {
                let grown = before.saturating_sub(self.totals.used_bytes);
                self.totals.allocated_bytes = self.totals.allocated_bytes.map(|sum| sum.saturating_add(grown));
                self.totals.used_bytes = after;
            }
            _ => self.totals.allocated_bytes = None,
        }
    }
}

fn bytes(number: &str, unit: &str) -> u64 {
    let shift = match unit {
        "K" => 10,
        "M" => 20,
        "G" => 30,
        _ => 0,
    };
    number.parse::<u64>().unwrap_or(0).saturating_mul(1 << shift)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::fs;
    use std::io::Write;

    use super::*;
    use lab_testkit::spoilt::spoilt;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn arbitrary_bytes_never_panic(text in spoilt(vec![FIRST.into(), HUGE.into()]), more in spoilt(vec![FIRST.into()])) {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("gc.log");
            fs::write(&path, &text).unwrap();
            let mut log = GcLog::follow(&path);
            let before = log.totals().unwrap();
            fs::OpenOptions::new().append(true).open(&path).unwrap().write_all(&more).unwrap();
            prop_assert!(log.totals().unwrap().pauses >= before.pauses);
        }
    }

    const HUGE: &str =
        "GC(1) Pause 18446744073709551615B->0B(1B) 1.0ms\nGC(2) Pause 18446744073709551615B->0B(1B) 1e99ms\n";
    const FIRST: &str = "[0.036s][info][gc] Using G1\n\
        [2.062s][info][gc,start    ] GC(0) Pause Young (Normal) (G1 Evacuation Pause)\n\
        [2.084s][info][gc,phases   ] GC(0)   Evacuate Collection Set: 19.8ms\n\
        [2.084s][info][gc,metaspace] GC(0) Metaspace: 7717K(7872K)->7717K(7872K) NonClass: 6807K(6912K)->6807K(6912K)\n\
        [2.084s][info][gc          ] GC(0) Pause Young (Normal) (G1 Evacuation Pause) 60M->4M(128M) 20.000ms\n";

    #[test]
    fn allocation_is_what_grew_between_collections() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("gc.log");
        let mut log = GcLog::follow(&path);
        assert_eq!(log.totals(), None);
        fs::write(&path, FIRST).unwrap();
        let first = log.totals().unwrap();
        assert_eq!((first.pauses, first.allocated_bytes, first.used_bytes), (1, Some(60 << 20), 4 << 20));
        let mut file = fs::OpenOptions::new().append(true).open(&path).unwrap();
        write!(file, "[3.0s] GC(1) Pause Remark 54M->34M(128M) 1.5").unwrap();
        assert_eq!(log.totals().unwrap().pauses, 1, "half a line is not a pause yet");
        writeln!(file, "00ms").unwrap();
        let second = log.totals().unwrap();
        assert_eq!((second.pauses, second.allocated_bytes), (2, Some(110 << 20)));
        assert!((second.pause_s - 0.0215).abs() < 1e-9 && (second.longest_pause_s - 0.020).abs() < 1e-9);
    }

    #[test]
    fn a_rotated_log_is_read_to_its_end_and_then_the_new_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("gc.log");
        fs::write(&path, FIRST).unwrap();
        let mut log = GcLog::follow(&path);
        log.totals().unwrap();
        let mut file = fs::OpenOptions::new().append(true).open(&path).unwrap();
        writeln!(file, "[3.0s] GC(1) Pause Young (Normal) 64M->4M(128M) 1.0ms").unwrap();
        fs::rename(&path, folder.path().join("gc.log.0")).unwrap();
        fs::write(&path, "[4.0s] GC(2) Pause Full (System.gc()) 64M->4M(128M) 1.0ms\n").unwrap();
        let totals = log.totals().unwrap();
        assert_eq!((totals.pauses, totals.allocated_bytes), (3, Some(180 << 20)));
    }

    #[test]
    fn a_collector_without_sizes_leaves_allocation_unknown() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("gc.log");
        fs::write(&path, "[1.0s][info][gc,phases] GC(0) Pause Mark Start 0.009ms\n").unwrap();
        let totals = GcLog::follow(&path).totals().unwrap();
        assert_eq!((totals.pauses, totals.allocated_bytes), (1, None));
    }
}
