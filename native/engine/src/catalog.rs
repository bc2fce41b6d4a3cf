// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Which tables, generations and columns exist: records in the default column family (docs/internals/formats.md,
//! Catalog).

mod column;
mod index;
mod record;

pub(crate) use column::{
    decode_columns, decode_drops, encode_columns, encode_drops, same_type, Column, ColumnKind, ColumnState, NO_DROP,
};
pub(crate) use index::{index_id, FIRST_INDEX, TABLE_ID_BYTES};
pub(crate) use record::{sealed, unsealed, Record, FIRST_FAMILY};

use crate::database::Database;
use crate::error::{EngineError, Result};
use crate::faults::{reached, Step};
use crate::log::log;
use rocksdb::{IteratorMode, WriteOptions};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, RwLock, RwLockReadGuard, RwLockWriteGuard};

const STORE_KEY: &[u8] = b"s";
const TABLE_KEY: u8 = b't';
/// The layout of the whole directory: keys, column families, catalog.
const STORE_FORMAT: u32 = 1;

/// The catalog of one store, kept in memory; every change is on the device before it counts.
pub(crate) struct Catalog {
    db: Arc<Database>,
    /// Held by one change after the other, also while it writes.
    changing: Mutex<()>,
    /// As they are on the device. Nobody waits for that with this lock.
    records: RwLock<HashMap<Vec<u8>, Record>>,
}

impl Catalog {
    /// Reads all records. A store without a format record is new and gets one.
    pub(crate) fn load(db: &Arc<Database>) -> Result<Catalog> {
        match db.get(STORE_KEY)? {
            Some(bytes) => check_format(&bytes)?,
            None => db.put_opt(STORE_KEY, sealed(STORE_FORMAT.to_le_bytes().to_vec(), STORE_KEY), &synced())?,
        }
        let mut records = HashMap::new();
        for entry in db.iterator(IteratorMode::Start) {
            let (key, value) = entry?;
            match key.split_first() {
                Some((&TABLE_KEY, id)) => {
                    records.insert(id.to_vec(), Record::decode(&key, &value)?);
                }
                _ if &*key == STORE_KEY => {}
                _ => return Err(EngineError::corruption("the catalog has a key of no known kind")),
            }
        }
        Ok(Catalog { db: Arc::clone(db), changing: Mutex::default(), records: RwLock::new(records) })
    }

    /// The record of a table; of an index, what its table's record says of it.
    pub(crate) fn get(&self, id: &[u8]) -> Result<Option<Record>> {
        let records = self.read()?;
        match id.split_at_checked(TABLE_ID_BYTES) {
            Some((table, name)) if !name.is_empty() => {
                let table = records.get(table);
                Ok(table.and_then(|table| table.index(name).map(|index| table.of_index(index))))
            }
            _ => Ok(records.get(id).cloned()),
        }
    }

    /// All table ids.
    pub(crate) fn ids(&self) -> Result<Vec<Vec<u8>>> {
        Ok(self.read()?.keys().cloned().collect())
    }

    /// Stores a new record, durably.
    pub(crate) fn insert(&self, id: &[u8], record: Record) -> Result<()> {
        let _changing = self.begin()?;
        self.store(id, &record)?;
        self.records()?.insert(id.to_vec(), record);
        self.flush();
        Ok(())
    }

    /// Changes a record, durably, and returns it. Nothing is written if `change` changes nothing.
    pub(crate) fn update(&self, id: &[u8], change: impl FnOnce(&mut Record) -> Result<()>) -> Result<Record> {
        let _changing = self.begin()?;
        let before = self.read()?.get(id).cloned().ok_or_else(EngineError::has_closed)?;
        let mut after = before.clone();
        change(&mut after)?;
        if after != before {
            self.store(id, &after)?;
            self.records()?.insert(id.to_vec(), after.clone());
            self.flush();
        }
        Ok(after)
    }

    /// Stores a record as it is, durably: after a change that failed, the device may have that one.
    pub(crate) fn store_again(&self, id: &[u8]) -> Result<()> {
        let _changing = self.begin()?;
        let record = self.read()?.get(id).cloned().ok_or_else(EngineError::has_closed)?;
        self.store(id, &record)?;
        self.flush();
        Ok(())
    }

