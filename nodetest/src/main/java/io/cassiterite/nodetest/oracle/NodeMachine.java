/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.oracle;

import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.TreeMap;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.cql.Row;

import io.cassiterite.nodetest.Cql;
import io.cassiterite.nodetest.Jmx;
import io.cassiterite.nodetest.Node;

/** A test node as the oracle's machine: connects anew after every restart. Thread-safe but for restarts and kills. */
public final class NodeMachine implements Machine, AutoCloseable
{
    private final Node node;
    private final Map<Use, Cql> sessions = new EnumMap<>(Use.class);
    private Jmx jmx;
    private Map<String, Long> doorCountsBefore = Map.of();

    public NodeMachine(Node node)
    {
        this.node = node;
    }

    @Override
    public synchronized CqlSession session(Use use)
    {
        if (!node.isRunning())
            throw new NodeDownException(node.log().lastTrouble());
        return sessions.computeIfAbsent(use, any -> node.cql()).session();
    }

    @Override
    public void flush(String keyspace, String... tables)
    {
        jmx().flush(keyspace, tables);
    }

    @Override
    public void compact(String keyspace, String table)
    {
        jmx().compact(keyspace, table);
    }

    @Override
    public void restart()
    {
        doorCountsBefore = doorCounts();
        close();
        if (node.isRunning())
            node.stop();
        start();
    }

    @Override
    public void kill()
    {
        doorCountsBefore = doorCounts();
        // as stock's tables: what the periodic commit log had not synced is lost
        if (node.isRunning())
            flush("system_schema");
        close();
        if (node.isRunning())
            node.killNine();
        start();
    }

    /** @return the counts of the front door, over the node's restarts; empty where it has none */
    public Map<String, Long> doorCounts()
    {
        Map<String, Long> counts = new TreeMap<>(doorCountsBefore);
        try
        {
            for (Row row : session().execute("SELECT name, count FROM cassiterite.front_door"))
                counts.merge(row.getString("name"), row.getLong("count"), Long::sum);
        }
        catch (NodeDownException | DriverException e)
        {
            return doorCountsBefore; // the node has ended, or is stock
        }
        return counts;
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

    private synchronized Jmx jmx()
    {
        if (jmx == null)
            jmx = node.jmx();
        return jmx;
    }

    @Override
    public synchronized void close()
    {
        sessions.values().forEach(Cql::close);
        sessions.clear();
        if (jmx != null)
            jmx.close();
        jmx = null;
    }
}
