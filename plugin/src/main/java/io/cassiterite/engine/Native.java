/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.engine;

/**
 * The only class with native methods: the boundary described in {@code docs/internals/boundary.md}. Addresses are those of direct
 * buffers, which the caller keeps reachable. Every method throws {@link EngineException}; all are safe to call from
 * any thread, except that one cursor is used by one thread at a time.
 */
public final class Native
{
    static
    {
        NativeLibrary.load();
    }

    private Native()
    {
    }

    /** @return "cassiterite/VERSION rocksdb/VERSION" */
    static native String version();

    // --- the store: one per node

    /** Refuses options that {@link #storeOpen} would refuse by themselves; opens nothing. */
    static native void storeCheck(byte[] options);

    /**
     * Opens the store.
     *
     * @param options UTF-8 lines {@code name=value}: the memtable configuration's parameters and, prefixed by
     *                {@code node.}, the settings of the node (docs/settings.md lists all)
     */
    static native long storeOpen(byte[] options);

    /** Closes the store after running calls end; every handle of it then answers CLOSED. Idempotent. */
    static native void storeClose(long store);

    /** Makes every write that has returned durable on the device. */
    static native void storeSync(long store);

    /** Applies live settings, in lines as for {@link #storeOpen}; others are refused. */
    static native void storeSet(long store, byte[] options);

    /**
     * Sets where files of the last two levels are cut from now on, so that whole files lie within one token range.
     *
     * @param boundaries u32 count, count * i64 token: the right (inclusive) ends of the ring's ranges, in any order
     */
    static native void storeRing(long store, byte[] boundaries);

    /** A report as lines of tab-separated values, the first one the names: of tables, levels and what else report.rs has. */
    static native String storeReport(long store, String topic);

    /** The first background error since start or the last successful resume, as "KIND\tmessage", or null. */
    static native String storeError(long store);

    /** Keeps files with new rows for incremental backups, or does so no more; the next start goes on as it was. */
    static native void storeKeepIncrements(long store, boolean on);

    /** Asks the engine to leave the read-only state that a background error put it in. */
    static native void storeResume(long store);

    /** Ends every compaction that runs or waits: those on demand and cleanups fail with BUSY, automatic ones begin again. */
    static native void storeStopCompactions(long store);

    // --- tables

    /** Opens or creates the current generation of a table; {@code request} is a table schema request. */
    static native long tableOpen(long store, byte[] request);

    /** Brings the table's columns up to the schema and returns their ids (see docs/internals/boundary.md). */
    static native byte[] tableColumns(long table, byte[] request);

    /** Ids of the live columns, in the form of {@link #tableColumns}'s answer. */
    static native byte[] tableColumnIds(long table);

    /** Starts an empty generation, durably; the old handle stays readable until {@link #tableRetire}. */
    static native long tableTruncate(long table);

    /** Deletes the files of a generation that {@link #tableTruncate} replaced; its handle answers CLOSED from now on. */
    static native void tableRetire(long table);

    /** Drops the table: all generations, catalog record and files. */
    static native void tableDrop(long store, byte[] tableId);

    /** Flushes the table's memtable to an SST. */
    static native void tableFlush(long table);

    /** Rewrites the whole table to the bottommost level, and purges what may be purged. */
    static native void tableCompact(long table);

    /**
     * Switches automatic compaction on or off, also for later generations; what has gathered meanwhile holds no writer back
     * afterwards. To be called from time to time, because only a call sets the stall triggers back.
     *
     * @return files of level 0
     */
    static native long tableAutomaticCompaction(long table, boolean on);

    /**
     * Sets what compaction may purge.
     *
     * @param gcGraceSeconds     the table's gc_grace_seconds
     * @param maxPurgeableTimestamp     deletions with a timestamp at or above it are kept: the smallest timestamp that a live
     *                           sstable or another memtable of the table may hold; Long.MIN_VALUE purges nothing
     * @param nowOffsetSeconds   the server's clock minus this machine's
     */
    static native void tablePurge(long table, long gcGraceSeconds, long maxPurgeableTimestamp, long nowOffsetSeconds);

    /**
     * Hard-links a consistent image of the table into {@code directory}, which must not exist, with a manifest. On
     * another device it copies the files, which takes long and blocks no other call.
     */
    static native void tableSnapshot(long table, String directory);

