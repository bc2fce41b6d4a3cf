// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! What a result says of its columns, and when it leaves that out.

use super::execute::{Execute, Id, V5};

const HAS_MORE_PAGES: u32 = 0x2;
const NO_METADATA: u32 = 0x4;
const METADATA_CHANGED: u32 = 0x8;

/// A result's metadata under one version of the protocol.
#[derive(Debug)]
pub(crate) struct Metadata {
    pub flags: u32,
    pub columns: u32,
    /// What follows flags, number of columns, paging state and id.
    pub tail: Box<[u8]>,
}

/// A result's metadata, by what a client may have of it already.
#[derive(Debug)]
pub(crate) struct ResultMetadata {
    /// Under versions 3, 4 and 5.
    pub by_version: [Metadata; 3],
    pub id: Id,
    /// Whether the statement was prepared with this id.
    pub is_as_prepared: bool,
}

impl ResultMetadata {
    /// Appends what answers `execute`.
    pub(crate) fn put(&self, execute: &Execute<'_>, paging_state: Option<&[u8]>, body: &mut Vec<u8>) {
        let [v3, v4, v5] = &self.by_version;
        let metadata = match execute.version {
            3 => v3,
            4 => v4,
            _ => v5,
        };
        let is_known = match execute.result_metadata_id {
            Some(known) if execute.version >= V5 => *known == self.id,
            _ => self.is_as_prepared,
        };
        let has_changed = execute.version >= V5 && !is_known;
        let is_left_out = execute.skip_metadata && is_known;
        let mut flags = metadata.flags;
        for (flag, is_set) in
            [(HAS_MORE_PAGES, paging_state.is_some()), (NO_METADATA, is_left_out), (METADATA_CHANGED, has_changed)]
        {
            flags |= if is_set { flag } else { 0 };
        }
        body.extend_from_slice(&flags.to_be_bytes());
        body.extend_from_slice(&metadata.columns.to_be_bytes());
        if let Some(state) = paging_state {
            put_counted(state, body);
        }
        if has_changed {
            body.extend_from_slice(&(self.id.len() as u16).to_be_bytes());
            body.extend_from_slice(&self.id);
        }
        if !is_left_out {
            body.extend_from_slice(&metadata.tail);
        }
    }
}

/// Appends bytes after their length.
#[inline]
pub(crate) fn put_counted(bytes: &[u8], body: &mut Vec<u8>) {
    body.extend_from_slice(&(bytes.len() as u32).to_be_bytes());
    body.extend_from_slice(bytes);
}
