/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.memtable;

import org.apache.cassandra.db.ColumnFamilyStore.FlushReason;
import org.apache.cassandra.dht.Murmur3Partitioner;
import org.apache.cassandra.exceptions.ConfigurationException;
import org.apache.cassandra.schema.SchemaConstants;
import org.apache.cassandra.schema.TableMetadata;

/** The refusals of what an engine table does not do. */
final class Refusals
{
    private Refusals()
    {
    }

    /** @throws ConfigurationException if the engine cannot keep a table of this kind */
    static void checkTable(TableMetadata metadata)
    {
        if (SchemaConstants.isLocalSystemKeyspace(metadata.keyspace) || SchemaConstants.isVirtualSystemKeyspace(metadata.keyspace))
            throw refuse(metadata, "tables of local system keyspaces need the default memtable; do not make Cassiterite the default");
        if (metadata.isIndex())
            throw refuse(metadata, "secondary indexes are not supported");
        if (metadata.isView())
            throw refuse(metadata, "materialized views are not supported");
        if (metadata.partitioner != Murmur3Partitioner.instance)
            throw refuse(metadata, "only Murmur3Partitioner is supported, not " + metadata.partitioner.getClass().getSimpleName());
    }

    private static ConfigurationException refuse(TableMetadata metadata, String reason)
    {
        return new ConfigurationException("Cassiterite cannot keep " + metadata + ": " + reason);
    }

    /** For a write to a table with secondary indexes. */
    static RuntimeException indexed(TableMetadata metadata)
    {
        return new UnsupportedOperationException("Cassiterite cannot write to " + metadata + " while it has secondary indexes:"
                                                 + " they would miss rows. Drop the indexes");
    }

    /** For streams and validations under stock managers, which read sstables only: they would find nothing, and succeed. */
    static RuntimeException unseen(TableMetadata metadata, FlushReason reason)
    {
        return new UnsupportedOperationException(reason + " of " + metadata + " is refused: Cassandra's own code would find none"
                                                 + " of the rows that Cassiterite keeps, and report success");
    }

    /** For a flush to sstables. */
    static RuntimeException flush(TableMetadata metadata)
    {
        return new UnsupportedOperationException("Cassiterite does not write " + metadata + " to sstables: its rows stay in the"
                                                 + " engine, untouched. To move the table away, copy it with cqlsh or a client");
    }

    /** For a write to a table whose rows are being moved to sstables at the end of the node. */
    static RuntimeException leaving(TableMetadata metadata)
    {
        return new IllegalStateException(metadata + " is leaving the engine, and takes no writes until the node starts again");
    }

    /** For a table that is being dropped. */
    static RuntimeException dropped(TableMetadata metadata)
    {
        return new IllegalStateException(metadata + " has been dropped");
    }
}
