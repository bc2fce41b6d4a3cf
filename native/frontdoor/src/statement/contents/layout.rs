// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! What of a table's columns two nodes must have alike, so that a read means the same on both.

use crate::statement::bytes::Bytes;
use crate::statement::key_type::KeyType;
use crate::statement::value::ClusteringColumn;

const VERSION: u8 = 1;
const DESCENDING: u8 = 0x80;

/// The columns of a table, as its node numbers them (docs/internals/formats.md, "Layout"). Two are the same if their bytes
/// are.
#[derive(Debug)]
pub(crate) struct Layout {
    bytes: Box<[u8]>,
    clustering: Box<[ClusteringColumn]>,
    /// Ascending.
    regulars: Box<[u32]>,
    statics: Box<[u32]>,
}

impl PartialEq for Layout {
    fn eq(&self, other: &Layout) -> bool {
        self.bytes == other.bytes
    }
}

impl Layout {
    /// `None` where the bytes are no layout, version 1.
    pub(crate) fn decode(bytes: &[u8]) -> Option<Layout> {
        let mut rest = Bytes::new(bytes);
        if rest.u8()? != VERSION {
            return None;
        }
        for _ in 0..rest.u16()? {
            text(&mut rest)?; // of a component of the partition key: its type
        }
        let clustering = (0..rest.u16()?).map(|_| clustering_column(rest.u8()?)).collect::<Option<_>>()?;
        let (mut regulars, mut statics) = (Vec::new(), Vec::new());
        for _ in 0..rest.u16()? {
            let (id, kind) = (rest.u32()?, rest.u8()?);
            text(&mut rest)?; // its name
            text(&mut rest)?; // its type
            match kind {
                0 => regulars.push(id),
                1 => statics.push(id),
                _ => return None,
            }
        }
        regulars.sort_unstable();
        statics.sort_unstable();
        let layout = Layout { bytes: bytes.into(), clustering, regulars: regulars.into(), statics: statics.into() };
        rest.is_done().then_some(layout)
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub(super) fn clustering(&self) -> &[ClusteringColumn] {
        &self.clustering
    }

    pub(super) fn has_regular(&self, id: u32) -> bool {
        self.regulars.binary_search(&id).is_ok()
    }

    pub(super) fn has_static(&self, id: u32) -> bool {
        self.statics.binary_search(&id).is_ok()
    }
}

fn clustering_column(code: u8) -> Option<ClusteringColumn> {
    Some(ClusteringColumn { of: KeyType::of(code & !DESCENDING)?, reversed: code & DESCENDING != 0 })
}

/// Bytes after their length of two bytes.
fn text<'a>(bytes: &mut Bytes<'a>) -> Option<&'a [u8]> {
    let length = bytes.u16()?;
    bytes.take(usize::from(length))
}
