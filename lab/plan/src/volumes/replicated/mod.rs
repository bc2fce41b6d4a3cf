// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! A volume that GlusterFS replicates: each host of storage has a device, an ext4 on it, and a brick process that serves it on
//! the loopback; one client mounts them as one file system, and writes to each of them before it answers.
//!
//! There is no management daemon: what it would write for each process is in [`graph`].

mod daemon;
mod graph;

use std::fs;
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{bail, ensure, Context, Result};

use super::devices::{attached, detach, image, made_ext4};
use super::mounts::{mount, mounts, unmount, OPTIONS};

pub use daemon::end_all;
#[cfg(test)]
pub use daemon::running;

/// A process of GlusterFS answers by then.
const START_LIMIT: Duration = Duration::from_secs(30);
/// A copy has all of its bytes again by then.
const HEAL_LIMIT: Duration = Duration::from_secs(3600);
const LOOK_EVERY: Duration = Duration::from_millis(200);
/// The process that mounts it.
const CLIENT: &str = "client";

/// A replicated volume below a folder.
pub struct Replicated<'a> {
    root: PathBuf,
    name: &'a str,
    copies: u32,
    size_bytes: u64,
}

impl<'a> Replicated<'a> {
    /// The volume of that name below `root`, which is there.
    pub fn of(name: &'a str, root: &Path, copies: u32, size_bytes: u64) -> Result<Self> {
        // The kernel, and the command lines of the processes, have real places.
        let root = root.canonicalize().with_context(|| root.display().to_string())?;
        Ok(Self { root, name, copies, size_bytes })
    }

    /// Makes all of it, and mounts it.
    pub fn make(&self) -> Result<()> {
        let shown = self.root.to_str().filter(|path| !path.contains(|c: char| c.is_whitespace() || c == '"'));
        ensure!(shown.is_some(), "GlusterFS reads no path with blanks or quotes: {}", self.root.display());
        fs::create_dir_all(self.folder())?;
        let ports = free_ports(self.copies)?;
        for (copy, port) in (1..).zip(&ports) {
            fs::write(self.graph(&brick(copy)), graph::brick(&self.data(copy).display().to_string(), *port))?;
            self.attach(copy)?;
        }
        fs::write(self.graph(CLIENT), graph::client(&ports))?;
        self.mount()?;
        if self.copies > 1 {
            fs::write(self.graph("healer"), graph::healer(&ports))?;
            self.start("glusterfs", "healer", &["--client-pid=-6".to_owned()])?;
        }
        Ok(())
    }

    /// Mounts it.
    pub fn mount(&self) -> Result<()> {
        self.start("glusterfs", CLIENT, &[self.at().display().to_string()])?;
        self.await_so("the mount", START_LIMIT, || Ok(mounts()?.contains(&self.at())))
    }

    /// The host that mounts it is lost: its process ends at once, with all that it has not sent.
    pub fn lose_mount(&self) -> Result<()> {
        daemon::end(&self.graph(CLIENT))?;
        unmount(&self.at())
    }

    /// Ends all of its processes.
    pub fn end(&self) -> Result<()> {
        daemon::end_all(&self.folder())
    }

    /// The last host of storage is lost: its process ends at once, and its device is deleted.
    pub fn lose_copy(&self) -> Result<()> {
        let image = image(&self.root, self.name, self.copies);
        daemon::end(&self.graph(&brick(self.copies)))?;
        unmount(&self.host(self.copies))?;
        detach(&image)?;
        fs::remove_file(&image).with_context(|| image.display().to_string())?;
        // A folder that changed meanwhile is known to lack in the copy, with all that is in it.
        let mark = self.at().join(".copy-lost");
        fs::create_dir(&mark).and_then(|()| fs::remove_dir(&mark)).context("the other copies do not take writes")
    }

    /// An empty host of storage takes its place, and begins to get what it lacks.
    pub fn attach_again(&self) -> Result<()> {
        // An earlier try may have come half way.
        let image = image(&self.root, self.name, self.copies);
        daemon::end(&self.graph(&brick(self.copies)))?;
        if mounts()?.contains(&self.host(self.copies)) {
            unmount(&self.host(self.copies))?;
        }
        if image.exists() {
            detach(&image)?;
        }
        self.attach(self.copies)
    }

    /// Returns when each byte is on it again.
    pub fn await_healed(&self) -> Result<()> {
        self.await_so("the healing of the new copy", HEAL_LIMIT, || {
            daemon::ensure_there(&self.graph("healer"))?;
            let others = (1..self.copies).map(|copy| self.lacking(copy));
            Ok(others.sum::<Result<usize>>()? == 0)
        })
    }

    /// Files and folders of a copy that are known to lack in others.
    fn lacking(&self, copy: u32) -> Result<usize> {
        let folder = self.data(copy).join(graph::INDICES).join("xattrop");
        let entries = fs::read_dir(&folder).with_context(|| folder.display().to_string())?;
        let names = entries.map(|entry| Ok(entry?.file_name())).collect::<Result<Vec<_>>>()?;
        // The file that the others are links of.
        Ok(names.iter().filter(|name| !name.to_string_lossy().starts_with("xattrop-")).count())
    }

    /// An empty device with its process.
    fn attach(&self, copy: u32) -> Result<()> {
        let device = attached(&image(&self.root, self.name, copy), self.size_bytes)?;
        made_ext4(&device)?;
        let host = self.host(copy);
        fs::create_dir_all(&host)?;
        mount("ext4", device.as_ref(), OPTIONS, &host)?;
        fs::create_dir_all(self.data(copy).join(graph::INDICES))?;
        self.start("glusterfsd", &brick(copy), &[])?;
        let port = graph::port(&fs::read_to_string(self.graph(&brick(copy)))?)?;
        self.await_so("a brick", START_LIMIT, || Ok(TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_ok()))
    }

    fn start(&self, program: &str, role: &str, more: &[String]) -> Result<()> {
        daemon::start(program, &self.graph(role), &self.log(role), more)
    }

    fn await_so(&self, what: &str, limit: Duration, is_so: impl Fn() -> Result<bool>) -> Result<()> {
        let deadline = Instant::now() + limit;
        while !is_so()? {
            if Instant::now() > deadline {
                bail!("{what} took more than {} s: see the logs in {}", limit.as_secs(), self.folder().display());
            }
            thread::sleep(LOOK_EVERY);
        }
        Ok(())
    }

    fn at(&self) -> PathBuf {
        self.root.join(self.name)
    }

    /// Where its processes and their hosts' devices are.
    pub fn folder(&self) -> PathBuf {
        self.root.join(format!("{}.gluster", self.name))
    }

    fn host(&self, copy: u32) -> PathBuf {
        self.folder().join(format!("host{copy}"))
    }

    fn data(&self, copy: u32) -> PathBuf {
        self.host(copy).join("brick")
    }

    fn graph(&self, role: &str) -> PathBuf {
        self.folder().join(format!("{role}.vol"))
    }

    fn log(&self, role: &str) -> PathBuf {
        self.folder().join(format!("{role}.log"))
    }
}

fn brick(copy: u32) -> String {
    format!("brick{copy}")
}

/// All are held until the last one is known: no two are the same.
fn free_ports(copies: u32) -> Result<Vec<u16>> {
    let held: Vec<TcpListener> =
        (0..copies).map(|_| TcpListener::bind((Ipv4Addr::LOCALHOST, 0))).collect::<std::io::Result<_>>()?;
    held.iter().map(|listener| Ok(listener.local_addr()?.port())).collect()
}
