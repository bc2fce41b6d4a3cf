// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Threads for reads that wait for a device, so that no loop does.

use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use super::event_loop::{Done, EventLoop, Given, PeerDone};
use super::lanes::{Lane, Lanes};
use super::priority::{self, Rank};
use crate::answering::{Answering, NoDigest, Unanswered};
use crate::peer::guest::Served;
use crate::protocol::{Framing, Header};
use crate::reason::Reason;
use crate::refusal::Refusal;
use crate::request::{Audition, Identity, PoolVerdict, Pooled};
use crate::rights::prepared::Standing;
use crate::rights::routes::Routes;
use crate::rights::table_reader::Reach;
use crate::statement::PeerSpec;

/// Reads that may wait for the device at a time, for each core: what a device has read is still to be unpacked.
const THREADS_PER_CORE: usize = 4;
/// However many cores there are.
const MAX_THREADS: usize = 64;
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
    fn end(self, verdict: PoolVerdict, answer: Result<Given, Reason>) -> Done {
        let pooled = Pooled { header: self.header, envelope: self.envelope, framing: self.framing, verdict };
        let (slot, connection, request) = (self.slot, self.identity.connection, self.body);
        Done { slot, connection, since: self.since, request, pooled, answer }
    }
}

/// A read of a peer that a loop could not have from memory.
pub(crate) struct PeerJob {
    pub event_loop: Arc<EventLoop>,
    pub slot: usize,
    pub guest: u64,
    pub id: u64,
    pub spec: Arc<PeerSpec>,
    pub contents: Vec<u8>,
    /// Nobody waits for it any longer than that.
    pub budget: Duration,
    pub since: Instant,
}

impl PeerJob {
    fn end(self, served: Served) {
        let (table, since) = (*self.spec.table_id(), self.since);
        let done = PeerDone { slot: self.slot, guest: self.guest, id: self.id, table, since, served };
        self.event_loop.peer_done(done);
    }
}

enum Task {
    Client(Job),
    Peer(PeerJob),
}

impl Task {
    fn lane(&self) -> Lane {
        match self {
            Task::Client(_) => Lane::Clients,
            Task::Peer(_) => Lane::Peers,
        }
    }

    /// For how long it may still wait for a thread.
    fn left(&self) -> Duration {
        let (since, most) = match self {
            Task::Client(job) => (job.since, MAX_WAIT),
            Task::Peer(job) => (job.since, job.budget.min(MAX_WAIT)),
        };
        most.saturating_sub(since.elapsed())
    }

    /// Ends one that has waited for too long.
    fn pass_on(self) {
        match self {
            Task::Client(job) => {
                Arc::clone(&job.event_loop).done(job.end(PoolVerdict::Passed, Err(Reason::PoolBusy)));
            }
            Task::Peer(job) => job.end(Served::Refused(Refusal::Busy)),
        }
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
    waiting: Lanes<Task>,
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
        self.add_task(Task::Client(job))
    }

    /// The same for a peer's read.
    pub(crate) fn add_for_peer(self: &Arc<Self>, job: PeerJob) -> bool {
        self.add_task(Task::Peer(job))
    }

    fn add_task(self: &Arc<Self>, task: Task) -> bool {
        let mut state = self.state();
        if state.is_closed || !state.waiting.has_room(task.lane()) {
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
        state.waiting.push(task.lane(), task);
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

    /// Watches the oldest jobs that wait, until none does.
    fn pass_late_on(&self) {
        let mut state = self.state();
        while !state.is_closed {
            let left = state.waiting.oldest().map(Task::left).min();
            state = match left {
                None => {
                    state.is_watched = false;
                    self.late.wait(state).unwrap_or_else(PoisonError::into_inner)
                }
                Some(Duration::ZERO) => {
                    let late = state.waiting.pop_if(|task| task.left().is_zero());
                    drop(state);
                    late.into_iter().for_each(Task::pass_on);
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
        while let Some(task) = self.next() {
            match task {
                task if task.left().is_zero() => task.pass_on(),
                Task::Client(job) => {
                    let event_loop = Arc::clone(&job.event_loop);
                    event_loop.done(self.answer(job, &mut answering));
                }
                Task::Peer(job) => {
                    let served = self.serve(&job, &mut answering);
                    job.end(served);
                }
            }
        }
    }

    fn next(&self) -> Option<Task> {
        let mut state = self.state();
        state.idle += 1;
        let is_idle = |state: &mut State| state.waiting.is_empty() && !state.is_closed;
        let mut state = self.ready.wait_while(state, is_idle).unwrap_or_else(PoisonError::into_inner);
        state.idle -= 1;
        if state.is_closed {
            return None;
        }
        state.waiting.pop()
    }

    fn answer(&self, job: Job, answering: &mut Answering) -> Done {
        let mut body = Vec::new();
        let request = (job.header.version, job.header.flags, &job.body[..]);
        let answer = match answering.answer(&self.routes, job.identity.login, request, Reach::Files, &mut body) {
            Ok(answer) => Ok(answer),
            Err(Unanswered::Passed(reason) | Unanswered::Wanted(reason, _)) => Err(reason),
            Err(Unanswered::NotInMemory) => Err(Reason::EngineFailure),
        };
        let (verdict, answer) = match answer {
            // The loop asks the other replicas, and then sees to the audition.
            Ok(answer) if answer.quorum.is_some() || answer.prepared.standing() == Standing::Serving => {
                (PoolVerdict::Answered(body), Ok(Given::Read(answer)))
            }
            Ok(answer) => {
                let audition = Audition::of(answer.prepared, job.header, &job.body, &body);
                (audition.map_or(PoolVerdict::Passed, PoolVerdict::Auditioned), Err(Reason::Auditioning))
            }
            Err(reason) => (PoolVerdict::Passed, Err(reason)),
        };
        job.end(verdict, answer)
    }

    fn serve(&self, job: &PeerJob, answering: &mut Answering) -> Served {
        match answering.digest(&self.routes, &job.spec, &job.contents, Reach::Files) {
            Ok(digested) => Served::Digest(digested),
            Err(NoDigest::Refused(refusal)) => Served::Refused(refusal),
            Err(NoDigest::NotInMemory) => Served::Refused(Refusal::EngineFailure),
        }
    }

    /// Drops what waits; returns when all threads have ended.
    pub(crate) fn close(&self) {
        let (threads, usher) = {
            let mut state = self.state();
            state.is_closed = true;
            state.waiting = Lanes::default();
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
