// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Threads for reads that wait for a device, so that no loop does.

use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use super::event_loop::{Done, EventLoop};
use super::priority::{self, Rank};
use crate::answering::{Answer, Answering, Unanswered};
use crate::protocol::{Framing, Header};
use crate::reason::Reason;
use crate::request::{Audition, Identity, PoolVerdict, Pooled};
use crate::rights::prepared::Standing;
use crate::rights::routes::Routes;
use crate::rights::table_reader::Reach;

/// Reads that may wait for the device at a time, for each core: what a device has read is still to be unpacked.
const THREADS_PER_CORE: usize = 4;
/// However many cores there are.
const MAX_THREADS: usize = 64;
/// Requests that may wait for a thread; Cassandra sheds load by its own rules.
const MAX_WAITING: usize = 1024;
/// A request that has waited longer is Cassandra's.
const MAX_WAIT: Duration = Duration::from_millis(50);

/// A request that a loop could not answer from memory.
pub(crate) struct Job {
    pub event_loop: Arc<EventLoop>,
    pub slot: usize,
    pub identity: Identity,
    pub framing: Framing,
    pub header: Header,
    /// Not compressed.
    pub body: Vec<u8>,
    pub envelope: Vec<u8>,
    pub since: Instant,
}

impl Job {
    fn end(self, verdict: PoolVerdict, answer: Result<Answer, Reason>) -> Done {
        let pooled = Pooled { header: self.header, envelope: self.envelope, framing: self.framing, verdict };
        Done { slot: self.slot, connection: self.identity.connection, since: self.since, pooled, answer }
    }
}

/// How many threads a pool may have on a machine of so many cores.
pub(crate) fn threads_for(cores: usize) -> usize {
    cores.saturating_mul(THREADS_PER_CORE).clamp(THREADS_PER_CORE, MAX_THREADS)
}

/// The threads, which start when they are needed.
pub(crate) struct Pool {
    max_threads: usize,
    state: Mutex<State>,
    ready: Condvar,
    /// For the thread that passes on what has waited for too long.
    late: Condvar,
    routes: Arc<Routes>,
}

#[derive(Default)]
struct State {
    waiting: VecDeque<Job>,
    idle: usize,
    threads: Vec<JoinHandle<()>>,
    /// Passes on what has waited for too long while all the others wait for a device.
    usher: Option<JoinHandle<()>>,
    is_watched: bool,
    is_closed: bool,
}

impl Pool {
    /// * `max_threads` reads that may wait at a time; at least one
    pub(crate) fn new(routes: Arc<Routes>, max_threads: usize) -> Arc<Pool> {
        let max_threads = max_threads.max(1);
        Arc::new(Pool { max_threads, state: Mutex::default(), ready: Condvar::new(), late: Condvar::new(), routes })
    }

    /// Takes a job, unless too many wait.
    pub(crate) fn add(self: &Arc<Self>, job: Job) -> bool {
        let mut state = self.state();
        if state.is_closed || state.waiting.len() >= MAX_WAITING {
            return false;
        }
        if state.idle <= state.waiting.len() && state.threads.len() < self.max_threads {
            // Without another thread the job waits for one of those that run.
            if let Ok(thread) = self.start(state.threads.len()) {
                state.threads.push(thread);
            }
        }
        if state.threads.is_empty() {
            return false;
        }
        let has_thread = state.idle > state.waiting.len();
        state.waiting.push_back(job);
        self.ready.notify_one();
        if !has_thread && !state.is_watched {
            state.is_watched = true;
            if state.usher.is_none() {
                let pool = Arc::clone(self);
                let named = thread::Builder::new().name("cassiterite-door-read-late".to_owned());
                state.usher = named.spawn(move || pool.pass_late_on()).ok();
            }
            self.late.notify_one();
        }
        true
    }

    /// Watches the oldest job that waits, until none does.
    fn pass_late_on(&self) {
        let mut state = self.state();
        while !state.is_closed {
            let left = state.waiting.front().map(|job| MAX_WAIT.saturating_sub(job.since.elapsed()));
            state = match left {
                None => {
                    state.is_watched = false;
                    self.late.wait(state).unwrap_or_else(PoisonError::into_inner)
                }
                Some(Duration::ZERO) => {
                    let job = state.waiting.pop_front();
                    drop(state);
                    if let Some(job) = job {
                        Arc::clone(&job.event_loop).done(job.end(PoolVerdict::Passed, Err(Reason::PoolBusy)));
                    }
                    self.state()
                }
                Some(left) => self.late.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0,
            };
        }
    }

    fn start(self: &Arc<Self>, number: usize) -> io::Result<JoinHandle<()>> {
        let pool = Arc::clone(self);
        thread::Builder::new().name(format!("cassiterite-door-read-{number}")).spawn(move || pool.run())
    }

    fn run(&self) {
        priority::raise(Rank::Reader);
        let mut answering = Answering::default();
        while let Some(job) = self.next() {
            let event_loop = Arc::clone(&job.event_loop);
            event_loop.done(self.answer(job, &mut answering));
        }
    }

    fn next(&self) -> Option<Job> {
        let mut state = self.state();
        state.idle += 1;
        let is_idle = |state: &mut State| state.waiting.is_empty() && !state.is_closed;
        let mut state = self.ready.wait_while(state, is_idle).unwrap_or_else(PoisonError::into_inner);
        state.idle -= 1;
        if state.is_closed {
            return None;
        }
        state.waiting.pop_front()
    }

    fn answer(&self, job: Job, answering: &mut Answering) -> Done {
        let mut body = Vec::new();
        let answer = if job.since.elapsed() > MAX_WAIT {
            Err(Reason::PoolBusy)
        } else {
            let request = (job.header.version, job.header.flags, &job.body[..]);
            match answering.answer(&self.routes, job.identity.login, request, Reach::Files, &mut body) {
                Ok(answer) if answer.quorum.is_some() => Err(Reason::Consistency),
                Ok(answer) => Ok(answer),
                Err(Unanswered::Passed(reason) | Unanswered::Wanted(reason, _)) => Err(reason),
                Err(Unanswered::NotInMemory) => Err(Reason::EngineFailure),
            }
        };
        let (verdict, answer) = match answer {
            Ok(answer) if answer.prepared.standing() == Standing::Serving => (PoolVerdict::Answered(body), Ok(answer)),
            Ok(answer) => {
                let audition = Audition::of(answer.prepared, job.header, &job.body, &body);
                (audition.map_or(PoolVerdict::Passed, PoolVerdict::Auditioned), Err(Reason::Auditioning))
            }
            Err(reason) => (PoolVerdict::Passed, Err(reason)),
        };
        job.end(verdict, answer)
    }

    /// Drops what waits; returns when all threads have ended.
    pub(crate) fn close(&self) {
        let (threads, usher) = {
            let mut state = self.state();
            state.is_closed = true;
            state.waiting.clear();
            (std::mem::take(&mut state.threads), state.usher.take())
        };
        self.ready.notify_all();
        self.late.notify_all();
        for thread in threads.into_iter().chain(usher) {
            let _ = thread.join();
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_threads_grow_with_the_cores() {
        let threads: Vec<usize> = [0, 1, 2, 4, 16, 64].into_iter().map(threads_for).collect();
        assert_eq!(threads, [4, 4, 8, 16, 64, 64]);
    }
}
