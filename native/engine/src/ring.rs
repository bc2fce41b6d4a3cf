// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Where the ring's ranges end: files are cut there, so that whole files can be sent.

use crate::bytes::Bytes;
use crate::error::Result;
use crate::store::Store;
use crate::tokens::ordered;

impl Store {
    /// Cuts the files of the last two levels behind these tokens from now on: u32 count, count * i64 token, in any
    /// order. Files that are there already stay as they are until they are compacted.
    pub fn set_ring(&self, boundaries: &[u8]) -> Result<()> {
        let mut bytes = Bytes::new(boundaries, "list of boundaries");
        let mut tokens = Vec::new();
        for _ in 0..bytes.u32()? {
            tokens.push(ordered(bytes.i64()?));
        }
        bytes.end()?;
        tokens.sort_unstable();
        tokens.dedup();
        self.shared(|core| {
            core.shared.ring.set(&tokens);
            Ok(())
        })
    }
}
