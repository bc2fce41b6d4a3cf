// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The journal: JSON Lines, one record per step, on the device before the next step begins.
//!
//! `{"sum":"1f2e3d4c","entry":{...}}`: the sum is the first 8 hexadecimal digits of SHA-256 of the entry as it is written. A
//! last line that was cut short is taken away when the journal is opened; any other damage is an error.

mod entry;
pub mod identity;

use std::fs::{File, OpenOptions};
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use anyhow::{bail, ensure, Context, Result};

use crate::figures::phase::{Course, PhaseFigures};
use crate::figures::soak::SoakFigures;
use crate::journal::identity::Identity;
use crate::trials::observed::Observed;
use crate::trials::trial::Trial;
use lab_load::observe::text_hash;

pub use entry::{Entry, Thing};

/// The format's name.
pub const FORMAT: &str = "cassiterite-plan-journal";
/// Grows when a field changes its meaning.
pub const VERSION: u32 = 1;
const FILE: &str = "journal.jsonl";
const SUM_DIGITS: usize = 8;

/// The journal of a plan, open for more.
#[derive(Debug)]
pub struct Journal {
    file: File,
    path: PathBuf,
    entries: Vec<Entry>,
}

impl Journal {
    /// Whether there is one in that folder.
    pub fn is_in(folder: &Path) -> bool {
        folder.join(FILE).exists()
    }

    /// Begins one.
    pub fn create(folder: &Path, identity: Identity, plan: crate::file::PlanFile) -> Result<Self> {
        std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
        let path = folder.join(FILE);
        let made = OpenOptions::new().read(true).write(true).create_new(true).open(&path);
        let file = made.with_context(|| format!("cannot make {}", path.display()))?;
        lock(&file, &path)?;
        let mut journal = Self { file, path, entries: Vec::new() };
        journal.add(Entry::Begun {
            format: FORMAT.to_owned(),
            version: VERSION,
            identity: Box::new(identity),
            plan: Box::new(plan),
        })?;
        Ok(journal)
    }

    /// Opens the one in that folder for more and reads all of it; only one process may have it open so.
    pub fn open(folder: &Path) -> Result<Self> {
        let path = folder.join(FILE);
        let opened = OpenOptions::new().read(true).write(true).open(&path);
        let mut file = opened.with_context(|| format!("there is no plan in {}", folder.display()))?;
        lock(&file, &path)?;
        let (entries, whole, length) = entries(&path)?;
        if whole < length {
            file.set_len(whole as u64)?;
        }
        file.seek(SeekFrom::Start(whole as u64))?;
        Ok(Self { file, path, entries })
    }

    /// Opens it to read only, also while a run adds to it: nothing is cut off, and nothing can be added.
    pub fn view(folder: &Path) -> Result<Self> {
        let path = folder.join(FILE);
        let file = File::open(&path).with_context(|| format!("there is no plan in {}", folder.display()))?;
        let (entries, ..) = entries(&path)?;
        Ok(Self { file, path, entries })
    }

    /// Moves a journal out of the way.
    pub fn set_aside(folder: &Path) -> Result<()> {
        for number in 1.. {
            let old = folder.join(format!("journal-{number}.jsonl"));
            if !old.exists() {
                std::fs::rename(folder.join(FILE), &old).context("the journal cannot be set aside")?;
                break;
            }
        }
        Ok(())
    }

    /// Adds a record; on the device when this returns.
    pub fn add(&mut self, entry: Entry) -> Result<()> {
        let line = line(&entry)?;
        let start = self.file.stream_position()?;
        let written = self.file.write_all(line.as_bytes()).and_then(|()| self.file.sync_data());
        if let Err(error) = written {
            // A full device may have taken a part of the line, and room for later lines may come.
            let cut = self.file.set_len(start).and_then(|()| self.file.seek(SeekFrom::Start(start)));
            cut.with_context(|| format!("{} ends with a part of a line", self.path.display()))?;
            return Err(error).with_context(|| format!("cannot write {}", self.path.display()));
        }
        self.entries.push(entry);
        Ok(())
    }

    /// All records.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// What the plan must be to go on, and the plan itself.
    pub fn begun(&self) -> Result<(&Identity, &crate::file::PlanFile)> {
        match self.entries.first() {
            Some(Entry::Begun { identity, plan, .. }) => Ok((identity, plan)),
            _ => bail!("{}: the first record is missing", self.path.display()),
        }
    }

    /// Finished trials.
    pub fn trials(&self) -> Vec<Trial> {
        let of = |entry: &Entry| match entry {
            Entry::TrialEnded { trial } => Some(trial.as_ref().clone()),
            _ => None,
        };
        self.entries.iter().filter_map(of).collect()
    }