    /// Forgets a table, durably; whether it was known.
    pub(crate) fn remove(&self, id: &[u8]) -> Result<bool> {
        let _changing = self.begin()?;
        if !self.read()?.contains_key(id) {
            return Ok(false);
        }
        reached(Step::WritingCatalog)?;
        self.db.delete_opt(key_of(id), &synced())?;
        self.records()?.remove(id);
        self.flush();
        Ok(true)
    }

    fn store(&self, id: &[u8], record: &Record) -> Result<()> {
        let key = key_of(id);
        let value = record.encode(&key)?;
        reached(Step::WritingCatalog)?;
        self.db.put_opt(&key, value, &synced()).map_err(|error| EngineError::from(error).context("writing the catalog"))
    }

    /// Brings the catalog into a file, so that no table goes with a log that is given up. The log has what this fails
    /// to write, and the failure is a background error of the store's.
    fn flush(&self) {
        if let Err(error) = self.db.flush() {
            log(format_args!("the catalog is in the log only: {error}"));
        }
    }

    fn begin(&self) -> Result<MutexGuard<'_, ()>> {
        self.changing.lock().map_err(|_| EngineError::poisoned())
    }

    fn read(&self) -> Result<RwLockReadGuard<'_, HashMap<Vec<u8>, Record>>> {
        self.records.read().map_err(|_| EngineError::poisoned())
    }

    /// For a change that is on the device.
    fn records(&self) -> Result<RwLockWriteGuard<'_, HashMap<Vec<u8>, Record>>> {
        self.records.write().map_err(|_| EngineError::poisoned())
    }
}

/// The name of a column family of a table generation: `<hex id>[.index].<generation>`, and `+<number>` for all but the
/// one that the generation began with.
pub(crate) fn family_name(id: &[u8], generation: u64, number: u32) -> String {
    let (table, index) = id.split_at_checked(TABLE_ID_BYTES).unwrap_or((id, &[]));
    let mut name: String = table.iter().map(|byte| format!("{byte:02x}")).collect();
    if !index.is_empty() {
        name.push('.');
        name.push_str(&String::from_utf8_lossy(index));
    }
    match number {
        0 => format!("{name}.{generation}"),
        _ => format!("{name}.{generation}+{number}"),
    }
}

/// Whether [`family_name`] gave a column family of an index this name.
pub(crate) fn is_of_index(family: &str) -> bool {
    family.split('.').count() > 2
}

/// The id of the table, or index, that a column family of this name belongs to.
pub(crate) fn id_of_family(name: &str) -> Option<Vec<u8>> {
    let (hex, rest) = name.split_once('.')?;
    let digits = |at: usize| hex.get(at..at + 2).and_then(|digits| u8::from_str_radix(digits, 16).ok());
    let mut id: Vec<u8> = (0..TABLE_ID_BYTES).map(|byte| digits(2 * byte)).collect::<Option<_>>()?;
    if let Some((index, _generation)) = rest.rsplit_once('.') {
        id.extend_from_slice(index.as_bytes());
    }
    Some(id)
}

fn check_format(bytes: &[u8]) -> Result<()> {
    let body = unsealed(bytes, STORE_KEY, "the store's format record")?;
    let format = body.first_chunk::<4>().map(|bytes| u32::from_le_bytes(*bytes));
    match format {
        Some(STORE_FORMAT) => Ok(()),
        Some(later) => Err(EngineError::invalid(format!(
            "this store was written in format {later}, by a later Cassiterite; this one knows format {STORE_FORMAT}: \
             install the later version again"
        ))),
        None => Err(EngineError::corruption("the store's format record is malformed; restore the directory")),
    }
}

fn key_of(id: &[u8]) -> Vec<u8> {
    let mut key = vec![TABLE_KEY];
    key.extend_from_slice(id);
    key
}

fn synced() -> WriteOptions {
    let mut options = WriteOptions::default();
    options.set_sync(true);
    options
}
