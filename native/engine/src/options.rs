// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The settings of a store: parsed strictly, with every default in one place (`known`).

mod known;
mod memtable;
mod rocks;
mod units;

#[cfg(test)]
mod tests;

pub(crate) use rocks::{
    apply_live, database_options, family_options, imported_options, rows_options, values_file_bytes, values_options,
    Shared,
};
pub(crate) use rocks::{ALL_FACTOR, L0_CALM_FILES, L0_FILES};

use crate::error::{EngineError, Result};
use known::KNOWN;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;
use units::{duration, rate_bytes_per_second, show_duration, show_size, size_bytes};

const MIB: u64 = 1 << 20;
const TIB: u64 = 1 << 40;
/// Below, a start with a log to replay would not end for hours: flushes wait for the limit, too.
const RATES: std::ops::RangeInclusive<u64> = 64 << 10..=TIB;

/// When a write is on the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SyncMode {
    /// Some time after it returned: a timer syncs each `interval`, and writes wait while the last sync began more than
    /// `lag` ago.
    Periodic { interval: Duration, lag: Duration },
    /// Before it returns.
    Batch,
    /// Before it returns; writes of one window are synced together.
    Group(Duration),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    Leveled,
    Universal,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Compression {
    None,
    Lz4,
    Zstd,
}

/// What damage in the middle of the write-ahead log does to a start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WalRecovery {
    /// Refuses it.
    Strict,
    /// Replays up to the first damage.
    UntilDamage,
}

/// Every setting with the value in effect.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    pub directory: PathBuf,
    pub wal_directory: PathBuf,
    pub block_cache_bytes: u64,
    pub write_buffers_total_bytes: u64,
    pub write_buffer_bytes: u64,
    pub target_file_bytes: u64,
    pub max_wal_bytes: u64,
    pub wal_recovery: WalRecovery,
    pub background_jobs: i32,
    /// 0: none.
    pub compaction_bytes_per_second: u64,
    pub style: Style,
    pub periodic_compaction: Duration,
    pub compression: Compression,
    pub bottommost_compression: Compression,
    pub block_bytes: u64,
    pub bloom_bits: u32,
    pub max_open_files: i32,
    pub sync: SyncMode,
    pub tickers: bool,
    /// Flushes put blocks of tables into the cache that nobody reads.
    pub caches_unread: bool,
    pub level0_files_unread: i32,
    pub stop_at_newest: bool,
    /// As given or computed, by name.
    shown: BTreeMap<&'static str, String>,
}

impl Settings {
    /// Parses lines `name=value`; blank lines are skipped. Anything unknown, malformed or contradictory is refused.
    pub(crate) fn parse(lines: &str) -> Result<Settings> {
        Settings::from_given(given(lines)?)
    }

    /// These settings with some changed; only live ones may be.
    pub(crate) fn changed(&self, lines: &str) -> Result<Settings> {
        let mut all = self.shown.clone();
        for (name, value) in given(lines)? {
            let known = KNOWN.iter().find(|known| known.name == name);
            if !known.is_some_and(|known| known.live) && all.get(name) != Some(&value) {
                return Err(invalid(name, "cannot change while the store is open; restart the node"));
            }
            all.insert(name, value);
        }
        Settings::from_given(all)
    }

