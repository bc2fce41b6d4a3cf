// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The client's turn on its CPUs: what else runs there, such as the kernel's writing back of files, is not to look like the
//! servers' latency. Where the system does not let a thread have its priority, latencies have more of this machine's noise.

use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering};

use rustix::process::setpriority_process;
use thread_priority::{
    set_thread_priority_and_policy, thread_native_id, NormalThreadSchedulePolicy, RealtimeThreadSchedulePolicy,
    ThreadPriority, ThreadSchedulePolicy,
};

/// Of the client's threads at all times.
const NICENESS: i32 = -10;

/// Loads of this process that want real time.
static WANTED: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    static HAS_REAL_TIME: Cell<bool> = const { Cell::new(false) };
}

/// Real time (`SCHED_FIFO`, the lowest of its priorities) for the client's threads, until dropped.
///
/// For an open loop on CPUs of its own: it leaves them idle at times. A closed loop does not, and Linux takes a twentieth of
/// each second from real-time threads that never rest.
pub(super) struct RealTime(());

impl RealTime {
    pub(super) fn begin() -> Self {
        WANTED.fetch_add(1, Ordering::Relaxed);
        Self(())
    }
}

impl Drop for RealTime {
    fn drop(&mut self) {
        WANTED.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Gives a client's thread its niceness.
pub(super) fn raise() {
    let _ = setpriority_process(None, NICENESS);
}

/// Gives the calling thread real time, or takes it away: for each time it wakes up.
pub(super) fn follow() {
    let wanted = WANTED.load(Ordering::Relaxed) > 0;
    if HAS_REAL_TIME.replace(wanted) == wanted {
        return;
    }
    let policy = if wanted {
        ThreadSchedulePolicy::Realtime(RealtimeThreadSchedulePolicy::Fifo)
    } else {
        ThreadSchedulePolicy::Normal(NormalThreadSchedulePolicy::Other)
    };
    let _ = set_thread_priority_and_policy(thread_native_id(), ThreadPriority::Min, policy);
    if !wanted {
        raise();
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use rustix::process::getpriority_process;
    use thread_priority::thread_schedule_policy;

    use super::*;

    fn may_have_real_time() -> bool {
        let fifo = ThreadSchedulePolicy::Realtime(RealtimeThreadSchedulePolicy::Fifo);
        thread::spawn(move || set_thread_priority_and_policy(thread_native_id(), ThreadPriority::Min, fifo).is_ok())
            .join()
            .is_ok_and(|may| may)
    }

    fn policy() -> Option<ThreadSchedulePolicy> {
        thread_schedule_policy().ok()
    }

    #[test]
    fn a_thread_has_real_time_while_a_load_wants_it() {
        let (during, after, niceness) = thread::spawn(|| {
            let real_time = RealTime::begin();
            follow();
            let during = policy();
            drop(real_time);
            follow();
            (during, policy(), getpriority_process(None).ok())
        })
        .join()
        .unwrap_or_default();
        assert_eq!(after, Some(ThreadSchedulePolicy::Normal(NormalThreadSchedulePolicy::Other)));
        if may_have_real_time() {
            assert_eq!(during, Some(ThreadSchedulePolicy::Realtime(RealtimeThreadSchedulePolicy::Fifo)));
            assert_eq!(niceness, Some(NICENESS));
        }
    }
}
