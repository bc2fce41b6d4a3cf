// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Samples processes every 25 ms, to tell what they used between two instants of the machine's clock.
//!
//! Samples of one second are too coarse for a streaming of two seconds. The kernel counts CPU in ticks of 10 ms, so the CPU
//! time between two instants is right to some 30 ms.

use std::collections::BTreeMap;
use std::sync::mpsc::{channel, RecvTimeoutError, Sender};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use jiff::Timestamp;

use super::ProcessReading;

const EVERY: Duration = Duration::from_millis(25);
/// Between two searches for new processes.
const RESCAN_EVERY: Duration = Duration::from_millis(250);

/// One reading of one process.
#[derive(Clone, Copy, Debug, PartialEq)]
struct ProcessSample {
    at_unix_ms: f64,
    reading: ProcessReading,
}

/// The most memory that a process had between two instants, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Memory {
    /// All of it that is resident, pages of mapped files included.
    pub resident_bytes: u64,
    /// Memory of the process alone: heap, native allocations, stacks. `None` where the kernel does not say.
    pub anonymous_bytes: Option<u64>,
}

/// A figure of a reading that only grows.
type Counter = fn(&ProcessReading) -> Option<f64>;

/// The samples of all processes.
#[derive(Clone, Debug, Default)]
pub struct ProcessSamples(BTreeMap<i32, Vec<ProcessSample>>);

/// Watches from a thread of its own until it is stopped or dropped.
#[derive(Debug)]
pub struct ProcessSampler {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<ProcessSamples>>,
}

impl ProcessSampler {
    /// Starts to watch. `processes` is asked for the pids again and again, so that processes may come and go; never fails.
    pub fn start(processes: impl Fn() -> Vec<i32> + Send + 'static) -> Self {
        let (stop, stopped) = channel();
        let thread = std::thread::Builder::new().name("sampler".to_owned()).spawn(move || {
            let mut samples = ProcessSamples::default();
            let mut pids = processes();
            let (mut next, mut rescan) = (Instant::now(), Instant::now() + RESCAN_EVERY);
            loop {
                pids.iter().for_each(|pid| samples.read(*pid));
                next = (next + EVERY).max(Instant::now());
                if stopped.recv_timeout(next.saturating_duration_since(Instant::now()))
                    != Err(RecvTimeoutError::Timeout)
                {
                    return samples;
                }
                if Instant::now() > rescan {
                    pids = processes();
                    rescan = Instant::now() + RESCAN_EVERY;
                }
            }
        });
        Self { stop: Some(stop), thread: thread.ok() }
    }

    /// The samples.
    pub fn stop(mut self) -> ProcessSamples {
        self.end().unwrap_or_default()
    }

    fn end(&mut self) -> Option<ProcessSamples> {
        drop(self.stop.take());
        self.thread.take()?.join().ok()
    }
}

impl Drop for ProcessSampler {
    fn drop(&mut self) {
        let _ = self.end();
    }
}

impl ProcessSamples {
    fn read(&mut self, pid: i32) {
        let reading = ProcessReading::of(pid);
        if reading.cpu_s.is_some() {
            self.0.entry(pid).or_default().push(ProcessSample { at_unix_ms: now_unix_ms(), reading });
        }
    }

    /// CPU seconds that a process used between two instants. `None` when it was not there all the time or not watched.
    pub fn cpu_s(&self, pid: i32, from_unix_ms: f64, to_unix_ms: f64) -> Option<f64> {
        self.grown(pid, from_unix_ms, to_unix_ms, |reading| reading.cpu_s)
    }

    /// Bytes that a process caused to be written to block devices between two instants. `None` as for [`Self::cpu_s`].
    pub fn disk_written_bytes(&self, pid: i32, from_unix_ms: f64, to_unix_ms: f64) -> Option<u64> {
        let bytes = |reading: &ProcessReading| reading.disk_written_bytes.map(|bytes| bytes as f64);
        Some(self.grown(pid, from_unix_ms, to_unix_ms, bytes)?.round() as u64)
    }

    /// By how much a counter of a process grew between two instants.
    fn grown(&self, pid: i32, from_unix_ms: f64, to_unix_ms: f64, counter: Counter) -> Option<f64> {
        let samples = self.0.get(&pid)?;
        Some(counted_at(samples, to_unix_ms, counter)? - counted_at(samples, from_unix_ms, counter)?)
    }

