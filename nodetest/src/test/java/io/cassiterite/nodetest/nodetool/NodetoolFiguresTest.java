/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.nodetool;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.cassiterite.nodetest.Await;
import io.cassiterite.nodetest.Cql;
import io.cassiterite.nodetest.EngineFigures;
import io.cassiterite.nodetest.Node;
import io.cassiterite.nodetest.NodeTest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The figures that nodetool shows of engine tables follow what its verbs do to them. */
@Tag("surface")
@NodeTest
class NodetoolFiguresTest
{
    private static final String KEYSPACE = "nodetoolfigurestest";
    private static final String TAG = "figures";
    private static final int ROWS = 300;
    private static final int ROW_BYTES = 4096;
    private static final long DATA_BYTES = (long) ROWS * ROW_BYTES;
    /** What an empty memtable takes, and what a snapshot has beside the table's files. */
    private static final long LITTLE_BYTES = 100_000;
    private static final Duration FOLLOWS_WITHIN = Duration.ofSeconds(60);
    private static final Map<String, Double> UNITS = Map.of("bytes", 1.0, "KiB", 1024.0, "MiB", 1024.0 * 1024, "GiB", 1024.0 * 1024 * 1024);

    private final Node node;
    private final Cql cql;
    private final Random random = new Random(7);

    NodetoolFiguresTest(Node node, Cql cql)
    {
        this.node = node;
        this.cql = cql;
    }

    @Test
    void flushMovesBytesFromTheMemtableToFilesAndCompactionGivesBackWhatWasOverwritten()
    {
        create("f");
        write("f");
        assertTrue(figure("f", "memtable_bytes") > DATA_BYTES);
        assertEquals(0, figure("f", "sst_bytes"));
        flush("f");
        assertBetween(0, LITTLE_BYTES, figure("f", "memtable_bytes"));
        assertBetween(DATA_BYTES * 9 / 10, DATA_BYTES * 11 / 10, figure("f", "sst_bytes"));
        write("f");
        flush("f");
        long before = figure("f", "sst_bytes");
        awaitSpace("f", before);
        compact("f");
        long after = figure("f", "sst_bytes");
        assertBetween(DATA_BYTES * 9 / 10, before * 2 / 3, after);
        awaitSpace("f", after);
    }

    @Test
    void snapshotsAreListedWithTheSpaceThatTheyAloneTakeUntilTheyAreCleared()
    {
        create("s");
        write("s");
        storage("takeSnapshot", TAG, Map.of(), names(KEYSPACE + ".s"));
        assertBetween(1, LITTLE_BYTES, metric("s", "SnapshotsSize", "Value"));
        write("s");
        compact("s"); // the files of the snapshot are its own, once the engine has deleted them
        await("the snapshot has the files", () -> metric("s", "SnapshotsSize", "Value") >= DATA_BYTES * 9 / 10);
        assertBetween(DATA_BYTES * 9 / 10, DATA_BYTES * 11 / 10, metric("s", "SnapshotsSize", "Value"));
        String listed = node.nodetool("listsnapshots").success();
        assertBetween(DATA_BYTES * 9 / 10, DATA_BYTES * 11 / 10, bytes(TAG + "\\s+" + KEYSPACE + "\\s+s\\s+", listed));
        assertTrue(bytes("Total TrueDiskSpaceUsed: ", listed) > DATA_BYTES * 9 / 10, listed);
        storage("clearSnapshot", TAG, names(KEYSPACE));
        assertEquals(0, metric("s", "SnapshotsSize", "Value"));
        assertFalse(((Map<?, ?>) storage("getSnapshotDetails", Map.of())).containsKey(TAG));
    }

    @Test
    void statisticsCountRowsReadsWritesAndBytes()
    {
        create("t");
        write("t");
        flush("t");
        for (int k = 0; k < ROWS; k += 3)
            assertEquals(1, cql.rows("SELECT v FROM t WHERE k = ?", k).size());
        awaitSpace("t", figure("t", "sst_bytes"));
        String stats = node.nodetool("tablestats", KEYSPACE + ".t").success();
        assertBetween(ROWS / 2, ROWS * 2, (long) number("Number of partitions \\(estimate\\): ", stats));
        assertEquals(figure("t", "sst_bytes"), (long) number("Space used \\(live\\): ", stats));
        assertEquals(ROWS / 3, (int) number("Local read count: ", stats));
        assertEquals(ROWS, (int) number("Local write count: ", stats));
        assertTrue(number("Local read latency: ", stats) > 0, stats);
        assertTrue(number("Local write latency: ", stats) > 0, stats);
        String info = node.nodetool("info").success();
        assertTrue(bytes("Load\\s+: ", info) > DATA_BYTES * 9 / 10, info);
    }

    /** What dashboards read: Cassandra's own names. */
    @Test
    void memoryIsOffTheHeapAndPartitionsHaveSizes()
    {
        create("m");
        write("m");
        assertEquals(0, metric("m", "MemtableOnHeapDataSize", "Value"));
        assertEquals(0, metric("m", "AllMemtablesOnHeapDataSize", "Value"));
        long memory = figure("m", "memtable_bytes");
        for (String name : List.of("MemtableOffHeapDataSize", "AllMemtablesOffHeapDataSize", "MemtableLiveDataSize",
                                   "AllMemtablesLiveDataSize"))
            assertEquals(memory, metric("m", name, "Value"), name);
        assertBetween(ROWS, 2 * ROWS, metric("m", "MemtableColumnsCount", "Value"));
        assertBetween(ROWS / 2, ROWS * 2, metric("m", "EstimatedPartitionCount", "Value"));
        flush("m");
        assertBetween(ROW_BYTES * 9 / 10, ROW_BYTES * 11 / 10, metric("m", "MeanPartitionSize", "Value"));
        assertEquals(metric("m", "MeanPartitionSize", "Value"), metric("m", "MeanRowSize", "ColumnFamily", "Value"));
    }

