// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Brings arrivals into the base, step by step: where an arrival is larger than the base the two change places first, so that
//! what is rewritten is the smaller.

use super::foreign::everything;
use super::place::Placing;
use super::rows::{rewrite, FILE_BYTES};
use super::LEVEL0_FILES_MAX;
use crate::device::check_room;
use crate::error::{EngineError, Result};
use crate::faults::{reached, Step};
use crate::read::Source;
use crate::sys::{Iter, IterSpec};
use crate::table::{Absorbed, Member, Table, TableCore};
use std::time::{Duration, Instant};

/// A step waits this long at most for the base's compaction, or for the rate at which it may write.
const WAIT_MAX: Duration = Duration::from_secs(5);
const POLL: Duration = Duration::from_millis(20);

/// See [`Table::absorb`].
pub(super) fn absorb(table: &Table) -> Result<u64> {
    table.with_copy(|core| {
        let mut absorbed = core.try_changing()?;
        let core = &table.with(|core| Ok(core.clone()))?;
        if core.arrivals().is_empty() || !core.is_current()? {
            return Ok(0);
        }
        core.store().durability.check()?;
        check_room(core.store().db.path(), FILE_BYTES)?;
        let mut step = Absorption { table, core, absorbed: &mut absorbed };
        if let Some(larger) = step.larger_arrival() {
            step.change_places(larger)?;
        } else {
            step.rewrite_some()?;
        }
        table.with(|core| Ok(bytes_outside(core)))
    })
}

/// What the arrivals hold; at least 1 while there is one.
fn bytes_outside(core: &TableCore) -> u64 {
    core.arrivals().iter().map(|arrival| arrival.bytes().max(1)).fold(0, u64::saturating_add)
}

/// One step of it, by whoever holds [`TableCore::changing`].
struct Absorption<'a> {
    table: &'a Table,
    core: &'a TableCore,
    absorbed: &'a mut Absorbed,
}

impl Absorption<'_> {
    /// The number of the largest arrival, if it is larger than the base.
    fn larger_arrival(&self) -> Option<u32> {
        let largest = self.core.arrivals().iter().map(|arrival| (arrival.bytes(), arrival.number)).max()?;
        (largest.0 > self.core.families().base.bytes()).then_some(largest.1)
    }

    /// Makes an arrival the base and the base an arrival. Writes go to the one or the other meanwhile, and both are read.
    fn change_places(&mut self, number: u32) -> Result<()> {
        for arrival in self.core.arrivals().iter().filter(|arrival| arrival.number == number) {
            arrival.set_patient(true)?;
            arrival.set_compacted(true)?;
        }
        let base = self.core.families().base.number;
        let others =
            self.core.arrivals().iter().map(|arrival| if arrival.number == number { base } else { arrival.number });
        self.name(number, others.collect())?;
        reached(Step::SwapNamed)?;
        self.table.alone(|core| {
            let families = core.families_mut();
            let arrival = families.arrivals.iter_mut().find(|arrival| arrival.number == number);
            arrival.into_iter().for_each(|arrival| std::mem::swap(arrival, &mut families.base));
            Ok(())
        })?;
        self.absorbed.position = None;
        reached(Step::Swapped)?;
        self.table.with(|core| core.arrivals().iter().try_for_each(|arrival| arrival.set_compacted(false)))
    }

    /// Rewrites the next file's worth of the smallest arrival as rows into the base; drops the arrival when it is at its end.
    fn rewrite_some(&mut self) -> Result<()> {
        let Some(arrival) = self.core.arrivals().iter().min_by_key(|arrival| (arrival.bytes(), arrival.number)) else {
            return Ok(());
        };
        if !self.base_is_ready()? {
            return Ok(());
        }
        let begun = Instant::now();
        let from = match &self.absorbed.position {
            Some((number, from)) if *number == arrival.number => from.clone(),
            _ => Vec::new(),
        };
        let mut source = Source::one(Iter::open(&arrival.family, IterSpec { lower: from.clone(), ..everything() }));
        source.seek(&from)?;
        let (rows, left) = rewrite(self.core.store(), &mut source, None, 1, || self.core.check_open())?;
        drop(source);
        if !rows.parcel.is_empty() {
            let placing = Placing::new(self.table, self.core, self.absorbed);
            placing.put_into_base(&rows.parcel)?;
            reached(Step::Absorbed)?;
        }
        match left {
            Some(next) => {
                self.absorbed.position = Some((arrival.number, next));
                self.wait_until(begun + self.time_for(rows.parcel.bytes())?)
            }
            None => self.let_go(arrival.clone()),
        }
    }

    /// Removes an arrival whose data are in the base, all of them.
    fn let_go(&mut self, arrival: Member) -> Result<()> {
        let number = arrival.number;
        let others = self.core.arrivals().iter().map(|arrival| arrival.number).filter(|other| *other != number);
        self.name(self.core.families().base.number, others.collect())?;
        reached(Step::Unnamed)?;
        self.table.alone(|core| {
            core.families_mut().arrivals.retain(|member| member.number != number);
            Ok(())
        })?;
        reached(Step::Hidden)?;
        arrival.delete(self.core.store())
    }

    /// Names the families in the catalog, all of them: an attempt that failed halfway does not count.
    fn name(&self, base: u32, arrivals: Vec<u32>) -> Result<()> {
        let generation = self.core.generation();
        let named = self.core.store().catalog.update(self.core.id(), |record| {
            if record.generation != generation {
                return Err(EngineError::Closed("the table has been truncated".into()));
            }
            record.base = base;
            record.arrivals = arrivals;
            Ok(())
        });
        named.map(drop)
    }

    /// Waits while the base has so many files of level 0 that more would slow writers down; whether it has few by now.
    fn base_is_ready(&self) -> Result<bool> {
        let deadline = Instant::now() + WAIT_MAX;
        loop {
            self.core.check_open()?;
            let base = &self.core.families().base;
            if base.level0_files() < LEVEL0_FILES_MAX {
                base.set_patient(false)?;
                return Ok(true);
            }
            if Instant::now() >= deadline {
                return Ok(false);
            }
            std::thread::sleep(POLL);
        }
    }

    /// How long compaction would have to take to write that much.
    fn time_for(&self, bytes: u64) -> Result<Duration> {
        let bytes_per_second = self.core.store().settings()?.compaction_bytes_per_second;
        let time_ms = bytes.saturating_mul(1000).checked_div(bytes_per_second).unwrap_or_default();
        Ok(Duration::from_millis(time_ms).min(WAIT_MAX))
    }

    fn wait_until(&self, deadline: Instant) -> Result<()> {
        while Instant::now() < deadline {
            self.core.check_open()?;
            std::thread::sleep(POLL);
        }
        Ok(())
    }
}
