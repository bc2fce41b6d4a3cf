/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.repair;

import java.util.concurrent.TimeUnit;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.cassiterite.nodetest.Cql;
import io.cassiterite.nodetest.Node;
import io.cassiterite.nodetest.Pause;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** A full repair gives each of two replicas what it missed; both then answer the same. */
@Tag("cluster")
@Timeout(value = 1200, unit = TimeUnit.SECONDS)
class RepairConvergesTest
{
    private static final int WRITES = 150;

    @Test
    void engineAndEngine()
    {
        try (Pair pair = Pair.engines("repair-engines"))
        {
            converge(pair);
        }
    }

    @Test
    void engineAndStock()
    {
        try (Pair pair = Pair.mixed("repair-mixed"))
        {
            converge(pair);
        }
    }

    private static void converge(Pair pair)
    {
        Everything.diverge(pair, WRITES);
        pair.assertOutOfSync();
        String expected = quorum(pair);

        String repaired = Pair.repair(pair.first, "-seq").success();
        assertTrue(repaired.contains("Repair completed successfully"), repaired);
        Pause.millis(2000);
        pair.assertInSync();
        assertEquals(expected, rowsOf(pair, pair.first));
        assertEquals(expected, rowsOf(pair, pair.second));
        assertNotEquals("", expected);
    }

    /** The rows of both nodes together. */
    private static String quorum(Pair pair)
    {
        Pause.millis(2000); // until what was written with a TTL of 1 s has certainly expired
        try (Cql cql = pair.second.cql(Pair.KEYSPACE))
        {
            return Everything.answers(cql, ConsistencyLevel.QUORUM);
        }
    }

    private static String rowsOf(Pair pair, Node node)
    {
        StringBuilder answers = new StringBuilder();
        pair.without(pair.other(node), () ->
        {
            try (Cql cql = node.cql(Pair.KEYSPACE))
            {
                answers.append(Everything.answers(cql, ConsistencyLevel.ONE));
            }
        });
        return answers.toString();
    }
}
