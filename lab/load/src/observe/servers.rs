// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Watches servers from the outside: counters on demand, and a sample every second.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::mpsc::{channel, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::{heap_used_bytes, Compactions, GcLog, GcTotals, ProcessReading};

/// A server to watch.
#[derive(Clone, Debug)]
pub struct WatchedServer {
    /// Its name in reports.
    pub name: String,
    /// Its process, when it runs on this machine.
    pub pid: Option<i32>,
    /// Its GC log, when it can be read from here.
    pub gc_log: Option<PathBuf>,
    /// Its compactions, where somebody asks for them.
    pub compactions: Option<Arc<Compactions>>,
}

/// Counters of one server since its start.
#[derive(Clone, Copy, Debug)]
pub struct Reading {
    /// When.
    pub at: Instant,
    /// From `/proc`.
    pub process: ProcessReading,
    /// From the GC log.
    pub gc: Option<GcTotals>,
    /// Compactions that it ran when it was last asked.
    pub compactions: Option<u64>,
    /// Bytes allocated on the heap since the log began, up to now; only where it was asked for ([`Servers::readings_exact`]).
    pub allocated_bytes: Option<u64>,
}

/// One server over one interval.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    /// Start of the interval in seconds since the watch began.
    pub from_s: f64,
    /// Its end.
    pub to_s: f64,
    /// Index into [`Record::nodes`].
    pub node: usize,
    /// CPU seconds used.
    pub cpu_s: Option<f64>,
    /// Resident memory at the end.
    pub resident_bytes: Option<u64>,
    /// Bytes written to block devices.
    pub disk_written_bytes: Option<u64>,
    /// Bytes read from block devices.
    pub disk_read_bytes: Option<u64>,
    /// Seconds in pauses that ended in the interval.
    pub gc_pause_s: Option<f64>,
    /// Number of those pauses.
    pub gc_pauses: Option<u64>,
    /// Bytes allocated, seen when a collection ends: zero in an interval without one.
    pub allocated_bytes: Option<u64>,
    /// Compactions that ran when it was last asked in the interval.
    #[serde(default)]
    pub compactions: Option<u64>,
}

/// The samples of a watch.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Record {
    /// The servers' names.
    pub nodes: Vec<String>,
    /// By time, then by node.
    pub samples: Vec<Sample>,
    /// The values that could not be read, with the server.
    pub absent: Vec<String>,
}

struct Server {
    watched: WatchedServer,
    gc_log: Option<GcLog>,
}

impl Server {
    fn reading(&mut self) -> Reading {
        Reading {
            at: Instant::now(),
            process: self.watched.pid.map(ProcessReading::of).unwrap_or_default(),
            gc: self.gc_log.as_mut().and_then(GcLog::totals),
            compactions: self.watched.compactions.as_ref().and_then(|compactions| compactions.running()),
            allocated_bytes: None,
        }
    }

    /// The log says what was allocated up to the last collection, the JVM what is in use now; both must be of the same
    /// time, so it is tried again when a collection came between.
    fn reading_exact(&mut self) -> Reading {
        let mut reading = self.reading();
        for _ in 0..5 {
            let used = self.watched.pid.and_then(heap_used_bytes);
            let after = self.reading();
            let pauses = |reading: &Reading| reading.gc.map(|gc| gc.pauses);
            let quiet = pauses(&reading) == pauses(&after);
            reading = after;
            if quiet {
                reading.allocated_bytes = reading
                    .gc
                    .zip(used)
                    .and_then(|(gc, used)| Some(gc.allocated_bytes? + used.saturating_sub(gc.used_bytes)));
                break;
            }
        }
        reading
    }
}

