// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! `--die-with`: a node that must not outlive another process, its owner, however that one ends.
//!
//! A process of its own watches both, for the node has become a JVM and its owner may be killed. It gets them as open pid
//! file descriptors: these never name another process, whatever pids the kernel uses again.

use std::io::{self, BufRead, BufReader, Write};
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitCode, Stdio};

use anyhow::{ensure, Context, Result};
use rustix::event::{poll, PollFd, PollFlags};
use rustix::io::{retry_on_intr, Errno};
use rustix::process::{pidfd_open, pidfd_send_signal, Pid, PidfdFlags, Signal};

/// The hidden subcommand that watches.
pub const WATCH: &str = "watch-owner";
/// The watcher's first line.
const READY: &str = "watching";

/// A process that nodes must not outlive.
pub(in crate::cluster) struct Owner(OwnedFd);

impl Owner {
    /// Finds the process of that pid.
    pub fn find(pid: i32) -> Result<Self> {
        open(pid).map(Self).with_context(|| format!("there is no process {pid} for a node to die with"))
    }

    /// Starts the process that kills `node` when its owner is gone, and that ends with the node.
    pub fn watch_over(self, node: i32) -> Result<Child> {
        // The program itself, even if a build has replaced its file meanwhile.
        let mut command = Command::new("/proc/self/exe");
        // In a group of its own: Ctrl-C in the terminal leaves a node that drains under watch.
        command.arg(WATCH).process_group(0);
        let node = open(node).context("the node has ended")?;
        command.stdin(self.0).stdout(node).stderr(Stdio::piped());
        let mut watcher = command.spawn().context("cannot start the watcher of the owner")?;
        let mut line = String::new();
        if let Some(stderr) = watcher.stderr.take() {
            BufReader::new(stderr).read_line(&mut line)?;
        }
        ensure!(line.trim_end() == READY, "the watcher of the owner did not start: {}", line.trim_end());
        Ok(watcher)
    }
}

/// The watcher: kills the node behind its standard output when the owner behind its standard input is gone.
pub fn watch() -> Result<ExitCode> {
    let (owner, node) = (io::stdin(), io::stdout());
    let mut both = [PollFd::new(&owner, PollFlags::IN), PollFd::new(&node, PollFlags::IN)];
    writeln!(io::stderr(), "{READY}")?;
    retry_on_intr(|| poll(&mut both, None)).context("cannot wait for the end of a process")?;
    if both[1].revents().is_empty() {
        match pidfd_send_signal(&node, Signal::KILL) {
            // The node has ended by itself just now.
            Ok(()) | Err(Errno::SRCH) => {}
            Err(error) => return Err(error).context("cannot kill the node"),
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn open(pid: i32) -> Result<OwnedFd> {
    let pid = Pid::from_raw(pid).filter(|_| pid > 0).with_context(|| format!("{pid} is no process id"))?;
    Ok(pidfd_open(pid, PidfdFlags::empty())?)
}