    /** What the manifests in a directory say, or the one that is named: {@link SnapshotManifests#report}. */
    static native String manifestsReport(String directory);

    /** Merges a snapshot made by {@link #tableSnapshot} into the table; returns the number of fragments loaded. */
    static native long tableLoad(long table, String directory);

    /** Links, or copies, what waits for incremental backups of the table into the directory, durably; the number of increments. */
    static native long tableBackUp(long table, String directory);

    /** What waits for incremental backups of the table is in none. */
    static native void tableForgetIncrements(long table);

    // --- shipments and token ranges: "ranges" are as io.cassiterite.engine.TokenRanges writes them

    /**
     * Writes a shipment of the table's data in the ranges into {@code directory}, which must not exist: every row written
     * before the call, hard links of whole files where possible. To release it, delete the directory.
     *
     * @return lines of tab-separated values, the first one the names: file_name, kind (whole, rows, manifest), bytes,
     *         level, keys (estimated for whole files), reason (why not whole; empty where it is)
     */
    static native String tableExport(long table, byte[] ranges, String directory);

    /** Moves a shipment into the table: atomic, durable; the directory is then gone. @return bytes that were rewritten as rows */
    static native long tableReceive(long table, String directory);

    /**
     * Takes in a snapshot of this table by links to its files, or copies of them where it is on another device, after it has read
     * all of them: atomic, durable when it returns; the directory stays as it is.
     *
     * @return bytes of files that had to be rewritten as rows
     */
    static native long tableRestore(long table, String directory);

    /**
     * Sets the rows that the table has now aside, to be copied elsewhere: a base of more bytes becomes a side family, and nothing
     * comes into any of these until one of the two following. Fails where the table has an index, hidden columns, or may purge.
     *
     * @return bytes that depart, about; 0 if there are none
     */
    static native long tableBeginDeparture(long table, long baseBytesMax);

    /** Forgets what departs, all of it or nothing, durably. */
    static native void tableForgetDeparted(long table);

    /** What departs stays in the table. */
    static native void tableEndDeparture(long table);

    /** @param figures gets the bytes of the base, and of all side families, about */
    static native void tableFamilyBytes(long table, long[] figures);

    /** The numbers of the table's families, that of the base first; none is ever given again. */
    static native long[] tableFamilies(long table);

    /** One step of the merge-in; returns the bytes in side families that no merge-in has taken yet, 0 when done. */
    static native long tableMergeIn(long table);

    // --- chunks: rows of sstables on their way into the table; one thread at a time works on a chunk

    /** Begins a chunk; until {@link #chunkClose} its files lie in the store's staging folder. */
    static native long chunkBegin(long table);

    /**
     * Adds a write request without entries of indexes. The kind INVALID: it is malformed, or not behind the rows before it,
     * and nothing has changed.
     *
     * @return bytes of the chunk so far, before compression
     */
    static native long chunkAppend(long chunk, long request, int requestLength);

    /** Completes the files, durably. Fills: 0 files, 1 their bytes, 2 rows, 3 headers, 4 bytes before compression. */
    static native void chunkFinish(long chunk, long[] figures);

    /**
     * Moves a finished chunk into the table: durable when it returns.
     *
     * @param hadRows whether the table had the rows already, so that no index becomes incomplete
     * @return bytes of files that had to be rewritten as rows
     */
    static native long chunkReceive(long chunk, boolean hadRows);

    /** Removes the files of a chunk that was not received. Idempotent. */
    static native void chunkClose(long chunk);

    // --- what the table holds in token ranges

    /** Cleanup: removes everything outside the ranges, also from the files; durable when it returns. Takes long. */
    static native void tableCleanup(long table, byte[] ranges);

    /** Ends {@link #tableCleanup} early, with the kind BUSY. */
    static native void tableStopCleanup(long table);

    /** Per range, in the order given: i64 estimated partitions, bytes, bytes uncompressed; none is 0 where there is data. */
    static native byte[] tableRanges(long table, byte[] ranges);

    /** @return bytes of the largest partition, uncompressed, estimated; 0 where none is much larger than the others */
    static native long tableLargePartition(long table);

