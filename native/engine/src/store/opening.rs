// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Opening a store: check what is there, recover the log, drop what crashes have left behind.

use super::uncompacted::uncompacted;
use super::Live;
use crate::catalog::{family_name, index_id, is_of_index, Catalog, Record};
use crate::compaction::{StoreEvents, TablePurge};
use crate::database::Database;
use crate::durability::Durability;
use crate::error::{EngineError, Result};
use crate::generations::close_all;
use crate::increments::Increments;
use crate::log::log;
use crate::options::{database_options, family_options, Settings, Shared, WalRecovery};
use crate::raw::sys::{self, FamilyHandle};
use crate::schema::log_hidden;
use crate::staging::staging;
use crate::store_core::{Kept, KeptOptions, Retirement, StoreCore};
use crate::table::{AttachedIndex, FoundFamily, OpenTables, Table, TableCore};
use crate::wal;
use rocksdb::{ColumnFamilyDescriptor, Options, DB, DEFAULT_COLUMN_FAMILY_NAME};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs::{self, File, TryLockError};
use std::path::Path;
use std::sync::Arc;

/// Where shipments wait to be sent; nothing in it outlives the process.
const EXPORT: &str = "export";
/// Locked while the store is open.
const LOCK: &str = "lock";

pub(super) fn open(settings: Settings) -> Result<Live> {
    sys::rocksdb_version()?;
    prepare(&settings.directory)?;
    prepare(&settings.wal_directory)?;
    let lock = lock(&settings.directory)?;
    let shared = Shared::new(&settings);
    let events = StoreEvents::new();
    let options = database_options(&settings, &shared, &events);
    let mut families = ColumnFamilies::list(&settings, &shared)?;
    let database = settings.directory.join("db");
    let log_directory = settings.log_directory(&database);
    if !database.join("CURRENT").exists() {
        wal::check_headless(&database, log_directory)?;
    } else {
        wal::prepare(&database, log_directory, !families.options.is_empty(), settings.wal_recovery)?;
    }
    let increments = Arc::new(Increments::open(&settings.directory)?);
    events.keep_flushed_in(&increments);
    let db = DB::open_cf_descriptors(&options, &database, families.descriptors()).map_err(|error| {
        EngineError::from(error).context(format_args!("opening the store in {}", settings.directory.display()))
    })?;
    let db = Arc::new(Database::new(db, lock));
    clear(&staging(&settings))?;
    clear(&settings.directory.join(EXPORT))?;
    let catalog = Catalog::load(&db)?;
    forget_former_indexes(&catalog)?;
    increments.retain(&catalog.ids()?)?;
    let (retirement, releaser) = Retirement::start({
        let events = Arc::clone(&events);
        move |name: &str, family: &FamilyHandle| events.has_no_job(name, |property| family.property(property))
    })?;
    families.drop_unnamed(&db, &catalog, &retirement).inspect_err(|_| retirement.stop())?;
    let (durability, timer) = Durability::start(settings.sync, &db, &events).inspect_err(|_| retirement.stop())?;
    let discarder = db.discards().start().inspect_err(|_| {
        durability.stop();
        retirement.stop();
    })?;
    let threads: Vec<_> = timer.into_iter().chain([releaser, discarder]).collect();
    let kept = Arc::clone(&families.kept);
    let core = Arc::new(StoreCore::new(
        db,
        catalog,
        durability,
        events,
        retirement,
        (settings, shared, options, kept, increments),
    ));
    let tables = Arc::new(OpenTables::default());
    if let Err(error) = open_tables(&core, &tables, families) {
        let closed = close_all(&tables);
        core.durability.stop();
        core.retirement.stop();
        core.db.discards().stop();
        // The threads have a share of the database, which is to be closed when this returns.
        threads.into_iter().for_each(|thread| {
            let _ = thread.join();
        });
        return closed.and(Err(error));
    }
    Ok(Live { core, tables, threads })
}

fn prepare(directory: &Path) -> Result<()> {
    fs::create_dir_all(directory)
        .map_err(|error| EngineError::from(error).context(format_args!("creating {}", directory.display())))
}

/// Locks the directory against other stores while the file is open. RocksDB's own lock comes too late: before it the
/// log is checked, and a torn record at its end is cut off.
fn lock(directory: &Path) -> Result<File> {
    let path = directory.join(LOCK);
    let file = File::options().create(true).truncate(false).write(true).open(&path);
    let file = file.map_err(|error| EngineError::from(error).context(format_args!("opening {}", path.display())))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => {
            Err(EngineError::busy(format!("another process or store has {} open", directory.display())))
        }
        Err(TryLockError::Error(error)) => {
            Err(EngineError::from(error).context(format_args!("locking {}", path.display())))
        }
    }
}

/// Removes what a crash has left of loading, rewriting and sending; under the database's lock.
fn clear(directory: &Path) -> Result<()> {
    match fs::remove_dir_all(directory) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
        other => {
            other.map_err(|error| EngineError::from(error).context(format_args!("removing {}", directory.display())))
        }
    }
}

/// Indexes of a former format are dropped. Whoever has the schema makes them anew, under other numbers: those are not
/// complete, and answer nothing until they have been built.
fn forget_former_indexes(catalog: &Catalog) -> Result<()> {
    for id in catalog.ids()? {
        let mut former = Vec::new();
        let record = catalog.update(&id, |record| {
            former = record.forget_former_indexes();
            Ok(())
        })?;
        for index in former {
            log(format_args!(
                "index {index} of {}.{} is of a former format: it is made anew, and answers nothing until it has been \
                 built, which begins by itself",
                record.keyspace, record.name
            ));
        }
    }
    Ok(())
}

