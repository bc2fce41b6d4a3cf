/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.utils.Clock;
import org.apache.cassandra.utils.concurrent.OpOrder;

/**
 * Ends a node at a named step of its mover, as kill -9 does, or holds the mover at the step where it awaits reads, as ordered.
 * Cassandra makes one of it, in place of a clock.
 */
public final class MoveFaults implements Clock
{
    static final String FILE_PROPERTY = "cassiterite.move.faults";

    private static final Duration BOUND = Duration.ofSeconds(120);
    private static final int POLL_MILLIS = 20;

    private final OrderFile orders = new OrderFile(Path.of(System.getProperty(FILE_PROPERTY)));

    /** Called by Cassandra. */
    public MoveFaults()
    {
        Thread thread = new Thread(this::watch, "move-faults");
        thread.setDaemon(true);
        thread.start();
    }

    /** Adds it to a node, with its orders in a file of the node's folder, and without the order of an earlier start. */
    public static NodeBuilder on(NodeBuilder node)
    {
        return node.jvm("-Dcassandra.clock=" + MoveFaults.class.getName()).jvm("-D" + FILE_PROPERTY + "=" + orders(node.base));
    }

    /** A read of the table begins, and ends with the next order. Returns when it has begun. */
    public static void holdRead(Node node, String keyspace, String table)
    {
        orders(node.base()).write("read " + keyspace + ' ' + table);
        Await.until("a read is held", BOUND, orders(node.base())::isHeld);
    }

    /** Rows of a table move out, up to where they are in sstables and in the engine still, which a read holds the round to. */
    public static void holdRound(Node node, String keyspace, String table)
    {
        node.log().mark();
        holdRead(node, keyspace, table);
        node.direct(keyspace, table, "out");
        node.log().await(keyspace + '.' + table + ": [1-9]\\d* sstables .*have rows of the engine, which forgets them next", BOUND);
    }

    /** The node ends when its mover is in such a method, as often as it takes to see it there. */
    public static void killAt(Node node, String className, String method)
    {
        orders(node.base()).write("kill " + className + ' ' + method);
    }

    /** Takes the order back. */
    public static void release(Node node)
    {
        orders(node.base()).write("");
    }

    private static OrderFile orders(Path base)
    {
        return new OrderFile(base.resolve("move-faults"));
    }

    private void watch()
    {
        orders.write("");
        while (true)
        {
            List<String> words = orders.words();
            if (words.get(0).equals("read"))
                read(words.get(1), words.get(2));
            else if (words.get(0).equals("kill"))
                kill(words);
            else
                Pause.millis(POLL_MILLIS);
        }
    }

    private void read(String keyspace, String table)
    {
        ColumnFamilyStore cfs = ColumnFamilyStore.getIfExists(keyspace, table);
        OpOrder.Group read = cfs.readOrdering.start();
        try
        {
            orders.hold();
            while (orders.isHeld())
                Pause.millis(POLL_MILLIS);
        }
        finally
        {
            read.close();
        }
    }

    private void kill(List<String> order)
    {
        Thread mover = mover();
        for (int look = 0; look % 1_000 != 0 || orders.words().equals(order); look++)
        {
            if (mover == null)
                return;
            for (StackTraceElement frame : mover.getStackTrace())
                if (frame.getMethodName().equals(order.get(2)) && frame.getClassName().endsWith('.' + order.get(1)))
                    Runtime.getRuntime().halt(9);
        }
    }

    private static Thread mover()
    {
        return Thread.getAllStackTraces().keySet().stream().filter(thread -> thread.getName().equals("cassiterite-mover")).findFirst()
                     .orElse(null);
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
}
