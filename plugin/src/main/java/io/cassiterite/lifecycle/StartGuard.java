/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.lifecycle;

import java.util.List;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.DecoratedKey;
import org.apache.cassandra.db.Slices;
import org.apache.cassandra.db.StorageHook;
import org.apache.cassandra.db.filter.ClusteringIndexFilter;
import org.apache.cassandra.db.filter.ColumnFilter;
import org.apache.cassandra.db.partitions.PartitionUpdate;
import org.apache.cassandra.db.rows.UnfilteredRowIterator;
import org.apache.cassandra.db.rows.UnfilteredRowIteratorWithLowerBound;
import org.apache.cassandra.exceptions.ConfigurationException;
import org.apache.cassandra.io.sstable.SSTableReadsListener;
import org.apache.cassandra.io.sstable.format.SSTableReader;
import org.apache.cassandra.schema.TableId;

import io.cassiterite.node.GuardedNode;
import io.cassiterite.node.PluginGossip;
import io.cassiterite.observe.tables.SizeEstimates;
import io.cassiterite.stream.Streams;

/**
 * Keeps a node from starting when it would open an engine table without its engine. The JVM option
 * {@code -Dcassandra.storage_hook=io.cassiterite.lifecycle.StartGuard} names it. Cassandra makes it at the first read of
 * a system table, before it loads the user schema. The methods of the hook do what Cassandra does without one.
 */
public final class StartGuard implements StorageHook
{
    private static final Logger logger = LoggerFactory.getLogger(StartGuard.class);

    /** @throws RuntimeException caused by a ConfigurationException if the node must not start */
    public StartGuard()
    {
        StartFacts facts = inspect();
        List<String> refusals = StartRules.refusals(facts);
        if (!refusals.isEmpty())
            throw refuse(refusals);
        GuardedNode.start(new NodeLife(facts));
        if (facts.storeDirectory != null)
            PluginGossip.publishWhenGossiping(facts.engineKeys(), Streams::publishRetained);
        if (facts.frontDoor != null)
            EarlyStart.whenGossiping(facts.frontDoor);
    }

    private static StartFacts inspect()
    {
        try
        {
            return StartInspection.inspect();
        }
        catch (RuntimeException | Error e)
        {
            logger.error("The inspection of this node failed", e);
            throw refuse(List.of(String.valueOf(e.getMessage() == null ? e : e.getMessage())));
        }
    }

    private static RuntimeException refuse(List<String> refusals)
    {
        StringBuilder message = new StringBuilder("Cassiterite: this node must not start.");
        for (String refusal : refusals)
            message.append(" * ").append(refusal);
        logger.error(message.toString());
        System.err.println(message);
        // Cassandra unwraps a hook's ConfigurationException; the failed class initialization then ends the start.
        return new RuntimeException(new ConfigurationException(message.toString(), false));
    }

    @Override
    public void reportWrite(TableId tableId, PartitionUpdate update)
    {
        ManagerInstaller.settle();
        SizeEstimates.written(tableId);
    }

    @Override
    public void reportRead(TableId tableId, DecoratedKey key)
    {
        ManagerInstaller.settle();
    }

    @Override
    public UnfilteredRowIteratorWithLowerBound makeRowIteratorWithLowerBound(ColumnFamilyStore cfs,
                                                                             SSTableReader sstable,
                                                                             DecoratedKey key,
                                                                             ClusteringIndexFilter filter,
                                                                             ColumnFilter columns,
                                                                             SSTableReadsListener listener)
    {
        return new UnfilteredRowIteratorWithLowerBound(key, sstable, filter, columns, listener);
    }

    @Override
    public UnfilteredRowIterator makeRowIterator(ColumnFamilyStore cfs,
                                                 SSTableReader sstable,
                                                 DecoratedKey key,
                                                 Slices slices,
                                                 ColumnFilter columns,
                                                 boolean reversed,
                                                 SSTableReadsListener listener)
    {
        return sstable.rowIterator(key, slices, columns, reversed, listener);
    }
}
