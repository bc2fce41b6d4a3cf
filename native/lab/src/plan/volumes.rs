// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Volumes: file systems for data and commit logs, which a run makes and takes away.
//!
//! All that is made is below one folder, so that it can be taken away without a record of it.

mod faults;

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{bail, ensure, Context, Result};

use super::file::{Driver, Volume};

pub use faults::{fills, loses_copies, Made};

/// Options of every mount: times of reading are nobody's business here.
const OPTIONS: &str = "noatime,nosuid,nodev";
const UNMOUNT_TRIES: u32 = 50;
const UNMOUNT_AGAIN: Duration = Duration::from_millis(100);
/// The number of the right to mount (capabilities(7)).
const CAP_SYS_ADMIN: u32 = 21;

/// The folder of a volume; `root` has those that are made.
pub fn folder(name: &str, volume: &Volume, root: &Path) -> PathBuf {
    volume.path.clone().unwrap_or_else(|| root.join(name))
}

/// Why a volume cannot be used here; nothing when it can. Nothing is made.
///
/// # Errors
/// The folder, program, right or part of the kernel that is missing.
pub fn able(volume: &Volume) -> Result<()> {
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
    }
    Ok(())
}

/// Makes a volume below `root`, where its driver makes anything; takes away what an earlier one of that name left.
pub fn make(name: &str, volume: &Volume, root: &Path) -> Result<()> {
    let Some(size) = volume.size.filter(|_| volume.driver.makes()) else { return Ok(()) };
    able(volume).with_context(|| format!("volumes: {name}"))?;
    let at = root.join(name);
    fs::create_dir_all(&at).with_context(|| format!("cannot make {}", at.display()))?;
    let made = match volume.driver {
        Driver::Tmpfs => mount("tmpfs", OsStr::new("tmpfs"), &format!("{OPTIONS},size={}", size.0), &at),
        Driver::Loop => looped(root, name, 1, size.0).and_then(|devices| {
            run(Command::new("mkfs.ext4")
                .args(["-q", "-F", "-m", "0", "-E", "lazy_itable_init=0,lazy_journal_init=0"])
                .args(&devices))?;
            mount_first("ext4", &devices, &at)
        }),
        _ => looped(root, name, volume.copies, size.0).and_then(|devices| {
            let profile = ["single", "raid1", "raid1c3"].get(volume.copies as usize - 1).copied().unwrap_or("raid1c3");
            run(Command::new("mkfs.btrfs").args(["-q", "-f", "-d", profile, "-m", profile]).args(&devices))?;
            mount_first("btrfs", &devices, &at)
        }),
    };
    made.with_context(|| format!("volumes: {name}"))
}

/// Takes away every volume that was made below `root`; nothing happens where there is none.
pub fn remove(root: &Path) -> Result<()> {
    // The kernel knows mounts and images by their real places.
    let Ok(root) = &root.canonicalize() else { return Ok(()) };
    for at in mounts()?.into_iter().filter(|at| at.starts_with(root)) {
        unmount(&at)?;
    }
    for image in images(root)? {
        for device in devices_of(&image)? {
            run(Command::new("losetup").arg("--detach").arg(device))?;
        }
    }
    fs::remove_dir_all(root).with_context(|| format!("cannot delete {}", root.display()))
}

/// Files of that size as block devices. Direct I/O: pages are cached once, by the file system on top.
fn looped(root: &Path, name: &str, copies: u32, size: u64) -> Result<Vec<String>> {
    let mut devices = Vec::new();
    for copy in 1..=copies {
        let image = image(root, name, copy);
        allocate(&image, size)?;
        let output = said(Command::new("losetup").args(["--find", "--show", "--direct-io=on"]).arg(&image))?;
        devices.push(output.trim().to_owned());
    }
    Ok(devices)
}

/// A process that has just ended may keep a file system busy for a moment.
fn unmount(at: &Path) -> Result<()> {
    let mut tries = 1;
    loop {
        match run(Command::new("umount").arg(at)) {
            Err(error) if tries < UNMOUNT_TRIES && error.to_string().contains("busy") => {
                std::thread::sleep(UNMOUNT_AGAIN);
                tries += 1;
            }
            done => return done,
        }
    }
}

/// The file behind a copy, from 1.
fn image(root: &Path, name: &str, copy: u32) -> PathBuf {
    root.join(format!("{name}-{copy}.img"))
}

