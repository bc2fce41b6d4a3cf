/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.frontdoor.drivers;

import java.util.concurrent.atomic.AtomicInteger;

import io.cassiterite.nodetest.Cql;

/** What the driver knows of schema and nodes, and that it hears of changes. */
final class Metadata implements Scenario
{
    private static final String KEYSPACE = "drivers_heard";
    private static final long HEARD_NANOS = 10_000_000_000L;
    private static final AtomicInteger TABLES = new AtomicInteger();

    @Override
    public void create(Cql cql)
    {
        cql.freshKeyspace(KEYSPACE);
    }

    /** Whether the driver hears of a change within a moment: after a reconnection it may have to ask first. */
    static boolean isHeard(Run run)
    {
        String table = "again" + TABLES.incrementAndGet();
        run.other.run("CREATE TABLE " + KEYSPACE + '.' + table + " (k int PRIMARY KEY) WITH memtable = 'cassiterite'");
        return run.hears(KEYSPACE, table, HEARD_NANOS);
    }

    @Override
    public void run(Run run)
    {
        run.record("nodes", run.session.nodes());
        run.record("keyspace", run.session.keyspace("drivers"));
        run.record("no keyspace", run.session.keyspace("nowhere"));
        // No session has heard this name before.
        String table = "table" + TABLES.incrementAndGet();
        run.other.run("CREATE TABLE " + KEYSPACE + '.' + table + " (k int PRIMARY KEY, v text) WITH memtable = 'cassiterite'");
        run.awaitKeyspace(KEYSPACE, table, true);
        run.other.run("ALTER TABLE " + KEYSPACE + '.' + table + " ADD added_column int");
        run.awaitKeyspace(KEYSPACE, "added_column", true);
        run.record("altered", run.session.keyspace(KEYSPACE).stream().map(line -> line.replace(table, "table")).toList());
        run.other.run("DROP TABLE " + KEYSPACE + '.' + table);
        run.awaitKeyspace(KEYSPACE, table, false);
    }
}
