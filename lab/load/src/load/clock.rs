// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The schedule of an open loop, and a timer that is right to microseconds.

use std::os::fd::AsFd;
use std::time::{Duration, Instant};

use anyhow::{ensure, Context, Result};
use nix::sys::time::TimeSpec;
use nix::sys::timerfd::{ClockId, Expiration, TimerFd, TimerFlags, TimerSetTimeFlags};
use tokio::io::AsyncReadExt;
use tokio::net::unix::pipe::Receiver;

use crate::load::Changes;

/// Operation i is due at start + i / rate, unless the rate changes meanwhile.
#[derive(Clone, Debug)]
pub(super) struct Schedule {
    pub(super) start: Instant,
    pub(super) per_s: f64,
    pub(super) changes: Option<Changes>,
}

impl Schedule {
    pub(super) fn due(&self, index: u64) -> Instant {
        match &self.changes {
            None => self.start + Duration::from_secs_f64(index as f64 / self.per_s),
            Some(changes) => self.start + changes.when(index),
        }
    }

    /// How many operations are due by then.
    pub(super) fn due_by(&self, instant: Instant) -> u64 {
        match instant.checked_duration_since(self.start) {
            Some(elapsed) => self.due_in(elapsed) as u64 + 1,
            None => 0,
        }
    }

    /// How many operations are due in so much time.
    pub(super) fn due_within(&self, time: Duration) -> u64 {
        self.due_in(time).ceil() as u64
    }

    fn due_in(&self, time: Duration) -> f64 {
        self.changes.as_ref().map_or(time.as_secs_f64() * self.per_s, |changes| changes.due_at(time))
    }

    /// Operations per second, in the mean until then.
    pub(super) fn mean_per_s(&self, time: Duration) -> f64 {
        match &self.changes {
            Some(changes) if !time.is_zero() => changes.due_at(time) / time.as_secs_f64(),
            _ => self.per_s,
        }
    }
}

/// A timer of the kernel that the driver's own thread waits for with everything else: tokio's timers tick by the
/// millisecond, and a clock thread would cost two wake-ups for each start.
#[derive(Debug)]
pub(super) struct Alarm {
    timer: TimerFd,
    /// The same timer as tokio can wait for it: what can be read are 8 bytes for each time it went off.
    expirations: Receiver,
}

impl Alarm {
    pub(super) fn new() -> Result<Self> {
        let flags = TimerFlags::TFD_NONBLOCK | TimerFlags::TFD_CLOEXEC;
        let timer = TimerFd::new(ClockId::CLOCK_MONOTONIC, flags).context("no timer from the kernel")?;
        let expirations = Receiver::from_owned_fd_unchecked(timer.as_fd().try_clone_to_owned()?)?;
        Ok(Self { timer, expirations })
    }

    /// Returns once `instant` has passed.
    pub(super) async fn until(&mut self, instant: Instant) -> Result<()> {
        let Some(wait) = instant.checked_duration_since(Instant::now()).filter(|wait| !wait.is_zero()) else {
            return Ok(());
        };
        self.timer.set(Expiration::OneShot(TimeSpec::from_duration(wait)), TimerSetTimeFlags::empty())?;
        // Room for more than there is: then tokio knows that all was read.
        let mut count = [0; 16];
        let read = self.expirations.read(&mut count).await?;
        ensure!(read > 0, "the kernel's timer is gone");
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

    use super::*;

    #[test]
    fn operations_are_due_at_start_plus_i_over_rate() {
        let schedule = Schedule { start: Instant::now(), per_s: 40_000.0, changes: None };
        assert_eq!(schedule.due(0), schedule.start);
        assert_eq!(schedule.due(40_000) - schedule.start, Duration::from_secs(1));
        let day = 40_000 * 86_400;
        assert_eq!(schedule.due(day) - schedule.start, Duration::from_secs(86_400), "no drift in a day");
        assert_eq!(schedule.due_within(Duration::from_secs(2)), 80_000);
        assert_eq!(schedule.due_by(schedule.start), 1);
        assert_eq!(schedule.due_by(schedule.start + Duration::from_millis(1)), 41);
    }

    #[test]
    fn the_alarm_is_never_early_and_rings_each_time() {
        let runtime = crate::load::runtime(1).unwrap();
        runtime.block_on(async {
            let mut alarm = Alarm::new().unwrap();
            for wait_us in [0, 50, 300, 2000, 100] {
                let instant = Instant::now() + Duration::from_micros(wait_us);
                alarm.until(instant).await.unwrap();
                assert!(Instant::now() >= instant);
                assert!(instant.elapsed() < Duration::from_secs(30));
            }
        });
    }
}
