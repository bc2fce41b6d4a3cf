/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.nodetool;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.cql.Row;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.cassiterite.nodetest.Await;
import io.cassiterite.nodetest.CompactionThroughput;
import io.cassiterite.nodetest.Cql;
import io.cassiterite.nodetest.Node;
import io.cassiterite.nodetest.NodeTest;
import io.cassiterite.nodetest.Output;
import io.cassiterite.nodetest.Pause;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** nodetool shows the work that runs in the engine, slows it down and ends it. */
@Tag("cluster")
@NodeTest(own = true)
class RunningWorkTest
{
    private static final String KEYSPACE = "runningworktest";
    private static final String MANAGER = "org.apache.cassandra.db:type=CompactionManager";
    private static final int ROWS = 8_000;
    private static final int ROW_BYTES = 2_000;
    /** At 1 MiB/s their compaction lasts half a minute. */
    private static final int MANY_ROWS = 2 * ROWS;
    private static final long DATA_BYTES = (long) MANY_ROWS * ROW_BYTES;
    private static final Duration BOUND = Duration.ofMinutes(3);
    /** An index that could be built again by itself is looked at each second. */
    private static final int LOOKED_AT_MS = 4_000;

    private static void write(Cql cql, String table, int rows)
    {
        cql.run("CREATE TABLE " + table + " (k int PRIMARY KEY, v int, b blob) WITH memtable = 'cassiterite'");
        Random random = new Random(3);
        cql.runEach("INSERT INTO " + table + " (k, v, b) VALUES (?, ?, ?)", IntStream.range(0, rows), k -> {
            byte[] value = new byte[ROW_BYTES];
            random.nextBytes(value);
            return new Object[]{ k, k % 100, ByteBuffer.wrap(value) };
        });
    }

    @SuppressWarnings("unchecked")
    private static List<Map<String, String>> running(Node node, String table)
    {
        try (var jmx = node.jmx())
        {
            List<Map<String, String>> all = (List<Map<String, String>>) jmx.attribute(MANAGER, "Compactions");
            return all.stream().filter(one -> KEYSPACE.equals(one.get("keyspace")) && table.equals(one.get("columnfamily")))
                      .collect(Collectors.toList());
        }
    }

    private static void await(String what, Callable<Boolean> condition)
    {
        Await.until(what, BOUND, condition);
    }

    @Test
    void aCompactionIsShownAndStopped(Node node, Cql cql)
    {
        write(cql, "c", MANY_ROWS);
        node.nodetool("flush", KEYSPACE, "c").success();
        CompactionThroughput.set(node, cql, 1);
        CompletableFuture<Output> compact = CompletableFuture.supplyAsync(() -> node.nodetool("compact", KEYSPACE, "c"));
        await("it is shown", () -> running(node, "c").stream().anyMatch(one -> !one.get("completed").equals("0")));
        Map<String, String> shown = running(node, "c").get(0);
        assertEquals("Compaction", shown.get("taskType"));
        assertTrue(Long.parseLong(shown.get("total")) >= DATA_BYTES, shown::toString);
        assertTrue(Long.parseLong(shown.get("completed")) <= Long.parseLong(shown.get("total")), shown::toString);
        String stats = node.nodetool("compactionstats").success();
        assertTrue(stats.contains(shown.get("compactionId")), stats);

        String refusal = stop(node, "stopCompactionById", shown.get("compactionId"));
        assertTrue(refusal.contains("nodetool stop COMPACTION"), refusal);
        assertFalse(running(node, "c").isEmpty());
        assertEquals("", stop(node, "stopCompaction", "COMPACTION"));
        Output stopped = compact.join();
        assertNotEquals(0, stopped.exitCode());
        assertTrue(stopped.text().contains("the compaction was stopped"), stopped::text);
        assertEquals(List.of(), running(node, "c"));
        assertEquals(MANY_ROWS, cql.rows("SELECT k FROM c").size());

        CompactionThroughput.set(node, cql, 0);
        node.nodetool("compact", KEYSPACE, "c").success();
        assertEquals(MANY_ROWS, cql.rows("SELECT k FROM c").size());
        await("it is history", () -> !history(cql, "c").isEmpty());
        Row row = history(cql, "c").get(0);
        assertTrue(row.getLong("bytes_in") > DATA_BYTES * 9 / 10, row::getFormattedContents);
        assertTrue(row.getLong("bytes_out") > DATA_BYTES * 9 / 10, row::getFormattedContents);
        String told = node.nodetool("compactionhistory").success();
        assertTrue(told.contains(KEYSPACE) && told.contains("cassiterite"), told);
    }

