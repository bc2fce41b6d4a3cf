/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.move;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicReference;

import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.cql.Row;

import io.cassiterite.nodetest.Cql;

import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Rows that are written, deleted, counted and read all the time, and what of that was acknowledged. Each change of a row has a
 * number; some of them delete it. What a read shows must be a change between the last one that was acknowledged when it began
 * and the last one that had begun when it ended. That holds across restarts of the node, with a connection of each.
 */
final class Ledger
{
    private static final int KEYS = 240;
    private static final int COUNTERS = 20;
    private static final int WRITERS = 2;
    private static final int DELETES_EACH = 5;

    private final String keyspace;
    private final AtomicIntegerArray acknowledged = new AtomicIntegerArray(KEYS);
    private final AtomicIntegerArray begun = new AtomicIntegerArray(KEYS);
    private final AtomicIntegerArray counted = new AtomicIntegerArray(COUNTERS);
    private final AtomicIntegerArray tried = new AtomicIntegerArray(COUNTERS);
    private final AtomicReference<Throwable> failure = new AtomicReference<>();

    Ledger(String keyspace)
    {
        this.keyspace = keyspace;
    }

    static Ledger create(Cql cql, String keyspace, String memtable)
    {
        return create(cql, keyspace, memtable, 0);
    }

    /** @param graceSeconds for which the tables keep deletions */
    static Ledger create(Cql cql, String keyspace, String memtable, int graceSeconds)
    {
        String options = " WITH memtable = '" + memtable + "' AND gc_grace_seconds = " + graceSeconds
                         + " AND compaction = {'class': 'SizeTieredCompactionStrategy', 'min_threshold': 2}";
        cql.run("CREATE TABLE " + keyspace + ".ledger (p int, k int, v int, PRIMARY KEY (p, k))" + options);
        cql.run("CREATE TABLE " + keyspace + ".counts (k int PRIMARY KEY, n counter)" + options);
        return new Ledger(keyspace);
    }

    /** Clients of one start of the node. */
    final class Clients implements AutoCloseable
    {
        private final Cql cql;
        private final ExecutorService threads = Executors.newCachedThreadPool();
        private volatile boolean finished;

        Clients(Cql cql)
        {
            this.cql = cql;
            for (int writer = 0; writer < WRITERS; writer++)
            {
                int first = writer;
                loop(() -> change(first + WRITERS * ThreadLocalRandom.current().nextInt(KEYS / WRITERS)));
            }
            loop(this::count);
            loop(() -> check(ThreadLocalRandom.current().nextInt(KEYS)));
            loop(this::checkAll);
        }

        private void loop(Runnable request)
        {
            threads.execute(() -> {
                while (!finished && failure.get() == null)
                    try
                    {
                        request.run();
                        Thread.sleep(1);
                    }
                    catch (DriverException e)
                    {
                        Thread.yield(); // not answered
                    }
                    catch (InterruptedException e)
                    {
                        return;
                    }
                    catch (RuntimeException | AssertionError e)
                    {
                        failure.compareAndSet(null, e);
                    }
            });
        }

        private void change(int key)
        {
            int number = begun.incrementAndGet(key);
            if (isDelete(number))
                cql.run("DELETE FROM " + keyspace + ".ledger WHERE p = ? AND k = ?", key % 7, key);
            else
                cql.run("INSERT INTO " + keyspace + ".ledger (p, k, v) VALUES (?, ?, ?)", key % 7, key, number);
            acknowledged.set(key, number);
        }

        private void count()
        {
            int key = ThreadLocalRandom.current().nextInt(COUNTERS);
            tried.incrementAndGet(key);
            cql.run("UPDATE " + keyspace + ".counts SET n = n + 1 WHERE k = ?", key);
            counted.incrementAndGet(key);
        }

        private void check(int key)
        {
            int least = acknowledged.get(key);
            String select = "SELECT v FROM " + keyspace + ".ledger WHERE p = ? AND k = ?";
            List<Row> found = cql.rows(select, key % 7, key);
            assertPossible(key, least, found.isEmpty() ? null : found.get(0).getInt(0));
        }

        /** In one scan, and all counters. */
        private void checkAll()
        {
            int[] least = new int[KEYS];
            for (int key = 0; key < KEYS; key++)
                least[key] = acknowledged.get(key);
            Map<Integer, Integer> found = new HashMap<>();
            cql.rows("SELECT k, v FROM " + keyspace + ".ledger").forEach(row -> found.put(row.getInt(0), row.getInt(1)));
            for (int key = 0; key < KEYS; key++)
                assertPossible(key, least[key], found.get(key));
            for (int key = 0; key < COUNTERS; key++)
            {
                int counts = counted.get(key);
                List<Row> rows = cql.rows("SELECT n FROM " + keyspace + ".counts WHERE k = ?", key);
                long n = rows.isEmpty() ? 0 : rows.get(0).getLong(0);
                int most = tried.get(key);
                assertTrue(n >= counts && n <= most, "counter " + key + ": " + counts + " to " + most + ", and is " + n);
            }
        }

        @Override
        public void close()
        {
            finished = true;
            threads.shutdownNow();
            try
            {
                threads.awaitTermination(30, TimeUnit.SECONDS);
            }
            catch (InterruptedException e)
            {
                Thread.currentThread().interrupt();
            }
            throwFailure();
        }
    }

    /** Checks all rows, with nobody at work. */
    void check(Cql cql)
    {
        Clients clients = new Clients(cql);
        clients.finished = true;
        clients.close();
        clients.checkAll();
        for (int key = 0; key < KEYS; key++)
            clients.check(key);
    }

    int changes()
    {
        int sum = 0;
        for (int key = 0; key < KEYS; key++)
            sum += acknowledged.get(key);
        return sum;
    }

    boolean hasFailed()
    {
        return failure.get() != null;
    }

    void throwFailure()
    {
        if (hasFailed())
            throw new AssertionError("a client has failed", failure.get());
    }

    private void assertPossible(int key, int least, Integer value)
    {
        int most = begun.get(key);
        boolean isPossible = false;
        for (int number = least; number <= most; number++)
            isPossible |= number == 0 || isDelete(number) ? value == null : value != null && value == number;
        assertTrue(isPossible, "row " + key + " was changed " + least + " to " + most + " times, and shows " + value);
    }

    private static boolean isDelete(int number)
    {
        return number % DELETES_EACH == 0;
    }
}