    fn from_given(given: BTreeMap<&'static str, String>) -> Result<Settings> {
        let mut take = Take { given, shown: BTreeMap::new() };
        let directory = take.path("directory", None)?;
        let wal_directory = take.path("wal_directory", Some(&directory))?;
        let block_cache_bytes = take.size("block_cache_size", 8 * MIB, 16 * TIB, default_cache_bytes())?;
        let write_buffers_total_bytes =
            take.size("write_buffers_total", MIB, 12 * TIB, (block_cache_bytes / 3).min(512 * MIB))?;
        let sync = take.sync()?;
        // Checked and shown here, heeded by the plug-in.
        take.choice("front_door", &[("off", ()), ("proxy", ()), ("reads", ())])?;
        take.choice("front_door_responses", &[("pair", ()), ("straight", ())])?;
        take.choice("front_door_verdicts", &[("connection", ()), ("kind", ())])?;
        let has_peers = take.choice("front_door_quorum_reads", &[("off", false), ("compare", true), ("on", true)])?;
        let replicates = take.choice("front_door_writes", &[("off", false), ("on", false), ("replicated", true)])?;
        if replicates && !has_peers {
            return Err(invalid(
                "front_door_writes",
                "cannot be replicated while front_door_quorum_reads is off: set that first",
            ));
        }
        take.choice("front_door_tls", &[("off", ()), ("on", ())])?;
        take.number("front_door_port", 1, i32::from(u16::MAX), 7010)?;
        let settings = Settings {
            directory,
            wal_directory,
            block_cache_bytes,
            write_buffers_total_bytes,
            write_buffer_bytes: take.size("write_buffer_size", 64 << 10, 4 << 30, 64 * MIB)?,
            target_file_bytes: take.size("target_file_size", 64 << 10, 4 << 30, 64 * MIB)?,
            max_wal_bytes: take.size("max_wal_size", MIB, 16 * TIB, 1 << 30)?,
            wal_recovery: take.choice(
                "wal_recovery",
                &[("strict", WalRecovery::Strict), ("until_damage", WalRecovery::UntilDamage)],
            )?,
            background_jobs: take.number("background_jobs", 1, 64, default_jobs())?,
            compaction_bytes_per_second: take.rate("compaction_rate_limit", 64 * MIB)?,
            style: take.choice("compaction_style", &[("leveled", Style::Leveled), ("universal", Style::Universal)])?,
            periodic_compaction: take.duration(
                "periodic_compaction",
                Duration::from_secs(3600),
                Duration::from_secs(365 * 86_400),
                Duration::from_secs(10 * 86_400),
            )?,
            compression: take.choice("compression", COMPRESSIONS)?,
            bottommost_compression: take.choice("bottommost_compression", COMPRESSIONS)?,
            block_bytes: take.size("block_size", 1 << 10, 256 << 10, 8 << 10)?,
            bloom_bits: u32::try_from(take.number("bloom_bits", 2, 20, 10)?).unwrap_or(10),
            max_open_files: take.number("max_open_files", -1, i32::MAX, -1)?,
            sync,
            tickers: take.choice("stats_level", &[("none", false), ("tickers", true)])?,
            caches_unread: take.choice("flushed_blocks", &[("cached_if_read", false), ("cached", true)])?,
            level0_files_unread: take.number("level0_files_unread", L0_FILES, L0_FILES_UNREAD_MAX, 8)?,
            stop_at_newest: take.choice("stop_at_newest", &[("true", true), ("false", false)])?,
            shown: take.shown,
        };
        settings.check()?;
        Ok(settings)
    }

    /// Where the log of the database in `database` is.
    pub(crate) fn log_directory<'a>(&'a self, database: &'a Path) -> &'a Path {
        if self.wal_directory == self.directory {
            database
        } else {
            &self.wal_directory
        }
    }

    fn check(&self) -> Result<()> {
        // RocksDB ends the process where it cannot map the table of so large a cache.
        let memory = memory_bytes();
        if memory > 0 && self.block_cache_bytes > memory {
            let why = format!("takes more than the machine's memory, {}MiB; lower it", memory / MIB);
            return Err(invalid("block_cache_size", &why));
        }
        if self.write_buffers_total_bytes > self.block_cache_bytes / 4 * 3 {
            let why =
                "takes more than three quarters of block_cache_size, which memtables are charged to; lower it or \
                       raise block_cache_size";
            return Err(invalid("write_buffers_total", why));
        }
        if (0..64).contains(&self.max_open_files) {
            return Err(invalid("max_open_files", "is -1 or at least 64"));
        }
        Ok(())
    }

    /// Name, value in effect, default and whether it is live; in the order of the documentation.
    pub(crate) fn report(&self) -> impl Iterator<Item = (&'static str, &str, &'static str, bool)> {
        let shown = |name| self.shown.get(name).map_or("", String::as_str);
        KNOWN.iter().map(move |known| (known.name, shown(known.name), known.default, known.live))
    }
}

/// With more, the limit of compactions would be lifted for what is usual.
const L0_FILES_UNREAD_MAX: i32 = 9;

const COMPRESSIONS: &[(&str, Compression)] =
    &[("lz4", Compression::Lz4), ("none", Compression::None), ("zstd", Compression::Zstd)];

/// What `docs/settings.md` holds.
pub fn documentation() -> String {
    let mut text = String::from(include_str!("options/settings-head.md"));
    text.push_str("| parameter | default | form | live | why |\n|---|---|---|---|---|\n");
    for known in KNOWN {
        let live = if known.live { "yes" } else { "" };
        text.push_str(&format!("| `{}` | {} | {} | {live} | {} |\n", known.name, known.default, known.form, known.why));
    }
    text
}

fn given(lines: &str) -> Result<BTreeMap<&'static str, String>> {
    let mut given = BTreeMap::new();
    for line in lines.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let (name, value) = line
            .split_once('=')
            .ok_or_else(|| EngineError::invalid(format!("the line {line:?} is not of the form name=value")))?;
        let (name, value) = (name.trim(), value.trim());
        let known = KNOWN.iter().find(|known| known.name == name).ok_or_else(|| unknown(name))?;
        if given.insert(known.name, value.to_owned()).is_some() {
            return Err(invalid(name, "is given twice"));
        }
    }
    Ok(given)
}

fn unknown(name: &str) -> EngineError {
    let names: Vec<&str> = KNOWN.iter().map(|known| known.name).collect();
    EngineError::invalid(format!("unknown parameter {name:?}; known are: {}", names.join(", ")))
}

fn invalid(name: &str, why: &str) -> EngineError {
    EngineError::invalid(format!("parameter {name} {why}"))
}

