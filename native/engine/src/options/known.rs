// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Every parameter, with its default and the reason for it. `docs/settings.md` is printed from here.

/// One parameter.
pub(super) struct Known {
    pub name: &'static str,
    /// What is taken when the parameter is not given; `computed` ones depend on others or on the machine.
    pub default: &'static str,
    /// Whether `Store::set` takes it on a running store.
    pub live: bool,
    /// How it is written.
    pub form: &'static str,
    /// What it is for and why this default.
    pub why: &'static str,
}

macro_rules! known {
    ($name:literal, $default:literal, $live:literal, $form:literal, $why:literal) => {
        Known { name: $name, default: $default, live: $live, form: $form, why: $why }
    };
}

/// The parameters, in the order of the documentation.
#[rustfmt::skip] // two lines and more for each, as they are read
pub(super) const KNOWN: &[Known] = &[
    known!("directory", "computed", false, "absolute path",
        "Where the store lives: one per node, on local storage. The folder `cassiterite` beside the node's first data \
         directory."),
    known!("wal_directory", "computed", false, "absolute path",
        "Where the write-ahead log lives; `directory` unless given. A device of its own keeps syncs from queueing \
         behind compaction."),
    known!("block_cache_size", "computed", true, "size, 8MiB to the machine's memory",
        "Memory for uncompressed blocks and for the indexes and filters of the files (about 0.9 % of the data). All \
         memtables are charged to it. Compactions, running reads and the allocator come on top. An eighth of the \
         machine's memory, at least 128MiB, at most 1GiB: the page cache holds the compressed files, and the JVM's heap needs memory."),
    known!("write_buffers_total", "computed", true, "size, from 1MiB",
        "Memory for the memtables of all tables together, out of `block_cache_size`. The oldest is flushed when \
         seven eighths are used. Writes wait while the memtables take a quarter more. Even an empty table takes \
         memory for its filter: up to 1/2048 of the value, and all together about a sixteenth of it after a start. A \
         third of the cache, at most 512MiB."),
    known!("write_buffer_size", "64MiB", false, "size, 64KiB to 4GiB",
        "Memory of one table's memtable before it is flushed. A larger one rewrites rows less often on their way \
         down. It also leaves more data in files over the whole ring, which are streamed as rows."),
    known!("target_file_size", "64MiB", false, "size, 64KiB to 4GiB",
        "Size at which files are cut on the first level below 0. Files are twice as large on each level more, \
         so that 5 TiB are some 4,000 files. Smaller files lie more often wholly in a token range, and then \
         travel whole. Larger ones are fewer to open."),
    known!("max_wal_size", "1GiB", true, "size, 1MiB to 16384GiB",
        "Size of the write-ahead log at which tables that pin its oldest part are flushed. It bounds replay at start \
         to seconds."),
    known!("wal_recovery", "strict", false, "strict or until_damage",
        "strict: a log that is damaged where intact records follow keeps the node from starting, because replay \
         would lose acknowledged writes. The torn end that a killed process leaves is no damage. until_damage: gives \
         up the rest of a log file behind its damage, and replays the later files, so a gap is possible. For one \
         start, where other replicas cannot replace the node."),
    known!("background_jobs", "computed", true, "1 to 64",
        "Threads that flush and compact: one per core, at least 2, up to 8 cores; one for each 4 cores more. A \
         compaction has one thread: what a partition's deletion covers is purged from row to row."),
    known!("compaction_rate_limit", "64MiB/s", true, "rate, 64KiB/s to 1024GiB/s; 0B/s: none",
        "What the engine's compactions may write together; Cassandra's own have their own limit. Flushes have none. While \
         compaction of a table is half as far behind as would hold its writers back, compactions have none, either. On a \
         node the default is its compaction_throughput. nodetool setcompactionthroughput changes it until the next start."),
    known!("compaction_style", "leveled", false, "leveled or universal",
        "leveled: fewest sorted runs, so fastest reads; about 10 % of space overhead. universal: fewer rewrites for \
         tables that are mostly written, up to twice the space."),
    known!("periodic_compaction", "10d", false, "duration, 1h to 365d",
        "A file older than this is rewritten, so that deletions in cold ranges are purged. A table with a known \
         gc_grace_seconds uses that instead, but at least a day."),
    known!("compression", "lz4", false, "none, lz4 or zstd",
        "All levels but the last. LZ4 costs less than the I/O it saves."),
    known!("bottommost_compression", "lz4", false, "none, lz4 or zstd",
        "The last level, most of the data. zstd saves about 10 % over lz4, and costs 3 us for a read that misses the \
         cache. Indexes take zstd for lz4."),
    known!("block_size", "8KiB", false, "size, 1KiB to 256KiB",
        "Uncompressed bytes read at a time: a few rows of 1-6 KB. 16KiB for larger rows."),
    known!("bloom_bits", "10", false, "2 to 20",
        "Bits per key of the filters that spare reads of absent keys. With 10, 1 % of those reads still read a \
         file."),
    known!("max_open_files", "-1", false, "-1 or at least 64",
        "-1: all files stay open, so that no read opens one. Each takes a few KiB and a file descriptor."),
    known!("wal_sync", "commitlog", false, "commitlog or batch",
        "commitlog: as commitlog_sync of the node. batch: every write is on the device before it returns, \
         whatever the node's setting."),
    known!("front_door", "off", true, "off, proxy or reads",
        "Who accepts CQL clients. off: Cassandra. proxy: native threads, which pass everything on to Cassandra. reads: \
         native threads, which answer prepared reads where this node alone may, and pass the rest on."),
    known!("front_door_responses", "pair", true, "pair or straight",
        "How responses of Cassandra reach clients of the front door. pair: by its threads. straight: Cassandra's own threads \
         send them where they can, which wakes no other. Of use where many requests are passed on."),
    known!("front_door_verdicts", "connection", true, "connection or kind",
        "Who is judged by whether the front door answers its requests. connection: each by itself. kind: connections of one \
         client's address with one STARTUP together. Of use where many connections only write."),
    known!("front_door_quorum_reads", "off", true, "off, compare or on",
        "Reads that need several replicas. off: Cassandra answers them. on: the front door answers where the doors of the \
         other replicas have the same. compare: they are asked, and Cassandra answers; for a trial."),
    known!("front_door_port", "7010", false, "1 to 65535",
        "Where the front door listens for those of other nodes, on listen_address: the same on all nodes, or not. In use \
         unless front_door_quorum_reads is off."),
    known!("front_door_writes", "off", true, "off, on or replicated",
        "INSERT, UPDATE and DELETE of one row by prepared statements whose client names the time of writing. off: Cassandra \
         does them. on: the front door, where the row has one replica. replicated: also where it has several, by the doors of \
         all of them; needs front_door_quorum_reads: compare or on."),
    known!("front_door_tls", "off", true, "off or on",
        "Who speaks TLS with clients. off: Cassandra. on: the front door, which then answers their reads, too; Cassandra where \
         client_encryption_options wants what the door cannot do. The private key is in native memory then."),
    known!("stats_level", "none", true, "none or tickers",
        "tickers: counts hits, misses and bytes for the reports; costs reads a few percent."),
    known!("stop_at_newest", "true", true, "true or false",
        "A read of one row stops at a row with all columns that is newer than everything below it, by the greatest \
         timestamps of the files. false: all files are asked that may have the row."),
    known!("flushed_blocks", "cached_if_read", false, "cached_if_read or cached",
        "cached_if_read: a flush leaves no blocks in the block cache where the table had hardly any reads since the flush \
         before, one per 64 writes at most. cached: every flush does."),
    known!("level0_files_unread", "8", false, "4 to 9",
        "Files of level 0 at which a table with hardly any reads is compacted; others are at 4. More of them rewrite rows \
         less often, and each read looks into all. 4: all tables alike. Without effect with compaction_style universal."),
    known!("node.commitlog_sync", "periodic", false, "periodic, batch or group",
        "The node's setting."),
    known!("node.commitlog_sync_period", "10s", false, "duration, 1ms to 1h",
        "The node's setting: how often the log is synced in periodic mode."),
    known!("node.periodic_commitlog_sync_lag_block", "computed", false, "duration, 0ms to 30d",
        "The node's setting: in periodic mode, writes wait while the last sync is longer ago than this. One and a \
         half periods."),
    known!("node.commitlog_sync_group_window", "1000ms", false, "duration, 1ms to 1m",
        "The node's setting: how long writes wait for a common sync in group mode."),
];
