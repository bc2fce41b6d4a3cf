// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! A database with one purged column family, and rows of small numbers in it.
//!
//! Time is in ticks: a write at tick t has local time `seconds(t)`, and compactions judge by [`Store::at`].

use cassiterite_codec::header::{self, Coverage, Position, Range};
use cassiterite_codec::key::{self, Kind};
use cassiterite_codec::row::{Cell, Head, RowReader, RowWriter};
use cassiterite_codec::DeletionTime;
use cassiterite_engine::compaction::{StoreEvents, TablePurge};
use rocksdb::{
    AsColumnFamilyRef, BottommostLevelCompaction, ColumnFamilyDescriptor, CompactOptions, FlushOptions, IteratorMode,
    Options, WriteOptions, DB,
};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

pub const FAMILY: &str = "rows";
const SECONDS_PER_TICK: i64 = 100;
/// Only so that local times are plausible.
const EPOCH_S: i64 = 1_000_000;

/// What a reader sees: (partition, row, column) to (timestamp, value).
pub type View = BTreeMap<(u8, u8, u32), (i64, Vec<u8>)>;

pub fn seconds(tick: i64) -> i64 {
    EPOCH_S + tick * SECONDS_PER_TICK
}

/// One deletion or cell, with its place.
#[derive(Clone, Debug, PartialEq)]
pub enum Write {
    Cell {
        at: (u8, u8, u32),
        timestamp: i64,
        value: Vec<u8>,
    },
    Expiring {
        at: (u8, u8, u32),
        timestamp: i64,
        value: Vec<u8>,
        expires: i64,
    },
    CellTombstone {
        at: (u8, u8, u32),
        timestamp: i64,
        tick: i64,
    },
    Row {
        partition: u8,
        row: u8,
        timestamp: i64,
        tick: i64,
    },
    Partition {
        partition: u8,
        timestamp: i64,
        tick: i64,
    },
    /// Rows from `rows.0` to `rows.1`, both included.
    Rows {
        partition: u8,
        rows: (u8, u8),
        timestamp: i64,
        tick: i64,
    },
}

impl Write {
    pub fn timestamp(&self) -> i64 {
        match self {
            Write::Cell { timestamp, .. }
            | Write::Expiring { timestamp, .. }
            | Write::CellTombstone { timestamp, .. }
            | Write::Row { timestamp, .. }
            | Write::Partition { timestamp, .. }
            | Write::Rows { timestamp, .. } => *timestamp,
        }
    }

    fn key(&self) -> Vec<u8> {
        match *self {
            Write::Cell { at, .. } | Write::Expiring { at, .. } | Write::CellTombstone { at, .. } => {
                row_key(at.0, at.1)
            }
            Write::Row { partition, row, .. } => row_key(partition, row),
            Write::Partition { partition, .. } | Write::Rows { partition, .. } => header_key(partition),
        }
    }

    fn fragment(&self) -> Vec<u8> {
        match self {
            Write::Cell { at, timestamp, value } => cell_fragment(at.2, &Cell::live(*timestamp, value)),
            Write::Expiring { at, timestamp, value, expires } => {
                let local_deletion_time_s = seconds(*expires);
                let cell = Cell { ttl_s: 1, local_deletion_time_s, ..Cell::live(*timestamp, value) };
                cell_fragment(at.2, &cell)
            }
            Write::CellTombstone { at, timestamp, tick } => {
                cell_fragment(at.2, &Cell::tombstone(*timestamp, seconds(*tick)))
            }
            Write::Row { timestamp, tick, .. } => {
                let mut out = Vec::new();
                let head = Head { deletion: DeletionTime::new(*timestamp, seconds(*tick)), ..Head::NOTHING };
                RowWriter::new(&head, &mut out).finish();
                out
            }
            Write::Partition { timestamp, tick, .. } => {
                let mut out = Vec::new();
                header::write(&DeletionTime::new(*timestamp, seconds(*tick)), &[], &mut out);
                out
            }
            Write::Rows { rows, timestamp, tick, .. } => {
                let (start, end) = (bound(rows.0, 0x20), bound(rows.1, 0x60));
                let range = Range {
                    start: Position { order: &start, raw: &start },
                    end: Position { order: &end, raw: &end },
                    deletion: DeletionTime::new(*timestamp, seconds(*tick)),
                };
                let mut out = Vec::new();
                header::write(&DeletionTime::LIVE, &[range], &mut out);
                out
            }
        }
    }
}

