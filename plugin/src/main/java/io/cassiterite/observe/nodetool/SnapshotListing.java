/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.observe.nodetool;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import javax.management.openmbean.CompositeData;
import javax.management.openmbean.CompositeDataSupport;
import javax.management.openmbean.OpenDataException;
import javax.management.openmbean.TabularData;
import javax.management.openmbean.TabularDataSupport;

import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.io.util.FileUtils;
import org.apache.cassandra.schema.TableId;
import org.apache.cassandra.service.snapshot.TableSnapshot;

import io.cassiterite.node.EngineControl;
import io.cassiterite.observe.EngineTableFinder;
import io.cassiterite.observe.metrics.SnapshotSpace;

/** Cassandra's list of snapshots with the true sizes of those of engine tables. */
final class SnapshotListing
{
    private static final String TAG = "Snapshot name";
    private static final String KEYSPACE = "Keyspace name";
    private static final String TABLE = "Column family name";
    private static final String TRUE_SIZE = "True size";
    private static final String CREATED = "Creation time";

    private final EngineControl engine;
    private final Map<TableId, Map<String, TableSnapshot>> known = new HashMap<>();

    SnapshotListing(EngineControl engine)
    {
        this.engine = engine;
    }

    Map<String, TabularData> corrected(Map<String, TabularData> listing)
    {
        Map<String, TabularData> corrected = new HashMap<>();
        listing.forEach((tag, rows) -> corrected.put(tag, corrected(rows)));
        return corrected;
    }

    private TabularData corrected(TabularData rows)
    {
        TabularDataSupport corrected = new TabularDataSupport(rows.getTabularType());
        for (Object row : rows.values())
            corrected.put(corrected((CompositeData) row));
        return corrected;
    }

    private CompositeData corrected(CompositeData row)
    {
        TableSnapshot snapshot = find(row);
        if (snapshot == null)
            return row;
        long bytes = snapshot.computeTrueSizeBytes() - SnapshotSpace.of(snapshot, engine).sharedBytes;
        Map<String, Object> values = new HashMap<>();
        for (String item : row.getCompositeType().keySet())
            values.put(item, row.get(item));
        values.put(TRUE_SIZE, FileUtils.stringifyFileSize(Math.max(0, bytes)));
        try
        {
            return new CompositeDataSupport(row.getCompositeType(), values);
        }
        catch (OpenDataException e)
        {
            throw new IllegalStateException(e);
        }
    }

    /** The snapshot of an engine table that is open; of a table of its name that was dropped, the store has nothing. */
    private TableSnapshot find(CompositeData row)
    {
        List<ColumnFamilyStore> named = EngineTableFinder.selected((String) row.get(KEYSPACE), (String) row.get(TABLE));
        if (named.size() != 1)
            return null;
        ColumnFamilyStore cfs = named.get(0);
        TableSnapshot snapshot = known.computeIfAbsent(cfs.metadata.id, id -> cfs.listSnapshots()).get((String) row.get(TAG));
        boolean isThis = snapshot != null && Objects.toString(snapshot.getCreatedAt(), null) != null
                         && snapshot.getCreatedAt().toString().equals(row.get(CREATED));
        return isThis ? snapshot : null;
    }
}
