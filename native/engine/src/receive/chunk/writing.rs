// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! A chunk that is being written: requests are checked, then taken apart into values and headers.

use super::files::{Files, Target};
use super::{Chunk, ChunkFigures};
use crate::compaction::TablePurge;
use crate::disk_space::check_free_space;
use crate::error::{EngineError, Result};
use crate::options::{values_file_bytes, values_options};
use crate::staging::Staged;
use crate::store_core::StoreCore;
use crate::tokens::{ordered, token_of};
use crate::write::Request;
use cassiterite_codec::key::Kind;
use cassiterite_codec::{is_empty, merge, CodecError};
use std::cmp::Ordering;
use std::sync::Arc;

/// So many bytes are added between two looks at the free space, and at whether the table is open.
const BYTES_PER_CHECK: u64 = 1 << 20;
/// A file that a token range ends is cut there, if it has at least this share of its size: as in a compaction.
const CUT_SHARE: u64 = 32;

pub(super) struct Writing {
    // Before the folder: writers go first.
    values: Files,
    headers: Files,
    target: Target,
    /// Where the ring's ranges end.
    boundaries: Arc<Vec<u64>>,
    first_token: i64,
    partition: Partition,
    key: Vec<u8>,
    bytes: u64,
    checked_bytes: u64,
    staged: Staged,
}

/// The partition that is being written.
#[derive(Default)]
struct Partition {
    /// Its key; empty before the first one.
    key: Vec<u8>,
    token: i64,
    /// Kind and clustering of its latest row.
    latest: Option<(Kind, Vec<u8>)>,
    /// What has come of its header.
    pieces: Vec<Vec<u8>>,
}

/// A request that may be added.
pub(super) struct Checked<'a> {
    request: Request<'a>,
    token: i64,
}

impl Writing {
    pub(super) fn begin(store: &StoreCore) -> Result<Writing> {
        let staged = Staged::new(store)?;
        check_free_space(&staged.directory, 0)?;
        let settings = store.settings()?.clone();
        Ok(Writing {
            values: Files::of_values(),
            headers: Files::of_operands(),
            target: Target {
                directory: staged.directory.clone(),
                options: values_options(&settings, &store.shared, &TablePurge::new("chunk")),
                file_bytes_max: values_file_bytes(&settings),
            },
            boundaries: store.shared.ring.boundaries(),
            first_token: 0,
            partition: Partition::default(),
            key: Vec::new(),
            bytes: 0,
            checked_bytes: 0,
            staged,
        })
    }

    /// Checks a request as a whole: each fragment, and that each row is behind all rows before it.
    pub(super) fn check<'a>(&self, request: &'a [u8]) -> Result<Checked<'a>> {
        let request = Request::parse(request)?;
        if request.has_parts() {
            return Err(EngineError::invalid("a chunk takes no entries of indexes"));
        }
        let mut latest = match request.partition.cmp(self.partition.key.as_slice()) {
            Ordering::Less => return Err(EngineError::invalid("a partition of a chunk is before the latest one")),
            Ordering::Equal => self.partition.latest.as_ref().map(|(kind, clustering)| (*kind, clustering.as_slice())),
            Ordering::Greater => None,
        };
        let mut entries = request.entries();
        for entry in &mut entries {
            let (kind, clustering, _) = entry?;
            if kind == Kind::Header {
                continue;
            }
            if latest.is_some_and(|(before, behind)| (before as u8, behind) >= (kind as u8, clustering)) {
                return Err(EngineError::invalid("a row of a chunk is not behind the latest one"));
            }
            latest = Some((kind, clustering));
        }
        entries.rest().end()?;
        Ok(Checked { token: token_of(request.partition)?, request })
    }

    /// Adds a request that was checked; the bytes of the chunk so far.
    pub(super) fn add(&mut self, checked: Checked<'_>, check_open: impl Fn() -> Result<()>) -> Result<u64> {
        let Checked { request, token } = checked;
        if request.partition != self.partition.key {
            self.begin_partition(request.partition, token)?;
        }
        for entry in request.entries_again() {
            let (kind, clustering, fragment) = entry?;
            if is_empty(kind, fragment) {
                continue;
            }
            if kind == Kind::Header {
                self.partition.pieces.push(fragment.to_vec());
                continue;
            }
            self.key.clear();
            self.key.extend_from_slice(request.partition);
            self.key.push(kind as u8);
            self.key.extend_from_slice(clustering);
            self.values.add(&self.target, &self.key, fragment)?;
            self.bytes += (self.key.len() + fragment.len()) as u64;
            let latest = self.partition.latest.get_or_insert_with(|| (kind, Vec::new()));
            latest.0 = kind;
            latest.1.clear();
            latest.1.extend_from_slice(clustering);
        }
        if self.bytes - self.checked_bytes >= BYTES_PER_CHECK {
            self.checked_bytes = self.bytes;
            check_open()?;
            check_free_space(&self.target.directory, 0)?;
        }
        Ok(self.bytes)
    }

    fn begin_partition(&mut self, key: &[u8], token: i64) -> Result<()> {
        self.end_partition()?;
        if self.partition.key.is_empty() {
            self.first_token = token;
        } else if self.is_boundary_between(self.partition.token, token) {
            self.values.cut_above(self.target.file_bytes_max / CUT_SHARE)?;
        }
        self.partition.key.clear();
        self.partition.key.extend_from_slice(key);
        self.partition.token = token;
        self.partition.latest = None;
        Ok(())
    }

    /// Whether a range of the ring ends behind one token and before another.
    fn is_boundary_between(&self, before: i64, behind: i64) -> bool {
        let at = self.boundaries.partition_point(|boundary| *boundary < ordered(before));
        self.boundaries.get(at).is_some_and(|boundary| *boundary < ordered(behind))
    }

    /// Writes what has come of the partition's header.
    fn end_partition(&mut self) -> Result<()> {
        let pieces: Vec<&[u8]> = self.partition.pieces.iter().map(Vec::as_slice).collect();
        if pieces.is_empty() {
            return Ok(());
        }
        let mut merged = Vec::new();
        merge(Kind::Header, &pieces, &mut merged).map_err(malformed)?;
        self.partition.pieces.clear();
        if is_empty(Kind::Header, &merged) {
            return Ok(());
        }
        self.key.clear();
        self.key.extend_from_slice(&self.partition.key);
        self.key.push(Kind::Header as u8);
        self.bytes += (self.key.len() + merged.len()) as u64;
        self.headers.add(&self.target, &self.key, &merged)
    }

    pub(super) fn finish(mut self) -> Result<Chunk> {
        self.end_partition()?;
        let Writing { values, headers, first_token, partition, bytes, staged, .. } = self;
        let (rows, header_count) = (values.entries, headers.entries);
        let (values, headers) = (values.finish()?, headers.finish()?);
        let all = || values.iter().chain(&headers);
        let figures = ChunkFigures {
            files: all().count() as u64,
            file_bytes: all().map(|file| file.bytes).sum(),
            rows,
            headers: header_count,
            bytes,
        };
        let tokens = (figures.files > 0).then_some((first_token, partition.token));
        Ok(Chunk { values, headers, tokens, figures, staged })
    }
}

fn malformed(error: CodecError) -> EngineError {
    EngineError::internal(format!("a header that was checked is malformed: {error}")).caused_by(error)
}
