/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashSet;
import java.util.Set;

import javax.management.ObjectName;

import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.schema.KeyspaceMetadata;
import org.apache.cassandra.schema.Schema;
import org.apache.cassandra.schema.TableMetadata;
import org.apache.cassandra.utils.Clock;

/**
 * Races a node's plug-in for its tables' managers. It is the node's clock, which Cassandra creates first of all, and
 * waits in a busy loop for tables. As soon as one can be found it calls what a stream and a validation call, in their
 * order: a flush, the stream manager, the repair manager. What it finds goes into the file named by
 * {@link #FILE_PROPERTY}, a line per table.
 */
public final class ManagerProbe implements Clock
{
    static final String FILE_PROPERTY = "cassiterite.probe.file";

    private static final String KEYSPACE = "raced";

    private final Path file = Path.of(System.getProperty(FILE_PROPERTY));
    private final Set<String> seen = new HashSet<>();

    /** Called by Cassandra. */
    public ManagerProbe()
    {
        Thread thread = new Thread(this::watch, "manager-probe");
        thread.setDaemon(true);
        thread.start();
    }

    /** Adds the probe to a node. */
    public static NodeBuilder on(NodeBuilder node, Path file)
    {
        return node.jvm("-Dcassandra.clock=" + ManagerProbe.class.getName()).jvm("-D" + FILE_PROPERTY + "=" + file);
    }

    @Override
    public long nanoTime()
    {
        return System.nanoTime();
    }

    @Override
    public long currentTimeMillis()
    {
        return System.currentTimeMillis();
    }

    private void watch()
    {
        try
        {
            ObjectName storage = new ObjectName("org.apache.cassandra.db:type=StorageService");
            while (!ManagementFactory.getPlatformMBeanServer().isRegistered(storage))
                Thread.sleep(1);
            while (true)
                probe();
        }
        catch (Exception | Error e)
        {
            record("failed: " + e);
        }
    }

    private void probe()
    {
        KeyspaceMetadata keyspace = Schema.instance.getKeyspaceMetadata(KEYSPACE);
        if (keyspace == null)
        {
            Thread.onSpinWait();
            return;
        }
        for (TableMetadata table : keyspace.tables)
        {
            ColumnFamilyStore cfs = seen.contains(table.name) ? null : Schema.instance.getColumnFamilyStoreInstance(table.id);
            if (cfs != null && hasData(cfs))
            {
                seen.add(table.name);
                ask(cfs);
            }
        }
    }

    private static boolean hasData(ColumnFamilyStore cfs)
    {
        return cfs.getTracker() != null && !cfs.getTracker().getView().getCurrentMemtable().isClean();
    }

    private void ask(ColumnFamilyStore cfs)
    {
        String streams;
        try
        {
            cfs.forceFlush(ColumnFamilyStore.FlushReason.STREAMING);
            streams = cfs.getStreamManager().getClass().getName();
        }
        catch (RuntimeException e)
        {
            streams = "refused";
        }
        record(cfs.name + " " + streams + " " + cfs.getRepairManager().getClass().getName());
    }

    private void record(String line)
    {
        try
        {
            Files.writeString(file, line + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        }
        catch (IOException e)
        {
            throw new UncheckedIOException(e);
        }
    }
}
