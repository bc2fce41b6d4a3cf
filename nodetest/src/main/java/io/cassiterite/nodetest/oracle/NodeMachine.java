/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.oracle;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import com.datastax.oss.driver.api.core.CqlSession;

import io.cassiterite.nodetest.Cql;
import io.cassiterite.nodetest.Jmx;
import io.cassiterite.nodetest.Node;
import io.cassiterite.nodetest.Pause;

/** A test node as the oracle's machine: connects anew after every restart. One thread. */
public final class NodeMachine implements Machine, AutoCloseable
{
    private static final String STORAGE = "org.apache.cassandra.db:type=StorageService";
    private static final Pattern TRANSACTION_LOG = Pattern.compile("_txn_.+\\.log$");
    private static final Duration QUIET_BOUND = Duration.ofMinutes(2);

    private final Node node;
    private Cql cql;
    private Jmx jmx;

    public NodeMachine(Node node)
    {
        this.node = node;
    }

    @Override
    public CqlSession session()
    {
        if (!node.isRunning())
            throw new NodeDownException(node.log().lastTrouble());
        if (cql == null)
            cql = node.cql();
        return cql.session();
    }

    @Override
    public void flush(String keyspace, String table)
    {
        jmx().invoke(STORAGE, "forceKeyspaceFlush", new Object[]{ keyspace, new String[]{ table } },
                     new String[]{ String.class.getName(), String[].class.getName() });
    }

    @Override
    public void compact(String keyspace, String table)
    {
        jmx().invoke(STORAGE, "forceKeyspaceCompaction", new Object[]{ false, keyspace, new String[]{ table } },
                     new String[]{ boolean.class.getName(), String.class.getName(), String[].class.getName() });
    }

    /** Cassandra cannot always start again where a table with SAI was being compacted, or compacted files deleted. */
    @Override
    public void settle(String keyspace, String table)
    {
        jmx().invoke(STORAGE, "disableAutoCompaction", new Object[]{ keyspace, new String[]{ table } },
                     new String[]{ String.class.getName(), String[].class.getName() });
        flush(keyspace, table);
        Pause.until(keyspace + '.' + table + " has no transaction log", QUIET_BOUND, () -> !hasTransactionLog(keyspace, table));
    }

    private boolean hasTransactionLog(String keyspace, String table)
    {
        Path folder = node.base().resolve("data").resolve(keyspace);
        try (Stream<Path> files = Files.find(folder, 2, (file, attributes) -> TRANSACTION_LOG.matcher(file.toString()).find()))
        {
            return files.anyMatch(file -> file.getParent().getFileName().toString().startsWith(table + '-'));
        }
        catch (IOException | UncheckedIOException e)
        {
            return Files.isDirectory(folder); // one is being deleted
        }
    }

    @Override
    public void restart()
    {
        close();
        if (node.isRunning())
            node.stop();
        node.start();
    }

    @Override
    public void kill()
    {
        close();
        if (node.isRunning())
            node.killNine();
        node.start();
    }

    @Override
    public void jump(long seconds)
    {
        node.clock().advance(Duration.ofSeconds(seconds));
    }

    @Override
    public long clockOffsetSeconds()
    {
        return node.clock().offset().toSeconds();
    }

    private Jmx jmx()
    {
        if (jmx == null)
            jmx = node.jmx();
        return jmx;
    }

    @Override
    public void close()
    {
        if (cql != null)
            cql.close();
        if (jmx != null)
            jmx.close();
        cql = null;
        jmx = null;
    }
}
