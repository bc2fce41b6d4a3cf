// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Verification: reads a table's files, and compares them with what was written.
//!
//! A file that is compacted away meanwhile is left out: the compaction has read it, checksums included.

mod pace;

use crate::error::{EngineError, Kind, Result};
use crate::raw::sys::{file_name, FamilyHandle};
use crate::raw::{listed_files, placed_files, verify_file, LiveFile};
use crate::table::{Progress, Table, TableCore};
use crate::tokens::{token_of, TokenRange, TokenSet};
use cassiterite_codec::{key, validate};
use pace::Pace;
use std::fs::File;
use std::io::Read;
use std::ops::AddAssign;
use std::path::{Path, PathBuf};

/// What is read at once.
const CHUNK_BYTES: usize = 1 << 20;
/// So many damaged files are named.
const NAMED_MAX: usize = 20;

/// How much of each file is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// Its size, footer, properties and the top of its index.
    Quick,
    /// All its bytes, for their checksum.
    Checksums,
    /// The same, and each entry: its place in the order, its key, its fragment.
    Entries,
}

/// What was read and found to be right.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Verified {
    /// Files of the table and of its indexes.
    pub files: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Entries that were decoded.
    pub entries: u64,
}

impl AddAssign for Verified {
    fn add_assign(&mut self, more: Verified) {
        self.files += more.files;
        self.bytes += more.bytes;
        self.entries += more.entries;
    }
}

impl Table {
    /// Reads the files of the table and of its indexes, no faster than compaction may write. An error of
    /// [`Kind::Corruption`] names those that are not what was written; all others have been read, too. `ranges`
    /// (docs/internals/boundary.md, Token ranges) are those that the table's entries must lie in, none for any; only
    /// [`Depth::Entries`] looks.
    pub fn verify(&self, depth: Depth, ranges: &[u8]) -> Result<Verified> {
        let owned = TokenRange::list(ranges)?;
        let mut verified = Verified::default();
        let mut damaged = Vec::new();
        let indexes = self.shared(|core| core.indexes().all())?;
        let total = indexes.iter().map(|index| index.table.on_copy(file_bytes).unwrap_or(0)).sum::<u64>();
        let progress = self.on_copy(|core| {
            let progress = core.begin_verification(total + file_bytes(core)?)?;
            let owned = (!owned.is_empty()).then(|| TokenSet::of(owned));
            Verification::new(core, depth, owned, &progress).run(&mut verified, &mut damaged)?;
            Ok(progress)
        })?;
        for index in indexes.iter() {
            let run =
                |core: &TableCore| Verification::new(core, depth, None, &progress).run(&mut verified, &mut damaged);
            let read = index.table.on_copy(run);
            read.or_else(|error| if error.kind() == Kind::Closed { self.shared(|_| Ok(())) } else { Err(error) })?;
        }
        match damaged.is_empty() {
            true => Ok(verified),
            false => Err(error_of(&damaged, verified.files)),
        }
    }

    /// Ends every running [`Table::verify`] with [`crate::Kind::Busy`], at the next MiB that it reads.
    pub fn stop_verification(&self) -> Result<()> {
        self.shared(|core| {
            core.stop_verifications();
            Ok(())
        })
    }

    /// Bytes of files that every running [`Table::verify`] has read together, and of how many; zeros where none runs.
    pub fn verified_bytes(&self) -> Result<(u64, u64)> {
        self.shared(|core| Ok(core.verified_bytes()))
    }
}

/// Bytes of all files of a table, or of an index.
fn file_bytes(core: &TableCore) -> Result<u64> {
    let mut bytes = 0;
    for family in core.column_families().all() {
        bytes += family.handle.property("rocksdb.live-sst-files-size");
    }
    Ok(bytes)
}

/// A file and what is wrong with it.
type Damaged = (PathBuf, EngineError);

fn error_of(damaged: &[Damaged], intact: u64) -> EngineError {
    let mut named: Vec<String> = damaged
        .iter()
        .take(NAMED_MAX)
        .map(|(path, error)| format!("{}: {}", path.display(), error.message()))
        .collect();
    if damaged.len() > NAMED_MAX {
        named.push(format!("{} more", damaged.len() - NAMED_MAX));
    }
    let kind = damaged.iter().map(|(_, error)| error.kind()).find(|&kind| kind == Kind::Corruption);
    let kind = kind.or(damaged.first().map(|(_, error)| error.kind())).unwrap_or(Kind::Corruption);
    let (count, all) = (damaged.len(), damaged.len() as u64 + intact);
    EngineError::new(kind, format!("{count} of {all} files are damaged: {}", named.join("; ")))
}

/// One pass over the files of a table, or of an index.
struct Verification<'a> {
    core: &'a TableCore,
    depth: Depth,
    owned: Option<TokenSet>,
    pace: Pace<'a>,
    chunk: Vec<u8>,
}

