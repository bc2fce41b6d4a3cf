/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.schema;

import org.apache.cassandra.config.DatabaseDescriptor;
import org.apache.cassandra.schema.TableMetadata;

/**
 * Cassandra's incremental backups: links to each sstable that a flush or a stream makes. Rows of engine tables are in no
 * sstable, so the backups would lack them.
 */
public final class IncrementalBackups
{
    /** System property by which an operator confirms that engine tables are backed up in another way. */
    public static final String ACCEPTED = "cassiterite.without_incremental_backups";

    private IncrementalBackups()
    {
    }

    /** @return whether they are on now, by cassandra.yaml or nodetool, and nobody has accepted that they lack engine tables */
    public static boolean areOn()
    {
        return DatabaseDescriptor.isIncrementalBackupsEnabled() && !areAccepted();
    }

    /** @return whether an operator has accepted that they lack engine tables */
    public static boolean areAccepted()
    {
        return Boolean.getBoolean(ACCEPTED);
    }

    /** @return whether they are to have this table, where they are on */
    static boolean wanted(TableMetadata table)
    {
        return table.params.incrementalBackups;
    }

    /** @return why incremental backups and an engine table cannot be on one node */
    public static String refusal(String table)
    {
        return String.format("%s is a Cassiterite table, whose rows are in no sstable: incremental backups would lack them without a " +
                             "word. Take snapshots instead, and turn incremental backups off (incremental_backups in cassandra.yaml, " +
                             "nodetool disablebackup). To keep them for the other tables, use -D%s=true; or ALTER TABLE ... WITH " +
                             "incremental_backups = false while they are off, and turn them on again.", table, ACCEPTED);
    }
}
