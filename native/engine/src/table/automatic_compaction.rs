// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Whether RocksDB compacts a table by itself.

use super::column_families::ColumnFamily;
use super::{each_open, Table, TableCore};
use crate::compaction::PENDING_SLOWDOWN_BYTES;
use crate::error::{EngineError, Result};
use crate::options::L0_CALM_FILES;
use std::sync::Mutex;

impl Table {
    /// Switches automatic compaction of the table and its indexes on or off, also for the generations that follow; what
    /// compacts on demand goes on. Off lasts over restarts of the store. Without it no writer is ever held back for the
    /// files of level 0, of which every read looks into each. Returns their number, without those of indexes.
    ///
    /// Where a compaction has met a damaged file, `on` counts as off until [`Table::compact`] has succeeded, or the store
    /// is opened again.
    ///
    /// To be called from time to time: where a backlog has relaxed the stall triggers, a call that finds it gone sets
    /// them back.
    pub fn set_automatic_compaction(&self, on: bool) -> Result<u64> {
        self.shared(|core| {
            core.automatic_compaction().set(core, on)?;
            each_open(&core.indexes().all()?, |index| index.set_automatic_compaction(on).map(drop))?;
            Ok(core.column_families().base.level0_files())
        })
    }
}

/// The switch of a table generation. It rules the base; side column families are never compacted automatically.
pub(crate) struct AutomaticCompaction {
    on: Mutex<bool>,
}

impl AutomaticCompaction {
    pub(super) fn new(on: bool) -> AutomaticCompaction {
        AutomaticCompaction { on: Mutex::new(on) }
    }

    pub(crate) fn is_on(&self) -> Result<bool> {
        self.on.lock().map(|on| *on).map_err(|_| EngineError::poisoned())
    }

    fn set(&self, core: &TableCore, wanted: bool) -> Result<()> {
        let mut on = self.on.lock().map_err(|_| EngineError::poisoned())?;
        let base = &core.column_families().base;
        let wanted = wanted && core.store().events.damaged().of(base.name()).is_none();
        if *on == wanted {
            return if wanted && core.side_families().is_empty() { set_back_triggers(base) } else { Ok(()) };
        }
        if wanted {
            base.relax_stall_triggers(true)?; // they count again, for files that came without compaction
        }
        base.set_compacted(wanted)?;
        *on = wanted;
        Ok(())
    }

    /// Brings a column family that has just become the base, with automatic compaction as given, up to the switch.
    pub(crate) fn apply(&self, core: &TableCore, base_is_compacted: bool) -> Result<()> {
        let on = self.on.lock().map_err(|_| EngineError::poisoned())?;
        if *on != base_is_compacted {
            core.column_families().base.set_compacted(*on)?;
        }
        Ok(())
    }
}

/// Where compaction has caught up.
fn set_back_triggers(base: &ColumnFamily) -> Result<()> {
    if base.has_relaxed_stall_triggers()
        && base.level0_files() < L0_CALM_FILES
        && base.pending_bytes() < PENDING_SLOWDOWN_BYTES as u64
    {
        base.relax_stall_triggers(false)?;
    }
    Ok(())
}
