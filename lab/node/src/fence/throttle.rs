// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Throttles: what a block device does at most for this machine's processes, held by the kernel's control groups.
//!
//! Version 1 charges what is written back from memory to its root group, whoever wrote it, and its groups do not inherit. So a
//! throttle stands in the root group and in the group of this process, which nodes start in. Version 2 charges the group of the
//! writer and all groups above it, but has no throttle in its root group: so it stands in the group above all fences.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{bail, ensure, Context, Result};

use super::{make, mounted, write, PARENT};

/// What a device does at most; `None`: as much as it can.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Throttle {
    /// Bytes read per second.
    pub read_bytes_per_s: Option<u64>,
    /// Bytes written per second.
    pub write_bytes_per_s: Option<u64>,
    /// Reads per second, and as many writes.
    pub operations_per_s: Option<u64>,
}

/// Where throttles stand.
enum Groups {
    /// The folders of the groups; the first is the root.
    V1(Vec<PathBuf>),
    /// The root, which hands the controller on to the groups in it.
    V2(PathBuf),
}

/// Why the kernel would not keep to a throttle here; nothing when it would. `fenced`: whether the nodes have fences.
///
/// # Errors
/// The controller, right or fence that is missing.
pub fn able(fenced: bool) -> Result<()> {
    match Groups::find()? {
        Groups::V1(folders) => {
            let root = folders.first().context("the controller blkio has no root group")?;
            // Only the real root has it: what is written back from memory is charged to a group that a container cannot see.
            let whole = root.join("release_agent").exists();
            ensure!(
                whole,
                "{} is a part of the control groups of blkio: write-back would pass them by",
                root.display()
            );
            folders.iter().flat_map(|folder| v1_files(folder)).try_for_each(|file| writable(&file))
        }
        Groups::V2(root) => {
            ensure!(fenced, "control groups of version 2 limit the devices of groups: the nodes need a fence (node:)");
            writable(&root.join("cgroup.subtree_control"))
        }
    }
}

impl Throttle {
    /// Holds a device to it, by its number, from now on; what was there before is gone.
    ///
    /// # Errors
    /// The file that cannot be written, or does not say afterwards what was written.
    pub fn hold(self, (major, minor): (u64, u64)) -> Result<()> {
        self.hold_in(&Groups::find()?, &format!("{major}:{minor}"))
    }

    fn hold_in(self, groups: &Groups, device: &str) -> Result<()> {
        match groups {
            Groups::V1(folders) => folders.iter().try_for_each(|folder| self.hold_v1(folder, device)),
            Groups::V2(root) => {
                write(&root.join("cgroup.subtree_control"), "+io")?;
                let parent = root.join(PARENT);
                make(&parent)?;
                let said = |limit: Option<u64>| limit.map_or_else(|| "max".to_owned(), |limit| limit.to_string());
                let (read, written, each) =
                    (said(self.read_bytes_per_s), said(self.write_bytes_per_s), said(self.operations_per_s));
                let line = format!("{device} rbps={read} wbps={written} riops={each} wiops={each}");
                let file = parent.join("io.max");
                write(&file, &line)?;
                // Devices without any limit have no line.
                kept(&file, device, (self != Self::default()).then_some(line.as_str()))
            }
        }
    }

    fn hold_v1(self, folder: &Path, device: &str) -> Result<()> {
        let limits =
            [self.read_bytes_per_s, self.write_bytes_per_s, self.operations_per_s, self.operations_per_s].into_iter();
        for (file, limit) in v1_files(folder).into_iter().zip(limits) {
            write(&file, format!("{device} {}", limit.unwrap_or(0)))?;
            let line = limit.map(|limit| format!("{device} {limit}"));
            kept(&file, device, line.as_deref())?;
        }
        Ok(())
    }
}

/// Lets a device do what it can; nothing happens where the kernel has no throttles.
pub fn lift((major, minor): (u64, u64)) -> Result<()> {
    match Groups::find() {
        // Without its folder no throttle was ever set.
        Ok(Groups::V2(root)) if !root.join(PARENT).join("io.max").exists() => Ok(()),
        Ok(groups) if groups.files().iter().all(|file| file.exists()) => {
            Throttle::default().hold_in(&groups, &format!("{major}:{minor}"))
        }
        _ => Ok(()),
    }
}

/// The lines of the kernel's files that are about a device.
///
/// # Errors
/// As [`able`].
pub fn lines((major, minor): (u64, u64)) -> Result<Vec<String>> {
    let device = format!("{major}:{minor}");
    let read = |file: PathBuf| fs::read_to_string(&file).unwrap_or_default();
    let texts: Vec<String> = Groups::find()?.files().into_iter().map(read).collect();
    let of_device = |line: &&str| line.split(' ').next() == Some(device.as_str());
    Ok(texts.iter().flat_map(|text| text.lines()).filter(of_device).map(str::to_owned).collect())
}

