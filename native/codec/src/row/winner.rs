// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Which cell stays of those written for one column (and path).

use std::cmp::Ordering;

use crate::error::CodecError;
use crate::row::cell::Cell;
use crate::row::counter::Tally;
use crate::row::few::Few;

/// The cell that stays of those seen so far; counters add their contexts up.
#[derive(Debug)]
pub(crate) struct Winner<'a, 's> {
    best: Option<Cell<'a>>,
    /// Contexts to be merged into the best cell, itself included; empty while there is only one.
    contexts: &'s mut Few<&'a [u8]>,
}

impl<'a, 's> Winner<'a, 's> {
    /// `contexts`: a buffer that is used again for every column.
    #[inline]
    pub(crate) fn new(contexts: &'s mut Few<&'a [u8]>) -> Self {
        contexts.clear();
        Winner { best: None, contexts }
    }

    /// Takes one more cell of `column` into account.
    #[inline]
    pub(crate) fn add(&mut self, cell: Cell<'a>, column: u32) -> Result<(), CodecError> {
        match &self.best {
            None => self.best = Some(cell),
            Some(best) if best.is_counter || cell.is_counter => {
                let best = *best;
                self.add_counter(best, cell, column)?;
            }
            Some(best) => {
                if cell.precedence(best) == Ordering::Greater {
                    self.best = Some(cell);
                }
            }
        }
        Ok(())
    }

    /// A tombstone beats a counter whatever their timestamps; an empty counter beats one with a context.
    fn add_counter(&mut self, best: Cell<'a>, cell: Cell<'a>, column: u32) -> Result<(), CodecError> {
        if best.is_tombstone() {
            return Ok(());
        }
        if cell.is_tombstone() {
            self.replace(cell);
            return Ok(());
        }
        if best.is_counter != cell.is_counter {
            return Err(CodecError::Conflict { what: "a counter here, a plain value there", column });
        }
        match (best.value.is_empty(), cell.value.is_empty()) {
            (true, true) if cell.timestamp <= best.timestamp => {}
            (true, false) => {}
            (_, true) => self.replace(cell),
            (false, false) => {
                if self.contexts.is_empty() {
                    self.contexts.push(best.value);
                }
                self.contexts.push(cell.value);
                self.best = Some(Cell { timestamp: best.timestamp.max(cell.timestamp), ..best });
            }
        }
        Ok(())
    }

    fn replace(&mut self, cell: Cell<'a>) {
        self.best = Some(cell);
        self.contexts.clear();
    }

    /// Hands the cell that stays, if any, to `write`; `tally` holds a merged context meanwhile.
    #[inline]
    pub(crate) fn finish(
        self,
        column: u32,
        tally: &mut Tally,
        write: impl FnOnce(&Cell<'_>),
    ) -> Result<(), CodecError> {
        match self.best {
            None => {}
            Some(best) if self.contexts.is_empty() => write(&best),
            Some(best) => write(&Cell { value: tally.merge(self.contexts, column)?, ..best }),
        }
        Ok(())
    }
}
