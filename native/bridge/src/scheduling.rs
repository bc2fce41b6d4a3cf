// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! How soon the kernel runs a thread that has work again.

/// The least that Linux grants, in nanoseconds.
const SHORT_TURN_NANOS: u64 = 100_000;

/// Asks for short turns for the calling thread: from Linux 6.12 on such a thread runs at once when it wakes, before threads
/// with the usual turns of 3 ms, and gets no larger share of the cores (sched(7), EEVDF). Needs no privilege. Older kernels
/// take no notice; where it is forbidden, or the operator has chosen another policy, the thread stays as it is.
pub(crate) fn take_short_turns() {
    let attributes = attributes().filter(|now| now.sched_policy == libc::SCHED_OTHER as u32);
    if let Some(attributes) = attributes {
        let attributes = libc::sched_attr { sched_runtime: SHORT_TURN_NANOS, ..attributes };
        // SAFETY: sched_setattr(2) reads as many bytes as the structure says of itself, and keeps no pointer.
        let _ = unsafe { libc::syscall(libc::SYS_sched_setattr, 0, &attributes, 0) };
    }
}

/// Those of the calling thread.
fn attributes() -> Option<libc::sched_attr> {
    const BYTES: u32 = size_of::<libc::sched_attr>() as u32;
    let mut attributes = libc::sched_attr {
        size: BYTES,
        sched_policy: 0,
        sched_flags: 0,
        sched_nice: 0,
        sched_priority: 0,
        sched_runtime: 0,
        sched_deadline: 0,
        sched_period: 0,
    };
    // SAFETY: sched_getattr(2) writes at most BYTES bytes, the size of the structure, and keeps no pointer.
    let result = unsafe { libc::syscall(libc::SYS_sched_getattr, 0, &mut attributes, BYTES, 0) };
    (result == 0).then_some(attributes)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn policy_and_priority_stay() {
        let before = attributes().unwrap();
        take_short_turns();
        let after = attributes().unwrap();
        assert_eq!((after.sched_policy, after.sched_nice), (before.sched_policy, before.sched_nice));
        // Older kernels show no turns.
        assert!([0, SHORT_TURN_NANOS].contains(&after.sched_runtime));
    }
}
