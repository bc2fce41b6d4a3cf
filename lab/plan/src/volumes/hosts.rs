// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! A volume whose host is lost: another one mounts it, or it is lost, too.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{ensure, Context, Result};

use super::devices::{detach, devices_of, image};
use super::mounts::{mounts, unmount};
use super::{mount_first, Made};
use crate::file::{Driver, Volume};
use crate::timeline::Move;
use lab_node::command::run;

impl Made {
    /// The host that mounts it is lost. What the host had in memory is gone, but of a mirror: btrfs writes it as it is unmounted.
    pub fn lose_mount(&self) -> Result<()> {
        let at = self.real_at()?;
        match self.volume.driver {
            Driver::Replicated => return self.replicated()?.lose_mount(),
            // The file system writes nothing from here on; its log is replayed by the next mount.
            Driver::Loop => run(Command::new("mount").args(["-o", "remount,abort"]).arg(&at))?,
            _ => {}
        }
        unmount(&at)
    }

    /// Another host mounts it.
    pub fn mount_again(&self) -> Result<()> {
        let at = self.real_at()?;
        // An earlier try may have come half way.
        if mounts()?.contains(&at) {
            self.lose_mount()?;
        }
        match self.volume.driver {
            Driver::Replicated => self.replicated()?.mount(),
            Driver::Mirror => mount_first("btrfs", &self.devices()?, &at),
            _ => mount_first("ext4", &self.devices()?, &at),
        }
    }

    /// All of it is lost.
    pub fn remove(&self) -> Result<()> {
        let mut places = vec![self.real_at()?];
        let images = self.images()?;
        // What waits for the devices ends soon.
        images.iter().try_for_each(|image| super::devices::throttle(image, None))?;
        if self.volume.driver == Driver::Replicated {
            let replicated = self.replicated()?;
            replicated.end()?;
            places.push(replicated.folder());
        }
        for mounted in mounts()?.into_iter().filter(|mounted| places.iter().any(|place| mounted.starts_with(place))) {
            unmount(&mounted)?;
        }
        for image in images {
            detach(&image)?;
            fs::remove_file(&image).with_context(|| image.display().to_string())?;
        }
        places.iter().try_for_each(|place| {
            fs::remove_dir_all(place).with_context(|| format!("cannot delete {}", place.display()))
        })
    }

    fn devices(&self) -> Result<Vec<String>> {
        Ok(self.images()?.iter().map(|image| devices_of(image)).collect::<Result<Vec<_>>>()?.concat())
    }

    /// The files of its copies that are there. The kernel knows them by their real places.
    pub(super) fn images(&self) -> Result<Vec<PathBuf>> {
        let root = self.real_root()?;
        let images = (1..=self.volume.copies).map(|copy| image(&root, &self.name, copy));
        Ok(images.filter(|image| image.exists()).collect())
    }

    fn real_root(&self) -> Result<PathBuf> {
        self.root.canonicalize().with_context(|| self.root.display().to_string())
    }

    fn real_at(&self) -> Result<PathBuf> {
        Ok(self.real_root()?.join(&self.name))
    }
}

/// Why another host cannot mount a volume in a timeline; nothing when it can.
pub fn mounts_elsewhere(name: &str, volume: &Volume, timeline: &[Move]) -> Result<()> {
    ensure!(
        volume.per_node,
        "volume {name} is one for all nodes: another host mounts a loop, a mirror or a replicated volume with per_node: true"
    );
    let lacks_copy = timeline.iter().take_while(|step| !step.is_of_host()).fold(false, |lacks, step| match step {
        Move::LoseCopy => true,
        Move::Reattach => false,
        _ => lacks,
    });
    ensure!(
        volume.driver != Driver::Mirror || !lacks_copy,
        "volume {name} is a mirror that lacks a copy, and is not mounted anew so: `reattach` before, or driver: replicated"
    );
    Ok(())
}