impl Groups {
    fn find() -> Result<Self> {
        let mounts = fs::read_to_string("/proc/self/mounts").context("the kernel does not say what is mounted")?;
        let own = fs::read_to_string("/proc/self/cgroup").context("the kernel does not say this process' groups")?;
        let controllers = |root: &Path| fs::read_to_string(root.join("cgroup.controllers")).unwrap_or_default();
        Self::of(&mounts, &own, &controllers)
    }

    fn of(mounts: &str, own: &str, controllers: &dyn Fn(&Path) -> String) -> Result<Self> {
        let has = |list: &str, mark: char, name: &str| list.split(mark).any(|word| word == name);
        if let Some((_, root, _)) =
            mounted(mounts).find(|(kind, _, options)| *kind == "cgroup" && has(options, ',', "blkio"))
        {
            let own = own.lines().find_map(|line| {
                let (names, path) = line.split_once(':')?.1.split_once(':')?;
                has(names, ',', "blkio").then(|| path.trim_start_matches('/'))
            });
            let own = own.filter(|path| !path.is_empty()).map(|path| root.join(path));
            return Ok(Self::V1([root].into_iter().chain(own).collect()));
        }
        let v2 = mounted(mounts).find(|(kind, root, _)| *kind == "cgroup2" && has(controllers(root).trim(), ' ', "io"));
        match v2 {
            Some((_, root, _)) => Ok(Self::V2(root)),
            None => bail!("the kernel has no control groups for devices mounted (blkio, or io of version 2)"),
        }
    }

    fn files(&self) -> Vec<PathBuf> {
        match self {
            Self::V1(folders) => folders.iter().flat_map(|folder| v1_files(folder)).collect(),
            Self::V2(root) => vec![root.join(PARENT).join("io.max")],
        }
    }
}

/// Bytes read and written, then operations.
fn v1_files(folder: &Path) -> [PathBuf; 4] {
    ["read_bps", "write_bps", "read_iops", "write_iops"]
        .map(|what| folder.join(format!("blkio.throttle.{what}_device")))
}

fn writable(file: &Path) -> Result<()> {
    ensure!(file.exists(), "the kernel has no {}: throttles need its option CONFIG_BLK_DEV_THROTTLING", file.display());
    let may = nix::unistd::access(file, nix::unistd::AccessFlags::W_OK);
    may.with_context(|| format!("cannot write {}: throttles need root", file.display()))
}

/// A kernel that takes a limit and forgets it does not keep to it.
fn kept(file: &Path, device: &str, wanted: Option<&str>) -> Result<()> {
    let text = fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    let line = text.lines().find(|line| line.split(' ').next() == Some(device));
    ensure!(line == wanted, "{} says {line:?} after {wanted:?} was written", file.display());
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn both_versions_are_found_where_they_are_mounted() {
        let none = |_: &Path| String::new();
        let v1 = "cgroup /c/blkio cgroup rw,blkio 0 0\ncgroup2 /c/unified cgroup2 rw 0 0\n";
        for (own, folders) in [
            ("7:blkio:/\n0::/\n", &["/c/blkio"][..]),
            ("7:cpu:/x\n3:blkio:/user.slice\n", &["/c/blkio", "/c/blkio/user.slice"]),
        ] {
            let groups = Groups::of(v1, own, &none).unwrap();
            let files: Vec<PathBuf> = folders.iter().flat_map(|folder| v1_files(Path::new(folder))).collect();
            assert_eq!(groups.files(), files);
        }
        let v2 = "cgroup2 /sys/fs/cgroup cgroup2 rw,nsdelegate 0 0\n";
        let groups = Groups::of(v2, "0::/\n", &|_| "cpuset cpu io memory\n".to_owned()).unwrap();
        assert_eq!(groups.files(), [PathBuf::from("/sys/fs/cgroup/cassiterite/io.max")]);
        let refusal = Groups::of(v2, "0::/\n", &none).err().unwrap().to_string();
        assert!(refusal.contains("control groups for devices"), "{refusal}");
    }

    #[test]
    fn each_version_gets_its_own_words() {
        let throttle =
            Throttle { read_bytes_per_s: Some(1 << 20), write_bytes_per_s: None, operations_per_s: Some(150) };
        let folder = tempfile::tempdir().unwrap();
        let groups = Groups::V2(folder.path().to_owned());
        throttle.hold_in(&groups, "7:3").unwrap();
        assert_eq!(fs::read_to_string(folder.path().join("cgroup.subtree_control")).unwrap(), "+io");
        let line = fs::read_to_string(&groups.files()[0]).unwrap();
        assert_eq!(line, "7:3 rbps=1048576 wbps=max riops=150 wiops=150");
    }

    #[test]
    fn a_limit_that_is_forgotten_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("io.max");
        fs::write(&file, "7:33 rbps=1\n").unwrap();
        let error = kept(&file, "7:3", Some("7:3 rbps=1")).unwrap_err().to_string();
        assert!(error.contains("says None"), "{error}");
        kept(&file, "7:3", None).unwrap();
    }
}
