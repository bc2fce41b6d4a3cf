// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! A node's process: whether a remembered pid still is that node's, and how it ends.

use std::collections::HashSet;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{bail, ensure, Result};
use nix::sys::signal::{kill, Signal};
use nix::unistd::Pid;

/// What a node's command line has before its folder.
const STORAGE: &[u8] = b"-Dcassandra.storagedir=";
const POLL: Duration = Duration::from_millis(100);
/// A node that drains a large memtable takes its time.
const TERMINATE_LIMIT: Duration = Duration::from_secs(60);
const KILL_LIMIT: Duration = Duration::from_secs(20);

/// Whether `pid` is the node that keeps everything in `base`. Pids are used again, and a dead child that nobody has
/// waited for still has one: only the command line says.
pub(super) fn is_node(pid: i32, base: &Path) -> bool {
    fs::read(format!("/proc/{pid}/cmdline")).is_ok_and(|cmdline| belongs(&cmdline, base))
}

/// Every process of the node of `base`, remembered or not.
fn of_node(base: &Path) -> Vec<i32> {
    with_word(STORAGE, |place| place == base.as_os_str().as_bytes())
}

/// Every process whose command line has such a word after `prefix`. One that has ended has no command line, also while
/// nobody has waited for it.
pub fn with_word(prefix: &[u8], is_it: impl Fn(&[u8]) -> bool) -> Vec<i32> {
    let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
    let pids = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<i32>().ok());
    pids.filter(|pid| has_word(&fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default(), prefix, &is_it)).collect()
}

fn has_word(cmdline: &[u8], prefix: &[u8], is_it: impl Fn(&[u8]) -> bool) -> bool {
    cmdline.split(|byte| *byte == 0).filter_map(|word| word.strip_prefix(prefix)).any(is_it)
}

/// The JVM names its storage directory.
fn belongs(cmdline: &[u8], base: &Path) -> bool {
    has_word(cmdline, STORAGE, |place| place == base.as_os_str().as_bytes())
}

/// Ends the nodes of these base folders: SIGTERM to all, SIGKILL to those that are still there after a minute.
pub(super) fn terminate<P: AsRef<Path>>(bases: &[P]) -> Result<()> {
    if ended_by(|| of_nodes(bases), Signal::SIGTERM, TERMINATE_LIMIT) {
        return Ok(());
    }
    kill_nine(bases)
}

/// Ends the nodes of these base folders at once, as `kill -9` does.
pub(super) fn kill_nine<P: AsRef<Path>>(bases: &[P]) -> Result<()> {
    if !ended_by(|| of_nodes(bases), Signal::SIGKILL, KILL_LIMIT) {
        bail!("processes {:?} outlived SIGKILL by {} s", of_nodes(bases), KILL_LIMIT.as_secs());
    }
    Ok(())
}

/// Stops the node's processes without ending them, as a hang does, or lets them go on.
pub(super) fn hold(base: &Path, held: bool) -> Result<()> {
    let there = of_node(base);
    ensure!(!there.is_empty(), "there is no process of {}", base.display());
    for pid in there {
        kill(Pid::from_raw(pid), if held { Signal::SIGSTOP } else { Signal::SIGCONT })?;
    }
    Ok(())
}

fn of_nodes<P: AsRef<Path>>(bases: &[P]) -> Vec<i32> {
    bases.iter().flat_map(|base| of_node(base.as_ref())).collect()
}

/// Tells those that are there to end; whether all are gone in time. Twice in a row: while a process becomes another
/// program, its command line is empty.
pub fn ended_by(still: impl Fn() -> Vec<i32>, signal: Signal, limit: Duration) -> bool {
    let deadline = Instant::now() + limit;
    let (mut told, mut absent) = (HashSet::new(), 0);
    while absent < 2 {
        let there = still();
        for pid in there.iter().filter(|pid| told.insert(**pid)) {
            // The process may have ended meanwhile; one that hangs hears of it only when it goes on.
            let _ = kill(Pid::from_raw(*pid), signal);
            let _ = kill(Pid::from_raw(*pid), Signal::SIGCONT);
        }
        absent = if there.is_empty() { absent + 1 } else { 0 };
        if Instant::now() > deadline {
            return false;
        }
        thread::sleep(POLL);
    }
    true
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::process::Command;

    #[test]
    fn only_the_command_line_tells_whose_a_pid_is() {
        let base = Path::new("/c/node1");
        assert!(belongs(b"java\0-Dcassandra.storagedir=/c/node1\0Main\0", base));
        assert!(!belongs(b"java\0-Dcassandra.storagedir=/c/node10\0", base));
        assert!(!belongs(b"tail\0-f\0/c/node1\0", base));
        assert!(!belongs(b"", base));
        let own = i32::try_from(std::process::id()).unwrap();
        assert!(!is_node(own, base));
    }

    #[test]
    fn what_is_held_neither_runs_nor_ends_until_it_goes_on() {
        let folder = tempfile::tempdir().unwrap();
        let base = folder.path();
        let named = format!("-Dcassandra.storagedir={}", base.display());
        let mut command = Command::new("sh");
        command.args(["-c", "read x", "sh", &named]).stdin(std::process::Stdio::piped());
        let mut child = command.spawn().unwrap();
        let pid = i32::try_from(child.id()).unwrap();
        while !is_node(pid, base) {
            thread::sleep(Duration::from_millis(5));
        }
        let state = || procfs::process::Process::new(pid).unwrap().stat().unwrap().state;
        hold(base, true).unwrap();
        while state() != 'T' {
            thread::sleep(Duration::from_millis(5));
        }
        hold(base, false).unwrap();
        drop(child.stdin.take());
        child.wait().unwrap();
        assert!(hold(base, true).unwrap_err().to_string().contains("no process"));
    }

    #[test]
    fn what_has_ended_is_gone_even_before_it_is_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let base = folder.path();
        let mut command = Command::new("sh");
        let named = format!("-Dcassandra.storagedir={}", base.display());
        command.args(["-c", "read x", "sh", &named]).stdin(std::process::Stdio::piped());
        let mut child = command.spawn().unwrap();
        let pid = i32::try_from(child.id()).unwrap();
        while !is_node(pid, base) {
            thread::sleep(Duration::from_millis(5));
        }
        assert_eq!(of_node(base), vec![pid]);
        terminate(&[base]).unwrap();
        assert!(!is_node(pid, base) && of_node(base).is_empty());
        child.wait().unwrap();
    }
}
