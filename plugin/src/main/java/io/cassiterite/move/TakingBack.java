/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.move;

import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.compaction.OperationType;
import org.apache.cassandra.db.lifecycle.LifecycleTransaction;
import org.apache.cassandra.io.sstable.format.SSTableReader;
import org.apache.cassandra.schema.TableId;

import io.cassiterite.engine.BackgroundWork;
import io.cassiterite.engine.DepartingRows;
import io.cassiterite.engine.EngineException;
import io.cassiterite.memtable.CassiteriteMemtable;
import io.cassiterite.memtable.EngineTables;
import io.cassiterite.stream.Streams;

/**
 * Deletes the sstables of a round that ended when they were the table's, and the engine had not forgotten their rows: as a round
 * that ends early, it leaves nothing. Each of them is a copy of what the engine has, and goes or stays for itself: one that has
 * been compacted since is not known any more. For the mover's thread, but {@link #expect}.
 */
final class TakingBack
{
    private static final Logger logger = LoggerFactory.getLogger(TakingBack.class);

    /** Tables with such a round before the start: a merge-in would dissolve the families that tell whether it is forgotten. */
    private static final Set<TableId> EXPECTED = ConcurrentHashMap.newKeySet();

    private TakingBack()
    {
    }

    /** To be called before the first merge-in. */
    static void expect(String storeDirectory)
    {
        EXPECTED.addAll(PublishedRound.tables(storeDirectory));
        EXPECTED.forEach(Streams::holdMergeIns);
    }

    /** What the process before has left of the tables that are there at the start. */
    static void atStart()
    {
        for (TableId id : EXPECTED)
            try
            {
                CassiteriteMemtable memtable = EngineTables.find(id);
                if (memtable != null && memtable.cfs() != null && memtable.table() != null)
                    run(memtable);
            }
            catch (Exception | Error e)
            {
                BackgroundWork.failed("Deleting sstables of a round that ended early failed: compactions merge them with the engine's"
                                      + " rows later", e);
            }
            finally
            {
                Streams.releaseMergeIns(id);
            }
        EXPECTED.clear();
    }

    /** The round has ended, and nothing departs now. Does nothing where there was none, or it had come to its end. */
    static void run(CassiteriteMemtable memtable) throws IOException
    {
        PublishedRound round = round(memtable);
        try
        {
            PublishedRound.Content content = round.read();
            if (content != null && new DepartingRows(memtable.table()).hasAll(content.families))
                delete(memtable, content.sstables);
        }
        catch (EngineException e)
        {
            if (e.kind() != EngineException.Kind.CLOSED) // truncated, or dropped: so are the sstables
                throw e;
        }
        finally
        {
            round.remove();
        }
    }

    static PublishedRound round(CassiteriteMemtable memtable)
    {
        return new PublishedRound(memtable.table().store().directory(), memtable.metadata().id, memtable.table().stats().generation());
    }

    /** Under Cassandra's lock for what pauses compactions, which wants all sstables then. */
    private static void delete(CassiteriteMemtable memtable, Set<String> names)
    {
        ColumnFamilyStore cfs = memtable.cfs();
        synchronized (cfs)
        {
            if (!cfs.isValid() || EngineTables.find(cfs.metadata.id) != memtable)
                return;
            List<SSTableReader> copies = cfs.getLiveSSTables().stream().filter(sstable -> names.contains(SstableGroup.name(sstable)))
                                            .collect(Collectors.toList());
            long deleted = copies.stream().filter(sstable -> delete(cfs, sstable)).count();
            if (!copies.isEmpty())
                logger.info("{}: {} of {} sstables are deleted, of a round that ended before the engine forgot their rows",
                            cfs.metadata(), deleted, names.size());
        }
    }

    /** @return false if a compaction has it, of which the result stays */
    private static boolean delete(ColumnFamilyStore cfs, SSTableReader sstable)
    {
        try (LifecycleTransaction copy = cfs.getTracker().tryModify(sstable, OperationType.COMPACTION))
        {
            if (copy == null)
                return false;
            copy.obsoleteOriginals();
            copy.finish();
            return true;
        }
    }
}
