// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Has nodes collect their garbage while a load runs.

use std::sync::mpsc::{channel, RecvTimeoutError, Sender};
use std::thread::JoinHandle;
use std::time::Duration;

use crate::observe::collect_garbage;

/// Has every node collect its whole heap, over and over, until it is stopped or dropped.
pub struct Collector {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<usize>>,
}

impl Collector {
    /// Starts, with `every` between two collections.
    pub fn start(pids: Vec<i32>, every: Duration) -> Self {
        let (stop, stopped) = channel();
        let collect = move || {
            let mut collections = 0;
            while stopped.recv_timeout(every) == Err(RecvTimeoutError::Timeout) {
                collections += pids.iter().filter(|pid| collect_garbage(**pid)).count();
            }
            collections
        };
        let thread = std::thread::Builder::new().name("collect".to_owned()).spawn(collect);
        Self { stop: Some(stop), thread: thread.ok() }
    }

    /// How many collections there were.
    pub fn stop(mut self) -> usize {
        self.end()
    }

    fn end(&mut self) -> usize {
        drop(self.stop.take());
        self.thread.take().and_then(|thread| thread.join().ok()).unwrap_or_default()
    }
}

impl Drop for Collector {
    fn drop(&mut self) {
        self.end();
    }
}
