/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor.desk;

import java.util.Map;
import java.util.function.ToIntFunction;

import com.google.common.collect.MapMaker;

import org.apache.cassandra.config.DatabaseDescriptor;
import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.schema.ColumnMetadata;
import org.apache.cassandra.schema.TableMetadata;

import io.cassiterite.frontdoor.recipe.TableLayout;
import io.cassiterite.memtable.CassiteriteMemtable;

/** The layouts of tables whose replicas may be compared, by memtable: a table's ids stay what they are. Thread-safe. */
final class Layouts
{
    private final Map<CassiteriteMemtable, Known> known = new MapMaker().weakKeys().makeMap();

    /** @return null if the replicas of the table cannot be compared now */
    byte[] of(ColumnFamilyStore cfs, CassiteriteMemtable memtable)
    {
        // Cassandra tells the two kinds of data apart in each response, or in each purge.
        if (DatabaseDescriptor.getRepairedDataTrackingForPartitionReadsEnabled()
            || cfs.getCompactionStrategyManager().onlyPurgeRepairedTombstones())
            return null;
        return ofWrites(cfs, memtable);
    }

    /** @return null if the table's ids are not known now */
    byte[] ofWrites(ColumnFamilyStore cfs, CassiteriteMemtable memtable)
    {
        TableMetadata metadata = cfs.metadata();
        Known before = known.get(memtable);
        if (before != null && before.metadata == metadata)
            return before.layout;
        ToIntFunction<ColumnMetadata> ids = memtable.columnIds();
        if (ids == null || memtable.metadata() != metadata)
            return null;
        byte[] layout = TableLayout.of(metadata, ids);
        known.put(memtable, new Known(metadata, layout));
        return layout;
    }

    /** The layout of one schema of a table. */
    private static final class Known
    {
        final TableMetadata metadata;
        /** Null if there is none. */
        final byte[] layout;

        Known(TableMetadata metadata, byte[] layout)
        {
            this.metadata = metadata;
            this.layout = layout;
        }
    }
}