impl<'a> Verification<'a> {
    fn new(core: &'a TableCore, depth: Depth, owned: Option<TokenSet>, progress: &'a Progress) -> Self {
        Verification { core, depth, owned, pace: Pace::new(core, progress), chunk: Vec::new() }
    }

    fn run(mut self, verified: &mut Verified, damaged: &mut Vec<Damaged>) -> Result<()> {
        for family in self.core.column_families().all() {
            for file in listed_files(family.handle.db(), &family.handle)? {
                self.pace.go_on()?;
                let path = self.core.store().db.path().join(file_name(file.number));
                match self.file(&path, &file) {
                    Ok(entries) => *verified += Verified { files: 1, bytes: file.file_bytes, entries },
                    Err(error) => {
                        self.pace.go_on()?;
                        if is_live(&family.handle, file.number)? {
                            damaged.push((path, error));
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// How many entries of the file were decoded.
    fn file(&mut self, path: &Path, file: &LiveFile) -> Result<u64> {
        let bytes = std::fs::metadata(path)?.len();
        if bytes != file.file_bytes {
            return Err(EngineError::corruption(format!("it has {bytes} bytes instead of {}", file.file_bytes)));
        }
        if self.depth == Depth::Quick {
            verify_file(path, false, None)?;
            self.pace.progress.add(file.file_bytes);
            return Ok(0);
        }
        match file.checksum {
            Some(written) => self.whole(path, written)?,
            None => {
                self.pace.take(file.file_bytes)?;
                verify_file(path, true, None)?;
                self.pace.progress.add(file.file_bytes);
            }
        }
        if self.depth == Depth::Checksums {
            Ok(0)
        } else {
            self.entries(path)
        }
    }

    fn whole(&mut self, path: &Path, written: u32) -> Result<()> {
        self.chunk.resize(CHUNK_BYTES, 0);
        let mut file = File::open(path)?;
        let mut found = 0;
        loop {
            let read = file.read(&mut self.chunk)?;
            if read == 0 {
                break;
            }
            found = crc32c::crc32c_append(found, self.chunk.get(..read).unwrap_or_default());
            self.pace.take(read as u64)?;
            self.pace.progress.add(read as u64);
        }
        if found == written {
            return Ok(());
        }
        // Which block it is, RocksDB finds out.
        verify_file(path, true, None)?;
        Err(EngineError::corruption(format!("its CRC-32C is {found:08x} instead of {written:08x}")))
    }

    fn entries(&mut self, path: &Path) -> Result<u64> {
        let (mut entries, mut bytes, mut last) = (0, 0, Vec::new());
        let (pace, owned) = (&mut self.pace, self.owned.as_ref());
        verify_file(
            path,
            false,
            Some(&mut |found, fragment| {
                check(found, fragment, &last, owned)
                    .map_err(|error| error.context(format_args!("entry {entries}, key {}", hex(found))))?;
                last.clear();
                last.extend_from_slice(found);
                entries += 1;
                bytes += (found.len() + fragment.map_or(0, <[u8]>::len)) as u64;
                match bytes >= CHUNK_BYTES as u64 {
                    true => pace.take(std::mem::take(&mut bytes)),
                    false => Ok(()),
                }
            }),
        )?;
        Ok(entries)
    }
}

/// One entry. Several of one key come one after the other.
fn check(found: &[u8], fragment: Option<&[u8]>, last: &[u8], owned: Option<&TokenSet>) -> Result<()> {
    let corrupt = |what: String| Err(EngineError::corruption(what));
    if found < last {
        return corrupt("its key is out of order".into());
    }
    let parts = match key::split(found) {
        Ok(parts) => parts,
        Err(error) => return Err(EngineError::corruption(format!("its key is malformed: {error}")).caused_by(error)),
    };
    // A full merge leaves an empty value where nothing is left of a row.
    if let Some(Err(error)) =
        fragment.filter(|fragment| !fragment.is_empty()).map(|fragment| validate(parts.kind, fragment))
    {
        return Err(EngineError::corruption(format!("its fragment is malformed: {error}")).caused_by(error));
    }
    if let Some(owned) = owned {
        let token = token_of(found)?;
        if !owned.contains(token) {
            return corrupt(format!("its token {token} is not of this node: see nodetool cleanup"));
        }
    }
    Ok(())
}

fn is_live(family: &FamilyHandle, number: u64) -> Result<bool> {
    Ok(placed_files(family.db(), family).iter().any(|file| file.number == number))
}

/// The beginning of a key, for people.
fn hex(bytes: &[u8]) -> String {
    bytes.iter().take(32).map(|byte| format!("{byte:02x}")).collect()
}