    /// Finished phases.
    pub fn phases(&self) -> Vec<PhaseFigures> {
        let of = |entry: &Entry| match entry {
            Entry::PhaseEnded { figures } => Some(figures.as_ref().clone()),
            _ => None,
        };
        self.entries.iter().filter_map(of).collect()
    }

    /// Finished soaks.
    pub fn soaks(&self) -> Vec<SoakFigures> {
        let of = |entry: &Entry| match entry {
            Entry::SoakEnded { figures } => Some(figures.as_ref().clone()),
            _ => None,
        };
        self.entries.iter().filter_map(of).collect()
    }

    /// Seconds of trials, phases and soaks so far.
    pub fn spent_s(&self, trials: &[Trial]) -> f64 {
        let (phases, soaks) = (self.phases(), self.soaks());
        let beside = phases.iter().map(|phase| phase.took_s).chain(soaks.iter().map(|soak| soak.took_s));
        trials.iter().map(|trial| trial.took_s).chain(beside).sum()
    }

    /// What the load of a finished phase saw.
    pub fn course(&self, phase: usize, cell: &str) -> Option<&Course> {
        self.entries.iter().rev().find_map(|entry| match entry {
            Entry::PhaseSeen { phase: own, cell: of, course } if *own == phase && of == cell => Some(course.as_ref()),
            _ => None,
        })
    }

    /// What the loads of a finished trial saw, in the order of time; runs that a kill cut short are left out.
    pub fn loads(&self, trial: usize) -> Vec<(&str, &Observed)> {
        let mut loads = Vec::new();
        for entry in &self.entries {
            match entry {
                Entry::TrialBegun { trial: begun, .. } if *begun == trial => loads.clear(),
                Entry::Observed { trial: own, load, observed } if *own == trial => {
                    loads.push((load.as_str(), observed.as_ref()));
                }
                _ => {}
            }
        }
        loads
    }

    /// What was made and is not known to be gone.
    pub fn things(&self) -> Vec<Thing> {
        let mut things = std::collections::BTreeSet::new();
        for entry in &self.entries {
            match entry {
                Entry::Making { thing } => drop(things.insert(thing.clone())),
                Entry::Gone { thing } => drop(things.remove(thing)),
                _ => {}
            }
        }
        things.into_iter().collect()
    }
}

fn sum(entry: &str) -> String {
    text_hash("", entry).sha256.chars().take(SUM_DIGITS).collect()
}

fn line(entry: &Entry) -> Result<String> {
    let text = serde_json::to_string(entry)?;
    Ok(format!("{{\"sum\":\"{}\",\"entry\":{text}}}\n", sum(&text)))
}

fn lock(file: &File, path: &Path) -> Result<()> {
    file.try_lock().with_context(|| format!("{} is in use: another run, or `plan clean`, adds to it", path.display()))
}

/// The records of a file, how many bytes of them are whole, and how many there are.
fn entries(path: &Path) -> Result<(Vec<Entry>, usize, usize)> {
    let bytes = std::fs::read(path).with_context(|| path.display().to_string())?;
    let (entries, whole) = read(&bytes).with_context(|| path.display().to_string())?;
    ensure!(!entries.is_empty(), "{}: the journal is empty: begin anew with --anew", path.display());
    Ok((entries, whole, bytes.len()))
}

/// The records, and how many bytes of them are whole.
fn read(bytes: &[u8]) -> Result<(Vec<Entry>, usize)> {
    let (mut entries, mut at) = (Vec::new(), 0);
    while let Some(rest) = bytes.get(at..).filter(|rest| !rest.is_empty()) {
        // Without its end, the last line was being written when the process died.
        let Some(length) = rest.iter().position(|byte| *byte == b'\n') else { break };
        let entry = entry(rest.get(..length).unwrap_or_default());
        entries.push(entry.with_context(|| format!("line {} is damaged", entries.len() + 1))?);
        at += length + 1;
    }
    if let Some(Entry::Begun { format, version, .. }) = entries.first() {
        ensure!(format == FORMAT, "'{format}' is not a {FORMAT}");
        ensure!(*version == VERSION, "version {version} of {FORMAT}; this program knows version {VERSION}");
    }
    Ok((entries, at))
}

fn entry(line: &[u8]) -> Result<Entry> {
    let text = std::str::from_utf8(line).context("it is no text")?;
    let inside = text.strip_prefix("{\"sum\":\"").and_then(|rest| rest.strip_suffix('}'));
    let (own, entry) = inside.and_then(|inside| inside.split_once("\",\"entry\":")).context("it has no sum")?;
    ensure!(own == sum(entry), "its sum is wrong");
    Ok(serde_json::from_str(entry)?)
}

#[cfg(test)]
pub(crate) mod tests;
