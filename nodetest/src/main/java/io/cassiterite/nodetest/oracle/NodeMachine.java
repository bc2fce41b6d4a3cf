/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.oracle;

import java.time.Duration;

import com.datastax.oss.driver.api.core.CqlSession;

import io.cassiterite.nodetest.Cql;
import io.cassiterite.nodetest.Jmx;
import io.cassiterite.nodetest.Node;

/** A test node as the oracle's machine: connects anew after every restart. One thread. */
public final class NodeMachine implements Machine, AutoCloseable
{
    private static final String STORAGE = "org.apache.cassandra.db:type=StorageService";

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

    @Override
    public void restart()
    {
        close();
        if (node.isRunning())
            node.stop();
        start();
    }

    @Override
    public void kill()
    {
        close();
        if (node.isRunning())
            node.killNine();
        start();
    }

    private void start()
    {
        CommittedCompactions.finish(node.base().resolve("data"));
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