/// A file of that size. One with holes would say too late that the disk is full.
fn allocate(path: &Path, size: u64) -> Result<()> {
    let file = fs::File::create(path).with_context(|| format!("cannot make {}", path.display()))?;
    let grown = nix::fcntl::fallocate(&file, nix::fcntl::FallocateFlags::empty(), 0, i64::try_from(size)?);
    grown.with_context(|| format!("cannot make {} of {} MiB", path.display(), size >> 20))
}

fn mount_first(kind: &str, devices: &[String], at: &Path) -> Result<()> {
    let first = devices.first().context("a volume without a device")?;
    mount(kind, OsStr::new(first), OPTIONS, at)
}

fn mount(kind: &str, what: &OsStr, options: &str, at: &Path) -> Result<()> {
    run(Command::new("mount").args(["-t", kind, "-o", options]).arg(what).arg(at))
}

/// Where anything is mounted, the deepest first.
fn mounts() -> Result<Vec<PathBuf>> {
    let text = fs::read("/proc/self/mounts").context("the kernel does not say what is mounted")?;
    let places = text.split(|byte| *byte == b'\n').filter_map(|line| line.split(|byte| *byte == b' ').nth(1));
    let mut places: Vec<PathBuf> = places.map(|place| PathBuf::from(OsStr::from_bytes(&unescaped(place)))).collect();
    places.sort_by_key(|place| std::cmp::Reverse(place.components().count()));
    Ok(places)
}

/// The kernel writes a space as `\040`.
fn unescaped(text: &[u8]) -> Vec<u8> {
    let (mut plain, mut rest) = (Vec::with_capacity(text.len()), text);
    while let Some((first, others)) = rest.split_first() {
        let code = others.get(..3).filter(|_| *first == b'\\').and_then(|digits| std::str::from_utf8(digits).ok());
        match code.and_then(|digits| u8::from_str_radix(digits, 8).ok()) {
            Some(byte) => {
                plain.push(byte);
                rest = &others[3..];
            }
            None => {
                plain.push(*first);
                rest = others;
            }
        }
    }
    plain
}

fn images(root: &Path) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(root).with_context(|| root.display().to_string())?.flatten();
    Ok(entries.map(|entry| entry.path()).filter(|path| path.extension() == Some(OsStr::new("img"))).collect())
}

fn devices_of(image: &Path) -> Result<Vec<String>> {
    let output = said(Command::new("losetup").args(["--noheadings", "--output", "NAME", "--associated"]).arg(image))?;
    Ok(output.split_whitespace().map(str::to_owned).collect())
}

/// Containers have a root who may not mount.
fn may_mount() -> Result<()> {
    let status = fs::read_to_string("/proc/self/status").context("the kernel does not say what this process may do")?;
    let rights = status.lines().find_map(|line| line.strip_prefix("CapEff:"));
    let rights = rights.and_then(|digits| u64::from_str_radix(digits.trim(), 16).ok()).unwrap_or(0);
    ensure!(rights >> CAP_SYS_ADMIN & 1 == 1, "mounting needs root, in a container with CAP_SYS_ADMIN");
    Ok(())
}

fn loops() -> Result<()> {
    may_mount()?;
    ensure!(Path::new("/dev/loop-control").exists(), "the kernel has no loop devices (CONFIG_BLK_DEV_LOOP)");
    program("losetup", "mount")
}

fn kernel_has(kind: &str) -> Result<()> {
    let known = fs::read_to_string("/proc/filesystems").context("the kernel does not say which file systems it has")?;
    let has = known.split_whitespace().any(|word| word == kind);
    ensure!(has, "the kernel has no {kind} (/proc/filesystems); a module may have to be loaded");
    Ok(())
}

fn program(name: &str, package: &str) -> Result<()> {
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let there = std::env::split_paths(&folders).any(|folder| folder.join(name).is_file());
    ensure!(there, "the program {name} is missing: install the package {package}");
    Ok(())
}

fn run(command: &mut Command) -> Result<()> {
    said(command).map(drop)
}

fn said(command: &mut Command) -> Result<String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.stdin(Stdio::null()).output().with_context(|| format!("cannot start {name}"))?;
    if !output.status.success() {
        bail!("{name}: {}", String::from_utf8_lossy(&output.stderr).trim().replace('\n', "; "));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[cfg(test)]
#[path = "volumes_test.rs"]
mod tests;
