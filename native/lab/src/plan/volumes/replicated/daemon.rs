// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Processes of GlusterFS. Their command lines name their graphs: by these they are found again, whoever started them.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{ensure, Context, Result};
use nix::sys::signal::{kill, Signal};
use nix::unistd::Pid;

use crate::plan::volumes::command::run;

const GRAPH: &[u8] = b"--volfile=";
const END_LIMIT: Duration = Duration::from_secs(20);
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// Starts one in the background, and returns when it has read its graph.
pub fn start(program: &str, graph: &Path, log: &Path, more: &[String]) -> Result<()> {
    let option = |name: &str, path: &Path| format!("--{name}={}", path.display());
    let mut command = Command::new(program);
    command.args([option("volfile", graph), option("log-file", log), option("pid-file", &graph.with_extension("pid"))]);
    command.arg("--log-level=WARNING").args(more);
    run(&mut command).and_then(|()| ensure_there(graph)).with_context(|| {
        let said = fs::read_to_string(log).unwrap_or_default();
        said.lines().last().map_or_else(|| format!("{program} did not start"), str::to_owned)
    })
}

/// Refuses to go on without it.
pub fn ensure_there(graph: &Path) -> Result<()> {
    ensure!(!of(graph).is_empty(), "the process of {} has ended", graph.display());
    Ok(())
}

/// Ends the process of a graph at once, as `kill -9` does; nothing happens where there is none.
pub fn end(graph: &Path) -> Result<()> {
    end_those(|| of(graph))
}

/// Ends those of all graphs below a folder, by its real place.
pub fn end_all(folder: &Path) -> Result<()> {
    end_those(|| running(folder))
}

/// Pids of those of all graphs below a folder, by its real place.
pub fn running(folder: &Path) -> Vec<i32> {
    with_graph(|graph| Path::new(OsStr::from_bytes(graph)).starts_with(folder))
}

fn of(graph: &Path) -> Vec<i32> {
    with_graph(|named| named == graph.as_os_str().as_bytes())
}

fn end_those(there: impl Fn() -> Vec<i32>) -> Result<()> {
    let deadline = Instant::now() + END_LIMIT;
    loop {
        let pids = there();
        if pids.is_empty() {
            return Ok(());
        }
        ensure!(Instant::now() < deadline, "processes {pids:?} outlived SIGKILL by {} s", END_LIMIT.as_secs());
        for pid in pids {
            // It may have ended meanwhile.
            let _ = kill(Pid::from_raw(pid), Signal::SIGKILL);
        }
        thread::sleep(LOOK_EVERY);
    }
}

/// One that has ended has no command line, also while nobody has waited for it.
fn with_graph(is_it: impl Fn(&[u8]) -> bool) -> Vec<i32> {
    let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
    let pids = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<i32>().ok());
    pids.filter(|pid| {
        let words = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        words.split(|byte| *byte == 0).filter_map(|word| word.strip_prefix(GRAPH)).any(&is_it)
    })
    .collect()
}
