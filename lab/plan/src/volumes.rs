// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Volumes: file systems for data and commit logs, which a run makes and takes away.
//!
//! All that is made is below one folder, so that it can be taken away without a record of it.

mod devices;
mod faults;
mod hosts;
mod made;
mod mounts;
mod needs;
mod replicated;
mod set;

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{ensure, Context, Result};

use self::devices::{image, images, looped, made_ext4};
use self::mounts::{mount, mounts, unmount, OPTIONS};
use self::needs::{kernel_has, loops, may_mount, program};
use self::replicated::Replicated;
use crate::file::{Driver, Volume};
use lab_node::cluster::NODE;
use lab_node::command::run;
use lab_node::fence::throttle;

pub use faults::{fills, loses_copies, slows};
pub use hosts::mounts_elsewhere;
pub use made::Made;
pub use set::Set;

/// The folder of a volume; `root` has those that are made. Of one that each node has, [`NODE`] stands for the node.
pub fn folder(name: &str, volume: &Volume, root: &Path) -> PathBuf {
    match &volume.path {
        Some(path) => path.clone(),
        None if volume.per_node => root.join(own(name, NODE)),
        None => root.join(name),
    }
}

/// The name of the volume that a node has for itself.
fn own(name: &str, node: &str) -> String {
    format!("{name}.{node}")
}

/// Why a volume cannot be used here; nothing when it can. Nothing is made. `fenced`: whether the nodes have fences.
///
/// # Errors
/// The folder, program, right or part of the kernel that is missing.
pub fn able(volume: &Volume, fenced: bool) -> Result<()> {
    driver_able(volume)?;
    volume.limits.map_or(Ok(()), |_| throttles(volume, fenced)).context("limits")
}

/// Why the kernel would not keep to limits of its devices; nothing when it would.
fn throttles(volume: &Volume, fenced: bool) -> Result<()> {
    // What serves the copies is no node, and has no fence.
    throttle::able(fenced && volume.driver != Driver::Replicated)
}

fn driver_able(volume: &Volume) -> Result<()> {
    let shown = || volume.path.as_ref().map(|path| path.display().to_string()).unwrap_or_default();
    match volume.driver {
        Driver::Directory => {
            let there = volume.path.as_ref().is_some_and(|path| path.is_dir());
            ensure!(there, "{} is no folder: make it first", shown());
        }
        Driver::Mount => {
            let mounted = mounts()?;
            let there = volume.path.as_ref().is_some_and(|path| mounted.contains(path));
            ensure!(there, "nothing is mounted at {}: mount it first", shown());
        }
        Driver::Tmpfs => {
            may_mount()?;
            kernel_has("tmpfs")?;
        }
        Driver::Loop => {
            loops()?;
            kernel_has("ext4")?;
            program("mkfs.ext4", "e2fsprogs")?;
        }
        Driver::Mirror => {
            loops()?;
            kernel_has("btrfs")?;
            program("mkfs.btrfs", "btrfs-progs")?;
            program("btrfs", "btrfs-progs")?;
        }
        Driver::Replicated => {
            loops()?;
            kernel_has("ext4")?;
            program("mkfs.ext4", "e2fsprogs")?;
            kernel_has("fuse")?;
            ensure!(Path::new("/dev/fuse").exists(), "there is no /dev/fuse (CONFIG_FUSE_FS)");
            program("glusterfsd", "glusterfs-server")?;
            program("glusterfs", "glusterfs-client")?;
        }
    }
    Ok(())
}

/// Makes a volume below `root`, where its driver makes anything; takes away what an earlier one of that name left.
pub fn make(name: &str, volume: &Volume, root: &Path) -> Result<()> {
    let Some(size) = volume.size.filter(|_| volume.driver.makes()) else { return Ok(()) };
    driver_able(volume).with_context(|| format!("volumes: {name}"))?;
    let at = root.join(name);
    fs::create_dir_all(&at).with_context(|| format!("cannot make {}", at.display()))?;
    let made = match volume.driver {
        Driver::Tmpfs => mount("tmpfs", OsStr::new("tmpfs"), &format!("{OPTIONS},size={}", size.0), &at),
        Driver::Loop => looped(root, name, 1, size.0).and_then(|devices| {
            devices.iter().try_for_each(|device| made_ext4(device))?;
            mount_first("ext4", &devices, &at)
        }),
        Driver::Replicated => {
            Replicated::of(name, root, volume.copies, size.0).and_then(|replicated| replicated.make())
        }
        _ => looped(root, name, volume.copies, size.0).and_then(|devices| {
            let profile = ["single", "raid1", "raid1c3"].get(volume.copies as usize - 1).copied().unwrap_or("raid1c3");
            run(Command::new("mkfs.btrfs").args(["-q", "-f", "-d", profile, "-m", profile]).args(&devices))?;
            mount_first("btrfs", &devices, &at)
        }),
    };
    // A file system is made at full speed.
    let throttled = || (1..=volume.copies).try_for_each(|copy| limit(&image(root, name, copy), volume));
    made.and_then(|()| throttled()).with_context(|| format!("volumes: {name}"))
}

fn limit(image: &Path, volume: &Volume) -> Result<()> {
    if !volume.driver.has_device() {
        return Ok(());
    }
    devices::throttle(image, volume.limits)
}

/// Lets the devices of all volumes below `root` do what they can: what waits for them ends soon.
pub fn lift(root: &Path) -> Result<()> {
    let Ok(root) = root.canonicalize() else { return Ok(()) };
    images(&root)?.iter().try_for_each(|image| devices::throttle(image, None))
}

/// Takes away every volume that was made below `root`; nothing happens where there is none.
pub fn remove(root: &Path) -> Result<()> {
    // The kernel knows mounts and images by their real places.
    let Ok(root) = &root.canonicalize() else { return Ok(()) };
    // What was not yet written is written as they are unmounted.
    lift(root)?;
    replicated::end_all(root)?;
    for at in mounts()?.into_iter().filter(|at| at.starts_with(root)) {
        unmount(&at)?;
    }
    images(root)?.iter().try_for_each(|image| devices::detach(image))?;
    fs::remove_dir_all(root).with_context(|| format!("cannot delete {}", root.display()))
}

fn mount_first(kind: &str, devices: &[String], at: &Path) -> Result<()> {
    let first = devices.first().context("a volume without a device")?;
    mount(kind, OsStr::new(first), OPTIONS, at)
}

#[cfg(test)]
mod tests;
