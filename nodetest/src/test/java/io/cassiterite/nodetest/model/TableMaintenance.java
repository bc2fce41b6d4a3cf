/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.model;

import io.cassiterite.nodetest.Jmx;
import io.cassiterite.nodetest.Node;

/** What nodetool does, over JMX: without the seconds that a process of its own costs. Stateless. */
final class TableMaintenance
{
    private static final String STORAGE = "org.apache.cassandra.db:type=StorageService";

    private TableMaintenance()
    {
    }

    /** @param tables none for the whole keyspace */
    static void flush(Node node, String keyspace, String... tables)
    {
        try (Jmx jmx = node.jmx())
        {
            jmx.invoke(STORAGE, "forceKeyspaceFlush", new Object[]{ keyspace, tables },
                       new String[]{ String.class.getName(), String[].class.getName() });
        }
    }

    static void compact(Node node, String keyspace, String... tables)
    {
        try (Jmx jmx = node.jmx())
        {
            jmx.invoke(STORAGE, "forceKeyspaceCompaction", new Object[]{ false, keyspace, tables },
                       new String[]{ boolean.class.getName(), String.class.getName(), String[].class.getName() });
        }
    }
}
