// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Packets wait in a queue of the kernel, and a thread of this process lets each pass when its time has come.

use std::collections::VecDeque;
use std::io::ErrorKind;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use anyhow::{anyhow, Context, Result};
use nfq::{Message, Queue};
use thread_priority::{
    set_thread_priority_and_policy, thread_native_id, RealtimeThreadSchedulePolicy, ThreadPriority,
    ThreadSchedulePolicy,
};

/// The queue cannot be waited for with a limit: it is asked so often, and a packet may be so much too late.
const LOOK_EVERY: Duration = Duration::from_micros(500);
/// Beyond it, packets pass undelayed.
const MOST_HELD: u32 = 1 << 20;
/// Of no cluster.
const PROBE: u16 = 0;

/// A delay while it lasts.
#[derive(Debug)]
#[must_use]
pub struct Delaying {
    over: Arc<AtomicBool>,
    thread: Option<JoinHandle<Result<()>>>,
}

/// Why packets cannot be queued here; nothing when they can.
pub(super) fn able() -> Result<()> {
    open(PROBE).map(drop)
}

impl Delaying {
    pub(super) fn begin(number: u16, delay: Duration) -> Result<Self> {
        let queue = open(number)?;
        let over = Arc::new(AtomicBool::new(false));
        let ends = Arc::clone(&over);
        let thread = thread::Builder::new().name("delay".to_owned()).spawn(move || hold(queue, delay, &ends))?;
        Ok(Self { over, thread: Some(thread) })
    }

    /// Ends it: what is held passes now.
    ///
    /// # Errors
    /// It had ended before by itself, and packets passed undelayed since.
    pub fn end(mut self) -> Result<()> {
        self.stop()
    }

    fn stop(&mut self) -> Result<()> {
        self.over.store(true, Ordering::Release);
        let Some(thread) = self.thread.take() else { return Ok(()) };
        let held = thread.join().map_err(|_| anyhow!("the thread that delays packets ended with a panic"))?;
        held.context("packets were no longer delayed")
    }
}

impl Drop for Delaying {
    fn drop(&mut self) {
        let _ = self.stop();
    }
}

/// Only the packets' numbers are copied, and large ones are not split.
fn open(number: u16) -> Result<Queue> {
    let opened = || -> std::io::Result<Queue> {
        let mut queue = Queue::open()?;
        queue.bind(number)?;
        queue.set_copy_range(number, 0)?;
        queue.set_recv_gso(number, true)?;
        queue.set_queue_max_len(number, MOST_HELD)?;
        queue.set_fail_open(number, true)?;
        queue.set_nonblocking(true);
        Ok(queue)
    };
    opened().with_context(|| {
        format!("cannot open queue {number} of packets: it takes root and CONFIG_NETFILTER_NETLINK_QUEUE in the kernel")
    })
}

fn hold(mut queue: Queue, delay: Duration, over: &AtomicBool) -> Result<()> {
    // As the client has it, who would otherwise keep this thread from its turn; where the system refuses, packets are later.
    let policy = ThreadSchedulePolicy::Realtime(RealtimeThreadSchedulePolicy::Fifo);
    let _ = set_thread_priority_and_policy(thread_native_id(), ThreadPriority::Min, policy);
    let mut held: VecDeque<(Instant, Message)> = VecDeque::new();
    while !over.load(Ordering::Acquire) {
        while let Some(message) = next(&mut queue)? {
            held.push_back((Instant::now() + delay, message));
        }
        let now = Instant::now();
        while held.front().is_some_and(|(due, _)| *due <= now) {
            held.pop_front().map_or(Ok(()), |(_, message)| queue.verdict(message))?;
        }
        let due = held.front().map_or(LOOK_EVERY, |(due, _)| due.saturating_duration_since(Instant::now()));
        thread::sleep(due.min(LOOK_EVERY));
    }
    held.into_iter().try_for_each(|(_, message)| queue.verdict(message))?;
    Ok(())
}

/// The next packet that is there already.
fn next(queue: &mut Queue) -> Result<Option<Message>> {
    loop {
        match queue.recv() {
            Ok(message) => return Ok(Some(message)),
            Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(None),
            // The answer to a packet that is gone meanwhile.
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::Interrupted) => {}
            Err(error) => return Err(error).context("the queue of packets"),
        }
    }
}
