// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! What incremental backups are yet to get: links to files with rows that no file has had before, made before a
//! compaction can replace them. They wait in the store's own folder, which is on the device of its files and outlives the
//! process, until [`crate::Table::back_up`] takes them.
//!
//! Form of the folder: docs/internals/formats.md, Waiting increments.

mod missed;

pub(crate) use missed::Missed;

use crate::error::{EngineError, Result};
use crate::faults::{reached, Step};
use crate::links::{sync_directory, try_link};
use crate::log::log;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

const FOLDER: &str = "backups";
/// Says that files are to be kept, also those that the next start recovers.
const ON: &str = "on";
/// Received files that are being put together.
const RECEIVING: &str = "receiving-";
pub(crate) const RECEIVED: &str = "received-";
const NO_CHECKSUM: &str = "none";

/// The files of one store. All methods may be called from any thread; none holds a lock while it works on files.
#[derive(Debug)]
pub(crate) struct Increments {
    directory: PathBuf,
    is_on: AtomicBool,
    received: AtomicU64,
    notes: AtomicU64,
    /// By the ids of their tables.
    waiting: Mutex<BTreeMap<Vec<u8>, Waiting>>,
}

/// What waits of a table, also while it is being taken.
#[derive(Debug, Default)]
struct Waiting {
    /// Another with each file.
    note: u64,
    missed: Option<Missed>,
}

/// What a call has begun to take.
#[derive(Debug)]
pub(crate) struct Taking {
    /// What could not be kept since the last time.
    pub missed: Option<Missed>,
    note: u64,
}

/// A file that a flush has written, by its name in the folder of its table.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Flushed {
    pub generation: u64,
    pub checksum: Option<u32>,
}

impl Increments {
    /// What an earlier run of the store in `store` has left.
    pub(crate) fn open(store: &Path) -> Result<Increments> {
        let directory = store.join(FOLDER);
        let mut waiting = BTreeMap::new();
        for (id, folder) in folders(&directory)? {
            remove_receiving(&folder)?;
            waiting.insert(id, Waiting { note: 0, missed: Missed::found(&folder)? });
        }
        let is_on = AtomicBool::new(directory.join(ON).exists());
        let (received, notes) = (AtomicU64::new(0), AtomicU64::new(1));
        Ok(Increments { directory, is_on, received, notes, waiting: Mutex::new(waiting) })
    }

    /// Removes what waits of other tables than these.
    pub(crate) fn retain(&self, ids: &[Vec<u8>]) -> Result<()> {
        for (id, folder) in folders(&self.directory)? {
            if !ids.contains(&id) {
                remove(&folder)?;
                self.lock().remove(&id);
            }
        }
        Ok(())
    }

    /// Whether files are kept.
    pub(crate) fn is_on(&self) -> bool {
        self.is_on.load(Ordering::Acquire)
    }

    /// Keeps files from now on, or no more; durably when it returns. What waits stays.
    pub(crate) fn turn(&self, on: bool) -> Result<()> {
        let mark = self.directory.join(ON);
        let turned = match on {
            true => fs::create_dir_all(&self.directory)
                .and_then(|()| File::create(&mark))
                .map_err(EngineError::from)
                .and_then(|_| sync_above(&self.directory)),
            false => remove(&mark),
        };
        turned.map_err(|error| {
            error.context(format_args!("turning incremental backups on or off: {}", mark.display()))
        })?;
        self.is_on.store(on, Ordering::Release);
        Ok(())
    }

    /// Keeps a file that is about to become a part of a column family. A failure is told by the next backup.
    pub(crate) fn keep_flushed(&self, family: &str, path: &Path, checksum: Option<u32>) {
        let Some((id, _)) = family_of(family).filter(|_| self.is_on()) else { return };
        let kept = reached(Step::KeepingIncrement).and_then(|()| self.link_flushed(&id, family, path, checksum));
        self.note(&id, kept.map_err(|error| format!("{}: {error}", path.display())));
    }

    fn link_flushed(&self, id: &[u8], family: &str, path: &Path, checksum: Option<u32>) -> Result<()> {
        let folder = self.made_folder(id)?;
        let number = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        let checksum = checksum.map_or(NO_CHECKSUM.to_owned(), |checksum| format!("{checksum:08x}"));
        link_new(path, &folder.join(format!("{family}-{number}-{checksum}.sst")))?;
        sync_directory(&folder)
    }

    /// Keeps what is received, whose files `fill` puts into the folder that it gets. A failure is told by the next backup.
    pub(crate) fn keep_received(&self, id: &[u8], fill: impl FnOnce(&Path) -> Result<()>) {
        if self.is_on() {
            let kept = reached(Step::KeepingIncrement).and_then(|()| self.link_received(id, fill));
            self.note(id, kept.map_err(|error| format!("what the table has received: {error}")));
        }
    }

