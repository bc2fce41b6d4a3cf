// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The figures of one table.

use crate::error::Result;
use crate::faults::{reached, Step};
use crate::raw::sys::{IterSpec, Reach};
use crate::raw::{file_count, sampled_files, LiveFile, SAMPLE_FILES};
use crate::source::Source;
use crate::table::{ColumnFamily, Sample, Table, TableCore};
use cassiterite_codec::key;
use std::time::Duration;

/// Places in the ring at which keys are counted to estimate how many make a partition, and how many at each.
const PROBES: u64 = 8;
const KEYS_PER_PROBE: i64 = 32;
/// A table of so few keys is counted: that costs what a sample does.
const COUNTED_KEYS: i64 = PROBES.cast_signed() * KEYS_PER_PROBE;

/// How long a sample is good for: taking one costs some 100 us.
const SAMPLE_AGE_MAX: Duration = Duration::from_secs(10);

impl Table {
    /// The sixteen figures of `Native.tableStats`, in its order.
    pub fn stats(&self) -> Result<[i64; 16]> {
        self.on_copy(figures)
    }

    /// What the properties of the table's files add up to: the three figures of `Native.tableFiles`, in its order. The
    /// second and the third are estimated where there are more files than are looked at.
    pub fn file_figures(&self) -> Result<[i64; 3]> {
        self.on_copy(|core| {
            let mut sums = [0_u64; 3];
            for family in core.column_families().all() {
                let files = sampled_files(family.handle.db(), &family.handle, SAMPLE_FILES)?;
                let sum = |figure: fn(&LiveFile) -> u64| files.iter().map(figure).sum::<u64>();
                let (sampled, all) =
                    (sum(|file| file.file_bytes), family.handle.property("rocksdb.live-sst-files-size"));
                let share = |figure: u64| match sampled {
                    0 => 0,
                    _ => u64::try_from(u128::from(figure) * u128::from(all) / u128::from(sampled)).unwrap_or(u64::MAX),
                };
                let figures = [all, share(sum(|file| file.raw_bytes)), share(sum(|file| file.filter_bytes))];
                sums.iter_mut().zip(figures).for_each(|(sum, figure)| *sum += figure);
            }
            Ok(sums.map(|sum| i64::try_from(sum).unwrap_or(i64::MAX)))
        })
    }
}

/// See [`Table::stats`].
pub(crate) fn figures(core: &TableCore) -> Result<[i64; 16]> {
    let sum = |name: &str| {
        core.column_families().all().map(|family| family.handle.property(name)).fold(0, u64::saturating_add)
    };
    let property = |name| i64::try_from(sum(name)).unwrap_or(i64::MAX);
    let Sample { keys, partitions } = keys_and_partitions(core, property("rocksdb.estimate-num-keys"))?;
    let count = |family: &ColumnFamily| file_count(&core.store().db, &family.handle);
    let files: u64 = core.column_families().all().map(count).sum();
    let min_timestamp = core.column_families().all().map(|family| family.purge.min_timestamp_ever()).min();
    let [writes, reads, written_bytes] = core.counters().totals();
    let work = core.store().events.work_of(core.family_name());
    let of_work = |figure: u64| i64::try_from(figure).unwrap_or(i64::MAX);
    Ok([
        partitions,
        keys,
        property("rocksdb.live-sst-files-size"),
        property("rocksdb.cur-size-all-mem-tables"),
        min_timestamp.unwrap_or(i64::MAX),
        i64::from(!core.has_data()),
        writes,
        reads,
        written_bytes,
        i64::try_from(core.generation()).unwrap_or(i64::MAX),
        property("rocksdb.estimate-pending-compaction-bytes"),
        i64::try_from(files).unwrap_or(i64::MAX),
        of_work(work.flushes),
        of_work(work.flush_bytes),
        of_work(work.compaction_output_bytes),
        property("rocksdb.num-immutable-mem-table"),
    ])
}

/// Counted, or estimated: partitions are the keys divided by the keys per partition in a sample.
fn keys_and_partitions(core: &TableCore, keys: i64) -> Result<Sample> {
    if !core.has_data() {
        return Ok(Sample { keys, partitions: 0 });
    }
    if keys <= COUNTED_KEYS {
        let [writes, ..] = core.counters().totals();
        if let Some(counted) = core.counters().counted((writes, keys), || count(core))? {
            return Ok(counted);
        }
    }
    let sample = core.counters().sample(SAMPLE_AGE_MAX, || take_sample(core))?;
    if sample.keys == 0 {
        return Ok(Sample { keys, partitions: 0 });
    }
    let partitions = (keys.saturating_mul(sample.partitions) / sample.keys).max(sample.partitions.min(keys));
    Ok(Sample { keys, partitions })
}

/// All keys and partitions; `None` where there are more after all, or something cannot be read.
fn count(core: &TableCore) -> Option<Sample> {
    let mut iter = all(core);
    let mut found = Sample::default();
    probe(&mut found, &mut iter, &[], COUNTED_KEYS + 1, &mut Vec::new()).ok()?;
    (found.keys <= COUNTED_KEYS).then_some(found)
}

fn all(core: &TableCore) -> Source {
    let spec =
        IterSpec { lower: Vec::new(), upper: Vec::new(), one_prefix: false, fill_cache: true, reach: Reach::Files };
    core.column_families().iterate(spec)
}

fn take_sample(core: &TableCore) -> Sample {
    let mut iter = all(core);
    let mut sample = Sample::default();
    let mut partition = Vec::new();
    for number in 0..PROBES {
        let mut start = vec![0x40];
        start.extend_from_slice(&(number * (u64::MAX / PROBES)).to_be_bytes());
        // What cannot be read is not counted: reads report damage, an estimate must not stop a node from starting.
        let _ = probe(&mut sample, &mut iter, &start, KEYS_PER_PROBE, &mut partition);
    }
    sample
}

/// Adds so many keys from a place on, and their partitions.
fn probe(sample: &mut Sample, iter: &mut Source, start: &[u8], keys: i64, partition: &mut Vec<u8>) -> Result<()> {
    reached(Step::Sampling)?;
    iter.seek(start)?;
    for _ in 0..keys {
        let Some(found) = iter.key() else { break };
        let prefix = found.get(..key::partition_len(found).unwrap_or_default()).unwrap_or_default();
        if prefix != partition.as_slice() {
            sample.partitions += 1;
            partition.clear();
            partition.extend_from_slice(prefix);
        }
        sample.keys += 1;
        iter.step()?;
    }
    Ok(())
}