    @Test
    void aVerificationIsShownAndStopped(Node node, Cql cql)
    {
        write(cql, "v", ROWS);
        node.nodetool("flush", KEYSPACE, "v").success();
        CompactionThroughput.set(node, cql, 1);
        CompletableFuture<Output> verify = CompletableFuture.supplyAsync(() -> node.nodetool("verify", "-f", KEYSPACE, "v"));
        await("it is shown", () -> running(node, "v").stream().anyMatch(one -> !one.get("completed").equals("0")));
        Map<String, String> shown = running(node, "v").get(0);
        assertEquals("Verify", shown.get("taskType"));
        assertTrue(Long.parseLong(shown.get("total")) >= (long) ROWS * ROW_BYTES, shown::toString);
        assertEquals("", stop(node, "stopCompaction", "VERIFY"));
        Output stopped = verify.join();
        assertTrue(stopped.text().contains("Aborted verifying for at least one table in keyspace " + KEYSPACE), stopped::text);
        assertEquals(List.of(), running(node, "v"));
        CompactionThroughput.set(node, cql, 0);
        node.nodetool("verify", "-f", KEYSPACE, "v").success();
    }

    private static List<Row> history(Cql cql, String table)
    {
        return cql.rows("SELECT * FROM system.compaction_history").stream()
                  .filter(ended -> KEYSPACE.equals(ended.getString("keyspace_name")) && table.equals(ended.getString("columnfamily_name")))
                  .collect(Collectors.toList());
    }

    @Test
    void aBuildOfAnIndexThatIsStoppedWaitsUntilSomebodyAsks(Node node, Cql cql)
    {
        write(cql, "i", ROWS);
        CompactionThroughput.set(node, cql, 1);
        cql.run("CREATE INDEX by_v ON i (v)");
        await("it is shown", () -> running(node, "i").stream().anyMatch(one -> one.get("taskType").equals("Secondary index build")));
        assertEquals("", stop(node, "stopCompaction", "INDEX_BUILD"));
        await("it has ended", () -> running(node, "i").isEmpty());
        Pause.millis(LOOKED_AT_MS);
        assertEquals(List.of(), running(node, "i"));
        String query = "SELECT k FROM i WHERE v = 7";
        assertTrue(fails(cql, query));
        CompactionThroughput.set(node, cql, 0);
        node.nodetool("rebuild_index", KEYSPACE, "i", "by_v").success();
        assertEquals(ROWS / 100, cql.rows(query).size());
    }

    /** What nodetool stop does, in a fraction of the time. @return why it was refused, or nothing */
    private static String stop(Node node, String operation, String what)
    {
        try (var jmx = node.jmx())
        {
            jmx.invoke(MANAGER, operation, new Object[]{ what }, new String[]{ String.class.getName() });
            return "";
        }
        catch (RuntimeException e)
        {
            Throwable cause = e;
            while (cause.getCause() != null)
                cause = cause.getCause();
            return String.valueOf(cause.getMessage());
        }
    }

    private static boolean fails(Cql cql, String query)
    {
        try
        {
            cql.rows(query);
            return false;
        }
        catch (DriverException e)
        {
            return true;
        }
    }

    @Test
    void aBuildThatIsKilledBeginsAgain(Node node, Cql cql)
    {
        write(cql, "k", ROWS);
        CompactionThroughput.set(node, cql, 1);
        cql.run("CREATE INDEX by_k ON k (v)");
        await("it is in the middle", () -> running(node, "k").stream().anyMatch(one -> !one.get("completed").equals("0")));
        node.killNine();
        node.start();
        // Once the session has the node again, too.
        await("it is built", () -> !fails(cql, "SELECT k FROM k WHERE v = 7"));
        for (int v = 0; v < 100; v += 9)
            assertEquals(ROWS / 100, cql.rows("SELECT k FROM k WHERE v = ?", v).size());
    }
}
