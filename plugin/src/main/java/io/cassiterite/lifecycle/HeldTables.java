/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.lifecycle;

import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.io.sstable.format.SSTableReader;
import org.apache.cassandra.schema.Schema;
import org.apache.cassandra.schema.TableId;
import org.apache.cassandra.utils.FBUtilities;

import io.cassiterite.node.Directions;

/**
 * Says in the log, once the node has started and then each hour, which tables have sstables beside the engine that do not
 * move: their reads look into both, and what one shadows in the other is not purged. Confined to the maintenance thread.
 */
final class HeldTables
{
    private static final Logger logger = LoggerFactory.getLogger(HeldTables.class);

    private static final long INTERVAL_NANOS = TimeUnit.HOURS.toNanos(1);

    private final LongSupplier clock;
    private boolean hasTold;
    private long toldNanos;

    HeldTables(LongSupplier clock)
    {
        this.clock = clock;
    }

    void tell()
    {
        if (!isTime())
            return;
        for (TableId table : Directions.others())
        {
            ColumnFamilyStore cfs = Schema.instance.getColumnFamilyStoreInstance(table);
            if (cfs != null && !cfs.getLiveSSTables().isEmpty())
                logger.info(line(cfs));
        }
    }

    boolean isTime()
    {
        long now = clock.getAsLong();
        if (hasTold && now - toldNanos < INTERVAL_NANOS)
            return false;
        hasTold = true;
        toldNanos = now;
        return true;
    }

    private static String line(ColumnFamilyStore cfs)
    {
        Set<SSTableReader> sstables = cfs.getLiveSSTables();
        long bytes = sstables.stream().mapToLong(SSTableReader::onDiskLength).sum();
        return String.format("%s: %d sstables (%s) lie beside the engine, which takes the writes: %s", cfs.metadata(), sstables.size(),
                             FBUtilities.prettyPrintMemory(bytes), Directions.of(cfs.metadata.id).text());
    }
}
