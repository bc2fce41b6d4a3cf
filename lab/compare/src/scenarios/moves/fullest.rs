// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! How full a disk is at the worst moment of some work.

use std::collections::HashSet;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;
use std::time::Duration;

/// Of the same order as the time that a file of some MiB takes to be written.
const POLL: Duration = Duration::from_millis(20);
/// What `st_blocks` counts, whatever the file system's blocks are.
const BLOCK_BYTES: u64 = 512;

/// Runs `work`, and says how many bytes more than before these folders had at the worst moment that was seen.
pub(super) fn growth_while<T>(folders: &[PathBuf], work: impl FnOnce() -> T) -> (T, u64) {
    let (before, done) = (allocated_bytes(folders), AtomicBool::new(false));
    thread::scope(|scope| {
        let watch = scope.spawn(|| {
            let mut most = before;
            while !done.load(Relaxed) {
                most = most.max(allocated_bytes(folders));
                thread::sleep(POLL);
            }
            most.max(allocated_bytes(folders))
        });
        let value = work();
        done.store(true, Relaxed);
        (value, watch.join().unwrap_or(before) - before)
    })
}

/// A file of several links counts once.
fn allocated_bytes(folders: &[PathBuf]) -> u64 {
    let mut seen = HashSet::new();
    folders.iter().map(|folder| allocated_below(folder, &mut seen)).sum()
}

fn allocated_below(folder: &Path, seen: &mut HashSet<(u64, u64)>) -> u64 {
    // Files and folders come and go while a server works.
    let Ok(entries) = std::fs::read_dir(folder) else { return 0 };
    let mut bytes = 0;
    for entry in entries.flatten() {
        let Ok(metadata) = entry.metadata() else { continue };
        if metadata.is_dir() {
            bytes += allocated_below(&entry.path(), seen);
        } else if seen.insert((metadata.dev(), metadata.ino())) {
            bytes += metadata.blocks() * BLOCK_BYTES;
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn what_came_and_went_counts_and_links_count_once() {
        let base = tempfile::tempdir().unwrap();
        let folders = [base.path().to_owned()];
        std::fs::create_dir(base.path().join("a")).unwrap();
        std::fs::write(base.path().join("a/1"), vec![1; 100_000]).unwrap();
        std::fs::hard_link(base.path().join("a/1"), base.path().join("2")).unwrap();
        let before = allocated_bytes(&folders);
        assert!((100_000..200_000).contains(&before), "{before}");
        let ((), growth) = growth_while(&folders, || {
            std::fs::write(base.path().join("3"), vec![1; 300_000]).unwrap();
            thread::sleep(POLL * 10);
            std::fs::remove_file(base.path().join("3")).unwrap();
        });
        assert!((300_000..400_000).contains(&growth), "{growth}");
        assert_eq!(growth_while(&folders, || std::fs::remove_file(base.path().join("2")).unwrap()).1, 0);
    }
}