    /**
     * Fills: 0 estimated partitions, 1 estimated keys, 2 SST bytes, 3 memtable bytes, 4 smallest timestamp ever written
     * (Long.MAX_VALUE if none), 5 1 if the generation has never had data, 6 writes since open, 7 reads since open,
     * 8 bytes written by callers since open, 9 generation, 10 pending compaction bytes, 11 live SST files; since the store was
     * opened: 12 flushes, 13 bytes that they wrote, 14 bytes that compactions wrote; 15 memtables that wait for their flush.
     */
    static native void tableStats(long table, long[] stats);

    /** Fills, from the properties of the table's files: 0 their bytes, 1 bytes of keys and values in them, 2 bytes of their filters. */
    static native void tableFiles(long table, long[] figures);

    /**
     * Reads the table's files and compares them with what was written. The kind CORRUPTION names those that differ. Takes long.
     *
     * @param depth   0 what opening a file reads, 1 all bytes, 2 each entry, too
     * @param ranges  that the entries must lie in, with depth 2; none for any
     * @param figures is filled with the files, their bytes, and the entries that were decoded
     */
    static native void tableVerify(long table, int depth, byte[] ranges, long[] figures);

    /** Ends every {@link #tableVerify} of the table that runs, with BUSY, at the next MiB that it reads. */
    static native void tableStopVerification(long table);

    /** Fills: 0 bytes of files that every running {@link #tableVerify} has read together, 1 of how many. */
    static native void tableVerifiedBytes(long table, long[] figures);

    // --- indexes: they belong to the generation that the handle names

    /**
     * Makes an index, durably, where the table has none of the name. It is not complete at first.
     *
     * @return what {@link #indexState} returns
     */
    static native long[] indexCreate(long table, String name);
    /** Drops an index, durably; unknown ones are fine. */
    static native void indexDrop(long table, String name);
    /** @return its number in write requests, 1 if it is complete, then the two counts of {@link IndexState} */
    static native long[] indexState(long table, String name);
    /** The second of what {@link #indexState} returns, without an object. */
    static native boolean indexIsComplete(long table, int number);

    /**
     * Marks an index complete, durably; one that was dropped meanwhile is fine.
     *
     * @param number of the index
     * @return false if rows have come without entries since the counts were so
     */
    static native boolean indexComplete(long table, int number, long missedWrites, long missedLoads);
    /** The handle of the table that holds an index's entries; it can be read, nothing else. */
    static native long indexTable(long table, String name);
    /** The names of the indexes, each on a line. */
    static native String indexNames(long table);

    // --- data

    static native void write(long table, long request, int requestLength, int flags);

    static native int read(long table, long request, int requestLength, long answer, int answerCapacity);

    static native int scan(long table, long request, int requestLength, long answer, int answerCapacity);
    /** A view of what the table holds now, for {@link #viewScan}; it is closed by {@link #cursorClose}. */
    static native long viewOpen(long table);
    /** As {@link #scan}. Any number of threads may scan a view at the same time. */
    static native int viewScan(long view, long request, int requestLength, long answer, int answerCapacity);

    static native int cursorNext(long cursor, int flags, long answer, int answerCapacity);

    static native void cursorClose(long cursor);

    // --- connections of incoming streams

    /** @return a descriptor of its own for a connected socket; {@code descriptor} stays open during the call */
    static native int socketShare(int descriptor);

    /**
     * Fills a block from a socket; returns early after the timeout.
     *
     * @param socket as {@link #socketShare} returned it
     * @return the number of bytes, 0 if none were received; -1 if the peer has closed the connection
     */
    static native int socketReceive(int socket, long block, int capacity, int timeoutMillis);

    static native void socketClose(int socket);

    // --- the front door

    /** Starts the threads of a front door; nobody can connect yet. */
    static native long doorOpen(int loops);

    /**
     * Listens; clients can connect when it returns.
     *
     * @param address of the local interface, 4 or 16 bytes
     * @param tls     whether its clients speak TLS: 0 never, 1 as their first byte tells, 2 always
     * @return names the listening socket in {@link #doorTake} and {@link #doorStopListening}
     */
    static native long doorListen(long door, byte[] address, int port, int backlog, boolean keepAlive, int tls);
    /** The port is free when it returns; the clients stay. */
    static native void doorStopListening(long door, long listener);
    /** With what the door meets clients that speak TLS, as docs/internals/boundary.md describes it; null: it does not. */
    static native void doorTls(long door, byte[] terms);