    /// The most memory that a process had between two instants; `None` when it was not read between them.
    pub fn peak(&self, pid: i32, from_unix_ms: f64, to_unix_ms: f64) -> Option<Memory> {
        let within = |sample: &&ProcessSample| (from_unix_ms..=to_unix_ms).contains(&sample.at_unix_ms);
        let readings: Vec<_> = self.0.get(&pid)?.iter().filter(within).map(|sample| sample.reading).collect();
        Some(Memory {
            resident_bytes: readings.iter().filter_map(|reading| reading.resident_bytes).max()?,
            anonymous_bytes: readings.iter().filter_map(|reading| reading.anonymous_bytes).max(),
        })
    }

    /// The instants of the first and the last reading of a process.
    pub fn span_unix_ms(&self, pid: i32) -> Option<(f64, f64)> {
        let samples = self.0.get(&pid)?;
        Some((samples.first()?.at_unix_ms, samples.last()?.at_unix_ms))
    }
}

/// Milliseconds since 1970 by the machine's clock, which servers on it also use.
pub fn now_unix_ms() -> f64 {
    Timestamp::now().as_duration().as_secs_f64() * 1e3
}

/// Between two readings a process is taken to have worked evenly.
fn counted_at(samples: &[ProcessSample], at_unix_ms: f64, counter: Counter) -> Option<f64> {
    let after = samples.partition_point(|sample| sample.at_unix_ms < at_unix_ms);
    let (next, before) = (samples.get(after)?, samples.get(after.checked_sub(1)?)?);
    let (was, is) = (counter(&before.reading)?, counter(&next.reading)?);
    let share = (at_unix_ms - before.at_unix_ms) / (next.at_unix_ms - before.at_unix_ms).max(1e-3);
    Some(was + (is - was) * share)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn sample(at_unix_ms: f64, cpu_s: f64, resident_bytes: u64) -> ProcessSample {
        let reading = ProcessReading {
            cpu_s: Some(cpu_s),
            resident_bytes: Some(resident_bytes),
            disk_written_bytes: Some(resident_bytes * 10),
            ..ProcessReading::default()
        };
        ProcessSample { at_unix_ms, reading }
    }

    #[test]
    fn between_readings_work_is_even() {
        let samples = ProcessSamples(BTreeMap::from([(
            7,
            vec![sample(100.0, 1.0, 5), sample(200.0, 2.0, 9), sample(300.0, 2.0, 4)],
        )]));
        assert!((samples.cpu_s(7, 150.0, 250.0).unwrap() - 0.5).abs() < 1e-9);
        assert_eq!(samples.disk_written_bytes(7, 110.0, 160.0), Some(20));
        assert_eq!(samples.peak(7, 90.0, 210.0).unwrap().resident_bytes, 9);
        assert_eq!(samples.peak(7, 210.0, 310.0).unwrap(), Memory { resident_bytes: 4, anonymous_bytes: None });
        assert_eq!(samples.span_unix_ms(7), Some((100.0, 300.0)));
    }

    #[test]
    fn a_process_that_was_not_there_all_the_time_is_unknown() {
        let samples = ProcessSamples(BTreeMap::from([(7, vec![sample(100.0, 1.0, 5), sample(200.0, 2.0, 9)])]));
        assert_eq!(samples.cpu_s(7, 50.0, 150.0), None);
        assert_eq!(samples.cpu_s(7, 150.0, 201.0), None);
        assert_eq!((samples.cpu_s(8, 100.0, 200.0), samples.peak(7, 300.0, 400.0)), (None, None));
    }

    #[test]
    fn this_process_is_seen_at_work() {
        let own = i32::try_from(std::process::id()).unwrap();
        // On a machine that is busy enough the sampler has no turn for a while.
        let (cpu_s, peak) = (0..50).find_map(|_| watch_at_work(own)).unwrap();
        assert!(cpu_s > 0.0);
        assert!(peak.anonymous_bytes.unwrap() > 0);
    }

    fn watch_at_work(own: i32) -> Option<(f64, Memory)> {
        let from = now_unix_ms() + 50.0;
        let sampler = ProcessSampler::start(move || vec![own]);
        let began = Instant::now();
        let mut sum = 0_u64;
        while began.elapsed() < Duration::from_millis(400) {
            sum = std::hint::black_box(sum + 1);
        }
        let to = now_unix_ms() - 50.0;
        let samples = sampler.stop();
        Some((samples.cpu_s(own, from, to)?, samples.peak(own, from, to)?))
    }
}
