/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.observe.nodetool;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import javax.management.openmbean.TabularData;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.dht.Range;
import org.apache.cassandra.dht.Token;
import org.apache.cassandra.utils.Throwables;

import io.cassiterite.engine.Store;
import io.cassiterite.memtable.CassiteriteMemtable;
import io.cassiterite.memtable.EngineTables;
import io.cassiterite.memtable.Increments;
import io.cassiterite.memtable.SnapshotLists;
import io.cassiterite.memtable.SstablesBeside;
import io.cassiterite.move.Mover;
import io.cassiterite.node.EngineControl;
import io.cassiterite.node.EngineTable;
import io.cassiterite.node.IncrementalBackups;
import io.cassiterite.node.NodeStore;
import io.cassiterite.observe.RemoteFailure;
import io.cassiterite.observe.metrics.KeySample;
import io.cassiterite.observe.metrics.SnapshotSpace;

/**
 * What nodetool's verbs mean for engine tables, which have no sstables: each either works on the engine or is refused
 * with the reason, before anything is done. Stock verbs would report success and do nothing.
 */
final class EngineVerbs
{
    private static final Logger logger = LoggerFactory.getLogger(EngineVerbs.class);

    private final EngineControl engine;

    EngineVerbs(EngineControl engine)
    {
        this.engine = engine;
    }

    void compact(List<ColumnFamilyStore> tables)
    {
        for (ColumnFamilyStore cfs : tables)
        {
            logger.info("Compacting {} in the engine", cfs.metadata());
            RemoteFailure.guard("compacting " + cfs.metadata(), () -> engine.compact(cfs));
        }
    }

    void followCompactionSwitch(List<ColumnFamilyStore> tables)
    {
        for (ColumnFamilyStore cfs : tables)
            RemoteFailure.guard("switching the automatic compaction of " + cfs.metadata(), () -> engine.followCompactionSwitch(cfs));
    }

    /** @param compactors as many as the engine, too, is to run at the same time */
    void followConcurrentCompactors(int compactors)
    {
        if (!engine.isOpen())
            return;
        String jobs = Integer.toString(BackgroundJobs.forCompactions(compactors));
        RemoteFailure.guard("setting background_jobs to " + jobs, () -> engine.set(Map.of("background_jobs", jobs)));
        logger.info("The engine runs up to {} flushes and compactions: setconcurrentcompactors {}", jobs, compactors);
    }

    /** Adds keys of engine tables to those of sstables: their tokens. */
    List<String> withSampledKeys(List<String> tokens)
    {
        List<String> all = new ArrayList<>(tokens);
        for (ColumnFamilyStore cfs : EngineTable.open())
            RemoteFailure.guard("sampling keys of " + cfs.metadata(), () -> all.addAll(KeySample.tokens(cfs)));
        return all;
    }

    /** Of all these tables. */
    SstablesBeside.Look lookAtBoth(List<ColumnFamilyStore> tables)
    {
        List<SstablesBeside.Look> looks = new ArrayList<>();
        for (ColumnFamilyStore cfs : tables)
        {
            CassiteriteMemtable memtable = EngineTables.find(cfs.metadata.id);
            if (memtable != null)
                looks.add(memtable.sstables().lookAtBoth());
        }
        return () -> looks.forEach(SstablesBeside.Look::close);
    }

    /** Rows that leave the engine behind the cleanup of the sstables, and before its own, would be spared. */
    SstablesBeside.Look pauseMoves(List<ColumnFamilyStore> tables)
    {
        tables.forEach(cfs -> Mover.instance.pause(cfs.metadata.id));
        return () -> tables.forEach(cfs -> Mover.instance.resume(cfs.metadata.id));
    }

    void snapshot(List<ColumnFamilyStore> tables, String name)
    {
        for (ColumnFamilyStore cfs : tables)
            RemoteFailure.guard("taking snapshot " + name + " of " + cfs.metadata(), () -> engine.snapshot(cfs, name));
    }

    /** Has the engine's files in what Cassandra lists of the files of a snapshot. */
    void listSnapshot(String name)
    {
        RemoteFailure.guard("listing the files of snapshot " + name, () -> SnapshotLists.complete(name));
    }

    /** @return the list that Cassandra made, with the true sizes of engine tables' snapshots */
    Map<String, TabularData> snapshotListing(Map<String, TabularData> listing)
    {
        if (!engine.isOpen())
            return listing;
        return RemoteFailure.guard("listing snapshots", () -> new SnapshotListing(engine).corrected(listing));
    }

    /** The bytes that only the snapshots of all engine tables use. */
    long snapshotBytes()
    {
        long bytes = 0;
        for (ColumnFamilyStore cfs : EngineTable.open())
            bytes += snapshotBytes(cfs);
        return bytes;
    }

