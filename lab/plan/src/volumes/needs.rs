// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! What a driver needs of this machine: rights, parts of the kernel, programs.

use std::fs;
use std::path::Path;

use anyhow::{ensure, Context, Result};

/// The number of the right to mount (capabilities(7)).
const CAP_SYS_ADMIN: u32 = 21;

/// Containers have a root who may not mount.
pub fn may_mount() -> Result<()> {
    let status = fs::read_to_string("/proc/self/status").context("the kernel does not say what this process may do")?;
    let rights = status.lines().find_map(|line| line.strip_prefix("CapEff:"));
    let rights = rights.and_then(|digits| u64::from_str_radix(digits.trim(), 16).ok()).unwrap_or(0);
    ensure!(rights >> CAP_SYS_ADMIN & 1 == 1, "mounting needs root, in a container with CAP_SYS_ADMIN");
    Ok(())
}

pub fn loops() -> Result<()> {
    may_mount()?;
    ensure!(Path::new("/dev/loop-control").exists(), "the kernel has no loop devices (CONFIG_BLK_DEV_LOOP)");
    program("losetup", "mount")
}

pub fn kernel_has(kind: &str) -> Result<()> {
    let known = fs::read_to_string("/proc/filesystems").context("the kernel does not say which file systems it has")?;
    let has = known.split_whitespace().any(|word| word == kind);
    ensure!(has, "the kernel has no {kind} (/proc/filesystems); a module may have to be loaded");
    Ok(())
}

pub fn program(name: &str, package: &str) -> Result<()> {
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let there = std::env::split_paths(&folders).any(|folder| folder.join(name).is_file());
    ensure!(there, "the program {name} is missing: install the package {package}");
    Ok(())
}
