// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Values that many tables have alike, such as those of a keyspace: each is kept once, for as long as somebody has it.

use std::sync::{Arc, Mutex, PoisonError, Weak};

/// Values of one kind.
#[derive(Debug)]
pub(crate) struct Interned<T>(Mutex<Vec<Weak<T>>>);

impl<T> Default for Interned<T> {
    fn default() -> Self {
        Interned(Mutex::default())
    }
}

impl<T: PartialEq> Interned<T> {
    /// The value as others have it, if they do.
    pub(crate) fn share(&self, value: Arc<T>) -> Arc<T> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.retain(|other| other.strong_count() > 0);
        let same = known.iter().filter_map(Weak::upgrade).find(|other| **other == *value);
        same.unwrap_or_else(|| {
            known.push(Arc::downgrade(&value));
            value
        })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn equal_values_are_one_for_as_long_as_somebody_has_it() {
        let interned = Interned::default();
        let one = interned.share(Arc::new(vec![1]));
        let other = interned.share(Arc::new(vec![2]));
        assert!(Arc::ptr_eq(&one, &interned.share(Arc::new(vec![1]))));
        assert!(Arc::ptr_eq(&other, &interned.share(Arc::new(vec![2]))));
        drop(one);
        interned.share(other);
        assert_eq!(interned.0.lock().unwrap().len(), 1, "of what nobody has, nothing is left");
    }
}