fn cell_fragment(column: u32, cell: &Cell<'_>) -> Vec<u8> {
    let mut out = Vec::new();
    let mut writer = RowWriter::new(&Head::NOTHING, &mut out);
    writer.simple(column, cell);
    writer.finish();
    out
}

fn bound(row: u8, end: u8) -> Vec<u8> {
    vec![0x40, row, end]
}

fn prefix(partition: u8) -> Vec<u8> {
    let mut key = Vec::new();
    key::encode_partition(i64::from(partition), &[partition, 0, 7], &mut key);
    key
}

pub fn header_key(partition: u8) -> Vec<u8> {
    let mut key = prefix(partition);
    key.push(Kind::Header.into());
    key
}

pub fn row_key(partition: u8, row: u8) -> Vec<u8> {
    let mut key = prefix(partition);
    key.push(Kind::Row.into());
    key.extend(bound(row, 0x38));
    key
}

pub struct Store {
    pub db: DB,
    pub purge: Arc<TablePurge>,
    pub events: Arc<StoreEvents>,
    folder: tempfile::TempDir,
}

impl Store {
    /// Compactions only when asked for; deletions are purged without a grace at the tick given to [`Store::at`].
    pub fn new() -> Self {
        Self::with(|_, family| family.set_disable_auto_compactions(true))
    }

    pub fn with(adjust: impl FnOnce(&mut Options, &mut Options)) -> Self {
        Self::open(tempfile::tempdir().unwrap(), adjust)
    }

    /// Closes and opens again, as [`Store::new`] does.
    pub fn reopen(self) -> Self {
        let Store { db, folder, .. } = self;
        drop(db);
        Self::open(folder, |_, family| family.set_disable_auto_compactions(true))
    }

    fn open(folder: tempfile::TempDir, adjust: impl FnOnce(&mut Options, &mut Options)) -> Self {
        let events = StoreEvents::new();
        let purge = TablePurge::new(FAMILY);
        let (mut options, mut family) = (Options::default(), Options::default());
        options.create_if_missing(true);
        options.create_missing_column_families(true);
        family.set_compression_type(rocksdb::DBCompressionType::None);
        adjust(&mut options, &mut family);
        events.install(&mut options);
        events.watch(&purge);
        purge.install(&mut family);
        let descriptor = ColumnFamilyDescriptor::new(FAMILY, family);
        let db = DB::open_cf_descriptors(&options, folder.path(), [descriptor]).unwrap();
        purge.attach(&db, &db.cf_handle(FAMILY).unwrap()).unwrap();
        let store = Store { db, purge, events, folder };
        store.at(0, 0);
        store
    }