    fn link_received(&self, id: &[u8], fill: impl FnOnce(&Path) -> Result<()>) -> Result<()> {
        let folder = self.made_folder(id)?;
        loop {
            let number = self.received.fetch_add(1, Ordering::Relaxed);
            let (filling, filled) =
                (folder.join(format!("{RECEIVING}{number}")), folder.join(format!("{RECEIVED}{number}")));
            if filled.exists() {
                continue; // of an earlier run
            }
            fs::create_dir(&filling)?;
            let kept = fill(&filling).and_then(|()| Ok(fs::rename(&filling, &filled)?));
            return match kept {
                Ok(()) => sync_directory(&folder),
                Err(error) => {
                    let _ = fs::remove_dir_all(&filling); // removed at the next start, if not now
                    Err(error)
                }
            };
        }
    }

    /// The folder of what waits of a table.
    pub(crate) fn folder(&self, id: &[u8]) -> PathBuf {
        self.directory.join(id.iter().map(|byte| format!("{byte:02x}")).collect::<String>())
    }

    fn made_folder(&self, id: &[u8]) -> Result<PathBuf> {
        let folder = self.folder(id);
        if !folder.exists() {
            fs::create_dir_all(&folder)?;
            sync_above(&self.directory)?;
        }
        Ok(folder)
    }

    fn note(&self, id: &[u8], kept: std::result::Result<(), String>) {
        let missed = kept.err().map(|why| Missed::note(why, self.made_folder(id), &self.notes));
        let mut waiting = self.lock();
        let known = waiting.entry(id.to_vec()).or_default();
        known.note = self.notes.fetch_add(1, Ordering::Relaxed);
        let before = known.missed.take();
        known.missed = match missed {
            Some(missed) => Some(missed.and_before(before)),
            None => before,
        };
    }

    /// Whether anything waits of a table, also while it is being taken.
    pub(crate) fn is_waiting(&self, id: &[u8]) -> bool {
        fs::read_dir(self.folder(id)).is_ok_and(|mut entries| entries.next().is_some())
    }

    /// The tables of which something waits or was missed.
    pub(crate) fn tables(&self) -> Vec<Vec<u8>> {
        self.lock().keys().cloned().collect()
    }

    /// All that waits of a table is about to be taken. Until it is, [`Increments::tables`] lists it, so that another call
    /// does not go on as if it had been.
    pub(crate) fn begin_taking(&self, id: &[u8]) -> Taking {
        let mut waiting = self.lock();
        let known = waiting.get_mut(id);
        known.map_or(Taking { missed: None, note: 0 }, |known| Taking { missed: known.missed.take(), note: known.note })
    }

    /// All that waited at its beginning has been taken.
    pub(crate) fn end_taking(&self, id: &[u8], taking: &Taking) {
        let mut waiting = self.lock();
        if waiting.get(id).is_some_and(|known| known.note == taking.note && known.missed.is_none()) {
            waiting.remove(id);
        }
    }

    /// Nobody is to have what waits of a table.
    pub(crate) fn forget(&self, id: &[u8]) {
        self.lock().remove(id);
        if let Err(error) = remove(&self.folder(id)) {
            log(format_args!("files for incremental backups stay until the node restarts: {error}"));
        }
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<Vec<u8>, Waiting>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Flushed {
    /// Of this name; `None` where it is none of a flushed file.
    pub(crate) fn of(name: &str) -> Option<Flushed> {
        let mut parts = name.strip_suffix(".sst")?.rsplitn(3, '-');
        let (checksum, _number, family) = (parts.next()?, parts.next()?, parts.next()?);
        let (_, generation) = family_of(family)?;
        let checksum = match checksum {
            NO_CHECKSUM => None,
            digits => Some(u32::from_str_radix(digits, 16).ok()?),
        };
        Some(Flushed { generation, checksum })
    }
}

/// Id and generation of the table that a column family is of; `None` for one of an index, or that is being loaded.
fn family_of(name: &str) -> Option<(Vec<u8>, u64)> {
    let (id, rest) = name.split_once('.')?;
    let generation = rest.split_once('+').map_or(rest, |(generation, _)| generation);
    Some((from_hex(id)?, generation.parse().ok()?))
}

fn from_hex(text: &str) -> Option<Vec<u8>> {
    let digits = |at: usize| text.get(at..at + 2).and_then(|digits| u8::from_str_radix(digits, 16).ok());
    if text.is_empty() || !text.len().is_multiple_of(2) {
        return None;
    }
    (0..text.len()).step_by(2).map(digits).collect()
}

/// The folders of tables.
fn folders(directory: &Path) -> Result<Vec<(Vec<u8>, PathBuf)>> {
    let entries = match fs::read_dir(directory) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        other => other.map_err(|error| EngineError::from(error).context(directory.display()))?,
    };
    let mut folders = Vec::new();
    for entry in entries {
        let entry = entry?;
        if let Some(id) = from_hex(&entry.file_name().to_string_lossy()).filter(|_| entry.path().is_dir()) {
            folders.push((id, entry.path()));
        }
    }
    Ok(folders)
}

fn remove_receiving(folder: &Path) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_name().to_string_lossy().starts_with(RECEIVING) {
            remove(&entry.path())?;
        }
    }
    Ok(())
}

