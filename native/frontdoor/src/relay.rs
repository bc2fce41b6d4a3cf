// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! One direction of a connection: bytes that come from one socket go to the other one, in order and unchanged.

use std::io::{ErrorKind, Read, Result, Write};

use crate::buffer::Buffer;

/// Bytes that one turn may pass on before other connections have theirs.
const TURN_BYTES: usize = 256 << 10;

/// What a turn has come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Turn {
    /// The source has no more bytes now.
    Drained,
    /// The target takes no more bytes now.
    Blocked,
    /// There is more to do, but others wait.
    More,
    /// The source has ended, and all its bytes are passed on.
    Ended,
}

/// The state of one direction.
#[derive(Debug, Default)]
pub(crate) struct Relay {
    unsent: Buffer,
    /// Whether the source has ended.
    is_ended: bool,
}

impl Relay {
    /// Whether bytes wait for the target.
    pub(crate) fn is_blocked(&self) -> bool {
        !self.unsent.is_empty()
    }

    /// Passes on what there is. Reads nothing more while the target blocks, so that the sender feels it.
    ///
    /// * `to_end` whether the source is known to have ended, so that a short read does not mean that it is drained
    /// * `scratch` any content; its length is the most that one read takes
    /// * `passed_bytes` grows by what the target took
    /// * `read` sees the bytes in order, each once
    ///
    /// # Errors
    /// Those of the sockets; the connection is over then.
    pub(crate) fn turn(
        &mut self,
        source: &mut impl Read,
        target: &mut impl Write,
        to_end: bool,
        scratch: &mut [u8],
        passed_bytes: &mut u64,
        mut read: impl FnMut(&[u8]),
    ) -> Result<Turn> {
        if !self.flush(target, passed_bytes)? {
            return Ok(Turn::Blocked);
        }
        let mut read_bytes = 0;
        while !self.is_ended {
            if read_bytes >= TURN_BYTES {
                return Ok(Turn::More);
            }
            let count = match source.read(scratch) {
                Ok(0) => {
                    self.is_ended = true;
                    break;
                }
                Ok(count) => count,
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(Turn::Drained),
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            read_bytes += count;
            read(&scratch[..count]);
            let sent = write(target, &scratch[..count])?;
            *passed_bytes += sent as u64;
            if sent < count {
                self.unsent.append(&scratch[sent..count]);
                return Ok(Turn::Blocked);
            }
            if count < scratch.len() && !to_end {
                // epoll(7): a short read of a stream socket has emptied it, and later bytes are a new edge
                return Ok(Turn::Drained);
            }
        }
        Ok(Turn::Ended)
    }

    /// Sends what waits; false where the target blocks.
    fn flush(&mut self, target: &mut impl Write, passed_bytes: &mut u64) -> Result<bool> {
        if self.unsent.is_empty() {
            return Ok(true);
        }
        let sent = write(target, self.unsent.pending())?;
        self.unsent.take(sent);
        *passed_bytes += sent as u64;
        Ok(self.unsent.is_empty())
    }
}

/// Writes until the target blocks; the number of bytes that it took.
fn write(target: &mut impl Write, bytes: &[u8]) -> Result<usize> {
    let mut sent = 0;
    while sent < bytes.len() {
        match target.write(&bytes[sent..]) {
            Ok(0) => return Err(ErrorKind::WriteZero.into()),
            Ok(count) => sent += count,
            Err(error) if error.kind() == ErrorKind::WouldBlock => break,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(sent)
}

#[cfg(test)]
mod tests;