fn open_tables(core: &Arc<StoreCore>, tables: &Arc<OpenTables>, mut families: ColumnFamilies) -> Result<()> {
    let gives_up_log = core.settings()?.wal_recovery != WalRecovery::Strict;
    for id in core.catalog.ids()? {
        let record = core.catalog.update(&id, |record| {
            // Rows may be left whose entries were in the part that is given up.
            record.indexes.iter_mut().for_each(|index| index.complete &= !gives_up_log);
            Ok(())
        })?;
        let mut open = |id: &[u8], record: &Record| -> Result<Arc<Table>> {
            let base = family_name(id, record.generation, record.base);
            let automatic_compaction = !families.kept.of(&base).uncompacted;
            let find = |name: &str| {
                let purge = families.purges.remove(name).ok_or_else(|| {
                    let why = format!("the files of table {name} are gone; restore the directory from a backup");
                    EngineError::corruption(why)
                })?;
                Ok(FoundFamily { handle: FamilyHandle::named(&core.db, name)?, purge })
            };
            let table = Table::new(TableCore::open(core, tables, id, record, automatic_compaction, find)?);
            tables.lock()?.add(id, record.generation, &table);
            Ok(table)
        };
        let table = open(&id, &record)?;
        let mut indexes = Vec::new();
        for index in &record.indexes {
            let opened = open(&index_id(&id, &index.name), &record.of_index(index))?;
            indexes.push(AttachedIndex::new(index.number, &index.name, index.complete, opened));
        }
        table.shared(|core| core.indexes().set(indexes, record.next_index))?;
        log_hidden(None, &record);
        table.clear_headers_if_due();
    }
    Ok(())
}

/// What column families keep. Where that cannot be read, they are opened as the settings say, and what compacts without
/// being meant to is stopped when its table is opened.
fn kept(settings: &Settings, database: &Path) -> KeptOptions {
    let directory = &settings.directory;
    let read = KeptOptions::read(directory).unwrap_or_else(|error| {
        log(format_args!("{error}; automatic compaction may be on where it was off"));
        Some(KeptOptions::new(directory, BTreeMap::new()))
    });
    read.unwrap_or_else(|| {
        let kept = |name| (name, Kept { uncompacted: true, ..Kept::default() });
        KeptOptions::new(directory, uncompacted(database).into_iter().map(kept).collect())
    })
}

/// The column families in the directory.
struct ColumnFamilies {
    purges: HashMap<String, Arc<TablePurge>>,
    options: Vec<(String, Options)>,
    kept: Arc<KeptOptions>,
}

impl ColumnFamilies {
    fn list(settings: &Settings, shared: &Shared) -> Result<ColumnFamilies> {
        let database = settings.directory.join("db");
        let names = if database.join("CURRENT").exists() {
            DB::list_cf(&Options::default(), &database).map_err(|error| {
                EngineError::from(error).context(format_args!("reading the manifest in {}", database.display()))
            })?
        } else {
            Vec::new()
        };
        let kept = Arc::new(kept(settings, &database));
        let names: HashSet<String> = names.into_iter().filter(|name| name != DEFAULT_COLUMN_FAMILY_NAME).collect();
        kept.retain(|name| names.contains(name));
        let mut families = ColumnFamilies { purges: HashMap::new(), options: Vec::new(), kept };
        let count = names.len();
        for name in names {
            let purge = TablePurge::new(name.as_str());
            purge.set_unsynced_max(settings.sync.unsynced_max());
            let mut options = family_options(settings, shared, &purge, is_of_index(&name), count);
            let kept = families.kept.of(&name);
            options.set_disable_auto_compactions(kept.uncompacted);
            if let Some(period_s) = u64::try_from(kept.period_s).ok().filter(|&period_s| period_s > 0) {
                options.set_periodic_compaction_seconds(period_s);
            }
            families.options.push((name.clone(), options));
            families.purges.insert(name, purge);
        }
        Ok(families)
    }

    fn descriptors(&mut self) -> Vec<ColumnFamilyDescriptor> {
        let tables = self.options.drain(..).map(|(name, options)| ColumnFamilyDescriptor::new(name, options));
        let catalog = ColumnFamilyDescriptor::new(DEFAULT_COLUMN_FAMILY_NAME, Options::default());
        std::iter::once(catalog).chain(tables).collect()
    }

    /// Drops what the catalog does not name: old generations, and what a crash has cut short (the creation or drop of a
    /// table, a load, a side column family, a merge-in).
    fn drop_unnamed(&mut self, db: &Arc<Database>, catalog: &Catalog, retirement: &Retirement) -> Result<()> {
        let mut named = HashSet::new();
        for id in catalog.ids()? {
            if let Some(record) = catalog.get(&id)? {
                let numbers = std::iter::once(record.base).chain(record.side_families.iter().copied());
                named.extend(numbers.map(|number| family_name(&id, record.generation, number)));
                for index in &record.indexes {
                    named.insert(family_name(&index_id(&id, &index.name), record.generation, index.number));
                }
            }
        }
        let unnamed: Vec<String> = self.purges.keys().filter(|name| !named.contains(*name)).cloned().collect();
        for name in unnamed {
            let family = FamilyHandle::named(db, &name)?;
            family.delete(&name)?;
            retirement.add(&name, family);
            self.purges.remove(&name);
        }
        Ok(())
    }
}
