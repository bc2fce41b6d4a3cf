// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Work of tests that stays at a step while others go on.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use super::Step;
use crate::error::Result;
use std::sync::mpsc::{channel, Sender};
use std::thread::JoinHandle;
use std::time::Duration;

/// Longer than any work that is not blocked, shorter than the longest window between two syncs.
const TRY_MAX: Duration = Duration::from_secs(50);

/// Work on another thread, paused at a step until [`Paused::end`], or until a test fails.
pub(crate) struct Paused<T> {
    go_on: Sender<()>,
    thread: JoinHandle<Result<T>>,
}

impl<T: Send + 'static> Paused<T> {
    pub(crate) fn at(paused_at: Step, work: impl FnOnce() -> Result<T> + Send + 'static) -> Paused<T> {
        let (go_on, wait) = channel();
        let (reached, is_reached) = channel();
        let thread = std::thread::spawn(move || {
            paused_at.hook().set(Some(Box::new(move |step| {
                if step == paused_at {
                    let _ = reached.send(());
                    let _ = wait.recv();
                }
                Ok(())
            })));
            work()
        });
        is_reached.recv_timeout(TRY_MAX).unwrap();
        Paused { go_on, thread }
    }

    /// Lets the work go on; what came of it.
    pub(crate) fn end(self) -> Result<T> {
        drop(self.go_on);
        self.thread.join().unwrap()
    }
}

/// Runs on a thread of its own what must not block.
pub(crate) fn at_once<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    let (done, is_done) = channel();
    std::thread::spawn(move || done.send(work()));
    is_done.recv_timeout(TRY_MAX).expect("it waits for what takes long")
}
