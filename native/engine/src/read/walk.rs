// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Goes through partitions with one iterator, which has one view, and can pause after every entry. Where a table has
//! several column families, each has a view of its own; that of the base, which takes the writes, comes last.

use super::answer::{Answer, Entry, Put};
use super::request::{ReadRequest, ScanOf, ScanRequest};
use super::slices::Slices;
use crate::error::{EngineError, Result};
use crate::raw::sys::{IterSpec, Reach};
use crate::source::Source;
use crate::table::ColumnFamilies;
use cassiterite_codec::key::{self, Kind};
use cassiterite_codec::{is_empty, CodecError};

/// How many rows are stepped over before seeking is cheaper.
const STEPS_BEFORE_SEEK: usize = 4;
/// How much that gives no entry one call passes (empty rows, slices and partitions without rows): closing the table
/// waits for running calls, and all other calls wait for closing. Few milliseconds, and a thousand times what a call
/// costs.
const IDLE_MAX: usize = 1024;
/// Directly behind every key of a partition, also of an index.
const BEHIND_ROWS: u8 = Kind::Entry as u8 + 1;

/// What is left to do in the current partition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// Find the next partition (scans).
    Find,
    /// Header and static row, which come first.
    Prelude,
    /// Rows of the slice of this number, in the order of reading; whether the iterator has been brought to its start.
    Slice(usize, bool),
    /// All rows, or only whether there is one.
    Rows,
    /// Leave the partition.
    Leave,
    Done,
}

/// What is wanted of each partition.
struct Wanted {
    of: Of,
    with_static: bool,
    reversed: bool,
}

enum Of {
    Keys,
    Whole,
    Slices(Slices),
}

/// A read or scan that can be continued.
pub(crate) struct Walk {
    iter: Source,
    wanted: Wanted,
    single: bool,
    stage: Stage,
    /// The partition prefix, then whatever key is being sought.
    key: Vec<u8>,
    partition_bytes: usize,
    /// Whether the iterator is at the first key (reversed: last key) of those not yet dealt with.
    positioned: bool,
    /// Whether the partition has been named in the answer; reads need not.
    begun: bool,
    /// Ends of slices that were passed before the partition was named in the answer.
    ends_owed: usize,
    /// What this call has passed that gave no entry.
    idle: usize,
}

impl Walk {
    /// A read of one partition. `has_headers` is asked when the view is pinned.
    pub(crate) fn read(
        families: &ColumnFamilies,
        request: &ReadRequest<'_>,
        has_headers: impl Fn() -> bool,
    ) -> Result<Walk> {
        let slices = Slices::copy(&request.selection);
        let mut upper = request.partition.to_vec();
        let of_rows = Kind::of_rows(request.partition);
        match slices.count().checked_sub(1).and_then(|last| slices.get(last)) {
            Some((_, end)) => {
                upper.push(of_rows as u8);
                upper.extend_from_slice(end);
                upper.push(0); // the last point itself may be visited
            }
            None => upper.push(of_rows as u8),
        }
        let spec = IterSpec {
            lower: request.partition.to_vec(),
            upper,
            one_prefix: of_rows == Kind::Row,
            fill_cache: true,
            reach: request.reach,
        };
        let mut walk = Walk {
            iter: families.iterate(spec),
            wanted: Wanted { of: Of::Slices(slices), with_static: request.with_static, reversed: request.reversed },
            single: true,
            stage: Stage::Prelude,
            key: request.partition.to_vec(),
            partition_bytes: request.partition.len(),
            positioned: false,
            begun: true,
            ends_owed: 0,
            idle: 0,
        };
        match (has_headers(), request.with_static) {
            (true, _) => walk.seek_kind(Kind::Header as u8)?,
            (false, true) => walk.seek_kind(Kind::Static as u8)?,
            (false, false) => walk.stage = Stage::Slice(0, false),
        }
        Ok(walk)
    }

    /// A scan of a range of partitions; `iterate` opens what it goes through.
    pub(crate) fn scan(iterate: impl FnOnce(IterSpec) -> Source, request: &ScanRequest<'_>) -> Result<Walk> {
        let of = match &request.of {
            ScanOf::Keys => Of::Keys,
            ScanOf::Whole => Of::Whole,
            ScanOf::Selected(selection) => Of::Slices(Slices::copy(selection)),
        };
        let spec = IterSpec {
            lower: request.start.to_vec(),
            upper: request.end.to_vec(),
            one_prefix: false,
            // Whole tables pass through once, for compaction, streaming and repair: they must not push out what is hot.
            fill_cache: !matches!(of, Of::Whole),
            reach: Reach::Files,
        };
        let mut iter = iterate(spec);
        iter.seek(request.start)?;
        Ok(Walk {
            iter,
            wanted: Wanted { of, with_static: request.with_static, reversed: false },
            single: false,
            stage: Stage::Find,
            key: Vec::new(),
            partition_bytes: 0,
            positioned: true,
            begun: false,
            ends_owed: 0,
            idle: 0,
        })
    }

