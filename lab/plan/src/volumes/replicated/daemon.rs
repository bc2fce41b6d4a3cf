// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Processes of GlusterFS. Their command lines name their graphs: by these they are found again, whoever started them.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{ensure, Context, Result};
use nix::sys::signal::Signal;

use lab_node::cluster::process;
use lab_node::command::run;

const GRAPH: &[u8] = b"--volfile=";
const END_LIMIT: Duration = Duration::from_secs(20);

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
    process::with_word(GRAPH, |graph| Path::new(OsStr::from_bytes(graph)).starts_with(folder))
}

fn of(graph: &Path) -> Vec<i32> {
    process::with_word(GRAPH, |named| named == graph.as_os_str().as_bytes())
}

fn end_those(still: impl Fn() -> Vec<i32>) -> Result<()> {
    let gone = process::ended_by(&still, Signal::SIGKILL, END_LIMIT);
    ensure!(gone, "processes {:?} outlived SIGKILL by {} s", still(), END_LIMIT.as_secs());
    Ok(())
}
