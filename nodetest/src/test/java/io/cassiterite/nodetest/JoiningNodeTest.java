/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest;

import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The harness can make clusters. */
class JoiningNodeTest
{
    private static final int ROWS = 100;

    @Test
    void aJoiningNodeStreamsItsPartAndServesAll()
    {
        try (Node first = Node.named("join-1").stock().heap("512m").start();
             Node second = Node.named("join-2").stock().heap("512m").address("127.0.0.2").joining(first).build())
        {
            try (Cql cql = first.cql())
            {
                cql.freshKeyspace("joined");
                cql.run("CREATE TABLE joined.t (k int PRIMARY KEY, v int)");
                IntStream.range(0, ROWS).forEach(k -> cql.run("INSERT INTO joined.t (k, v) VALUES (?, ?)", k, -k));
            }

            second.start();

            String status = second.nodetool("status").success();
            assertEquals(2, status.lines().filter(line -> line.startsWith("UN ")).count(), status);
            try (Cql cql = second.cql("joined"))
            {
                assertEquals(ROWS, cql.rows("SELECT * FROM t").size());
            }
            assertTrue(first.isRunning());
        }
    }
}