    /// Gives up the rest of the current partition, if the answer has begun it.
    pub(crate) fn skip(&mut self) {
        if self.single {
            self.stage = Stage::Done;
        } else if self.begun && self.stage != Stage::Find && self.stage != Stage::Done {
            self.stage = Stage::Leave;
        }
    }

    /// Puts entries into the answer until it takes no more, or until much has been passed that gave none; whether everything
    /// has been put.
    pub(crate) fn fill(&mut self, answer: &mut Answer<'_>) -> Result<bool> {
        self.idle = 0;
        while self.idle < IDLE_MAX {
            let put = match self.stage {
                Stage::Find => self.find()?,
                Stage::Prelude => self.prelude(answer)?,
                Stage::Slice(index, entered) => self.slice(index, entered, answer)?,
                Stage::Rows => self.rows(answer)?,
                Stage::Leave => self.leave()?,
                Stage::Done => return Ok(true),
            };
            if put == Put::Later {
                return Ok(false);
            }
        }
        Ok(self.stage == Stage::Done)
    }

    fn find(&mut self) -> Result<Put> {
        let Some(found) = self.iter.key() else {
            self.stage = Stage::Done;
            return Ok(Put::Taken);
        };
        self.partition_bytes = key::partition_len(found).ok_or_else(|| corrupt_key(found))?;
        self.key.clear();
        self.key.extend_from_slice(found.get(..self.partition_bytes).unwrap_or_default());
        self.begun = false;
        self.ends_owed = 0;
        self.stage = match self.wanted.of {
            Of::Keys => Stage::Rows,
            _ => Stage::Prelude,
        };
        Ok(Put::Taken)
    }

    fn prelude(&mut self, answer: &mut Answer<'_>) -> Result<Put> {
        while let Some((kind, value)) = here(&self.iter, self.partition())? {
            let entry = match kind {
                Kind::Header => Some(Entry::Header),
                Kind::Static => self.wanted.with_static.then_some(Entry::Static),
                Kind::Row | Kind::Entry => break,
            };
            if let Some(entry) = entry.filter(|_| !is_empty(kind, value)) {
                if begin_partition(&mut self.begun, &mut self.ends_owed, self.key.get(..self.partition_bytes), answer)?
                    == Put::Later
                    || answer.put(entry, value, &[]) == Put::Later
                {
                    return Ok(Put::Later);
                }
            }
            self.iter.step()?;
        }
        // Going backwards the iterator starts anew from the other end.
        self.positioned = !self.wanted.reversed;
        self.stage = match self.wanted.of {
            Of::Slices(_) => Stage::Slice(0, false),
            _ => Stage::Rows,
        };
        Ok(Put::Taken)
    }

    fn slice(&mut self, index: usize, entered: bool, answer: &mut Answer<'_>) -> Result<Put> {
        let Of::Slices(slices) = &self.wanted.of else {
            return Err(EngineError::internal("a slice of a scan without slices"));
        };
        let reversed = self.wanted.reversed;
        let at = if reversed { slices.count().checked_sub(index + 1) } else { Some(index) };
        let Some((start, end)) = at.and_then(|at| slices.get(at)) else {
            self.stage = Stage::Leave;
            return Ok(Put::Taken);
        };
        if !entered {
            let near = if reversed { end } else { start };
            enter(&mut self.iter, &mut self.key, self.partition_bytes, near, reversed, self.positioned)?;
            self.positioned = true;
            self.stage = Stage::Slice(index, true);
        }
        let far = if reversed { start } else { end };
        // From here on the key names the end that the slice is read towards.
        row_key(&mut self.key, self.partition_bytes, far);
        while let Some((found, value)) = self.iter.entry() {
            let behind = if reversed { found < self.key.as_slice() } else { found > self.key.as_slice() };
            if behind {
                break;
            }
            let partition = self.key.get(..self.partition_bytes).unwrap_or_default();
            if !is_empty(Kind::of_rows(partition), value) {
                if begin_partition(&mut self.begun, &mut self.ends_owed, Some(partition), answer)? == Put::Later
                    || answer.put(Entry::Row, value, key::row_name(found, partition)) == Put::Later
                {
                    return Ok(Put::Later);
                }
            } else {
                self.idle += 1;
            }
            if reversed {
                self.iter.step_back()?;
            } else {
                self.iter.step()?;
            }
            if self.idle >= IDLE_MAX {
                return Ok(Put::Taken);
            }
        }
        if !self.begun {
            self.ends_owed += 1;
            self.idle += 1;
        } else if answer.put(Entry::SliceEnd, &[], &[]) == Put::Later {
            return Ok(Put::Later);
        }
        self.stage = Stage::Slice(index + 1, false);
        Ok(Put::Taken)
    }

