// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Mounts: what is mounted where, and the kernel's words for it.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result};

use lab_node::command::run;

/// Options of every mount: times of reading are nobody's business here.
pub const OPTIONS: &str = "noatime,nosuid,nodev";
const UNMOUNT_TRIES: u32 = 50;
const UNMOUNT_AGAIN: Duration = Duration::from_millis(100);

pub fn mount(kind: &str, what: &OsStr, options: &str, at: &Path) -> Result<()> {
    run(Command::new("mount").args(["-t", kind, "-o", options]).arg(what).arg(at))
}

/// A process that has just ended may keep a file system busy for a moment.
pub fn unmount(at: &Path) -> Result<()> {
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

/// Where anything is mounted, the deepest first.
pub fn mounts() -> Result<Vec<PathBuf>> {
    let text = fs::read("/proc/self/mounts").context("the kernel does not say what is mounted")?;
    let places = text.split(|byte| *byte == b'\n').filter_map(|line| line.split(|byte| *byte == b' ').nth(1));
    let mut places: Vec<PathBuf> = places.map(|place| PathBuf::from(OsStr::from_bytes(&unescaped(place)))).collect();
    places.sort_by_key(|place| std::cmp::Reverse(place.components().count()));
    Ok(places)
}

/// The kernel writes a space as `\040`.
pub fn unescaped(text: &[u8]) -> Vec<u8> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_read_with_their_spaces() {
        assert_eq!(unescaped(br"/a\040b\011c\x"), b"/a b\tc\\x");
    }
}