/// Links where both are in the store, and so on one device.
pub(crate) fn link_new(from: &Path, to: &Path) -> Result<()> {
    match try_link(from, to) {
        Ok(true) => Ok(()),
        // A start that repeats a recovery may write a file of this name again.
        Err(_) if same_size(from, to) => Ok(()),
        Err(error) => Err(error),
        Ok(false) => Err(EngineError::io(format!("{} is not on the device of {}", to.display(), from.display()))),
    }
}

fn same_size(one: &Path, other: &Path) -> bool {
    let size = |path: &Path| fs::metadata(path).map(|found| found.len()).ok();
    size(other).is_some_and(|found| size(one) == Some(found))
}

fn sync_above(directory: &Path) -> Result<()> {
    sync_directory(directory)?;
    directory.parent().map_or(Ok(()), sync_directory)
}

/// Removes a file or folder, durably but for what is in it; not there is as well.
pub(crate) fn remove(path: &Path) -> Result<()> {
    let removed = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
    match removed {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        other => other
            .map_err(EngineError::from)
            .and_then(|()| path.parent().map_or(Ok(()), sync_directory))
            .map_err(|error| error.context(format_args!("removing {}", path.display()))),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    const ID: &str = "30313233343536373839616263646566";

    #[test]
    fn names_tell_generation_and_checksum() {
        let flushed = |name: &str| Flushed::of(&format!("{ID}{name}"));
        assert_eq!(flushed(".3-000012-00ff00ff.sst"), Some(Flushed { generation: 3, checksum: Some(0x00ff_00ff) }));
        assert_eq!(flushed(".3+4-000012-none.sst"), Some(Flushed { generation: 3, checksum: None }));
        assert_eq!(flushed(".3-000012.sst"), None);
        assert_eq!(flushed(".by_v.3+1-000012-none.sst"), None);
        assert_eq!(Flushed::of("received-0"), None);
    }

    #[test]
    fn indexes_and_what_is_loaded_are_not_kept() {
        assert_eq!(family_of(&format!("{ID}.7+2")), Some((b"0123456789abcdef".to_vec(), 7)));
        for name in ["by_v.7+2", "7.load.3", "seven"] {
            assert_eq!(family_of(&format!("{ID}.{name}")), None, "{name}");
        }
        assert_eq!(family_of("default"), None);
    }

    #[test]
    fn what_was_being_put_together_goes_at_the_next_start() {
        let store = tempfile::tempdir().unwrap();
        let increments = Increments::open(store.path()).unwrap();
        increments.turn(true).unwrap();
        increments.keep_received(b"ab", |folder| Ok(fs::write(folder.join("one"), b"")?));
        let folder = increments.folder(b"ab");
        fs::create_dir(folder.join("receiving-9")).unwrap();
        let again = Increments::open(store.path()).unwrap();
        assert!(again.is_on() && again.is_waiting(b"ab"));
        assert!(!folder.join("receiving-9").exists() && folder.join("received-0").exists());
        again.keep_received(b"ab", |_| Ok(()));
        assert!(folder.join("received-1").exists(), "its number is taken");
        again.keep_received(b"ab", |_| Err(EngineError::io("full")));
        assert_eq!(again.tables(), [b"ab".to_vec()]);
        let mut taking = again.begin_taking(b"ab");
        assert!(Increments::open(store.path()).unwrap().begin_taking(b"ab").missed.is_some(), "known to a later run");
        assert!(taking.missed.take().unwrap().tell().contains("full"));
        assert!(Increments::open(store.path()).unwrap().begin_taking(b"ab").missed.is_none(), "it has been told");
        again.keep_received(b"ab", |_| Ok(()));
        again.end_taking(b"ab", &taking);
        assert_eq!(again.tables(), [b"ab".to_vec()], "one has come meanwhile");
        again.end_taking(b"ab", &again.begin_taking(b"ab"));
        assert!(again.tables().is_empty());
        again.retain(&[]).unwrap();
        assert!(!folder.exists());
    }
}