    fn rows(&mut self, answer: &mut Answer<'_>) -> Result<Put> {
        let keys_only = matches!(self.wanted.of, Of::Keys);
        while let Some((kind, value)) = here(&self.iter, self.partition())? {
            if !is_empty(kind, value) {
                let partition = self.key.get(..self.partition_bytes).unwrap_or_default();
                if begin_partition(&mut self.begun, &mut self.ends_owed, Some(partition), answer)? == Put::Later {
                    return Ok(Put::Later);
                }
                if keys_only {
                    break;
                }
                let name = self.iter.key().map(|found| key::row_name(found, partition)).unwrap_or_default();
                if answer.put(Entry::Row, value, name) == Put::Later {
                    return Ok(Put::Later);
                }
            } else {
                self.idle += 1;
            }
            self.iter.step()?;
            if self.idle >= IDLE_MAX {
                return Ok(Put::Taken);
            }
        }
        self.stage = Stage::Leave;
        Ok(Put::Taken)
    }

    fn leave(&mut self) -> Result<Put> {
        if self.single {
            self.stage = Stage::Done;
            return Ok(Put::Taken);
        }
        let mut steps = 0;
        while self.iter.key().is_some_and(|found| found.starts_with(self.partition())) {
            if steps == STEPS_BEFORE_SEEK {
                self.seek_kind(BEHIND_ROWS)?;
                break;
            }
            self.iter.step()?;
            steps += 1;
        }
        self.idle += usize::from(!self.begun);
        self.begun = false;
        self.stage = Stage::Find;
        Ok(Put::Taken)
    }

    fn partition(&self) -> &[u8] {
        self.key.get(..self.partition_bytes).unwrap_or_default()
    }

    fn seek_kind(&mut self, kind: u8) -> Result<()> {
        self.key.truncate(self.partition_bytes);
        self.key.push(kind);
        self.iter.seek(&self.key)
    }
}

/// Kind and value of the iterator's entry, if it belongs to the partition.
fn here<'a>(iter: &'a Source, partition: &[u8]) -> Result<Option<(Kind, &'a [u8])>> {
    let Some((found, value)) = iter.entry() else { return Ok(None) };
    let Some(rest) = found.strip_prefix(partition) else { return Ok(None) };
    let kind = rest.first().copied().ok_or_else(|| corrupt_key(found))?;
    let kind = Kind::try_from(kind).map_err(|_: CodecError| corrupt_key(found))?;
    Ok(Some((kind, value)))
}

/// Brings the iterator to the first key of a slice, unless it is already there.
fn enter(
    iter: &mut Source,
    key: &mut Vec<u8>,
    partition_bytes: usize,
    near: &[u8],
    reversed: bool,
    positioned: bool,
) -> Result<()> {
    row_key(key, partition_bytes, near);
    let sought = key.as_slice();
    match (reversed, positioned, iter.key()) {
        (false, true, None) | (true, true, None) => Ok(()), // nothing is left in this direction
        (false, true, Some(found)) if found >= sought => Ok(()),
        (true, true, Some(found)) if found <= sought => Ok(()),
        (false, ..) => iter.seek(sought),
        (true, ..) => iter.seek_back(sought),
    }
}

fn row_key(key: &mut Vec<u8>, partition_bytes: usize, clustering: &[u8]) {
    key.truncate(partition_bytes);
    key.push(Kind::of_rows(key) as u8);
    key.extend_from_slice(clustering);
}

/// Names the partition, and the ends of slices passed so far, before its first entry.
fn begin_partition(
    begun: &mut bool,
    ends_owed: &mut usize,
    partition: Option<&[u8]>,
    answer: &mut Answer<'_>,
) -> Result<Put> {
    if !*begun {
        let partition = partition.unwrap_or_default();
        let token = key::token(partition).map_err(|_| corrupt_key(partition))?;
        let mut raw_key = Vec::new();
        key::raw_partition_key(partition, &mut raw_key).map_err(|_| corrupt_key(partition))?;
        if answer.put(Entry::Partition, &token.to_le_bytes(), &raw_key) == Put::Later {
            return Ok(Put::Later);
        }
        *begun = true;
    }
    while *ends_owed > 0 {
        if answer.put(Entry::SliceEnd, &[], &[]) == Put::Later {
            return Ok(Put::Later);
        }
        *ends_owed -= 1;
    }
    Ok(Put::Taken)
}

#[cold]
fn corrupt_key(key: &[u8]) -> EngineError {
    let start: String = key.iter().take(64).map(|byte| format!("{byte:02x}")).collect();
    EngineError::corruption(format!(
        "a stored key is malformed: 0x{start}; restore the table from a snapshot or repair it"
    ))
}
