// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! A prepared statement that the door can answer, and how its answers have stood up to Cassandra's.

use std::sync::atomic::{AtomicU32, AtomicU8, Ordering};
use std::sync::{Arc, OnceLock};

use super::spec_number;
use crate::statement::{Layout, PeerSpec, Recipe};

/// Answers that must equal Cassandra's before one is sent.
const AUDITIONS: u32 = 32;
/// Answers in a row that may differ: where there are several replicas, Cassandra may have asked another one.
const MISMATCHES: u32 = 3;
/// Panics that end a recipe.
const MAX_PANICS: u32 = 2;

/// Whether answers are sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Standing {
    /// They are compared with Cassandra's.
    Auditioning = 0,
    /// They are sent.
    Serving = 1,
    /// They differed from Cassandra's, or the door could not make them.
    Failed = 2,
}

/// A statement with its recipe.
#[derive(Debug)]
pub(crate) struct Prepared {
    pub recipe: Recipe,
    /// No other one of this process has it.
    pub number: u64,
    /// For the layout that was there first. A schema change ends the tables' openings before recipes of after it come: a later
    /// layout is that of a later schema.
    spec: OnceLock<Spec>,
    standing: AtomicU8,
    matches: AtomicU32,
    mismatches: AtomicU32,
    panics: AtomicU32,
}

/// What other nodes have to know of a statement, and as they get it.
#[derive(Debug)]
struct Spec {
    of: PeerSpec,
    bytes: Box<[u8]>,
}

impl Prepared {
    pub(crate) fn new(recipe: Recipe) -> Self {
        Prepared {
            recipe,
            number: spec_number::next(),
            spec: OnceLock::new(),
            standing: AtomicU8::new(Standing::Auditioning as u8),
            matches: AtomicU32::new(0),
            mismatches: AtomicU32::new(0),
            panics: AtomicU32::new(0),
        }
    }

    pub(crate) fn standing(&self) -> Standing {
        match self.standing.load(Ordering::Acquire) {
            0 => Standing::Auditioning,
            1 => Standing::Serving,
            _ => Standing::Failed,
        }
    }

    /// What other nodes have to know, for a table of this layout. `None` where the recipe is of another one.
    pub(crate) fn spec_for(&self, layout: &Arc<Layout>) -> Option<&PeerSpec> {
        let spec = match self.spec.get() {
            Some(spec) => spec,
            None => {
                let of = PeerSpec::of(&self.recipe, layout)?;
                let bytes = of.encode().into();
                self.spec.get_or_init(|| Spec { of, bytes })
            }
        };
        (Arc::ptr_eq(spec.of.layout(), layout) || spec.of.layout() == layout).then_some(&spec.of)
    }

    /// The same as other nodes get it; empty before the first [`Prepared::spec_for`].
    pub(crate) fn spec(&self) -> &[u8] {
        self.spec.get().map_or(&[][..], |spec| &*spec.bytes)
    }

    /// Notes that an answer could not be made.
    pub(crate) fn panicked(&self) {
        if self.panics.fetch_add(1, Ordering::Relaxed) + 1 >= MAX_PANICS {
            self.standing.store(Standing::Failed as u8, Ordering::Release);
        }
    }

    /// Notes how an answer compared. What has failed stays so.
    pub(crate) fn judged(&self, is_equal: bool) {
        let (reached, standing) = if is_equal {
            self.mismatches.store(0, Ordering::Relaxed);
            (self.matches.fetch_add(1, Ordering::Relaxed) + 1 >= AUDITIONS, Standing::Serving)
        } else {
            self.matches.store(0, Ordering::Relaxed);
            (self.mismatches.fetch_add(1, Ordering::Relaxed) + 1 >= MISMATCHES, Standing::Failed)
        };
        if reached {
            let now = standing as u8;
            let before = Standing::Auditioning as u8;
            let changed = self.standing.compare_exchange(before, now, Ordering::AcqRel, Ordering::Acquire);
            if changed.is_err() && standing == Standing::Failed {
                self.standing.store(now, Ordering::Release);
            }
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
pub(crate) mod tests {
    use super::*;
    use crate::rights::open_table::TableId;
    use crate::statement::Id;

    /// `SELECT v FROM t WHERE k = ?`, of integers; the column has the id 1.
    pub(crate) fn recipe(id: Id, table: TableId) -> Recipe {
        let key = [0, 1, 0, 0, 0, 9];
        let rows = [0, 0, 0, 0, 1];
        let (flags, limits) = ([0], [0, 0]);
        let columns = [0, 1, 2, 0, 0, 0, 1, 0];
        let fetched = [0, 1, 0, 0, 0, 1, 0, 0];
        let metadata = [0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0];
        let metadata = [metadata, metadata, metadata].concat();
        let head = [&[1][..], &id, &table, &[0, 1]].concat();
        let recipe = [&head[..], &key, &rows, &flags, &limits, &columns, &fetched, &metadata, &[3; 16], &[1]].concat();
        Recipe::decode(&recipe).unwrap()
    }

    fn standing(judged: impl IntoIterator<Item = bool>) -> Standing {
        let prepared = Prepared::new(recipe([1; 16], [2; 16]));
        judged.into_iter().for_each(|is_equal| prepared.judged(is_equal));
        prepared.standing()
    }

    fn equal(count: u32) -> impl Iterator<Item = bool> {
        (0..count).map(|_| true)
    }

    #[test]
    fn answers_are_sent_after_enough_were_equal() {
        assert_eq!(standing([]), Standing::Auditioning);
        assert_eq!(standing(equal(AUDITIONS - 1)), Standing::Auditioning);
        assert_eq!(standing(equal(AUDITIONS)), Standing::Serving);
        assert_eq!(standing(equal(AUDITIONS - 1).chain([false]).chain(equal(1))), Standing::Auditioning);
        assert_eq!(standing([false].into_iter().chain(equal(AUDITIONS))), Standing::Serving);
    }

    #[test]
    fn different_answers_end_a_recipe_for_good() {
        assert_eq!(standing([false, false, true, false, false]), Standing::Auditioning);
        assert_eq!(standing([false; 3].into_iter().chain(equal(2 * AUDITIONS))), Standing::Failed);
        assert_eq!(standing(equal(AUDITIONS).chain([false; 3])), Standing::Failed, "judged late");
    }

    #[test]
    fn a_second_panic_ends_a_recipe_for_good() {
        let prepared = Prepared::new(recipe([1; 16], [2; 16]));
        prepared.panicked();
        equal(AUDITIONS).for_each(|is_equal| prepared.judged(is_equal));
        assert_eq!(prepared.standing(), Standing::Serving);
        prepared.panicked();
        equal(AUDITIONS).for_each(|is_equal| prepared.judged(is_equal));
        assert_eq!(prepared.standing(), Standing::Failed);
    }
}
