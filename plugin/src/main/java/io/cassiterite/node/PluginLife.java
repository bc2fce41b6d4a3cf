/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.node;

import java.util.Map;

import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.exceptions.ConfigurationException;
import org.apache.cassandra.schema.TableId;

import io.cassiterite.engine.Store;
import io.cassiterite.engine.Table;

/** What store and memtables ask of the life of the plug-in in this node, which is on a floor above them. Thread-safe. */
public interface PluginLife
{
    /**
     * A memtable configuration is first used: opens the node's store and starts the plug-in, once. Does nothing in offline tools.
     *
     * @param parameters of the memtable configuration
     * @throws ConfigurationException as {@link StartRefusal#of} tells
     */
    void start(Map<String, String> parameters);

    /**
     * Records that a table is opened: from now on it owns the rows that the store has under its id.
     *
     * @return true if the schema had the table when the node started, and it was not opened since; if false the table
     *         is new, and rows under its id are not its own
     */
    boolean wasInSchema(TableId table);

    /**
     * The schema had the table when the node started, and it is opened for the first time since.
     *
     * @param cfs     under construction: it has no sstables yet
     * @param hasRows whether the store has rows under the table's id
     * @return false if these are not the table's rows, and are to be set aside
     * @throws ConfigurationException if nobody has said whose they are, as {@link StartRefusal#of} tells
     */
    boolean keepsRows(ColumnFamilyStore cfs, boolean hasRows);

    /**
     * The table of {@link #keepsRows} is about to be read and written: whoever opens it without the engine from now on has
     * to notice. What a restore has put into the table's folder is taken in. Durable.
     *
     * @param table its rows in the store
     * @return false if nobody knew by a marker which sstables belong to them: indexes may lack rows
     * @throws ConfigurationException as {@link StartRefusal#of} tells, if it cannot be marked, or something be taken in
     */
    boolean opened(ColumnFamilyStore cfs, Table table);

    /**
     * Gives an engine table the managers of streams and repairs; does nothing for other tables.
     *
     * @return false if the table is still under construction, which would overwrite the managers
     */
    boolean ensurePatched(ColumnFamilyStore cfs);

    /**
     * The store has been opened, and no table in it yet.
     *
     * @param parameters those that it was opened with
     * @return why the node cannot use it, or null if it can
     */
    String whyUnusable(Store store, Map<String, String> parameters);
}
