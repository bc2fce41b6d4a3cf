/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.index;

import com.datastax.oss.driver.api.core.servererrors.QueryValidationException;
import org.junit.jupiter.api.Assumptions;

import io.cassiterite.nodetest.Cql;
import io.cassiterite.nodetest.Pause;

/** Whether indexes of engine tables exist and are built. Stateless. */
final class EngineIndexes
{
    private static final int POLL_MILLIS = 50;
    private static final int POLLS_MAX = 1200;

    private EngineIndexes()
    {
    }

    /** Skips a test while CREATE INDEX on an engine table is refused. */
    static void assumeAccepted(Cql cql)
    {
        cql.run("CREATE TABLE IF NOT EXISTS index_probe (k int PRIMARY KEY, v int) WITH memtable = 'cassiterite'");
        try
        {
            cql.run("CREATE INDEX IF NOT EXISTS index_probed ON index_probe (v)");
        }
        catch (QueryValidationException e)
        {
            Assumptions.abort("engine tables take no indexes: " + e.getMessage());
        }
    }

    static boolean isBuilt(Cql cql, String keyspace, String index)
    {
        return !cql.rows("SELECT * FROM system.\"IndexInfo\" WHERE table_name = ? AND index_name = ?", keyspace, index).isEmpty();
    }

    /** Waits until Cassandra's own record says that the index is complete. */
    static void awaitBuilt(Cql cql, String keyspace, String index)
    {
        for (int i = 0; !isBuilt(cql, keyspace, index); i++)
        {
            if (i == POLLS_MAX)
                throw new AssertionError("index " + keyspace + '.' + index + " was not built");
            Pause.millis(POLL_MILLIS);
        }
    }
}
