// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! A node's system.log from a point in time on: what the node does, and what went wrong.

use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

const MOST_LINES: usize = 24;
const MOST_ENTRIES: usize = 3;
const MOST_CHARACTERS: usize = 400;
const LEVELS: [&str; 5] = ["ERROR ", "WARN ", "INFO ", "DEBUG ", "TRACE "];

/// A log from where it ended when this was made.
#[derive(Clone, Debug)]
pub(super) struct LogSince {
    path: PathBuf,
    from: u64,
}

impl LogSince {
    /// From now on.
    pub fn now(path: PathBuf) -> Self {
        let from = fs::metadata(&path).map_or(0, |metadata| metadata.len());
        Self { path, from }
    }

    /// From its beginning.
    pub fn all(path: PathBuf) -> Self {
        Self { path, from: 0 }
    }

    fn lines(&self) -> Vec<String> {
        let mut text = Vec::new();
        if let Ok(mut file) = File::open(&self.path) {
            let length = file.metadata().map_or(0, |metadata| metadata.len());
            // A log that was rolled over starts again at zero.
            let from = if length < self.from { 0 } else { self.from };
            if file.seek(SeekFrom::Start(from)).is_ok() {
                // A log that cannot be read to its end is shown as far as it can.
                let _ = file.read_to_end(&mut text);
            }
        }
        String::from_utf8_lossy(&text).lines().map(str::to_owned).collect()
    }

    /// The first line that has all of these in it.
    pub fn find(&self, words: &[&str]) -> Option<String> {
        self.lines().into_iter().find(|line| words.iter().all(|word| line.contains(word))).map(|line| message(&line))
    }

    /// What the node said last about its own start.
    pub fn doing(&self) -> Option<String> {
        const STEPS: [&str; 3] = ["StorageService.java", "CassandraDaemon.java", "CommitLog.java"];
        let line = self.lines().into_iter().rev().find(|line| {
            line.starts_with("INFO") && STEPS.iter().any(|step| line.contains(step)) && !line.contains("onfiguration")
        })?;
        Some(message(&line).chars().take(60).collect())
    }

    /// The last ERROR entries with the reasons in their traces; else the last lines of `console`.
    pub fn trouble(&self, console: &Path) -> Vec<String> {
        let errors = errors(&self.lines());
        if !errors.is_empty() {
            return errors;
        }
        let console = fs::read_to_string(console).unwrap_or_default();
        let said: Vec<&str> = console.lines().filter(|line| !line.trim().is_empty()).collect();
        said.iter().rev().take(MOST_LINES / 2).rev().map(|line| clipped(line)).collect()
    }
}

fn errors(lines: &[String]) -> Vec<String> {
    let starts: Vec<usize> = (0..lines.len()).filter(|at| lines[*at].starts_with("ERROR")).collect();
    let mut shown = Vec::new();
    for start in starts.iter().skip(starts.len().saturating_sub(MOST_ENTRIES)) {
        shown.push(clipped(&lines[*start]));
        let rest = lines[start + 1..].iter().take_while(|line| !LEVELS.iter().any(|level| line.starts_with(level)));
        let reasons = rest.enumerate().filter(|(at, line)| *at == 0 || line.starts_with("Caused by"));
        shown.extend(reasons.map(|(_, line)| clipped(line)));
    }
    shown.truncate(MOST_LINES);
    shown
}

fn clipped(line: &str) -> String {
    line.trim_end().chars().take(MOST_CHARACTERS).collect()
}

/// A log line without level, thread, time and place.
fn message(line: &str) -> String {
    line.split_once(" - ").map_or(line, |(_, message)| message).trim().to_owned()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use lab_testkit::spoilt::spoilt;
    use proptest::prelude::*;
    use std::io::Write;

    proptest! {
        #[test]
        fn arbitrary_bytes_never_panic(text in spoilt(vec![NODE_LOG.into()]), from in 0u64..200) {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("system.log");
            fs::write(&path, text).unwrap();
            let since = LogSince { path: path.clone(), from };
            let _ = (since.find(&["a"]), since.doing());
            prop_assert!(since.trouble(&path).len() <= MOST_LINES);
        }
    }

    const NODE_LOG: &str =
        "INFO  [main] StorageService.java:2 - JOINING\nERROR [main] B.java:3 - Fatal\njava.lang.X\nCaused by: y\n";

    #[test]
    fn trouble_is_the_errors_since_then_with_their_reasons() {
        let folder = tempfile::tempdir().unwrap();
        let (log, console) = (folder.path().join("system.log"), folder.path().join("console.log"));
        fs::write(&log, "ERROR [main] 2026-01-01 A.java:1 - of an earlier start\n").unwrap();
        let since = LogSince::now(log.clone());
        fs::write(&console, "\nnode: java is missing\n").unwrap();
        assert_eq!(since.trouble(&console), ["node: java is missing"]);

        let mut file = fs::OpenOptions::new().append(true).open(&log).unwrap();
        writeln!(file, "INFO  [main] 2026-01-01 StorageService.java:2 - JOINING: waiting").unwrap();
        writeln!(file, "ERROR [main] 2026-01-01 B.java:3 - Fatal\njava.lang.X: why\n\tat a.b\nCaused by: deep")
            .unwrap();
        writeln!(file, "WARN  [main] 2026-01-01 C.java:4 - beside").unwrap();
        assert_eq!(
            since.trouble(&console),
            ["ERROR [main] 2026-01-01 B.java:3 - Fatal", "java.lang.X: why", "Caused by: deep"]
        );
        assert_eq!(since.doing().unwrap(), "JOINING: waiting");
        assert_eq!(since.find(&["bes", "C.java"]).unwrap(), "beside");
        assert_eq!(since.find(&["of an earlier start"]), None);
    }

    #[test]
    fn a_log_that_was_rolled_over_is_read_from_its_start() {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("system.log");
        fs::write(&log, "x".repeat(1000)).unwrap();
        let since = LogSince::now(log.clone());
        fs::write(&log, "ERROR [main] D.java:5 - new\n").unwrap();
        assert_eq!(since.trouble(Path::new("/none")).len(), 1);
    }
}
