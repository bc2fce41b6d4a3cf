/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.move;

import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.cassiterite.nodetest.Cql;
import io.cassiterite.nodetest.Node;
import io.cassiterite.nodetest.NodeBuilder;
import io.cassiterite.nodetest.stream.Peers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * M10: one key is the engine's on one node, a stock one's on another that has the plug-in, and a stock one's on a third
 * without it. They stream to each other, and repair.
 */
@Timeout(1200)
class MixedKeysTest
{
    private static final String SELECT = "SELECT k, v, writetime(v) FROM filled.t";
    private static final int ROWS = 400;

    private static NodeBuilder at(NodeBuilder node, String address)
    {
        return node.address(address).ofChangingRing();
    }

    @Test
    void nodesThatEnteredAndOthersStreamAndRepair()
    {
        try (Node engine = at(EnteringNode.engine("keys-1"), "127.0.0.1").start(); Cql cql = engine.cql())
        {
            cql.run("CREATE KEYSPACE filled WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 3}");
            cql.run("CREATE TABLE filled.t (k int PRIMARY KEY, v text) WITH read_repair = 'NONE' AND memtable = '"
                    + EnteringNode.KEY + "'");
            insert(cql, 0);
            try (Node stock = at(EnteringNode.stock("keys-2"), "127.0.0.2").joining(engine).start())
            {
                assertEquals(rows(cql), rowsOf(stock));
                try (Node without = at(EnteringNode.stock("keys-3").stock(), "127.0.0.3").joining(engine).start())
                {
                    assertEquals(rows(cql), rowsOf(without));
                    repaired(engine, stock, without, cql);
                    without.nodetool("decommission", "--force").success();
                }
                stock.nodetool("decommission", "--force").success();
                assertEquals(2 * ROWS, rows(cql).size());
            }
            assertTrue(engine.isRunning());
            assertEquals(List.of(), engine.log().errors());
        }
    }

    /** Writes that one node misses come to it by a repair, whichever node begins it. */
    private static void repaired(Node engine, Node stock, Node without, Cql cql)
    {
        Peers.kill(stock, engine); // a peer that is back before it was missed gets no answer by gossip, and does not start
        insert(cql, ROWS);
        stock.start();
        Peers.awaitUp(stock, engine);
        Peers.awaitUp(stock, without);
        for (Node node : List.of(engine, stock, without))
        {
            node.nodetool("repair", "--full", "filled").success();
            assertEquals(rows(cql), rowsOf(node), node.name());
        }
    }

    private static void insert(Cql cql, int from)
    {
        for (int k = from; k < from + ROWS; k++)
            cql.run("INSERT INTO filled.t (k, v) VALUES (?, ?)", k, "value " + k);
    }

    private static List<String> rowsOf(Node node)
    {
        try (Cql cql = node.cql())
        {
            return rows(cql);
        }
    }

    private static List<String> rows(Cql cql)
    {
        return cql.texts(SELECT);
    }
}
