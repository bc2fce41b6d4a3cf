// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Hard links to files, and durable copies of them where a link does not reach.

use crate::error::{EngineError, Result};
use crate::faults::{reached, Step};
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

/// A copy asks after each block whether to go on.
const BLOCK_BYTES: u64 = if cfg!(test) { 1 << 10 } else { 8 << 20 };

/// Hard-links a file, or copies it where it lies on another device.
pub(crate) fn link(from: &Path, to: &Path, check: &dyn Fn() -> Result<()>) -> Result<()> {
    match try_link(from, to)? {
        true => Ok(()),
        false => copy(from, to, check),
    }
}

/// Hard-links a file; false where it lies on another device.
pub(crate) fn try_link(from: &Path, to: &Path) -> Result<bool> {
    match hard_link(from, to) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::CrossesDevices => Ok(false),
        Err(error) => Err(EngineError::from(error).context(format_args!("linking {}", from.display()))),
    }
}

/// Copies a file, durably but for its name, unless `check` fails meanwhile.
pub(crate) fn copy(from: &Path, to: &Path, check: &dyn Fn() -> Result<()>) -> Result<()> {
    let copied = copy_blocks(from, to, check);
    copied.map_err(|error| error.context(format_args!("copying {} to {}", from.display(), to.display())))
}

fn copy_blocks(from: &Path, to: &Path, check: &dyn Fn() -> Result<()>) -> Result<()> {
    let (source, mut target) = (File::open(from)?, File::create_new(to)?);
    loop {
        reached(Step::Copying)?;
        check()?;
        if io::copy(&mut (&source).take(BLOCK_BYTES), &mut target)? == 0 {
            return Ok(target.sync_all()?);
        }
    }
}

fn hard_link(from: &Path, to: &Path) -> io::Result<()> {
    #[cfg(test)]
    if OTHER_DEVICE.with_borrow(|device| device.as_ref().is_some_and(|it| from.starts_with(it) != to.starts_with(it))) {
        return Err(io::ErrorKind::CrossesDevices.into());
    }
    fs::hard_link(from, to)
}

#[cfg(test)]
thread_local! {
    /// A folder that a test pretends to be on a device of its own.
    pub(crate) static OTHER_DEVICE: std::cell::RefCell<Option<std::path::PathBuf>> =
        const { std::cell::RefCell::new(None) };
}

/// Makes the names in a directory durable.
pub(crate) fn sync_directory(directory: &Path) -> Result<()> {
    let synced = File::open(directory).and_then(|directory| directory.sync_all());
    synced.map_err(|error| EngineError::from(error).context(format_args!("syncing {}", directory.display())))
}
