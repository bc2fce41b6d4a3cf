/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.frontdoor.drivers;

import io.cassiterite.nodetest.Cql;

/** Statements of all kinds that the door answers, and values with which it does not. */
final class KeyedReads implements Scenario
{
    private static final int PARTITIONS = 50;
    private static final int CONCURRENT = 300;

    @Override
    public void create(Cql cql)
    {
        cql.run("CREATE TABLE drivers.rows (k int, a int, b int, s map<text, int> static, v text, l list<int>, PRIMARY KEY (k, a, b))"
                + " WITH memtable = 'cassiterite'");
        cql.run("CREATE TABLE drivers.counters (k int PRIMARY KEY, n counter) WITH memtable = 'cassiterite'");
        for (int k = 0; k < PARTITIONS; k++)
        {
            for (int row = 0; row < 6; row++)
                cql.run("INSERT INTO drivers.rows (k, a, b, s, v, l) VALUES (?, ?, ?, {'k': " + k + "}, 'v', [" + row + ", 0])", k,
                        row / 3, row % 3);
            cql.run("UPDATE drivers.counters SET n = n + " + k + " WHERE k = ?", k);
        }
    }

    @Override
    public void run(Run run)
    {
        read(run, "key", "SELECT * FROM drivers.rows WHERE k = ? AND a = ? AND b = ?", 3, 1, 2);
        read(run, "in", "SELECT b, v FROM drivers.rows WHERE k = ? AND a = ? AND b IN (?, ?, 7)", 3, 1, 2, 0);
        read(run, "limit", "SELECT a, b FROM drivers.rows WHERE k = ? AND a >= ? ORDER BY a DESC, b DESC LIMIT ?", 3, 0, 4);
        read(run, "per partition", "SELECT a, b FROM drivers.rows WHERE k = ? PER PARTITION LIMIT ?", 3, 2);
        read(run, "static", "SELECT k, s FROM drivers.rows WHERE k = ?", 3);
        read(run, "counter", "SELECT * FROM drivers.counters WHERE k = ?", 3);
        run.execute("key", 3, null, 2);
        run.execute("key", null, 1, 2);
        run.execute("limit", 3, 0, 0);
        run.execute("limit", 3, 0, -1);
        run.execute("limit", 3, null, 1);
        run.record("all at once", run.session.concurrently("counter", CONCURRENT));
        run.record("all at once", run.session.concurrently("static", CONCURRENT));
        // Never answered by the door.
        run.prepare("filter", "SELECT * FROM drivers.rows WHERE k = ? AND v = 'v' ALLOW FILTERING");
        run.execute("filter", 3);
        run.prepare("function", "SELECT max(b), token(k) FROM drivers.rows WHERE k = ?");
        run.execute("function", 3);
        run.query("SELECT k, n FROM drivers.counters LIMIT 3");
        run.query("SELECT nothing FROM drivers.counters");
        run.prepare("wrong", "SELECT * FROM drivers.nowhere WHERE k = ?");
    }

    private static void read(Run run, String statement, String cql, Object... values)
    {
        run.prepare(statement, cql);
        run.warm(statement, values);
        run.execute(statement, values);
        Object[] others = values.clone();
        others[0] = PARTITIONS + 1;
        run.execute(statement, others);
    }
}
