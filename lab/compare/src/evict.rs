// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Empties the page cache of a table's files while reads run, so that a table of moderate size behaves like one larger
//! than memory: what a server does not cache itself comes from the device.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{channel, RecvTimeoutError, Sender};
use std::thread::JoinHandle;
use std::time::Duration;

use nix::fcntl::{posix_fadvise, PosixFadviseAdvice};

use crate::files::table_files;

/// Between two sweeps: short against the time in which reads would fill the cache again.
const EVERY: Duration = Duration::from_millis(200);

/// Evicts until it is dropped.
pub struct Evictor {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Evictor {
    /// Evicts the files of `keyspace` under these folders. Needs no rights: `posix_fadvise(DONTNEED)`, which leaves pages that
    /// are dirty or mapped by a process.
    pub fn start(folders: Vec<PathBuf>, keyspace: &str) -> Self {
        let (stop, stopped) = channel();
        let keyspace = keyspace.to_owned();
        let thread = std::thread::Builder::new().name("evict".to_owned()).spawn(move || loop {
            folders.iter().flat_map(|folder| table_files(folder, &keyspace)).for_each(|(path, _)| evict(&path));
            if stopped.recv_timeout(EVERY) != Err(RecvTimeoutError::Timeout) {
                return;
            }
        });
        Self { stop: Some(stop), thread: thread.ok() }
    }
}

impl Drop for Evictor {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// A file that a compaction has just deleted needs no eviction.
fn evict(path: &Path) {
    if let Ok(file) = File::open(path) {
        let _ = posix_fadvise(&file, 0, 0, PosixFadviseAdvice::POSIX_FADV_DONTNEED);
    }
}
