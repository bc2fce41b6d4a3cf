/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.frontdoor.drivers;

import java.net.InetSocketAddress;
import java.time.Duration;

import com.datastax.oss.driver.api.core.AllNodesFailedException;

import io.cassiterite.nodetest.Cql;
import io.cassiterite.nodetest.Node;
import io.cassiterite.nodetest.NodeBuilder;
import io.cassiterite.nodetest.Pause;
import io.cassiterite.nodetest.StockTransport;

/** A node with the front door on its port, and a stock transport on another. */
final class TwoTransports implements AutoCloseable
{
    private static final Duration RECONNECTION_BOUND = Duration.ofSeconds(60);
    private static final long POLL_MILLIS = 50;

    final Node node;
    final InetSocketAddress stock;
    final Cql cql;
    final DoorCounts counts;

    TwoTransports(String name)
    {
        NodeBuilder builder = Node.named(name).frontDoor("reads").yaml("auto_snapshot", "false")
                                  .jvm("-Dcassandra.test.flush_local_schema_changes=false");
        stock = StockTransport.on(builder);
        node = builder.start();
        StockTransport.await(node, stock);
        cql = node.cql();
        counts = new DoorCounts(cql);
        cql.freshKeyspace("drivers");
    }

    InetSocketAddress door()
    {
        return node.cqlAddress();
    }

    void restart()
    {
        node.restart();
        StockTransport.await(node, stock);
        awaitReconnection();
    }

    /** The tests' own driver comes back by itself, some time after the node. */
    private void awaitReconnection()
    {
        long deadlineNanos = System.nanoTime() + RECONNECTION_BOUND.toNanos();
        while (true)
        {
            try
            {
                cql.run("SELECT key FROM system.local");
                return;
            }
            catch (AllNodesFailedException e)
            {
                if (System.nanoTime() > deadlineNanos)
                    throw e;
                Pause.millis(POLL_MILLIS);
            }
        }
    }

    @Override
    public void close()
    {
        cql.close();
        node.close();
    }
}
