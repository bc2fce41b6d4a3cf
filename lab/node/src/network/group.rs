// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! A control group for each node (version 2), which nothing is bounded by: its sockets are known by it.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::fence;

/// Makes a group, asks with its name, and takes it away.
pub(super) fn probe(ask: impl FnOnce(&str) -> Result<()>) -> Result<()> {
    let name = format!("probe-{}", std::process::id());
    make(&folder(&name)?)?;
    let answer = ask(&name);
    remove(&name).and(answer)
}

/// Puts a process, and all that it will start, into the group of that name. Sockets that it has already stay outside.
///
/// # Errors
/// The kernel has no control groups of version 2 mounted, or this process has not the right to make one.
pub fn hold(name: &str, pid: i32) -> Result<()> {
    let folder = folder(name)?;
    make(&folder)?;
    let members = folder.join("cgroup.procs");
    fs::write(&members, pid.to_string()).with_context(|| format!("cannot write {}", members.display()))
}

/// Takes away the group of that name, whose processes have ended; nothing happens where there is none.
pub fn remove(name: &str) -> Result<()> {
    folder(name).map_or(Ok(()), |folder| fence::remove_folder(&folder))
}

/// As the filter names it. A fence of version 2 is the same group: a process is in no second one.
pub(super) fn path(name: &str) -> String {
    format!("{}/{name}", fence::PARENT)
}

fn folder(name: &str) -> Result<PathBuf> {
    let mounts = fs::read_to_string("/proc/self/mounts").context("the kernel does not say what is mounted")?;
    let root = root(&mounts).context(
        "control groups of version 2 are not mounted: `mount -t cgroup2 none FOLDER` mounts them, beside version 1, too",
    )?;
    Ok(root.join(path(name)))
}

fn root(mounts: &str) -> Option<&Path> {
    let mounted = |line: &'_ str| line.split(' ').nth(2) == Some("cgroup2");
    mounts.lines().find(|line| mounted(line))?.split(' ').nth(1).map(Path::new)
}

fn make(folder: &Path) -> Result<()> {
    let made = fs::create_dir_all(folder);
    made.with_context(|| format!("cannot make the control group {}: network faults need root", folder.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn version_2_is_found_beside_version_1() {
        let both = "cgroup /c/cpu cgroup rw,cpu 0 0\ncgroup2 /c/unified cgroup2 rw,relatime 0 0\n";
        assert_eq!(root(both), Some(Path::new("/c/unified")));
        assert_eq!(root("cgroup /c/cpu cgroup rw,cpu 0 0\n"), None);
        assert_eq!(path("n1"), "cassiterite/n1");
    }
}
