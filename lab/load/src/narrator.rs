// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Tells what a long command does: at once what is new, and a line a minute while nothing is, also where the output is no
//! terminal.

use std::sync::mpsc::{channel, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

const EVERY: Duration = Duration::from_secs(60);

type Sink = Box<dyn Fn(&str) + Send + Sync>;

/// Tells; safe to share between threads. Silent when dropped.
pub struct Narrator {
    shared: Arc<Shared>,
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

struct Shared {
    sink: Sink,
    state: Mutex<State>,
}

struct State {
    doing: String,
    since: Instant,
    said: Instant,
    /// When all of it should be over.
    end: Option<Instant>,
}

impl Narrator {
    /// To standard error.
    pub fn new() -> Self {
        Self::telling(EVERY, Box::new(|line| eprintln!("{line}")))
    }

    /// To nobody.
    pub fn silent() -> Self {
        Self::telling(EVERY, Box::new(|_| ()))
    }

    fn telling(every: Duration, sink: Sink) -> Self {
        let now = Instant::now();
        let state = State { doing: String::new(), since: now, said: now, end: None };
        let shared = Arc::new(Shared { sink, state: Mutex::new(state) });
        let (stop, stopped) = channel();
        let telling = Arc::clone(&shared);
        let thread = std::thread::Builder::new().name("narrator".to_owned()).spawn(move || loop {
            let next = telling.state().said + every;
            let wait = next.saturating_duration_since(Instant::now()).max(Duration::from_millis(1));
            if stopped.recv_timeout(wait) != Err(RecvTimeoutError::Timeout) {
                return;
            }
            let mut state = telling.state();
            if state.said + every <= Instant::now() {
                state.said = Instant::now();
                let line = state.line();
                drop(state);
                (telling.sink)(&line);
            }
        });
        Self { shared, stop: Some(stop), thread: thread.ok() }
    }

    /// Says something now.
    pub fn say(&self, line: &str) {
        self.shared.state().said = Instant::now();
        (self.shared.sink)(line);
    }

    /// What goes on from now on; said when it has gone on for a minute.
    pub fn doing(&self, what: &str) {
        let mut state = self.shared.state();
        (state.doing, state.since) = (what.to_owned(), Instant::now());
    }

    /// About how long all of it will still take.
    pub fn left(&self, left: Option<Duration>) {
        self.shared.state().end = left.map(|left| Instant::now() + left);
    }
}

impl Default for Narrator {
    fn default() -> Self {
        Self::new()
    }
}

impl Drop for Narrator {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn line(&self) -> String {
        let since = words(self.since.elapsed());
        let left = self.end.map(|end| match end.checked_duration_since(Instant::now()) {
            Some(left) => format!(", about {} left", words(left)),
            None => ", longer than expected".to_owned(),
        });
        format!("  {}: for {since}{}", self.doing, left.unwrap_or_default())
    }
}

/// A time for people: `40 s`, `12 min`, `3.5 h`.
pub fn words(time: Duration) -> String {
    match time.as_secs() {
        seconds @ 0..=99 => format!("{seconds} s"),
        seconds @ 100..=5999 => format!("{} min", (seconds + 30) / 60),
        seconds => format!("{:.1} h", seconds as f64 / 3600.0),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn what_goes_on_is_told_again_and_again_with_the_time_left() {
        let (send, heard) = channel();
        let send = Mutex::new(send);
        let sink = move |line: &str| drop(send.lock().unwrap().send(line.to_owned()));
        let narrator = Narrator::telling(Duration::from_millis(20), Box::new(sink));
        narrator.left(Some(Duration::from_secs(7200)));
        narrator.doing("filling");
        let line = heard.recv_timeout(Duration::from_secs(60)).unwrap();
        assert!(line.contains("filling: for 0 s, about 2.0 h left") || line.contains("about 120 min left"), "{line}");
        narrator.left(Some(Duration::ZERO));
        let mut later = std::iter::from_fn(|| heard.recv_timeout(Duration::from_secs(60)).ok());
        assert!(later.any(|line| line.contains("longer than expected")));
    }

    #[test]
    fn times_are_in_words() {
        let seconds = [40, 150, 12_600].map(|seconds| words(Duration::from_secs(seconds)));
        assert_eq!(seconds, ["40 s", "3 min", "3.5 h"]);
    }
}
