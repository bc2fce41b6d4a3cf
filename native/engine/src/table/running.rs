// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Work of one kind that runs, each piece with a state of its own: others look at it, and end it early.

use crate::error::{EngineError, Result};
use std::sync::{Arc, Mutex, PoisonError};

/// All that runs. Its callers hold the states; a piece of work is over once they have dropped its own.
pub(super) struct Running<T>(Mutex<Vec<Arc<T>>>);

impl<T> Default for Running<T> {
    fn default() -> Self {
        Running(Mutex::default())
    }
}

impl<T> Running<T> {
    /// Work that begins.
    pub(super) fn begin(&self, state: T) -> Result<Arc<T>> {
        let begun = Arc::new(state);
        let mut all = self.0.lock().map_err(|_| EngineError::poisoned())?;
        all.retain(|one| !is_over(one));
        all.push(Arc::clone(&begun));
        Ok(begun)
    }

    /// Calls for each that is not over.
    pub(super) fn each(&self, call: impl FnMut(&Arc<T>)) {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.iter().filter(|one| !is_over(one)).for_each(call);
    }
}

fn is_over<T>(one: &Arc<T>) -> bool {
    Arc::strong_count(one) == 1
}
