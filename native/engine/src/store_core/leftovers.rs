// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Column families that are no longer needed, and that RocksDB has failed to drop. The store tries again whenever it
//! makes or drops another one, when it resumes after an error, and at the next start, which drops what the catalog does
//! not name.

use super::StoreCore;
use crate::error::Result;
use crate::log::log;
use crate::raw::sys::FamilyHandle;
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// By name. Their names are taken, and their files stay.
#[derive(Default)]
pub(super) struct Leftovers(Mutex<HashMap<String, FamilyHandle>>);

impl Leftovers {
    fn lock(&self) -> MutexGuard<'_, HashMap<String, FamilyHandle>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl StoreCore {
    /// Drops the column family of this name. A failure is logged, and tried again later.
    pub(crate) fn drop_family(&self, name: &str, family: FamilyHandle) -> Result<()> {
        if let Err(error) = family.delete(name) {
            let error = error.context(format_args!("dropping the column family {name}, which will be tried again"));
            log(format_args!("{error}"));
            self.leftovers.lock().insert(name.to_owned(), family);
            return Err(error);
        }
        self.retire_family(name, family);
        self.drop_leftovers();
        Ok(())
    }

    fn retire_family(&self, name: &str, family: FamilyHandle) {
        self.events.forget(name);
        self.retirement.add(name, family);
    }

    /// Tries again to drop the leftovers.
    pub(crate) fn drop_leftovers(&self) {
        self.leftovers.lock().retain(|name, family| match family.delete(name) {
            Ok(()) => {
                log(format_args!("the column family {name} could be dropped now"));
                self.retire_family(name, family.clone());
                false
            }
            Err(error) => {
                log(format_args!("the column family {name} still cannot be dropped: {error}"));
                true
            }
        });
    }
}
