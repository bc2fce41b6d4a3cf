// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! What can be done to a volume while it is used: a copy is lost and comes back empty, its room goes, its devices slow down.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{ensure, Context, Result};

use super::devices::{self, allocate, devices_of, image};
use super::replicated::Replicated;
use super::{throttles, Made};
use crate::file::{Driver, Volume};
use crate::limits::Limits;
use lab_node::command::run;

/// The file that takes a volume's room.
const FILLER: &str = "filler";

impl Made {
    /// Loses the last copy: its device has no byte any more, and every access to it fails.
    pub fn lose_copy(&self) -> Result<()> {
        loses_copies(&self.name, &self.volume)?;
        if self.volume.driver == Driver::Replicated {
            return self.replicated()?.lose_copy();
        }
        let image = self.last_image();
        let file = fs::OpenOptions::new().write(true).open(&image).with_context(|| image.display().to_string())?;
        file.set_len(0).with_context(|| format!("cannot empty {}", image.display()))?;
        self.measure_again(&image)
    }

    /// Puts an empty device in the place of the copy that was lost, and returns when each byte is on it again.
    pub fn reattach(&self) -> Result<()> {
        if self.volume.driver == Driver::Replicated {
            let replicated = self.replicated()?;
            replicated.attach_again()?;
            self.throttle()?;
            return replicated.await_healed();
        }
        let image = self.last_image();
        allocate(&image, self.size_bytes()?)?;
        self.measure_again(&image)?;
        // A scrub sees what is committed; what was synced while the copy was away may be in the log alone.
        run(Command::new("btrfs").args(["filesystem", "sync"]).arg(self.at()))?;
        // It reads all copies, and writes each block that is wrong from one that is right.
        run(Command::new("btrfs").args(["scrub", "start", "-B"]).arg(self.at()))
    }

    /// Takes so many bytes of the volume's room.
    pub fn fill(&self, bytes: u64) -> Result<()> {
        fills(&self.name, &self.volume, bytes)?;
        allocate(&self.at().join(FILLER), bytes)
    }

    /// Gives them back.
    pub fn free(&self) -> Result<()> {
        let filler = self.at().join(FILLER);
        match fs::remove_file(&filler) {
            // It may have been full before the filler was there.
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                Err(error).with_context(|| format!("cannot delete {}", filler.display()))
            }
            _ => Ok(()),
        }
    }

    /// Slows each of its devices down: to these limits, or to its own where those are lower.
    pub fn slow(&mut self, limits: Limits) -> Result<()> {
        self.slowed = Some(limits.and(self.volume.limits.unwrap_or_default()));
        self.throttle()
    }

    /// As fast again as the plan file says.
    pub fn unslow(&mut self) -> Result<()> {
        self.slowed = None;
        self.throttle()
    }

    pub(super) fn throttle(&self) -> Result<()> {
        let limits = self.slowed.or(self.volume.limits);
        self.images()?.iter().try_for_each(|image| devices::throttle(image, limits))
    }

    pub(super) fn replicated(&self) -> Result<Replicated<'_>> {
        Replicated::of(&self.name, &self.root, self.volume.copies, self.size_bytes()?)
    }

    fn size_bytes(&self) -> Result<u64> {
        Ok(self.volume.size.context("the volume has no size")?.0)
    }

    fn last_image(&self) -> PathBuf {
        image(&self.root, &self.name, self.volume.copies)
    }

    /// Lets the devices of a file see its size.
    fn measure_again(&self, image: &Path) -> Result<()> {
        // The kernel knows images by their real places.
        let devices = devices_of(&image.canonicalize().with_context(|| image.display().to_string())?)?;
        ensure!(!devices.is_empty(), "{} is no device", image.display());
        devices.iter().try_for_each(|device| run(Command::new("losetup").arg("--set-capacity").arg(device)))
    }
}

/// Why a volume cannot lose a copy; nothing when it can.
pub fn loses_copies(name: &str, volume: &Volume) -> Result<()> {
    let keeps_copies = matches!(volume.driver, Driver::Mirror | Driver::Replicated) && volume.copies > 1;
    ensure!(keeps_copies, "volume {name} does not keep 2 or 3 copies itself: it would lose every byte");
    Ok(())
}

/// Why a volume cannot be slowed down; nothing when it can. `fenced`: whether the nodes have fences.
pub fn slows(name: &str, volume: &Volume, fenced: bool) -> Result<()> {
    ensure!(
        volume.driver.has_device(),
        "volume {name} has no block device of its own, as a loop, a mirror or a replicated volume has"
    );
    throttles(volume, fenced)
}

/// Why so many bytes cannot be taken of a volume; nothing when they can.
pub fn fills(name: &str, volume: &Volume, bytes: u64) -> Result<()> {
    ensure!(volume.driver.makes(), "the run does not make volume {name}: a device of yours would become full");
    let size = volume.size.map_or(0, |size| size.0);
    ensure!(bytes <= size, "volume {name} has {} MiB in all", size >> 20);
    Ok(())
}
