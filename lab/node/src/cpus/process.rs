// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Moves a process that runs already to other CPUs.

use std::collections::BTreeSet;

use anyhow::{Context, Result};
use nix::errno::Errno;
use nix::sched::sched_setaffinity;
use nix::unistd::Pid;
use procfs::process::Process;

use super::Cpus;

impl Cpus {
    /// All threads of a process keep to them from now on, and so do those that they start. A process that has ended is left
    /// alone.
    pub fn keep_process(&self, pid: i32) -> Result<()> {
        let (set, mut moved) = (self.set()?, BTreeSet::new());
        loop {
            // A thread that starts another before its own turn hands down the old CPUs: the next pass finds that one.
            let new: Vec<Pid> = threads(pid).filter(|thread| moved.insert(*thread)).collect();
            if new.is_empty() {
                return Ok(());
            }
            for thread in new {
                match sched_setaffinity(thread, &set) {
                    Ok(()) | Err(Errno::ESRCH) => (),
                    refused => refused.with_context(|| format!("process {pid} cannot be moved to CPU {self}"))?,
                }
            }
        }
    }
}

fn threads(pid: i32) -> impl Iterator<Item = Pid> {
    let tasks = Process::new(pid).and_then(|process| process.tasks()).into_iter().flatten().flatten();
    tasks.map(|task| Pid::from_raw(task.tid))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::process::Command;

    use nix::sched::sched_getaffinity;

    use super::*;

    fn allowed(pid: i32) -> Vec<Cpus> {
        let of_thread = |thread| Cpus::from_set(&sched_getaffinity(thread).unwrap()).unwrap();
        threads(pid).map(of_thread).collect()
    }

    #[test]
    fn all_threads_of_a_process_move_and_back() {
        let all = Cpus::of_this_thread().unwrap();
        let one = Cpus::new(all.0.iter().copied().take(1)).unwrap();
        // Three threads, as python has no others.
        let script =
            "import threading, time\nfor _ in range(2): threading.Thread(target=time.sleep, args=(60,)).start()";
        let mut child = Command::new("python3").args(["-c", script]).spawn().unwrap();
        let pid = child.id() as i32;
        while threads(pid).count() < 3 {
            assert_eq!(child.try_wait().unwrap(), None);
            std::thread::yield_now();
        }
        for cpus in [&one, &all] {
            cpus.keep_process(pid).unwrap();
            assert_eq!(allowed(pid), vec![cpus.clone(); 3]);
        }
        child.kill().unwrap();
        child.wait().unwrap();
        one.keep_process(pid).unwrap();
    }
}
