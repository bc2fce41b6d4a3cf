// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Tells what a long command does: at once what is new; while nothing is, each few seconds on a terminal, in a line that is
//! written over, and a line a minute elsewhere.

mod voice;

use std::sync::mpsc::{channel, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use voice::Voice;

const EVERY: Duration = Duration::from_secs(60);
const EVERY_ON_A_TERMINAL: Duration = Duration::from_secs(3);

/// Tells; safe to share between threads. Silent when dropped.
pub struct Narrator {
    shared: Arc<Shared>,
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

struct Shared {
    voice: Voice,
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
        let voice = Voice::stderr();
        Self::telling(if voice.is_terminal() { EVERY_ON_A_TERMINAL } else { EVERY }, voice)
    }

    /// To nobody.
    pub fn silent() -> Self {
        Self::telling(EVERY, Voice::of(Box::new(std::io::sink()), None))
    }

    fn telling(every: Duration, voice: Voice) -> Self {
        let now = Instant::now();
        let state = State { doing: String::new(), since: now, said: now, end: None };
        let shared = Arc::new(Shared { voice, state: Mutex::new(state) });
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
                telling.voice.status(&line);
            }
        });
        Self { shared, stop: Some(stop), thread: thread.ok() }
    }

    /// Says something now.
    pub fn say(&self, line: &str) {
        self.shared.state().said = Instant::now();
        self.shared.voice.line(line);
    }

    /// What goes on from now on; said when it has gone on for a while.
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
        self.shared.voice.end();
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

    /// Sends each text that is written.
    struct Heard(Sender<String>);

    impl std::io::Write for Heard {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            let _ = self.0.send(String::from_utf8_lossy(bytes).into_owned());
            Ok(bytes.len())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn what_goes_on_is_told_again_and_again_with_the_time_left() {
        let (send, heard) = channel();
        let narrator = Narrator::telling(Duration::from_millis(20), Voice::of(Box::new(Heard(send)), None));
        narrator.left(Some(Duration::from_secs(7200)));
        narrator.doing("filling");
        let mut later = std::iter::from_fn(|| heard.recv_timeout(Duration::from_secs(60)).ok());
        let line = later.find(|line| line.contains("filling")).unwrap();
        assert!(line.contains("filling: for 0 s, about 2.0 h left") || line.contains("about 120 min left"), "{line}");
        narrator.left(Some(Duration::ZERO));
        assert!(later.any(|line| line.contains("longer than expected")));
    }

    #[test]
    fn on_a_terminal_what_goes_on_is_one_line_that_makes_room() {
        let (send, heard) = channel();
        let voice = Voice::of(Box::new(Heard(send)), Some(Box::new(|| 12)));
        voice.status("  filling: for 3 s");
        voice.status("  filling: for 6 s");
        voice.line("round 2 of 6");
        voice.line("round 3 of 6");
        voice.status("short");
        voice.end();
        voice.end();
        drop(voice);
        let erase = "\r\x1b[2K";
        let written: String = heard.iter().collect();
        let status = format!("{erase}  filling: ");
        assert_eq!(written, format!("{status}{status}{erase}round 2 of 6\nround 3 of 6\n{erase}short{erase}"));
    }

    #[test]
    fn times_are_in_words() {
        let seconds = [40, 150, 12_600].map(|seconds| words(Duration::from_secs(seconds)));
        assert_eq!(seconds, ["40 s", "3 min", "3.5 h"]);
    }
}