    long snapshotBytes(ColumnFamilyStore cfs)
    {
        return SnapshotSpace.ownBytes(cfs, engine);
    }

    /** Removes what the node is no replica of, and is not about to be. A table whose cleanup fails delays no other one. */
    void cleanUp(String keyspace, List<ColumnFamilyStore> tables)
    {
        Throwable failure = null;
        List<ColumnFamilyStore> failed = new ArrayList<>();
        for (int i = 0; i < tables.size(); i++)
        {
            // read again for each table: the one before may have taken hours
            if (Ownership.isChanging(keyspace))
                throw ringChanges(names(failed), names(tables.subList(i, tables.size())), failure);
            if (Ownership.ownsEverything(keyspace))
                break;
            ColumnFamilyStore cfs = tables.get(i);
            // what moves in has rows that the node does not own any more, and each chunk counts as late
            Throwable failureOfThis = Throwables.perform((Throwable) null, () -> Mover.instance.whilePaused(
                cfs.metadata.id, () -> cleanUp(cfs, Ownership.ranges(keyspace))));
            if (failureOfThis == null)
                continue;
            failed.add(cfs);
            failure = Throwables.merge(failure, failureOfThis);
        }
        Throwables.maybeFail(failure);
    }

    private void cleanUp(ColumnFamilyStore cfs, Collection<Range<Token>> owned)
    {
        logger.info("Removing from {} in the engine what lies outside of this node's {} ranges", cfs.metadata(), owned.size());
        OwnershipWatch watch = new OwnershipWatch(cfs.getKeyspaceName(), owned, () -> engine.stopCleanup(cfs));
        try (watch)
        {
            RemoteFailure.guard("cleaning up " + cfs.metadata(), () -> engine.cleanup(cfs, owned));
        }
        catch (RuntimeException e)
        {
            throw watch.hasChanged() ? ringChanges("", names(List.of(cfs)), e) : e;
        }
    }

    /**
     * @param failed  names of the tables whose cleanup has failed before
     * @param left    names of those that were left out
     * @param failure why they failed, or null
     */
    static IllegalStateException ringChanges(String failed, String left, Throwable failure)
    {
        String before = failed.isEmpty() ? "" : ". The cleanup of " + failed + " has failed before; the log says why";
        IllegalStateException changes = new IllegalStateException("the ring has begun to change, and Cassiterite tables (" + left +
                                                                  ") were not cleaned up: run it again when the change is over" + before);
        if (failure != null)
            changes.addSuppressed(failure);
        return changes;
    }

    /** A start before the verb would open the files that are in the table's folder, and not know that the indexes lack them. */
    void refuseRefresh(List<ColumnFamilyStore> tables)
    {
        refuse("refresh", tables.stream().filter(cfs -> cfs.indexManager.hasIndexes()).collect(Collectors.toList()),
               "it has indexes, which a restart before the verb would leave without these rows: use nodetool import");
    }

    void refuse(String verb, List<ColumnFamilyStore> tables, String reason)
    {
        if (!tables.isEmpty())
            fail(String.format("%s on Cassiterite tables (%s): %s. Name the other tables of the keyspace explicitly.",
                               verb, names(tables), reason));
    }

    /** Has the store keep files from now on, or no more. */
    void followIncrementalBackups()
    {
        Store store = NodeStore.getIfOpen();
        if (store != null)
            IncrementalBackups.follow(store);
    }

    /** What was flushed is backed up when the verb returns, as in stock Cassandra. */
    void bringIncrements()
    {
        Store store = NodeStore.getIfOpen();
        List<String> failures = store == null ? List.of() : Increments.bringAll(store);
        if (!failures.isEmpty())
            throw new IllegalStateException("All is flushed, but not all is in the incremental backups: " +
                                            String.join(" * ", failures));
    }

    /** For a verb on a whole keyspace that has been done for its stock tables. */
    void warnSkipped(String verb, List<ColumnFamilyStore> tables, String reason)
    {
        logger.warn("{} has left out the Cassiterite tables ({}): {}", verb, names(tables), reason);
    }

    static String names(List<ColumnFamilyStore> tables)
    {
        return tables.stream().map(cfs -> cfs.metadata().toString()).collect(Collectors.joining(", "));
    }

    /** As nodetool takes them after their keyspace. */
    static String tableNames(List<ColumnFamilyStore> tables)
    {
        return tables.stream().map(cfs -> cfs.name).collect(Collectors.joining(" "));
    }

    static void fail(String reason)
    {
        String message = "Nothing was done: " + reason;
        logger.warn(message);
        throw new UnsupportedOperationException(message);
    }
}
