// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! What is remembered of a cluster: `cluster.json` in its folder, written whole or not at all, and a lock beside it.

use std::fs::{self, File, OpenOptions};
use std::io::{Read, Write};
use std::path::Path;

use anyhow::{bail, ensure, Context, Result};
use nix::fcntl::{Flock, FlockArg};
use serde::{Deserialize, Serialize};

use super::member::Member;
use super::ClusterSpec;

const FILE: &str = "cluster.json";
const LOCK: &str = "cluster.lock";
const VERSION: u32 = 1;

/// Everything that later commands need to know.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct State {
    version: u32,
    /// Whether all first nodes have been up; a cluster that never was is begun anew.
    pub formed: bool,
    pub spec: ClusterSpec,
    pub members: Vec<Member>,
    /// Number of the next node that joins; numbers are not used again.
    pub next: u32,
}

impl State {
    /// A cluster that has not been started.
    pub fn new(spec: &ClusterSpec) -> Result<Self> {
        let members = (1..=spec.nodes).map(|number| Member::first(spec, number)).collect::<Result<_>>()?;
        Ok(Self { version: VERSION, formed: false, spec: spec.clone(), members, next: spec.nodes + 1 })
    }

    /// Whether anything is.
    pub fn is_in(base: &Path) -> bool {
        base.join(FILE).exists()
    }

    /// What is remembered in `base`; `None` when no cluster was ever there.
    pub fn read(base: &Path) -> Result<Option<Self>> {
        let path = base.join(FILE);
        if !path.exists() {
            return Ok(None);
        }
        let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        let damaged = || format!("{} is damaged: delete it when none of its nodes runs", path.display());
        let value: serde_json::Value = serde_json::from_str(&text).with_context(damaged)?;
        let version = value.get("version").and_then(serde_json::Value::as_u64);
        ensure!(
            version == Some(u64::from(VERSION)),
            "{} is of version {version:?}, and this program knows version {VERSION}",
            path.display()
        );
        let mut state: Self = serde_json::from_value(value).with_context(damaged)?;
        state.spec.base = base.to_path_buf();
        Ok(Some(state))
    }

    /// Remembers it in `base`.
    pub fn write(&self, base: &Path) -> Result<()> {
        let (path, new) = (base.join(FILE), base.join("cluster.json.new"));
        let text = serde_json::to_string_pretty(self)? + "\n";
        fs::write(&new, text)
            .and_then(|()| fs::rename(&new, &path))
            .with_context(|| format!("cannot write {}", path.display()))
    }

    /// Forgets the cluster in `base`, whose nodes are gone; the folder goes, too, when there is nothing else in it.
    pub fn forget(base: &Path) -> Result<()> {
        for file in [FILE, LOCK] {
            let path = base.join(file);
            fs::remove_file(&path).with_context(|| format!("cannot delete {}", path.display()))?;
        }
        let empty = fs::read_dir(base)?.next().is_none();
        if empty {
            fs::remove_dir(base)?;
        }
        Ok(())
    }

    pub fn member(&self, number: u32) -> Result<&Member> {
        match self.members.iter().find(|member| member.number == number) {
            Some(member) => Ok(member),
            None => {
                let known: Vec<String> = self.members.iter().map(|member| member.number.to_string()).collect();
                bail!("cluster '{}' has no node {number}: it has {}", self.spec.name, known.join(", "))
            }
        }
    }

    pub fn member_mut(&mut self, number: u32) -> Result<&mut Member> {
        self.member(number)?;
        self.members.iter_mut().find(|member| member.number == number).context("just found")
    }

    pub fn remove(&mut self, number: u32) {
        self.members.retain(|member| member.number != number);
    }
}

/// Held while a command changes a cluster; the kernel gives it back when the process ends.
#[derive(Debug)]
pub struct Lock {
    _file: Flock<File>,
}

/// Takes the lock of the cluster in `base`, or says who has it.
pub(super) fn lock(base: &Path) -> Result<Lock> {
    lock_file(&base.join(LOCK), |holder| {
        format!("another command (process {holder}) is at work on the cluster in {}", base.display())
    })
}

/// Takes a lock file, made if it is not there; `taken` says what it means that a process has it.
pub fn lock_file(path: &Path, taken: impl FnOnce(&str) -> String) -> Result<Lock> {
    let open = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path);
    let mut file = open.with_context(|| format!("cannot open {}", path.display()))?;
    let mut holder = String::new();
    // Only a help for the message below.
    let _ = file.read_to_string(&mut holder);
    match Flock::lock(file, FlockArg::LockExclusiveNonblock) {
        Ok(mut file) => {
            file.set_len(0)?;
            std::io::Seek::rewind(&mut *file)?;
            write!(file, "{}", std::process::id())?;
            Ok(Lock { _file: file })
        }
        Err((_, nix::errno::Errno::EWOULDBLOCK)) => bail!(taken(holder.trim())),
        Err((_, error)) => Err(error).with_context(|| format!("cannot lock {}", path.display())),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::cluster::Engine;
    use lab_testkit::spoilt::spoilt;
    use proptest::prelude::*;

    fn state(base: &Path) -> State {
        let spec = ClusterSpec::new("t", Engine::Cassiterite, 2).unwrap();
        State::new(&ClusterSpec { base: base.to_path_buf(), ..spec }).unwrap()
    }

    #[test]
    fn what_was_written_is_read() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(State::read(folder.path()).unwrap(), None);
        let mut state = state(folder.path());
        state.member_mut(2).unwrap().pid = Some(42);
        state.write(folder.path()).unwrap();
        assert_eq!(State::read(folder.path()).unwrap(), Some(state));
    }

    #[test]
    fn a_file_of_another_version_or_a_damaged_one_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        for (text, told) in [("{\"version\": 2}", "version"), ("{", "damaged"), ("{\"version\": 1}", "damaged")] {
            fs::write(folder.path().join(FILE), text).unwrap();
            let error = format!("{:#}", State::read(folder.path()).unwrap_err());
            assert!(error.contains(told), "{error}");
        }
    }

    proptest! {
        #[test]
        fn arbitrary_bytes_never_panic(text in spoilt(vec![written()])) {
            let folder = tempfile::tempdir().unwrap();
            fs::write(folder.path().join(FILE), text).unwrap();
            if let Ok(Some(state)) = State::read(folder.path()) {
                let _ = (state.member(1), state.write(folder.path()));
            }
        }
    }

    fn written() -> Vec<u8> {
        let folder = tempfile::tempdir().unwrap();
        state(folder.path()).write(folder.path()).unwrap();
        fs::read(folder.path().join(FILE)).unwrap()
    }

    #[test]
    fn one_command_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let held = lock(folder.path()).unwrap();
        let error = lock(folder.path()).err().unwrap().to_string();
        assert!(error.contains(&std::process::id().to_string()), "{error}");
        drop(held);
        lock(folder.path()).unwrap();
    }

    #[test]
    fn an_unknown_node_is_named_with_those_there_are() {
        let error = state(Path::new("/c")).member(7).unwrap_err().to_string();
        assert!(error.contains("no node 7: it has 1, 2"), "{error}");
    }
}
