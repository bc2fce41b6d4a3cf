/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.stream;

import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.cassiterite.nodetest.Cql;
import io.cassiterite.nodetest.Node;
import io.cassiterite.nodetest.NodeBuilder;
import io.cassiterite.nodetest.Pause;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** A replica without the plug-in has rows of engine tables in its commit log: they are replayed when it gets the plug-in. */
@Timeout(1200)
class FallbackReplayTest
{
    private static final int ROWS = 500;
    /** Longer than between two markers of a commit log that is synced periodically. */
    private static final Duration MARKED = Duration.ofSeconds(1);

    @Test
    void whatACommitLogHasIsReplayedIntoTheEngine()
    {
        try (Node first = JoinAndLeaveTest.node("replay-1", "127.0.0.1").start())
        {
            try (Cql cql = first.cql())
            {
                cql.run("CREATE KEYSPACE replayed WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 2}");
                cql.run("CREATE TABLE replayed.t (p int PRIMARY KEY, v text) WITH memtable = 'cassiterite'");
            }
            try (Node stock = second(first).stock().yaml("memtable", StockPeerTest.CONFIGURATIONS).start(); Cql cql = stock.cql())
            {
                for (int p = 0; p < ROWS; p++)
                    cql.run("INSERT INTO replayed.t (p, v) VALUES (?, ?)", p, "value " + p);
                Pause.millis(MARKED.toMillis());
                stock.killNine();
            }
            try (Node second = second(first).keep().start())
            {
                Peers.kill(first, second);
                try (Cql cql = second.cql())
                {
                    assertEquals(List.of("count=" + ROWS), cql.texts("SELECT count(*) FROM replayed.t"));
                }
            }
        }
    }

    private static NodeBuilder second(Node first)
    {
        return JoinAndLeaveTest.node("replay-2", "127.0.0.2").joining(first);
    }
}
