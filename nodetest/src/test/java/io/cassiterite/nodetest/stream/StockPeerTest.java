/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.stream;

import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.cassiterite.nodetest.Checkout;
import io.cassiterite.nodetest.Cql;
import io.cassiterite.nodetest.Node;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** D2: a node without the plug-in gets ordinary sstables and gives them; none is left behind. */
@Tag("cluster")
@Timeout(1200)
class StockPeerTest
{
    static final String CONFIGURATIONS = "\n  configurations:\n    skiplist:\n      class_name: SkipListMemtable\n"
                                                 + "    default:\n      inherits: skiplist\n    cassiterite:\n      inherits: skiplist";

    @Test
    void rowsGoToAStockNodeAndComeBack()
    {
        try (Node first = JoinAndLeaveTest.node("peer-1", "127.0.0.1").start(); Cql cql = first.cql())
        {
            StreamedTables both = StreamedTables.create(first, cql, "mixed", 2);
            List<String> expected = both.contents(cql);
            try (Node second = JoinAndLeaveTest.node("peer-2", "127.0.0.2").joining(first).stock().yaml("memtable", CONFIGURATIONS).start())
            {
                StreamFolders.awaitEmpty(first, "mixed");
                Peers.kill(first, second);
                try (Cql stock = second.cql())
                {
                    both.assertContents(expected, stock);
                }
                first.start();
                Peers.awaitUp(first, second); // what is written for a peer that seems down comes to it much later
                try (Cql again = first.cql())
                {
                    both.fillMore(again, 1);
                    again.run("ALTER KEYSPACE mixed WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}");
                    expected = both.contents(again);
                    second.nodetool("decommission", "--force").success();
                    both.assertContents(expected, again);
                }
                StreamFolders.awaitEmpty(first, "mixed");
                first.log().await("mixed.plain: \\d+ sstables have moved into the engine in \\d+ s, 0 are left", Duration.ofMinutes(2));
                first.restart();
                try (Cql again = first.cql())
                {
                    both.assertContents(expected, again);
                    assertEquals(List.of(), StreamFolders.leftovers(first, "mixed"));
                }
            }
        }
    }

    /** What it gets lies beside its engine when it has joined, and moves in. */
    @Test
    void aNodeJoinsAStockOne()
    {
        try (Node first = JoinAndLeaveTest.node("peer-3", "127.0.0.1").stock().yaml("memtable", CONFIGURATIONS).start();
             Cql cql = first.cql())
        {
            cql.run("CREATE KEYSPACE joined WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 2}");
            cql.run("CREATE TABLE joined.t (p int, c int, v text, PRIMARY KEY (p, c)) WITH memtable = 'cassiterite'");
            for (int p = 0; p < 200; p++)
                for (int c = 0; c < 3; c++)
                    cql.run("INSERT INTO joined.t (p, c, v) VALUES (?, ?, ?)", p, c, "value " + p);
            first.flush("joined");
            for (int p = 0; p < 200; p += 5)
                cql.run("DELETE FROM joined.t WHERE p = ? AND c > 0", p);
            List<String> expected = cql.texts("SELECT p, c, v, writetime(v) FROM joined.t");
            try (Node second = JoinAndLeaveTest.node("peer-4", "127.0.0.2").joining(first).start())
            {
                Peers.kill(first, second);
                try (Cql there = second.cql())
                {
                    assertEquals(expected, there.texts("SELECT p, c, v, writetime(v) FROM joined.t"));
                    second.log().await("joined.t: \\d+ sstables have moved into the engine in \\d+ s, 0 are left", Duration.ofMinutes(2));
                    assertEquals(expected, there.texts("SELECT p, c, v, writetime(v) FROM joined.t"));
                    assertEquals(List.of(), second.log().errors());
                }
            }
        }
        Checkout.delete(Checkout.nodes().resolve("peer-4"));
    }
}
