/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.repair;

import java.io.IOException;
import java.util.Collection;
import java.util.concurrent.Callable;
import java.util.concurrent.Future;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.repair.CassandraTableRepairManager;
import org.apache.cassandra.dht.Range;
import org.apache.cassandra.dht.Token;
import org.apache.cassandra.metrics.TopPartitionTracker;
import org.apache.cassandra.repair.NoSuchRepairSessionException;
import org.apache.cassandra.repair.TableRepairManager;
import org.apache.cassandra.repair.ValidationPartitionIterator;
import org.apache.cassandra.utils.TimeUUID;

import io.cassiterite.schema.EngineTable;

/**
 * Repair of an engine table: refused, because the stock validation sees only sstables and its empty Merkle tree would
 * make replicas agree on nothing. Under a stock memtable everything is Cassandra's own.
 */
public final class EngineRepairManager implements TableRepairManager
{
    private static final Logger logger = LoggerFactory.getLogger(EngineRepairManager.class);

    private final ColumnFamilyStore cfs;
    private final TableRepairManager stock;

    public EngineRepairManager(ColumnFamilyStore cfs)
    {
        this.cfs = cfs;
        this.stock = new CassandraTableRepairManager(cfs);
    }

    @Override
    public ValidationPartitionIterator getValidationIterator(Collection<Range<Token>> ranges,
                                                             TimeUUID parentId,
                                                             TimeUUID sessionId,
                                                             boolean isIncremental,
                                                             long nowInSec,
                                                             TopPartitionTracker.Collector topPartitionCollector)
    throws IOException, NoSuchRepairSessionException
    {
        if (EngineTable.is(cfs))
            throw refused(sessionId, isIncremental ? "incremental repair" : "repair (validation)");
        return stock.getValidationIterator(ranges, parentId, sessionId, isIncremental, nowInSec, topPartitionCollector);
    }

    @Override
    public Future<?> submitValidation(Callable<Object> validation)
    {
        return stock.submitValidation(validation);
    }

    @Override
    public void incrementalSessionCompleted(TimeUUID sessionId)
    {
        stock.incrementalSessionCompleted(sessionId);
    }

    @Override
    public void snapshot(String name, Collection<Range<Token>> ranges, boolean force)
    {
        if (EngineTable.is(cfs))
            throw refused(null, "a snapshot for sequential repair");
        stock.snapshot(name, ranges, force);
    }

    private UnsupportedOperationException refused(TimeUUID session, String what)
    {
        String message = String.format("[repair #%s] %s is a Cassiterite table: %s is not supported yet.",
                                       session, cfs.metadata(), what);
        logger.error(message);
        return new UnsupportedOperationException(message);
    }
}
