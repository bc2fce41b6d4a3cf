/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.frontdoor.drivers;

import java.util.concurrent.atomic.AtomicInteger;

import io.cassiterite.nodetest.Cql;
import io.cassiterite.nodetest.frontdoor.drivers.DriverSession.Cell;
import io.cassiterite.nodetest.frontdoor.drivers.DriverSession.Named;

import static io.cassiterite.nodetest.frontdoor.drivers.DriverSession.Unset.UNSET;

/** The driver writes what it then reads: nulls and values that are not set, by position and by name, counters, conditions. */
final class Writes implements Scenario
{
    private static final String KEYSPACE = "drivers_written";
    private static final String TABLE = KEYSPACE + ".t";
    private static final String COUNTERS = KEYSPACE + ".counters";
    private static final AtomicInteger KEYS = new AtomicInteger();

    @Override
    public void create(Cql cql)
    {
        cql.freshKeyspace(KEYSPACE);
        cql.run("CREATE TYPE " + KEYSPACE + ".pair (a int, b text)");
        cql.run("CREATE TABLE " + TABLE + " (k int, c int, v text, n int, l list<int>, m map<text, int>, s set<text>, u pair,"
                      + " PRIMARY KEY (k, c)) WITH memtable = 'cassiterite'");
        cql.run("CREATE TABLE " + COUNTERS + " (k int PRIMARY KEY, n counter) WITH memtable = 'cassiterite'");
    }

    @Override
    public void run(Run run)
    {
        // No run has written there, and no answer tells the key.
        int key = KEYS.incrementAndGet();
        run.prepare("read", "SELECT c, v, n, l, m, s, u FROM " + TABLE + " WHERE k = ?");
        run.warm("read", key);
        values(run, key);
        names(run, key);
        collections(run, key);
        condition(run, key);
        counter(run, key);
    }

    private static void values(Run run, int key)
    {
        run.prepare("insert", "INSERT INTO " + TABLE + " (k, c, v, n) VALUES (?, ?, ?, ?)");
        write(run, key, "insert", key, 1, "first", 5);
        write(run, key, "insert", key, 1, null, UNSET);
        write(run, key, "insert", key, 2, UNSET, null);
        write(run, key, "insert", key, null, "no clustering", 1);
        write(run, key, "insert", UNSET, 1, "no key", 1);
        execute(run, "read", UNSET);
        execute(run, "read", (Object) null);
    }

    private static void names(Run run, int key)
    {
        run.prepare("insert by name", "INSERT INTO " + TABLE + " (c, k, v, n) VALUES (:c, :k, :v, :n)");
        write(run, key, "insert by name", new Named("k", key), new Named("c", 3), new Named("v", "named"), new Named("n", 7));
        run.prepare("read by name", "SELECT v FROM " + TABLE + " WHERE k = :key AND c = :row");
        execute(run, "read by name", new Named("row", 3), new Named("key", key));
    }

    private static void collections(Run run, int key)
    {
        run.other.run("INSERT INTO " + TABLE + " (k, c, l, m, s, u) VALUES (" + key
                      + ", 4, [3, 1], {'x': 1}, {'b', 'a'}, {a: 4, b: 'four'})");
        run.prepare("collections", "SELECT l, m, s, u FROM " + TABLE + " WHERE k = ? AND c = ?");
        run.prepare("insert collections", "INSERT INTO " + TABLE + " (k, c, l, m, s, u) VALUES (?, ?, ?, ?, ?, ?)");
        run.warm("collections", key, 4);
        execute(run, "collections", key, 4);
        execute(run, "insert collections", key, 5, new Cell(0), new Cell(1), new Cell(2), new Cell(3));
        execute(run, "collections", key, 5);
    }

    private static void condition(Run run, int key)
    {
        run.prepare("condition", "UPDATE " + TABLE + " SET n = ? WHERE k = ? AND c = ? IF n = ?");
        write(run, key, "condition", 8, key, 3, 7);
        write(run, key, "condition", 9, key, 3, 7);
    }

    private static void counter(Run run, int key)
    {
        run.prepare("count", "UPDATE " + COUNTERS + " SET n = n + 2 WHERE k = ?");
        run.prepare("counted", "SELECT n FROM " + COUNTERS + " WHERE k = ?");
        execute(run, "count", key);
        run.warm("counted", key);
        execute(run, "counted", key);
        execute(run, "count", key);
        execute(run, "counted", key);
    }

    private static void write(Run run, int key, String statement, Object... values)
    {
        execute(run, statement, values);
        execute(run, "read", key);
    }

    private static void execute(Run run, String statement, Object... values)
    {
        run.record(statement, run.session.execute(statement, Run.WHOLE, values));
    }
}
