// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Fences: what a node may use of the machine, held by the kernel's control groups, version 1 or 2; and [`throttle`]s of devices.
//!
//! Cores are a quota of the kernel's usual period. What a period leaves unused, the next one may use: a node runs at the speed
//! of a core until it has used its share, and waits only when it asks for more than that. Memory counts the page cache: reads
//! then reach the disk as on a small server.

pub mod throttle;

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use anyhow::{bail, Context, Result};
use serde::{Deserialize, Serialize};

/// A few requests of a JVM use a shorter one up, and wait for the next although the node has used little of its share.
const PERIOD_US: u64 = 100_000;
const REMOVE_TRIES: u32 = 50;
const REMOVE_AGAIN: Duration = Duration::from_millis(100);
/// All groups are below this one.
pub const PARENT: &str = "cassiterite";

/// What a node may use.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Fence {
    /// Cores.
    pub cpus: f64,
    /// Memory with the page cache.
    pub memory_bytes: u64,
}

/// Where groups are made.
enum Groups {
    /// A folder for each controller.
    V1 { cpu: PathBuf, memory: PathBuf },
    /// One for all.
    V2(PathBuf),
}

/// Why no fence can be made here; nothing when it can.
pub fn able() -> Result<()> {
    let groups = Groups::find()?;
    for folder in groups.folders("probe") {
        make(&folder)?;
        remove_folder(&folder)?;
    }
    Ok(())
}

impl Fence {
    /// Puts a process, and all that it will start, into a group of that name.
    pub fn hold(&self, name: &str, pid: i32) -> Result<()> {
        let groups = Groups::find()?;
        let quota_us = (self.cpus * PERIOD_US as f64).round().max(1000.0) as u64;
        match &groups {
            Groups::V1 { .. } => {
                let [cpu, memory] = groups.v1(name)?;
                make(&cpu)?;
                make(&memory)?;
                write(&cpu.join("cpu.cfs_period_us"), PERIOD_US)?;
                write(&cpu.join("cpu.cfs_quota_us"), quota_us)?;
                carry_over(&cpu.join("cpu.cfs_burst_us"), quota_us)?;
                write(&memory.join("memory.limit_in_bytes"), self.memory_bytes)?;
            }
            Groups::V2(root) => {
                write(&root.join("cgroup.subtree_control"), "+cpu +memory")?;
                let parent = root.join(PARENT);
                make(&parent)?;
                write(&parent.join("cgroup.subtree_control"), "+cpu +memory")?;
                let folder = parent.join(name);
                make(&folder)?;
                write(&folder.join("cpu.max"), format!("{quota_us} {PERIOD_US}"))?;
                carry_over(&folder.join("cpu.max.burst"), quota_us)?;
                write(&folder.join("memory.max"), self.memory_bytes)?;
            }
        }
        groups.folders(name).iter().try_for_each(|folder| write(&folder.join("cgroup.procs"), pid))
    }
}

/// Lets a period use what the one before left of its quota, on kernels that can (Linux 5.14 or later).
fn carry_over(file: &Path, quota_us: u64) -> Result<()> {
    if file.exists() {
        write(file, quota_us)?;
    }
    Ok(())
}

/// Takes away the group of that name, whose processes have ended; nothing happens where there is none.
pub fn remove(name: &str) -> Result<()> {
    let Ok(groups) = Groups::find() else { return Ok(()) };
    groups.folders(name).iter().try_for_each(|folder| remove_folder(folder))
}

impl Groups {
    fn find() -> Result<Self> {
        let mounts = fs::read_to_string("/proc/self/mounts").context("the kernel does not say what is mounted")?;
        Self::of(&mounts, &|root| fs::read_to_string(root.join("cgroup.controllers")).unwrap_or_default())
    }

    fn of(mounts: &str, controllers: &dyn Fn(&Path) -> String) -> Result<Self> {
        let v1 = |controller: &str| {
            let has = |options: &str| options.split(',').any(|option| option == controller);
            mounted(mounts).find(|(kind, _, options)| *kind == "cgroup" && has(options)).map(|(_, folder, _)| folder)
        };
        if let Some((cpu, memory)) = v1("cpu").zip(v1("memory")) {
            return Ok(Self::V1 { cpu, memory });
        }
        let has_both = |root: &Path| {
            let known = controllers(root);
            ["cpu", "memory"].iter().all(|wanted| known.split_whitespace().any(|controller| controller == *wanted))
        };
        match mounted(mounts).find(|(kind, folder, _)| *kind == "cgroup2" && has_both(folder)) {
            Some((_, root, _)) => Ok(Self::V2(root)),
            None => bail!("the kernel has no control groups for cpu and memory mounted: fences need them, and root"),
        }
    }