fn default_cache_bytes() -> u64 {
    (memory_bytes() / 8).clamp(128 * MIB, 1 << 30) / MIB * MIB
}

fn memory_bytes() -> u64 {
    let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"));
    let kib = line.and_then(|line| line.trim().strip_suffix("kB")).and_then(|kib| kib.trim().parse::<u64>().ok());
    // Unknown memory: the smallest default.
    kib.unwrap_or_default() << 10
}

fn default_jobs() -> i32 {
    jobs_on(std::thread::available_parallelism().map_or(2, std::num::NonZero::get))
}

/// One per core up to 8, and one for each 4 further ones.
fn jobs_on(cores: usize) -> i32 {
    let jobs = cores.min(8) + cores.saturating_sub(8) / 4;
    i32::try_from(jobs).unwrap_or(i32::MAX).clamp(2, 64)
}

/// Takes the given values, and remembers those in effect.
struct Take {
    given: BTreeMap<&'static str, String>,
    shown: BTreeMap<&'static str, String>,
}

impl Take {
    /// The parsed value, or the default, remembered for the report in the form `show` gives it.
    fn value<T>(
        &mut self,
        name: &'static str,
        parse: impl Fn(&str) -> Option<T>,
        default: T,
        show: impl Fn(&T) -> String,
    ) -> Result<T> {
        let value = match self.given.get(name) {
            None => default,
            Some(text) => parse(text).ok_or_else(|| malformed(name, text))?,
        };
        self.shown.insert(name, show(&value));
        Ok(value)
    }

    fn path(&mut self, name: &'static str, default: Option<&PathBuf>) -> Result<PathBuf> {
        let parse = |text: &str| Some(PathBuf::from(text)).filter(|path| path.is_absolute());
        if default.is_none() && !self.given.contains_key(name) {
            return Err(invalid(name, "is required"));
        }
        self.value(name, parse, default.cloned().unwrap_or_default(), |path| path.display().to_string())
    }

    fn size(&mut self, name: &'static str, min: u64, max: u64, default: u64) -> Result<u64> {
        self.value(
            name,
            |text| size_bytes(text).filter(|size| (min..=max).contains(size)),
            default,
            |&size| show_size(size),
        )
    }

    fn rate(&mut self, name: &'static str, default: u64) -> Result<u64> {
        let parse = |text: &str| rate_bytes_per_second(text).filter(|rate| *rate == 0 || RATES.contains(rate));
        self.value(name, parse, default, |&rate| format!("{}/s", show_size(rate)))
    }

    fn duration(&mut self, name: &'static str, min: Duration, max: Duration, default: Duration) -> Result<Duration> {
        let parse = |text: &str| duration(text).filter(|time| (min..=max).contains(time));
        self.value(name, parse, default, |&time| show_duration(time))
    }

    fn number(&mut self, name: &'static str, min: i32, max: i32, default: i32) -> Result<i32> {
        let parse = |text: &str| text.parse::<i32>().ok().filter(|number| (min..=max).contains(number));
        self.value(name, parse, default, i32::to_string)
    }

    /// The first choice is the default.
    fn choice<T: Copy + PartialEq>(&mut self, name: &'static str, choices: &[(&'static str, T)]) -> Result<T> {
        let text = match self.given.get(name) {
            None => choices.first().map_or("", |choice| choice.0),
            Some(text) => text,
        };
        let (shown, value) = choices.iter().find(|choice| choice.0 == text).ok_or_else(|| malformed(name, text))?;
        self.shown.insert(name, (*shown).to_owned());
        Ok(*value)
    }

    fn sync(&mut self) -> Result<SyncMode> {
        let ms = Duration::from_millis;
        let period = self.duration("node.commitlog_sync_period", ms(1), ms(3_600_000), ms(10_000))?;
        let lag_max = Duration::from_secs(30 * 86_400);
        let lag = self.duration("node.periodic_commitlog_sync_lag_block", ms(0), lag_max, period * 3 / 2)?;
        let window = self.duration("node.commitlog_sync_group_window", ms(1), ms(60_000), ms(1000))?;
        let periodic = SyncMode::Periodic { interval: period, lag };
        let modes = [("periodic", periodic), ("batch", SyncMode::Batch), ("group", SyncMode::Group(window))];
        let node = self.choice("node.commitlog_sync", &modes)?;
        let forced = self.choice("wal_sync", &[("commitlog", false), ("batch", true)])?;
        Ok(if forced { SyncMode::Batch } else { node })
    }
}

fn malformed(name: &str, text: &str) -> EngineError {
    let form = KNOWN.iter().find(|known| known.name == name).map_or("", |known| known.form);
    let example = match form.split(',').next() {
        Some("size") => "; a size is written like 512MiB",
        Some("rate") => "; a rate is written like 24MiB/s",
        Some("duration") => "; a duration is written like 250ms",
        _ => "",
    };
    EngineError::invalid(format!("parameter {name}={text} is not possible, it is: {form}{example}"))
}
