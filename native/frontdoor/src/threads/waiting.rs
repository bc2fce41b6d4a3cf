// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! How a thread of the door waits for events, and how it ends: when it is told to, or else not silently.

use std::io::{self, ErrorKind, Write};
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::time::Duration;

use mio::{Events, Poll};

use crate::counters::Tally;

/// Waits for events; none after `timeout`, or where a signal came.
///
/// # Errors
/// Those that would come again and again.
pub(crate) fn wait_for_events(poll: &mut Poll, events: &mut Events, timeout: Option<Duration>) -> io::Result<()> {
    match poll.poll(events, timeout) {
        Err(error) if error.kind() == ErrorKind::Interrupted => {
            events.clear();
            Ok(())
        }
        waited => waited,
    }
}

/// Does the work of a thread. Where that ends of itself, it is counted, and the reason is on the console.
pub(crate) fn run_to_the_end(tally: &Tally, work: impl FnOnce() -> io::Result<()>) {
    let reason = match catch_unwind(AssertUnwindSafe(work)) {
        Ok(Ok(())) => return,
        Ok(Err(error)) => error.to_string(),
        Err(_) => "a panic".to_owned(),
    };
    Tally::add(&tally.threads_failed, 1);
    let line = format_args!("cassiterite: a thread of the front door has ended, and its connections with it: {reason}");
    // `eprintln!` would panic where the console is on a full disk.
    let _ = writeln!(io::stderr(), "{line}");
}
