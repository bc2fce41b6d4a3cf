// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The way to one socket: bytes leave in order, and wait where the socket takes no more.

use std::io::{ErrorKind, IoSlice, Result, Write};

use super::buffer::Buffer;

/// What waits for a socket, and how much it took.
#[derive(Debug, Default)]
pub(crate) struct Outlet {
    unsent: Buffer,
    sent_bytes: u64,
}

impl Outlet {
    /// Sends bytes behind those that wait.
    ///
    /// # Errors
    /// Those of the socket; the connection is over then.
    pub(crate) fn send(&mut self, target: &mut impl Write, bytes: &[u8]) -> Result<()> {
        let sent = if self.unsent.is_empty() { write(target, bytes)? } else { 0 };
        self.sent_bytes += sent as u64;
        self.unsent.append(bytes.get(sent..).unwrap_or_default());
        Ok(())
    }

    /// Sends what the socket takes at once of these bytes, where none wait; how many.
    ///
    /// # Errors
    /// Those of the socket; the connection is over then.
    pub(crate) fn send_vectored(&mut self, target: &mut impl Write, parts: &[IoSlice<'_>]) -> Result<usize> {
        loop {
            return match target.write_vectored(parts) {
                Ok(sent) => {
                    self.sent_bytes += sent as u64;
                    Ok(sent)
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => Ok(0),
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => Err(error),
            };
        }
    }

    /// Sends what waits; false where the socket takes no more.
    pub(crate) fn flush(&mut self, target: &mut impl Write) -> Result<bool> {
        if !self.unsent.is_empty() {
            let sent = write(target, self.unsent.pending())?;
            self.unsent.take(sent);
            self.sent_bytes += sent as u64;
        }
        Ok(self.unsent.is_empty())
    }

    /// Bytes that wait.
    pub(crate) fn unsent_bytes(&self) -> usize {
        self.unsent.pending().len()
    }

    /// Bytes that the socket took since the last call.
    pub(crate) fn take_sent_bytes(&mut self) -> u64 {
        std::mem::take(&mut self.sent_bytes)
    }
}

/// Writes until the target blocks; the number of bytes that it took.
fn write(target: &mut impl Write, bytes: &[u8]) -> Result<usize> {
    let mut sent = 0;
    while let Some(rest) = bytes.get(sent..).filter(|rest| !rest.is_empty()) {
        match target.write(rest) {
            Ok(0) => return Err(ErrorKind::WriteZero.into()),
            Ok(count) => sent += count,
            Err(error) if error.kind() == ErrorKind::WouldBlock => break,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(sent)
}
