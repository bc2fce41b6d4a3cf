/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
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

    private static final String HELD = "held";
    private static final Duration BOUND = Duration.ofSeconds(120);
    private static final int POLL_MILLIS = 20;

    private final Path orders = Path.of(System.getProperty(FILE_PROPERTY));

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
        write(orders(node.base()), "read " + keyspace + ' ' + table);
        Await.until("a read is held", BOUND, () -> words(orders(node.base())).get(0).equals(HELD));
    }

    /** The node ends when its mover is in such a method, as often as it takes to see it there. */
    public static void killAt(Node node, String className, String method)
    {
        write(orders(node.base()), "kill " + className + ' ' + method);
    }

    /** Takes the order back. */
    public static void release(Node node)
    {
        write(orders(node.base()), "");
    }

    private static Path orders(Path base)
    {
        return base.resolve("move-faults");
    }

    private static List<String> words(Path orders)
    {
        try
        {
            return List.of(Files.readString(orders).split(" "));
        }
        catch (NoSuchFileException e)
        {
            return List.of("");
        }
        catch (IOException e)
        {
            throw new UncheckedIOException(e);
        }
    }

    private static void write(Path orders, String order)
    {
        Path fresh = orders.resolveSibling(orders.getFileName() + ".new");
        try
        {
            Files.writeString(fresh, order);
            Files.move(fresh, orders, StandardCopyOption.ATOMIC_MOVE);
        }
        catch (IOException e)
        {
            throw new UncheckedIOException(e);
        }
    }

    private void watch()
    {
        write(orders, "");
        while (true)
        {
            List<String> words = words(orders);
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
            write(orders, HELD);
            while (words(orders).get(0).equals(HELD))
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
        for (int look = 0; look % 1_000 != 0 || words(orders).equals(order); look++)
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
