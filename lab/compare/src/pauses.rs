// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Has the JVMs of nodes stand still, over and over, while a load runs.

use std::sync::mpsc::{channel, RecvTimeoutError, Sender};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use lab_load::observe::{collect_garbage, count_objects};

/// What a JVM stands still for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// Its heap is collected.
    Collection,
    /// Its objects are counted: one safepoint, as long as the heap is large.
    Count,
}

/// What has been caused.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Caused {
    /// How often.
    pub times: usize,
    /// The longest that a JVM took to do it.
    pub longest_s: f64,
}

/// Goes on until it is ended or dropped.
pub struct Pauses {
    end: Option<Sender<()>>,
    thread: Option<JoinHandle<Caused>>,
}

impl Pauses {
    /// Starts, with `every` between two of them; the first comes after half of it, so that a short load has one.
    pub fn start(pids: Vec<i32>, cause: Cause, every: Duration) -> Self {
        let (end, ended) = channel();
        let run = move || {
            let mut caused = Caused::default();
            let mut wait = every / 2;
            while ended.recv_timeout(wait) == Err(RecvTimeoutError::Timeout) {
                wait = every;
                for pid in &pids {
                    let began = Instant::now();
                    if cause.brings_about(*pid) {
                        caused.times += 1;
                        caused.longest_s = caused.longest_s.max(began.elapsed().as_secs_f64());
                    }
                }
            }
            caused
        };
        let thread = std::thread::Builder::new().name("pauses".to_owned()).spawn(run);
        Self { end: Some(end), thread: thread.ok() }
    }

    /// Ends them; what there were.
    pub fn end(mut self) -> Caused {
        self.join()
    }

    fn join(&mut self) -> Caused {
        drop(self.end.take());
        self.thread.take().and_then(|thread| thread.join().ok()).unwrap_or_default()
    }
}

impl Drop for Pauses {
    fn drop(&mut self) {
        self.join();
    }
}

impl Cause {
    fn brings_about(self, pid: i32) -> bool {
        match self {
            Cause::Collection => collect_garbage(pid),
            Cause::Count => count_objects(pid),
        }
    }
}
