// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! What the just-in-time compilers of JVMs take, from the CPU times of their threads.

use std::collections::HashMap;

use procfs::process::{Process, Task};
use rustix::process::{setpriority_process, Pid};

/// HotSpot's compiler threads are so called: `C2 CompilerThread0`, of which the kernel keeps 15 bytes.
const NAMES: [&str; 2] = ["C1 Compiler", "C2 Compiler"];

/// Niceness of compilers that come first.
const FIRST: i32 = -20;

/// CPU time of the compiler threads of some processes since each thread's start.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Compilers {
    ticks: HashMap<i32, u64>,
}

impl Compilers {
    /// Reads them now. A process that has ended, or is no JVM, has none.
    pub fn of(pids: &[i32]) -> Self {
        let tasks = pids.iter().filter_map(|pid| Process::new(*pid).ok()?.tasks().ok()).flatten().flatten();
        Self { ticks: tasks.filter_map(|task| compiler_ticks(&task)).collect() }
    }

    /// Lets compilers run before the requests of their JVMs, or as those again; whether the system allows it (root does).
    /// Among the threads of a full load a compiler gets a few percent of a CPU: it takes minutes, and looks as if it rested.
    pub fn put_first(pids: &[i32], first: bool) -> bool {
        let of_process = |pid: &i32| {
            let process = Process::new(*pid).ok()?;
            let niceness = if first { FIRST } else { i32::try_from(process.stat().ok()?.nice).ok()? };
            Some((process.tasks().ok()?, niceness))
        };
        let mut allowed = true;
        for (tasks, niceness) in pids.iter().filter_map(of_process) {
            for (thread, _) in tasks.flatten().filter_map(|task| compiler_ticks(&task)) {
                // A thread that has ended since is none to mourn.
                let refused = |error| error != rustix::io::Errno::SRCH;
                allowed &= !setpriority_process(Pid::from_raw(thread), niceness).is_err_and(refused);
            }
        }
        allowed
    }

    /// CPU time since the other reading, in seconds, to a clock tick (10 ms). HotSpot ends and starts these threads as it needs
    /// them: what one did between the last reading and its end is not seen.
    pub fn cpu_s_since(&self, before: &Self) -> f64 {
        let since =
            |(thread, ticks): (&i32, &u64)| ticks.saturating_sub(before.ticks.get(thread).copied().unwrap_or(0));
        self.ticks.iter().map(since).sum::<u64>() as f64 / procfs::ticks_per_second() as f64
    }
}

fn compiler_ticks(task: &Task) -> Option<(i32, u64)> {
    let stat = task.stat().ok().filter(|stat| NAMES.iter().any(|name| stat.comm.starts_with(name)))?;
    Some((task.tid, stat.utime + stat.stime))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    /// Keeps a core busy for some clock ticks in a thread of this name, and gives what was read of it, in seconds.
    fn busy(name: &str) -> f64 {
        let myself = std::process::id() as i32;
        let work = move || {
            let before = Compilers::of(&[myself]);
            let thread = nix::unistd::gettid().as_raw();
            let ticks = || Process::new(myself).unwrap().task_from_tid(thread).unwrap().stat().unwrap().utime;
            while ticks() < 5 {}
            Compilers::of(&[myself]).cpu_s_since(&before)
        };
        std::thread::Builder::new().name(name.into()).spawn(work).unwrap().join().unwrap()
    }

    /// Niceness of a thread of this name after both changes, and whether they were allowed.
    fn put_first_and_back(name: &str) -> (bool, [i64; 2]) {
        let myself = std::process::id() as i32;
        let work = move || {
            let thread = nix::unistd::gettid().as_raw();
            let mut allowed = true;
            let seen = [true, false].map(|first| {
                allowed &= Compilers::put_first(&[myself], first);
                Process::new(myself).unwrap().task_from_tid(thread).unwrap().stat().unwrap().nice
            });
            (allowed, seen)
        };
        std::thread::Builder::new().name(name.into()).spawn(work).unwrap().join().unwrap()
    }

    #[test]
    fn only_compilers_come_first_and_then_run_as_their_process_again() {
        let own = Process::myself().unwrap().stat().unwrap().nice;
        let (allowed, seen) = put_first_and_back("C1 CompilerThread0");
        assert_eq!(seen, if allowed { [i64::from(FIRST), own] } else { [own, own] });
        assert_eq!(put_first_and_back("C3 CompilerThread0").1, [own, own]);
    }

    #[test]
    fn only_compiler_threads_count() {
        assert!(busy("C2 CompilerThread0") > 0.0);
        assert_eq!(busy("C3 CompilerThread0"), 0.0);
        assert_eq!(Compilers::of(&[i32::MAX]), Compilers::default());
    }
}