/// Watches servers from a thread of its own until it is stopped or dropped; may be shared between threads.
pub struct Servers {
    servers: Arc<Vec<Mutex<Server>>>,
    samples: Arc<Mutex<Vec<Sample>>>,
    started: Instant,
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Servers {
    /// Starts to watch, one sample of each server every `every`. Reads as far as the rights of this process go and never fails.
    pub fn watch(nodes: Vec<WatchedServer>, every: Duration) -> Self {
        let servers: Vec<_> = nodes
            .into_iter()
            .map(|watched| Mutex::new(Server { gc_log: watched.gc_log.as_deref().map(GcLog::follow), watched }))
            .collect();
        let (servers, samples) = (Arc::new(servers), Arc::new(Mutex::new(Vec::new())));
        let (stop, stopped) = channel();
        let started = Instant::now();
        let thread = std::thread::Builder::new().name("observe".to_owned()).spawn({
            let (servers, samples) = (Arc::clone(&servers), Arc::clone(&samples));
            move || {
                let mut before: Vec<Reading> = servers.iter().map(|server| locked(server).reading()).collect();
                let mut next = started + every;
                while stopped.recv_timeout(next.saturating_duration_since(Instant::now()))
                    == Err(RecvTimeoutError::Timeout)
                {
                    for (node, server) in servers.iter().enumerate() {
                        let after = locked(server).reading();
                        if let Some(before) = before.get_mut(node) {
                            locked(&samples).push(sample(node, started, before, &after));
                            *before = after;
                        }
                    }
                    next += every;
                }
            }
        });
        Self { servers, samples, started, stop: Some(stop), thread: thread.ok() }
    }

    /// When the watch began: zero of the samples' times.
    pub fn started(&self) -> Instant {
        self.started
    }

    /// Counters of all servers, in their order; cheap.
    pub fn readings(&self) -> Vec<Reading> {
        self.servers.iter().map(|server| locked(server).reading()).collect()
    }

    /// The same with the heap asked of each local JVM, so that the difference of two readings is exact; half a second each.
    pub fn readings_exact(&self) -> Vec<Reading> {
        self.servers.iter().map(|server| locked(server).reading_exact()).collect()
    }

    /// The server has a new process: it was started again.
    pub fn restarted(&self, node: usize, pid: Option<i32>) {
        if let Some(server) = self.servers.get(node) {
            locked(server).watched.pid = pid;
        }
    }

    /// The samples so far.
    pub fn record(&self) -> Record {
        let nodes = self.servers.iter().map(|server| locked(server).watched.name.clone()).collect();
        Record { nodes, samples: locked(&self.samples).clone(), absent: self.absent() }
    }

    /// Stops the watch.
    pub fn stop(mut self) -> Record {
        self.end();
        self.record()
    }

    fn absent(&self) -> Vec<String> {
        let mut absent = BTreeSet::new();
        for server in self.servers.iter() {
            let mut server = locked(server);
            let (name, reading) = (server.watched.name.clone(), server.reading());
            if server.watched.pid.is_none() {
                absent.insert(format!("{name}: CPU, memory and disk writes (not a process of this machine)"));
            } else if reading.process.disk_written_bytes.is_none() {
                absent.insert(format!("{name}: disk writes (its /proc/PID/io may not be read, or it ended)"));
            }
            if server.watched.compactions.is_some() && reading.compactions.is_none() {
                absent
                    .insert(format!("{name}: compactions (its virtual tables may not be read, or it did not answer)"));
            }
            match reading.gc {
                None => absent.insert(format!("{name}: GC pauses and allocation (no GC log here)")),
                Some(GcTotals { allocated_bytes: None, .. }) => {
                    absent.insert(format!("{name}: allocation (its collector logs no sizes)"))
                }
                Some(_) => false,
            };
        }
        absent.into_iter().collect()
    }

    fn end(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Drop for Servers {
    fn drop(&mut self) {
        self.end();
    }
}

/// A panic elsewhere leaves counters, not a broken invariant.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn sample(node: usize, started: Instant, before: &Reading, after: &Reading) -> Sample {
    // A restarted process counts from zero again: its first interval is what it has.
    let grown = |was: Option<u64>, is: Option<u64>| Some(is?.checked_sub(was?).unwrap_or(is?));
    let gc = before.gc.zip(after.gc);
    Sample {
        from_s: (before.at - started).as_secs_f64(),
        to_s: (after.at - started).as_secs_f64(),
        node,
        cpu_s: before.process.cpu_s.zip(after.process.cpu_s).map(|(was, is)| if is < was { is } else { is - was }),
        resident_bytes: after.process.resident_bytes,
        disk_written_bytes: grown(before.process.disk_written_bytes, after.process.disk_written_bytes),
        disk_read_bytes: grown(before.process.disk_read_bytes, after.process.disk_read_bytes),
        gc_pause_s: gc.map(|(was, is)| is.pause_s - was.pause_s),
        gc_pauses: gc.map(|(was, is)| is.pauses - was.pauses),
        allocated_bytes: gc.and_then(|(was, is)| grown(was.allocated_bytes, is.allocated_bytes)),
        compactions: after.compactions,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_watch_samples_and_says_what_it_cannot_see() {
        let here = WatchedServer {
            name: "here".to_owned(),
            pid: Some(std::process::id() as i32),
            gc_log: None,
            compactions: None,
        };
        let far = WatchedServer { name: "far".to_owned(), pid: None, gc_log: None, compactions: None };
        let servers = Servers::watch(vec![here, far], Duration::from_millis(20));
        std::thread::sleep(Duration::from_millis(1500));
        let record = servers.stop();
        let mine: Vec<_> = record.samples.iter().filter(|sample| sample.node == 0).collect();
        assert!(mine.len() >= 2 && mine.iter().all(|sample| sample.cpu_s.is_some() && sample.gc_pauses.is_none()));
        assert!(record.samples.iter().filter(|sample| sample.node == 1).all(|sample| sample.cpu_s.is_none()));
        assert!(record.absent.iter().any(|words| words.starts_with("far: CPU")));
        assert!(record.absent.iter().any(|words| words.starts_with("here: GC")));
    }
}
