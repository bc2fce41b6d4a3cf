// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! How far level 0 grows before RocksDB compacts it: further while hardly anybody reads the table.

use super::TableCore;
use crate::compaction::Level0;
use crate::error::Result;
use crate::log::log;
use crate::options::L0_FILES;
use crate::raw::sys;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// As long as writing and reading that much takes row by row.
const WAIT_MAX: Duration = Duration::from_secs(10);
const POLL: Duration = Duration::from_millis(20);

impl TableCore {
    /// After a read or a write, which holds no lock of RocksDB: acts upon a change of who reads the table. Seldom is
    /// there one.
    pub(crate) fn follow_readers(&self) {
        let readership = self.purge().readership();
        if readership.has_changed() {
            if let Err(error) = readership.follow(|level0| self.compact_level0(level0)) {
                log(format_args!("level 0 of {} is compacted as before: {error}", self.family_name()));
            }
        }
    }

    #[cold]
    fn compact_level0(&self, level0: Level0) -> Result<()> {
        let files = match level0 {
            Level0::Early => L0_FILES,
            Level0::Late => self.store().settings()?.level0_files_unread,
            Level0::Now => 1,
        };
        self.column_families().base.compact_level0_at(files)
    }

    /// Before this part of the table is exported: where level 0 grows, and holds more than a memtable of it, flushes and
    /// has it compacted. Waits for some seconds; nothing promises that level 0 is empty then. Fails only where the table
    /// is being closed.
    pub(crate) fn settle_level0(&self, share: f64) -> Result<()> {
        self.try_to_settle_level0(share).or_else(|error| {
            self.check_open()?;
            log(format_args!("level 0 of {} is exported as it is: {error}", self.family_name()));
            Ok(())
        })
    }

    fn try_to_settle_level0(&self, share: f64) -> Result<()> {
        let base = &self.column_families().base;
        let readership = self.purge().readership();
        if !readership.has_late_level0()
            || (base.young_bytes() as f64) * share < self.store().settings()?.write_buffer_bytes as f64
            || !self.automatic_compaction().is_on()?
        {
            return Ok(());
        }
        sys::begin_flush(self.family())?;
        let deadline = Instant::now() + WAIT_MAX;
        readership.wait(
            |level0| self.compact_level0(level0),
            || {
                while base.has_young() && Instant::now() < deadline {
                    self.check_open()?;
                    sleep(POLL);
                }
                Ok(())
            },
        )
    }
}