    fn folders(&self, name: &str) -> Vec<PathBuf> {
        match self {
            Self::V1 { cpu, memory } => [cpu, memory].map(|root| root.join(PARENT).join(name)).to_vec(),
            Self::V2(root) => vec![root.join(PARENT).join(name)],
        }
    }

    fn v1(&self, name: &str) -> Result<[PathBuf; 2]> {
        self.folders(name).try_into().ok().context("two controllers are expected")
    }
}

/// Kind, folder and options of each mount.
fn mounted(mounts: &str) -> impl Iterator<Item = (&str, PathBuf, &str)> {
    mounts.lines().filter_map(|line| {
        let words: Vec<&str> = line.split(' ').collect();
        Some((*words.get(2)?, PathBuf::from(words.get(1)?), *words.get(3)?))
    })
}

fn make(folder: &Path) -> Result<()> {
    let made = fs::create_dir_all(folder);
    made.with_context(|| format!("cannot make the control group {}: fences need root", folder.display()))
}

fn write(file: &Path, value: impl ToString) -> Result<()> {
    fs::write(file, value.to_string()).with_context(|| format!("cannot write {}", file.display()))
}

/// Removes a group whose processes have ended, and its parent, where it was the last.
pub fn remove_folder(folder: &Path) -> Result<()> {
    let mut tries = 1;
    while folder.exists() {
        match fs::remove_dir(folder) {
            // A process that ends is in its group for a moment longer.
            Err(error) if tries < REMOVE_TRIES && error.kind() == ErrorKind::ResourceBusy => {
                thread::sleep(REMOVE_AGAIN);
                tries += 1;
            }
            removed => {
                removed.with_context(|| format!("cannot remove the control group {}", folder.display()))?;
            }
        }
    }
    if let Some(parent) = folder.parent() {
        // Others may be in it.
        let _ = fs::remove_dir(parent);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn both_versions_are_found_where_they_are_mounted() {
        let v1 = "cgroup /c/cpu,cpuacct cgroup rw,cpu,cpuacct 0 0\ncgroup /c/memory cgroup rw,memory 0 0\n\
                  cgroup2 /c/unified cgroup2 rw 0 0\n";
        let groups = Groups::of(v1, &|_| "hugetlb\n".to_owned()).unwrap();
        assert_eq!(
            groups.folders("n1"),
            ["/c/cpu,cpuacct/cassiterite/n1", "/c/memory/cassiterite/n1"].map(PathBuf::from)
        );
        let v2 = "cgroup2 /sys/fs/cgroup cgroup2 rw,nsdelegate 0 0\n";
        let groups = Groups::of(v2, &|_| "cpuset cpu io memory pids\n".to_owned()).unwrap();
        assert_eq!(groups.folders("n1"), [PathBuf::from("/sys/fs/cgroup/cassiterite/n1")]);
        let refusal = Groups::of(v2, &|_| "pids\n".to_owned()).err().unwrap().to_string();
        assert!(refusal.contains("cpu and memory"), "{refusal}");
    }

    #[test]
    fn a_process_is_held_where_the_kernel_and_the_rights_allow_it() {
        if able().is_err() {
            return;
        }
        let name = format!("test-{}", std::process::id());
        let mut child = std::process::Command::new("sleep").arg("60").spawn().unwrap();
        let held = Fence { cpus: 0.25, memory_bytes: 64 << 20 }.hold(&name, child.id() as i32);
        let groups = fs::read_to_string(format!("/proc/{}/cgroup", child.id())).unwrap();
        let carried_over: Vec<String> = Groups::find()
            .unwrap()
            .folders(&name)
            .iter()
            .flat_map(|folder| ["cpu.cfs_burst_us", "cpu.max.burst"].map(|file| folder.join(file)))
            .filter_map(|file| fs::read_to_string(file).ok())
            .collect();
        child.kill().unwrap();
        child.wait().unwrap();
        held.unwrap();
        assert!(groups.contains(&format!("{PARENT}/{name}")), "{groups}");
        assert!(carried_over.iter().all(|burst_us| burst_us.trim() == "25000"), "{carried_over:?}");
        remove(&name).unwrap();
        assert!(Groups::find().unwrap().folders(&name).iter().all(|folder| !folder.exists()));
    }
}
