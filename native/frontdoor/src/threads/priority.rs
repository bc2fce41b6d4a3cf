// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Priority over the JVM's threads: a read that is ready does not wait until each of those had its turn on a core.

use std::thread;

use rustix::process::setpriority_process;

/// What a thread is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rank {
    /// It serves many connections, and waits for nothing else.
    Loop,
    /// One of many that read files.
    Reader,
}

impl Rank {
    /// The kernel gives a thread of niceness -10 nine times the share of one of niceness 0 (`sched_prio_to_weight` of
    /// Linux): a busy loop is ahead of many Java threads, and starves none of them. One of -5 has a third of that: all
    /// readers together want more than a core, and neither the loops nor Java are to starve beside them.
    fn niceness(self) -> i32 {
        match self {
            Rank::Loop => -10,
            Rank::Reader => -5,
        }
    }
}

/// Gives the calling thread priority, and says whether the system lets it.
pub(crate) fn raise(rank: Rank) -> bool {
    // To Linux, no process means the calling thread alone.
    setpriority_process(None, rank.niceness()).is_ok()
}

/// Whether the system lets threads of this process raise their priority.
pub(crate) fn can_be_raised() -> bool {
    thread::scope(|scope| scope.spawn(|| raise(Rank::Loop)).join().unwrap_or(false))
}

#[cfg(test)]
mod tests {
    use rustix::process::getpriority_process;

    use super::*;

    #[test]
    fn the_thread_alone_is_raised_where_that_is_allowed() {
        let before = getpriority_process(None);
        for rank in [Rank::Loop, Rank::Reader] {
            let inside = thread::scope(|scope| scope.spawn(|| (raise(rank), getpriority_process(None))).join());
            let expected = if can_be_raised() { (true, Ok(rank.niceness())) } else { (false, before) };
            assert!(inside.is_ok_and(|inside| inside == expected));
        }
        assert_eq!(getpriority_process(None), before);
    }

    #[test]
    fn loops_are_ahead_of_readers_and_these_of_others() {
        assert!(Rank::Loop.niceness() < Rank::Reader.niceness() && Rank::Reader.niceness() < 0);
    }
}