    @Test
    void histogramsCountAllPartitionsByTheirSizes()
    {
        cql.run("CREATE TABLE h (k int, c int, v text, PRIMARY KEY (k, c)) WITH memtable = 'cassiterite'");
        for (int k = 0; k < ROWS; k++)
            cql.run("INSERT INTO h (k, c, v) VALUES (?, 0, 'small')", k);
        for (int c = 1; c < 3000; c++)
            cql.run("INSERT INTO h (k, c, v) VALUES (0, ?, 'of a large partition')", c);
        flush("h");
        String told = node.nodetool("tablehistograms", KEYSPACE, "h").success();
        assertFalse(told.contains("No SSTables exists"), told);
        String[] half = match("50%(.*)", told).group(1).trim().split("\\s+");
        assertBetween(1, 2, (long) Double.parseDouble(half[4]));
        assertBetween(5, 100, (long) Double.parseDouble(half[3]));
        long[] counts = (long[]) attribute("h", "EstimatedColumnCountHistogram");
        assertBetween(ROWS / 2, ROWS * 2, Arrays.stream(counts).sum());
    }

    @Test
    void compactionsOfTheEngineAreCounted()
    {
        create("c");
        write("c");
        flush("c");
        long ended = compactions("TotalCompactionsCompleted");
        long bytes = compactions("BytesCompacted");
        compact("c");
        await("it is counted", () -> compactions("TotalCompactionsCompleted") > ended);
        await("its bytes are counted", () -> compactions("BytesCompacted") - bytes > DATA_BYTES * 9 / 10);
        String stats = node.nodetool("compactionstats").success();
        assertTrue(stats.contains("pending tasks"), stats);
    }

    private long compactions(String name)
    {
        try (var jmx = node.jmx())
        {
            return ((Number) jmx.attribute("org.apache.cassandra.metrics:type=Compaction,name=" + name, "Count")).longValue();
        }
    }

    private void create(String table)
    {
        cql.run("CREATE TABLE " + table + " (k int PRIMARY KEY, v blob) WITH memtable = 'cassiterite'");
    }

    /** Writes every row with bytes that no compression makes small. */
    private void write(String table)
    {
        byte[] value = new byte[ROW_BYTES];
        for (int k = 0; k < ROWS; k++)
        {
            random.nextBytes(value);
            cql.run("INSERT INTO " + table + " (k, v) VALUES (?, ?)", k, ByteBuffer.wrap(value.clone()));
        }
    }

    private void flush(String table)
    {
        node.flush(KEYSPACE, table);
    }

    private void compact(String table)
    {
        node.compact(KEYSPACE, table);
    }

    private static String[] names(String... names)
    {
        return names;
    }

    /** What nodetool does for its verbs, in a fraction of the time. */
    private Object storage(String operation, Object... arguments)
    {
        String[] signature = Arrays.stream(arguments).map(NodetoolFiguresTest::type).toArray(String[]::new);
        try (var jmx = node.jmx())
        {
            return jmx.invoke("org.apache.cassandra.db:type=StorageService", operation, arguments, signature);
        }
    }

    private static String type(Object argument)
    {
        return (argument instanceof Map ? Map.class : argument.getClass()).getName();
    }

    /** The engine's own figure. */
    private long figure(String table, String name)
    {
        return EngineFigures.of(cql, KEYSPACE, table, name);
    }

    /** Cassandra's figure. */
    private long metric(String table, String name, String attribute)
    {
        return metric(table, name, "Table", attribute);
    }

    private long metric(String table, String name, String type, String attribute)
    {
        return ((Number) attribute(table, name, type, attribute)).longValue();
    }

    private Object attribute(String table, String name)
    {
        return attribute(table, name, "Table", "Value");
    }

    private Object attribute(String table, String name, String type, String attribute)
    {
        try (var jmx = node.jmx())
        {
            return jmx.attribute("org.apache.cassandra.metrics:type=" + type + ",keyspace=" + KEYSPACE + ",scope=" + table +
                                 ",name=" + name, attribute);
        }
    }

    private void awaitSpace(String table, long bytes)
    {
        await("the space is " + bytes, () -> metric(table, "LiveDiskSpaceUsed", "Count") == bytes);
    }

    private static void await(String what, Callable<Boolean> condition)
    {
        Await.until(what, FOLLOWS_WITHIN, condition);
    }

    private static void assertBetween(long least, long most, long found)
    {
        assertTrue(found >= least && found <= most, () -> found + " is not from " + least + " to " + most);
    }

    private static double number(String label, String text)
    {
        return Double.parseDouble(match(label + "([0-9.]+)", text).group(1));
    }

    private static long bytes(String label, String text)
    {
        Matcher size = match(label + "([0-9.]+) (bytes|KiB|MiB|GiB)", text);
        return (long) (Double.parseDouble(size.group(1)) * UNITS.get(size.group(2)));
    }

    private static Matcher match(String regex, String text)
    {
        Matcher matcher = Pattern.compile(regex).matcher(text);
        assertTrue(matcher.find(), () -> regex + " is not in:\n" + text);
        return matcher;
    }
}
