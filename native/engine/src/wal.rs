// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Checks the write-ahead log before its replay for damage through which replay would silently lose writes.
//!
//! RocksDB replays up to the first damage and drops what follows, or skips blocks of zeros. That is right for the torn
//! end that a killed process leaves behind, and silent loss of acknowledged writes where intact records follow.

mod scan;

use crate::error::{EngineError, Result};
use crate::options::WalRecovery;
use crate::raw::sys;
use scan::{scan, Scan};
use std::fs;
use std::path::{Path, PathBuf};

/// Makes sure that replay takes the log for what it is. Strict: refuses one of which intact records would be dropped,
/// and the lack of one, or of its first files, where there are tables. Then cuts torn ends off, or with `UntilDamage`
/// everything behind a damage in its file: RocksDB reads a torn record whose type looks like that of a recycled log
/// over and over.
pub(crate) fn prepare(database: &Path, log_directory: &Path, has_tables: bool, recovery: WalRecovery) -> Result<()> {
    let strict = recovery == WalRecovery::Strict;
    let sys::NeededLogs { first: first_needed, next_file } = sys::needed_logs(database)?;
    let mut logs = numbered_files(log_directory, "log")?;
    logs.retain(|(number, _)| *number >= first_needed);
    if strict && logs.is_empty() && (first_needed > 0 || has_tables) {
        return Err(missing(log_directory, first_needed));
    }
    if let (true, true, Some((oldest, _))) = (strict, has_tables, logs.first()) {
        // 0: the manifest cannot be read, of which RocksDB tells.
        if next_file > 0 && *oldest >= next_file {
            return Err(younger(log_directory, *oldest));
        }
    }
    let mut gaps: Vec<Gap> = Vec::new();
    let mut expected = None;
    for (_, path) in logs {
        let found = scan(&path).map_err(|error| EngineError::from(error).context(path.display()))?;
        if let (true, Some(gap), Some(first)) = (strict, gaps.last(), found.first_sequence) {
            // A log that was torn, and whose store then went on, is continued without a gap.
            if expected != Some(first) {
                return Err(gap.refusal(&format!("{} continues after it", path.display())));
            }
        }
        let Scan { next_sequence, damage, .. } = found;
        expected = next_sequence.or(expected);
        if let Some(damage) = damage {
            let gap = Gap { path, at: damage.at };
            if strict && damage.followed {
                return Err(gap.refusal("intact records follow"));
            }
            gaps.push(gap);
        }
    }
    gaps.iter().try_for_each(Gap::cut)
}

fn missing(log_directory: &Path, first_needed: u64) -> EngineError {
    EngineError::corruption(format!(
        "{} has no write-ahead log of number {first_needed} or later: is its disk mounted, and wal_directory as it was? \
         Otherwise restore the store from a backup; or set the memtable parameter wal_recovery to until_damage for one \
         start to give up the writes that only the log had",
        log_directory.display()
    ))
}

/// The log to which the database wrote when it wrote its manifest was needed, and is not there.
fn younger(log_directory: &Path, oldest: u64) -> EngineError {
    EngineError::corruption(format!(
        "the write-ahead logs in {} begin with number {oldest}, which is younger than the store: logs in between are \
         missing. Were store and log copied at different times? Restore both from one time; or set the memtable parameter \
         wal_recovery to until_damage for one start to give up the writes in between",
        log_directory.display()
    ))
}

/// Where a log file cannot be read on.
struct Gap {
    path: PathBuf,
    at: u64,
}

impl Gap {
    fn cut(&self) -> Result<()> {
        let cut = || {
            let file = fs::OpenOptions::new().write(true).open(&self.path)?;
            file.set_len(self.at)?;
            file.sync_all()
        };
        cut().map_err(|error| {
            EngineError::from(error).context(format_args!("cutting the torn end of {}", self.path.display()))
        })
    }

    fn refusal(&self, evidence: &str) -> EngineError {
        EngineError::corruption(format!(
            "the write-ahead log {} is damaged at byte {}, but {evidence}: starting would lose acknowledged writes. Check \
             the device, then restore the store from a backup; or set the memtable parameter wal_recovery to until_damage \
             for one start to give up the writes from the damage on",
            self.path.display(),
            self.at
        ))
    }
}

/// Refuses a directory that has lost the file CURRENT, which names its manifest: RocksDB would begin anew and delete
/// the rest.
pub(crate) fn check_headless(database: &Path, log_directory: &Path) -> Result<()> {
    for (directory, extension) in [(database, "sst"), (database, "log"), (log_directory, "log")] {
        if directory.is_dir() && !numbered_files(directory, extension)?.is_empty() {
            return Err(EngineError::corruption(format!(
                "{} is missing, but {} holds files of a store: restore the store from a backup, or remove what is left of it",
                database.join("CURRENT").display(),
                directory.display()
            )));
        }
    }
    Ok(())
}

/// The files `NUMBER.extension`, oldest first.
fn numbered_files(directory: &Path, extension: &str) -> Result<Vec<(u64, PathBuf)>> {
    let failed =
        |error: std::io::Error| EngineError::from(error).context(format_args!("listing {}", directory.display()));
    let mut files = Vec::new();
    for entry in fs::read_dir(directory).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if path.extension().is_some_and(|found| found == extension) {
            if let Some(number) = path.file_stem().and_then(|stem| stem.to_str()).and_then(|stem| stem.parse().ok()) {
                files.push((number, path));
            }
        }
    }
    files.sort();
    Ok(files)
}
