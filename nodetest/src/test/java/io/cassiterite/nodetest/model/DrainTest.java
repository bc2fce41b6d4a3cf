/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.model;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

import com.datastax.oss.driver.api.core.DriverException;
import org.junit.jupiter.api.Test;

import io.cassiterite.nodetest.Await;
import io.cassiterite.nodetest.Cql;
import io.cassiterite.nodetest.Node;
import io.cassiterite.nodetest.NodeTest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** D11: reads during and after a drain fail cleanly; the process lives on and ends normally. */
@NodeTest(own = true)
class DrainTest
{
    private static final int ROWS = 2000;
    private static final int READERS = 3;
    private static final long WARM_MILLIS = 1000;

    @Test
    void aDrainedNodeDoesNotCrash(Node node) throws InterruptedException
    {
        AtomicBoolean over = new AtomicBoolean();
        AtomicLong reads = new AtomicLong();
        try (Cql cql = node.cql("draintest"))
        {
            cql.run("CREATE TABLE t (p int, c int, v text, PRIMARY KEY (p, c)) WITH memtable = 'cassiterite'");
            cql.run("CREATE TABLE empty (p int PRIMARY KEY) WITH memtable = 'cassiterite'");
            for (int i = 0; i < ROWS; i++)
                cql.run("INSERT INTO t (p, c, v) VALUES (?, ?, ?)", i % 10, i, "value " + i);
            Thread[] readers = new Thread[READERS];
            for (int i = 0; i < READERS; i++)
            {
                readers[i] = new Thread(() -> readUntil(over, reads, cql), "reader-" + i);
                readers[i].start();
            }
            Thread.sleep(WARM_MILLIS);
            Await.until("they read", Duration.ofMinutes(2), () -> reads.get() > READERS);
            node.nodetool("drain").success();
            over.set(true);
            for (Thread reader : readers)
                reader.join();
        }
        assertTrue(reads.get() > 0);
        node.nodetool("tablestats", "draintest").success();
        for (String[] command : new String[][]{ { "compact", "draintest" }, { "snapshot", "-t", "late", "draintest" } })
            node.nodetool(command);
        assertTrue(node.isRunning(), "the node crashed after its drain");
        node.stop();
        node.start();
        try (Cql cql = node.cql("draintest"))
        {
            assertEquals(List.of("count=" + ROWS), cql.texts("SELECT count(*) FROM t"));
        }
    }

    private static void readUntil(AtomicBoolean over, AtomicLong reads, Cql cql)
    {
        while (!over.get())
        {
            try
            {
                cql.exactPaged(50, "SELECT * FROM t");
                reads.incrementAndGet();
            }
            catch (DriverException e)
            {
                // calls that the drain interrupts may fail; the process must not
                Thread.onSpinWait();
            }
        }
    }
}
