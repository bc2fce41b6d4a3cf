/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest;

import java.lang.management.ManagementFactory;
import java.util.Set;

import javax.management.JMException;
import javax.management.ObjectName;

import org.apache.cassandra.db.Keyspace;

/** In a node: imports sstables by Cassandra's own code, which nodetool refuses for an engine table. */
public final class StockImport implements StockImportMBean
{
    private static final String NAME = "io.cassiterite.nodetest:type=StockImport";

    private StockImport()
    {
    }

    /** Makes it available in this JVM. */
    static void register()
    {
        try
        {
            ManagementFactory.getPlatformMBeanServer().registerMBean(new StockImport(), new ObjectName(NAME));
        }
        catch (JMException e)
        {
            throw new IllegalStateException(e);
        }
    }

    /** Has a node put sstables beside a table's engine. */
    public static void run(Node node, String keyspace, String table, String folder)
    {
        String string = String.class.getName();
        try (Jmx jmx = node.jmx())
        {
            jmx.invoke(NAME, "run", new Object[]{ keyspace, table, folder }, new String[]{ string, string, string });
        }
    }

    @Override
    public void run(String keyspace, String table, String folder)
    {
        Keyspace.open(keyspace).getColumnFamilyStore(table)
                .importNewSSTables(Set.of(folder), true, true, true, true, true, false, false);
    }
}
