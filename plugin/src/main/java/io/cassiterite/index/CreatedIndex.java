/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.index;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.io.FSError;
import org.apache.cassandra.io.sstable.CorruptSSTableException;

import io.cassiterite.engine.EngineException;
import io.cassiterite.engine.Table;
import io.cassiterite.memtable.CassiteriteMemtable;
import io.cassiterite.memtable.EngineTables;

/** An index as the engine has it, once it could be created: on a full device it cannot. Thread-safe. */
final class CreatedIndex
{
    private static final Logger logger = LoggerFactory.getLogger(CreatedIndex.class);
    /** The engine does not have the index yet. */
    private static final int UNKNOWN = -1;

    private final ColumnFamilyStore cfs;
    private final String name;
    private volatile int number = UNKNOWN;

    CreatedIndex(ColumnFamilyStore cfs, String name)
    {
        this.cfs = cfs;
        this.name = name;
    }

    /** Names the index in write requests. */
    int number()
    {
        return number;
    }

    /**
     * Creates the index in the engine, unless it is there.
     *
     * @return why it could not be created, or null
     */
    synchronized RuntimeException ensureCreated()
    {
        try
        {
            if (!isCreated())
                number = create();
            return null;
        }
        catch (EngineException | FSError | CorruptSSTableException e)
        {
            if (isGoing(e))
                return new IllegalStateException(cfs.metadata() + " is being dropped", e);
            logger.error("The engine could not create index {} of {}. Queries by it fail until it can be: this is tried again each minute",
                         name, cfs.metadata(), e);
            return new IllegalStateException("the engine could not create index " + name + ": " + e.getMessage(), e);
        }
    }

    /** Whether the table is being dropped. */
    private boolean isGoing(Throwable failure)
    {
        return failure instanceof EngineException && ((EngineException) failure).kind() == EngineException.Kind.CLOSED && Drops.isGone(cfs);
    }

    /** Whether the engine has the index, and so takes entries. */
    boolean isCreated()
    {
        return number != UNKNOWN;
    }

    private int create()
    {
        Table table = IndexBuild.tableOf(cfs);
        while (true)
        {
            try
            {
                return table.createIndex(name).number;
            }
            catch (EngineException e)
            {
                Table present = IndexBuild.tableOf(cfs);
                if (e.kind() != EngineException.Kind.CLOSED || present == table)
                    throw e;
                table = present; // truncated meanwhile
            }
        }
    }

    /** A table that is being dropped may have taken its indexes with it; one that is truncated meanwhile has them still. */
    void drop()
    {
        CassiteriteMemtable tried = null;
        CassiteriteMemtable memtable = EngineTables.find(cfs.metadata.id);
        while (memtable != null && memtable != tried && memtable.table() != null)
        {
            try
            {
                memtable.dropIndex(name);
                return;
            }
            catch (EngineException e)
            {
                if (e.kind() != EngineException.Kind.CLOSED)
                    throw e;
                tried = memtable;
                memtable = EngineTables.find(cfs.metadata.id);
            }
        }
    }
}
