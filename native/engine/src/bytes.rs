// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Reads and writes the parts of requests and records.

use crate::error::{EngineError, Result};

/// Reads little-endian values from the front of a slice; `what` names the whole in errors.
#[derive(Clone)]
pub(crate) struct Bytes<'a> {
    rest: &'a [u8],
    what: &'static str,
}

impl<'a> Bytes<'a> {
    pub(crate) fn new(bytes: &'a [u8], what: &'static str) -> Self {
        Bytes { rest: bytes, what }
    }

    pub(crate) fn take(&mut self, length: usize) -> Result<&'a [u8]> {
        match self.rest.split_at_checked(length) {
            Some((taken, rest)) => {
                self.rest = rest;
                Ok(taken)
            }
            None => Err(self.malformed("it ends too early")),
        }
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        match self.rest.split_first_chunk::<N>() {
            Some((taken, rest)) => {
                self.rest = rest;
                Ok(*taken)
            }
            None => Err(self.malformed("it ends too early")),
        }
    }

    pub(crate) fn u8(&mut self) -> Result<u8> {
        Ok(u8::from_le_bytes(self.array()?))
    }

    pub(crate) fn u32(&mut self) -> Result<u32> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    pub(crate) fn u64(&mut self) -> Result<u64> {
        Ok(u64::from_le_bytes(self.array()?))
    }

    pub(crate) fn i64(&mut self) -> Result<i64> {
        Ok(i64::from_le_bytes(self.array()?))
    }

    /// Bytes behind their u32 length.
    pub(crate) fn counted(&mut self) -> Result<&'a [u8]> {
        let length = self.u32()? as usize;
        self.take(length)
    }

    /// UTF-8 text behind its u32 length in bytes.
    pub(crate) fn text(&mut self) -> Result<&'a str> {
        let bytes = self.counted()?;
        std::str::from_utf8(bytes).map_err(|_| self.malformed("a name is not UTF-8"))
    }

    /// Checks the version byte.
    pub(crate) fn version(&mut self, known: u8) -> Result<()> {
        self.one_of(&[known]).map(drop)
    }

    /// The version byte, which must be one of these.
    pub(crate) fn one_of(&mut self, known: &[u8]) -> Result<u8> {
        let found = self.u8()?;
        if known.contains(&found) {
            return Ok(found);
        }
        let known: Vec<String> = known.iter().map(u8::to_string).collect();
        Err(self.malformed(&format!("version {found} is not known here, only {}", known.join(" and "))))
    }

    /// Checks that nothing is left.
    pub(crate) fn end(&self) -> Result<()> {
        if self.rest.is_empty() {
            return Ok(());
        }
        Err(self.malformed(&format!("{} bytes are left over", self.rest.len())))
    }

    #[cold]
    pub(crate) fn malformed(&self, why: &str) -> EngineError {
        EngineError::invalid(format!("malformed {}: {why}", self.what))
    }
}

/// Appends bytes behind their u32 length.
pub(crate) fn put_counted(out: &mut Vec<u8>, bytes: &[u8]) -> Result<()> {
    let length = u32::try_from(bytes.len())
        .map_err(|_| EngineError::invalid(format!("{} bytes are more than a length field can hold", bytes.len())))?;
    out.extend_from_slice(&length.to_le_bytes());
    out.extend_from_slice(bytes);
    Ok(())
}
