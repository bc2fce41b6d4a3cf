/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.frontdoor.drivers;

import java.net.InetSocketAddress;

import io.cassiterite.nodetest.Cql;
import io.cassiterite.nodetest.Node;
import io.cassiterite.nodetest.NodeBuilder;
import io.cassiterite.nodetest.StockTransport;

/** A node with the front door on its port, and a stock transport on another. */
final class TwoTransports implements AutoCloseable
{
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
        cql.awaitReconnection();
    }

    @Override
    public void close()
    {
        cql.close();
        node.close();
    }
}
