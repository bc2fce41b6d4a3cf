// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Sockets of a session under test.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::io::{ErrorKind, IoSlice, Read, Result, Write};
use std::rc::Rc;

/// Bytes on their way, which move as a script says.
#[derive(Clone, Default)]
pub(super) struct Pipe(Rc<RefCell<PipeState>>);

#[derive(Default)]
pub(super) struct PipeState {
    bytes: VecDeque<u8>,
    script: VecDeque<Option<usize>>,
}

impl Pipe {
    pub(super) fn scripted(script: &[Option<usize>]) -> Self {
        Pipe(Rc::new(RefCell::new(PipeState { bytes: VecDeque::new(), script: script.iter().copied().collect() })))
    }

    pub(super) fn put(&self, bytes: &[u8]) {
        self.0.borrow_mut().bytes.extend(bytes);
    }

    pub(super) fn drain(&self) -> Vec<u8> {
        self.0.borrow_mut().bytes.drain(..).collect()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.borrow().bytes.is_empty()
    }

    /// Bytes that are on their way.
    pub(super) fn length(&self) -> usize {
        self.0.borrow().bytes.len()
    }

    /// How many of `wanted` bytes the next call moves; all after the end of the script.
    pub(super) fn step(&self, wanted: usize) -> Result<usize> {
        match self.0.borrow_mut().script.pop_front() {
            Some(None) => Err(ErrorKind::WouldBlock.into()),
            Some(Some(most)) => Ok(wanted.min(most.max(1))),
            None => Ok(wanted),
        }
    }
}

impl Read for Pipe {
    fn read(&mut self, into: &mut [u8]) -> Result<usize> {
        let left = self.0.borrow().bytes.len();
        if left == 0 {
            return Err(ErrorKind::WouldBlock.into());
        }
        let count = self.step(left.min(into.len()))?;
        into[..count].iter_mut().zip(self.0.borrow_mut().bytes.drain(..count)).for_each(|(to, from)| *to = from);
        Ok(count)
    }
}

impl Write for Pipe {
    fn write(&mut self, from: &[u8]) -> Result<usize> {
        let count = self.step(from.len())?;
        self.put(&from[..count]);
        Ok(count)
    }

    fn flush(&mut self) -> Result<()> {
        Ok(())
    }
}

/// The client's end of a pair of pipes.
pub(super) struct Duplex {
    pub(super) up: Pipe,
    pub(super) down: Pipe,
}

impl Read for Duplex {
    fn read(&mut self, into: &mut [u8]) -> Result<usize> {
        self.up.read(into)
    }
}

impl Write for Duplex {
    fn write(&mut self, from: &[u8]) -> Result<usize> {
        self.down.write(from)
    }

    /// As a socket does: the parts as if they were one.
    fn write_vectored(&mut self, parts: &[IoSlice<'_>]) -> Result<usize> {
        let whole: Vec<u8> = parts.iter().flat_map(|part| part.iter().copied()).collect();
        self.down.write(&whole)
    }

    fn flush(&mut self) -> Result<()> {
        Ok(())
    }
}

/// A socket whose other side has gone.
pub(super) struct Gone;

impl Write for Gone {
    fn write(&mut self, _: &[u8]) -> Result<usize> {
        Err(ErrorKind::BrokenPipe.into())
    }

    fn flush(&mut self) -> Result<()> {
        Ok(())
    }
}
