/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.index;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.cql.Row;

import io.cassiterite.nodetest.Cql;
import io.cassiterite.nodetest.Node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** A table with few values, writers that change its rows at random, and the invariant: a scan and the indexes find the same. */
final class IndexedTable
{
    private static final int PARTITIONS = 20;
    private static final int ROWS = 10;
    private static final int VALUES = 8;
    private static final int SOME = 20;
    private static final Duration STARTED_MAX = Duration.ofMinutes(3);

    private final String name;
    private final Node node;
    private final long seed;

    /** @param name with its keyspace */
    IndexedTable(Node node, String name, long seed)
    {
        this.node = node;
        this.name = name;
        this.seed = seed;
    }

    static IndexedTable create(Node node, Cql cql, String name)
    {
        cql.run("CREATE TABLE " + name + " (k int, c int, s int static, v int, e set<int>, PRIMARY KEY (k, c))"
                + " WITH memtable = 'cassiterite'");
        long seed = System.nanoTime();
        return new IndexedTable(node, name, seed);
    }

    void index(Cql cql)
    {
        String keyspace = name.split("\\.")[0];
        cql.run("CREATE INDEX by_v ON " + name + " (v)");
        cql.run("CREATE INDEX by_e ON " + name + " (e)");
        cql.run("CREATE INDEX by_s ON " + name + " (s)");
        cql.run("CREATE INDEX by_c ON " + name + " (c)");
        for (String index : List.of("by_v", "by_e", "by_s", "by_c"))
            Indexes.awaitBuilt(cql, keyspace, index);
    }

    /** Writers that run until they are stopped, or the node is gone. */
    final class Writers implements AutoCloseable
    {
        private final List<Thread> threads = new ArrayList<>();
        private final AtomicBoolean stopped = new AtomicBoolean();
        private final AtomicLong written = new AtomicLong();

        Writers(int count)
        {
            for (int i = 0; i < count; i++)
            {
                Random random = new Random(seed + i);
                Thread thread = new Thread(() -> write(random));
                thread.start();
                threads.add(thread);
            }
        }

        /** Returns when they are at work. */
        void awaitSome()
        {
            Indexes.await(STARTED_MAX, () -> written.get() > SOME);
        }

        private void write(Random random)
        {
            try (Cql cql = node.cql())
            {
                while (!stopped.get())
                {
                    change(cql, random);
                    written.incrementAndGet();
                }
            }
            catch (DriverException e)
            {
                // the node is gone, or truncates
                if (!stopped.get() && node.isRunning())
                    write(random);
            }
        }

        @Override
        public void close()
        {
            stopped.set(true);
            for (Thread thread : threads)
            {
                try
                {
                    thread.join();
                }
                catch (InterruptedException e)
                {
                    throw new IllegalStateException(e);
                }
            }
        }
    }

    Writers write(int count)
    {
        return new Writers(count);
    }

    void change(Cql cql, Random random)
    {
        int k = random.nextInt(PARTITIONS);
        int c = random.nextInt(ROWS);
        int pick = random.nextInt(100);
        if (pick < 50)
            cql.run("UPDATE " + name + " SET v = ?, e = ? WHERE k = ? AND c = ?", random.nextInt(VALUES), values(random), k, c);
        else if (pick < 65)
            cql.run("INSERT INTO " + name + " (k, c, s, v) VALUES (?, ?, ?, ?)", k, c, random.nextInt(VALUES), random.nextInt(VALUES));
        else if (pick < 75)
            cql.run("UPDATE " + name + " SET e = e + ?, v = ? WHERE k = ? AND c = ?", values(random), random.nextInt(VALUES), k, c);
        else if (pick < 80)
            cql.run("UPDATE " + name + " USING TTL 2 SET v = ?, e = ? WHERE k = ? AND c = ?", random.nextInt(VALUES), values(random), k, c);
        else if (pick < 90)
            cql.run("DELETE FROM " + name + " WHERE k = ? AND c = ?", k, c);
        else if (pick < 94)
            cql.run("DELETE FROM " + name + " WHERE k = ? AND c > ?", k, c);
        else if (pick < 96)
            cql.run("DELETE FROM " + name + " WHERE k = ?", k);
        else
            cql.run("DELETE v, e FROM " + name + " WHERE k = ? AND c = ?", k, c);
    }

    private static Set<Integer> values(Random random)
    {
        Set<Integer> values = new TreeSet<>();
        for (int i = random.nextInt(3); i >= 0; i--)
            values.add(random.nextInt(VALUES));
        return values;
    }

    void fill(Cql cql, int changes)
    {
        Random random = new Random(seed);
        for (int i = 0; i < changes; i++)
            change(cql, random);
    }

    /** Compares a scan with what the indexes find; nobody may write, and nothing expire meanwhile. @return rows of the scan */
    int check(Cql cql)
    {
        Map<Integer, Set<String>> byV = new TreeMap<>();
        Map<Integer, Set<String>> byE = new TreeMap<>();
        Map<Integer, Set<String>> byS = new TreeMap<>();
        Map<Integer, Set<String>> byC = new TreeMap<>();
        int rows = 0;
        for (Row row : cql.rows("SELECT k, c, s, v, e FROM " + name))
        {
            String key = row.getInt("k") + "/" + row.getObject("c");
            if (!row.isNull("s"))
                byS.computeIfAbsent(row.getInt("s"), s -> new TreeSet<>()).add(key);
            if (row.isNull("c"))
                continue;
            rows++;
            byC.computeIfAbsent(row.getInt("c"), c -> new TreeSet<>()).add(key);
            if (!row.isNull("v"))
                byV.computeIfAbsent(row.getInt("v"), v -> new TreeSet<>()).add(key);
            for (int e : row.getSet("e", Integer.class))
                byE.computeIfAbsent(e, v -> new TreeSet<>()).add(key);
        }
        for (int value = 0; value < Math.max(VALUES, ROWS); value++)
        {
            compare(cql, byV, "v = ", value);
            compare(cql, byE, "e CONTAINS ", value);
            compare(cql, byS, "s = ", value);
            compare(cql, byC, "c = ", value);
        }
        return rows;
    }

    private void compare(Cql cql, Map<Integer, Set<String>> expected, String predicate, int value)
    {
        Set<String> found = new TreeSet<>();
        for (Row row : cql.rows("SELECT k, c FROM " + name + " WHERE " + predicate + value))
            assertTrue(found.add(row.getInt("k") + "/" + row.getObject("c")), "a row comes twice");
        assertEquals(expected.getOrDefault(value, Set.of()), found, predicate + value + ", seed " + seed);
    }
}
