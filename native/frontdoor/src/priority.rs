// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Priority over the JVM's threads: a read that is ready does not wait until each of those had its turn on a core.

use std::thread;

use rustix::process::setpriority_process;

/// The kernel gives such a thread nine times the share of a thread of niceness 0: a busy loop is ahead of many Java
/// threads, and starves none of them (`sched_prio_to_weight` of Linux).
const NICENESS: i32 = -10;

/// Gives the calling thread priority, and says whether the system lets it.
pub(crate) fn raise() -> bool {
    // To Linux, no process means the calling thread alone.
    setpriority_process(None, NICENESS).is_ok()
}

/// Whether the system lets threads of this process raise their priority.
pub(crate) fn can_be_raised() -> bool {
    thread::scope(|scope| scope.spawn(raise).join().unwrap_or(false))
}

#[cfg(test)]
mod tests {
    use rustix::process::getpriority_process;

    use super::*;

    #[test]
    fn the_thread_alone_is_raised_where_that_is_allowed() {
        let before = getpriority_process(None);
        let inside = thread::scope(|scope| scope.spawn(|| (raise(), getpriority_process(None))).join());
        let expected = if can_be_raised() { (true, Ok(NICENESS)) } else { (false, before) };
        assert!(inside.is_ok_and(|inside| inside == expected));
        assert_eq!(getpriority_process(None), before);
    }
}
