// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Files as block devices, and how fast these are at most.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::limits::Limits;
use lab_node::command::{run, said};
use lab_node::fence::throttle::{self, Throttle};

/// Files of that size as block devices.
pub fn looped(root: &Path, name: &str, copies: u32, size: u64) -> Result<Vec<String>> {
    let mut devices = Vec::new();
    for copy in 1..=copies {
        devices.push(attached(&image(root, name, copy), size)?);
    }
    Ok(devices)
}

/// A file of that size as a block device. Direct I/O: pages are cached once, by the file system on top.
pub fn attached(image: &Path, size: u64) -> Result<String> {
    allocate(image, size)?;
    let output = said(Command::new("losetup").args(["--find", "--show", "--direct-io=on"]).arg(image))?;
    Ok(output.trim().to_owned())
}

/// An ext4 whose tables are written now: later they would disturb what is measured.
pub fn made_ext4(device: &str) -> Result<()> {
    let lazy = ["-E", "lazy_itable_init=0,lazy_journal_init=0"];
    run(Command::new("mkfs.ext4").args(["-q", "-F", "-m", "0"]).args(lazy).arg(device))
}

/// The file behind a copy, from 1.
pub fn image(root: &Path, name: &str, copy: u32) -> PathBuf {
    root.join(format!("{name}-{copy}.img"))
}

/// A file of that size. One with holes would say too late that the disk is full.
pub fn allocate(path: &Path, size: u64) -> Result<()> {
    let file = fs::File::create(path).with_context(|| format!("cannot make {}", path.display()))?;
    let grown = nix::fcntl::fallocate(&file, nix::fcntl::FallocateFlags::empty(), 0, i64::try_from(size)?);
    grown.with_context(|| format!("cannot make {} of {} MiB", path.display(), size >> 20))
}

pub fn images(root: &Path) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(root).with_context(|| root.display().to_string())?.flatten();
    Ok(entries.map(|entry| entry.path()).filter(|path| path.extension() == Some(OsStr::new("img"))).collect())
}

pub fn devices_of(image: &Path) -> Result<Vec<String>> {
    let output = said(Command::new("losetup").args(["--noheadings", "--output", "NAME", "--associated"]).arg(image))?;
    Ok(output.split_whitespace().map(str::to_owned).collect())
}

/// Takes the devices of a file away. They would keep their throttle, and hand it on to their next file.
pub fn detach(image: &Path) -> Result<()> {
    lift(image)?;
    devices_of(image)?.iter().try_for_each(|device| run(Command::new("losetup").arg("--detach").arg(device)))
}

/// Holds the devices of a file to limits; without any, they do what they can.
pub fn throttle(image: &Path, limits: Option<Limits>) -> Result<()> {
    let Some(limits) = limits else { return lift(image) };
    let throttle = Throttle {
        read_bytes_per_s: limits.read.map(|rate| rate.0),
        write_bytes_per_s: limits.write.map(|rate| rate.0),
        operations_per_s: limits.iops.map(u64::from),
    };
    devices_of(image)?.iter().try_for_each(|device| throttle.hold(number(device)?).with_context(|| device.clone()))
}

fn lift(image: &Path) -> Result<()> {
    devices_of(image)?.iter().try_for_each(|device| throttle::lift(number(device)?).with_context(|| device.clone()))
}

/// The kernel's number of a device, major and minor.
pub fn number(device: &str) -> Result<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    let number = fs::metadata(device).with_context(|| device.to_owned())?.rdev();
    Ok((nix::sys::stat::major(number), nix::sys::stat::minor(number)))
}
