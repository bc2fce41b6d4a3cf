/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.repair;

import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.cassiterite.nodetest.Cql;
import io.cassiterite.nodetest.Node;
import io.cassiterite.nodetest.Pause;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * A validation digests the same on a node with the engine and on a stock node that has the same data, whatever kind of
 * data it is, however each of them flushed and compacted it: a repair finds nothing to do.
 */
@Timeout(value = 1200, unit = TimeUnit.SECONDS)
class MixedValidationTest
{
    private static final int WRITES = 250;
    private static final Pattern TOKEN = Pattern.compile("\\s(-?\\d{4,})\\s*$", Pattern.MULTILINE);

    @Test
    void aRepairOfEqualReplicasFindsNothingToDo()
    {
        try (Pair pair = Pair.mixed("mixed-validation"); Cql cql = pair.first.cql(Pair.KEYSPACE))
        {
            Everything.create(cql);
            pair.awaitBoth();
            Everything data = new Everything(4);
            data.write(cql, WRITES, ConsistencyLevel.ALL);
            pair.second.flush(Pair.KEYSPACE);
            data.write(cql, WRITES, ConsistencyLevel.ALL);
            pair.first.flush(Pair.KEYSPACE);
            pair.second.flush(Pair.KEYSPACE);
            data.write(cql, WRITES / 5, ConsistencyLevel.ALL);
            Pause.millis(3000); // expired is what was written with a TTL of 1 s, and purgeable what was deleted
            pair.assertInSync();

            pair.first.compact(Pair.KEYSPACE);
            pair.assertInSync();
            pair.second.compact(Pair.KEYSPACE);
            pair.assertInSync();

            Everything.change(cql);
            pair.awaitBoth();
            pair.assertInSync();
            data.write(cql, WRITES / 5, ConsistencyLevel.ALL);
            pair.assertInSync();

            repairsStreamNothing(pair);
            previewsOfWhatIsNotRepaired(pair);
        }
    }

    private static void repairsStreamNothing(Pair pair)
    {
        pair.both().forEach(node -> node.log().mark());
        for (Node node : pair.both())
        {
            for (String option : List.of("-seq", "-pr", "-dcpar"))
                assertCompleted(Pair.repair(node, option).success());
            List<Long> part = partOfOneRange(node);
            assertCompleted(node.nodetool("repair", "--full", "-st", part.get(0).toString(), "-et", part.get(1).toString(),
                                          Pair.KEYSPACE, "wide").success());
        }
        for (Node node : pair.both())
        {
            assertEquals(List.of(), node.log().grep("range\\(s\\) out of sync"));
            assertEquals(List.of(), node.log().errors());
        }
        assertFalse(pair.first.log().grep("Validating about [1-9][0-9]* partitions of pair.wide in the engine").isEmpty());
        long snapshots = pair.first.log().grep("Snapshot of pair\\.(wide|purged|counted|changed) in").size();
        assertTrue(snapshots > 0, "-seq took no snapshot");
        Pause.millis(2000);
        assertEquals(snapshots, pair.first.log().grep("Released the snapshot of pair").size());
    }

    private static void assertCompleted(String text)
    {
        assertTrue(text.contains("Repair completed successfully"), text);
    }

    /** A subrange repair is about a part of one of the ring's ranges: here the first half of the first. */
    private static List<Long> partOfOneRange(Node node)
    {
        TreeSet<Long> tokens = new TreeSet<>();
        Matcher token = TOKEN.matcher(node.nodetool("ring", Pair.KEYSPACE).success());
        while (token.find())
            tokens.add(Long.valueOf(token.group(1)));
        long left = tokens.pollFirst();
        return List.of(left, left / 2 + tokens.first() / 2);
    }

    /** Without --full a preview is about what no incremental repair has marked: all of the engine's rows. */
    private static void previewsOfWhatIsNotRepaired(Pair pair)
    {
        for (Node node : pair.both())
        {
            String text = node.nodetool("repair", "--preview", Pair.KEYSPACE).success();
            assertTrue(text.contains("Previewed data was in sync"), text);
        }
    }
}