    pub fn family(&self) -> impl AsColumnFamilyRef + '_ {
        self.db.cf_handle(FAMILY).unwrap()
    }

    /// Compactions judge as at this tick, with this grace.
    pub fn at(&self, tick: i64, grace_ticks: i64) {
        self.max_purgeable(tick, grace_ticks, i64::MAX);
    }

    pub fn max_purgeable(&self, tick: i64, grace_ticks: i64, max_purgeable_timestamp: i64) {
        let machine_s = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs() as i64;
        // Half a tick, so that the machine's clock running on changes nothing.
        let now_s = seconds(tick) + SECONDS_PER_TICK / 2;
        self.purge.set(grace_ticks * SECONDS_PER_TICK, max_purgeable_timestamp, now_s - machine_s);
    }

    pub fn write(&self, write: &Write) {
        self.write_logged(write, true);
    }

    pub fn write_logged(&self, write: &Write, logged: bool) {
        let mut options = WriteOptions::default();
        options.disable_wal(!logged);
        let _writing = self.purge.begin_write(write.timestamp());
        self.db.merge_cf_opt(&self.family(), write.key(), write.fragment(), &options).unwrap();
    }

    pub fn cell(&self, at: (u8, u8, u32), timestamp: i64) {
        self.write(&Write::Cell { at, timestamp, value: vec![7; 100] });
    }

    pub fn flush(&self) {
        let mut options = FlushOptions::default();
        options.set_wait(true);
        self.db.flush_cf_opt(&self.family(), &options).unwrap();
    }

    /// Compacts everything that is in files; twice, so that keys left empty go too.
    pub fn compact(&self) {
        self.compact_files();
        self.compact_files();
    }

    pub fn compact_files(&self) {
        let mut options = CompactOptions::default();
        options.set_bottommost_level_compaction(BottommostLevelCompaction::Force);
        self.db.compact_range_cf_opt(&self.family(), None::<&[u8]>, None::<&[u8]>, &options);
    }

    /// Compacts the files that overlap with these keys, both included.
    pub fn compact_between(&self, first: &[u8], last: &[u8]) {
        let mut options = CompactOptions::default();
        options.set_bottommost_level_compaction(BottommostLevelCompaction::Force);
        self.db.compact_range_cf_opt(&self.family(), Some(first), Some(last), &options);
    }

    /// Puts all files into one level.
    pub fn move_to_level(&self, level: i32) {
        let mut options = CompactOptions::default();
        options.set_change_level(true);
        options.set_target_level(level);
        options.set_bottommost_level_compaction(BottommostLevelCompaction::Skip);
        self.db.compact_range_cf_opt(&self.family(), None::<&[u8]>, None::<&[u8]>, &options);
    }

    /// Keys and fragments that a scan finds, empty ones included.
    pub fn entries(&self) -> Vec<(Vec<u8>, Vec<u8>)> {
        self.db
            .iterator_cf(&self.family(), IteratorMode::Start)
            .map(|entry| entry.map(|(key, value)| (key.to_vec(), value.to_vec())).unwrap())
            .collect()
    }

    pub fn has(&self, key: &[u8]) -> bool {
        self.entries().iter().any(|(found, _)| found == key)
    }

    /// Bytes of all SST files of the table.
    pub fn sst_bytes(&self) -> usize {
        let files = self.db.live_files().unwrap();
        files.iter().filter(|file| file.column_family_name == FAMILY).map(|file| file.size).sum()
    }

    /// What a reader sees at a tick.
    pub fn view(&self, tick: i64) -> View {
        let now_s = seconds(tick) + SECONDS_PER_TICK / 2;
        let mut view = View::new();
        let mut coverage = Coverage::new();
        let mut partition = Vec::new();
        for (key, fragment) in self.entries() {
            let parts = key::split(&key).unwrap();
            if partition != parts.partition {
                partition = parts.partition.to_vec();
                coverage.clear();
            }
            if parts.kind == Kind::Header {
                coverage.add(&fragment).unwrap();
                continue;
            }
            let covering = coverage.deletion_for(parts.clustering);
            let mut raw = Vec::new();
            key::raw_partition_key(parts.partition, &mut raw).unwrap();
            see_row(&fragment, covering, now_s, (raw[0], parts.clustering[1]), &mut view);
        }
        view
    }
}

fn see_row(fragment: &[u8], covering: DeletionTime, now_s: i64, (partition, row): (u8, u8), view: &mut View) {
    cassiterite_codec::validate(Kind::Row, fragment).unwrap();
    let (head, mut reader) = RowReader::new(fragment).unwrap();
    let deletion = covering.max(head.deletion);
    while let Some(start) = reader.next_column().unwrap() {
        let cell = reader.cell(start).unwrap();
        if cell.is_live(now_s) && !deletion.deletes(cell.timestamp) {
            view.insert((partition, row, start.id), (cell.timestamp, cell.value.to_vec()));
        }
    }
}