    /**
     * Waits for clients, whose descriptors belong to the caller, and for what else the door has to tell.
     *
     * @return notices, none after the time is over, as docs/internals/boundary.md describes them; null once closed
     */
    static native byte[] doorTake(long door, int timeoutMillis);

    /**
     * Puts a client's own socket in the place of the pair's end: the descriptor names it from then on, without the door.
     *
     * @param descriptor the end of the pair, which nobody uses during the call, and no epoll watches
     * @param isRepeated whether the caller tries again soon if this is in vain; the door reads nothing more of the client
     *                   until then
     * @return -1 if bytes are on their way in the door, or were not read yet: the pair serves on then; 0 if the door cannot
     *         serve this client again; else what {@link #doorTakeBack} wants
     * @throws EngineException the descriptor is of no use any more
     */
    static native int doorHandOver(long door, long connection, int descriptor, boolean isRepeated);

    /**
     * Puts the end of a pair in the place of the client's own socket: the descriptor names it from then on, and the door
     * serves the client again.
     *
     * @param descriptor the client's socket, which nobody and no epoll uses meanwhile; all read and written is whole messages
     * @return false if the client has ended, or the door cannot serve it now: the descriptor is what it was
     * @throws EngineException of kind CLOSED if nothing has changed; otherwise the descriptor is of no use any more
     */
    static native boolean doorTakeBack(long door, long connection, int descriptor, int negotiated);
    /** @return how many bytes of what writev would get the caller is rid of; nobody writes to the pair's end meanwhile */
    static native long doorSendStraight(long door, long connection, long parts, int count);
    /** @param door 0: one that has done nothing. @return what it has done: lines of name, tab and count */
    static native String doorReport(long door);

    // --- what the front door may answer; calls that end a right return when no answer is sent under it any more

    static native void doorRenew(long door, int millis);
    static native void doorShut(long door);
    static native void doorOpenTable(long door, long table, byte[] spec);
    static native void doorCloseTable(long door, byte[] tableId);
    static native void doorPutPlan(long door, byte[] recipe);
    static native void doorDropPlan(long door, byte[] statementId);
    static native void doorRefusePlan(long door, byte[] statementId);
    static native void doorForgetRefused(long door);
    static native void doorAdmit(long door, long connection, int login);
    static native void doorPeers(long door, int mode, byte[] members);
    static native void doorEndCopies(long door);
    static native byte[] doorListenForPeers(long door, byte[] address, int port);
    /** @param statementIds 16 bytes for each login */
    static native void doorGrants(long door, int[] logins, byte[] statementIds);

    static native void doorOpenWrites(long door, long table, byte[] spec);
    static native void doorCloseWrites(long door, byte[] tableId);
    static native void doorPutModification(long door, byte[] recipe);
    static native void doorAddRecord(long door);
    static native long doorRecords(long door);
    static native void doorRecordsAreSafe(long door, long count);

    /** @return the write request that a recipe makes of the body of an EXECUTE; null where Cassandra has to */
    static native byte[] modificationRequest(byte[] recipe, int version, byte[] body, long nowSeconds);

    /** @return what was answered since the last call, as docs/internals/boundary.md describes it */
    static native byte[] doorServed(long door);

    /** Ends all connections and threads of the door; returns when they are gone. */
    static native void doorClose(long door);

    // --- threads

    /** Gives the calling thread at least this niceness, 0 to 19 as of nice(1). @return false if the system does not let it */
    static native boolean threadLower(int niceness);

    // --- pure functions over fragments, for tests against Cassandra's own classes

    /** Merges fragments of one kind: {@code u32 length + bytes} each, concatenated. */
    static native byte[] mergeFragments(int kind, byte[] fragments);
    /** What compaction leaves of a fragment at {@code nowSeconds}; empty array if nothing. */
    static native byte[] purgeFragment(int kind, byte[] fragment, long nowSeconds, long gcBeforeSeconds, long maxPurgeableTimestamp);
    /** What a table digests of another node's read (docs/internals/formats.md), whatever the gates; null if it refuses. */
    static native byte[] tableDigest(long table, byte[] spec, byte[] read);
}
