/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.crash;

import java.nio.ByteBuffer;
import java.util.Map;
import java.util.TreeMap;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;

/** The tables of the crash test and how they are read back. Stateless. */
final class Tables
{
    private Tables()
    {
    }

    static void create(CqlSession session, String memtable)
    {
        session.execute("CREATE KEYSPACE IF NOT EXISTS crash WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}");
        for (String name : new String[]{ "rows", "pair" })
            session.execute("CREATE TABLE IF NOT EXISTS crash." + name + " (w int, p int, c int, g bigint, a blob, b blob, h bigint static,"
                            + " PRIMARY KEY ((w, p), c)) WITH memtable = '" + memtable + "'");
        session.execute("CREATE TABLE IF NOT EXISTS crash.steps (w int, p int, n bigint, a blob, PRIMARY KEY ((w, p))) WITH memtable = '"
                        + memtable + "'");
    }

    /** Reads a partition, and checks that every row is whole. */
    static PartitionState read(CqlSession session, String table, int writer, int partition)
    {
        return state(session.execute(select(table) + " WHERE w = " + writer + " AND p = " + partition), writer, partition);
    }

    static String select(String table)
    {
        return "SELECT c, g, a, b, h FROM crash." + table;
    }

    /** Checks that every row is whole. */
    static PartitionState state(Iterable<Row> found, int writer, int partition)
    {
        Map<Integer, Long> rows = new TreeMap<>();
        Long header = null;
        for (Row row : found)
        {
            header = row.isNull("h") ? null : Long.valueOf(row.getLong("h"));
            if (row.isNull("c"))
                continue;
            int clustering = row.getInt("c");
            long generation = row.getLong("g");
            for (int column = 0; column < 2; column++)
            {
                ByteBuffer bytes = row.getBytesUnsafe(column == 0 ? "a" : "b");
                if (!Payload.of(generation, clustering, column).equals(bytes))
                    throw new IllegalStateException("half-written row: " + writer + '/' + partition + '/' + clustering + " generation "
                            + generation);
            }
            rows.put(clustering, generation);
        }
        return new PartitionState(rows, header);
    }

    /** Reads a lightweight transaction's row; SERIAL ends what was left undecided. Returns 0 where there is none. */
    static long readStep(CqlSession session, int writer, int partition, ConsistencyLevel level)
    {
        Row row = session.execute(SimpleStatement.newInstance("SELECT n, a FROM crash.steps WHERE w = " + writer + " AND p = " + partition)
                                                 .setConsistencyLevel(level)).one();
        return step(row, writer, partition);
    }

    /** @param row null where there is none */
    static long step(Row row, int writer, int partition)
    {
        if (row == null)
            return 0;
        long step = row.getLong("n");
        if (!Payload.of(step, partition, 2).equals(row.getByteBuffer("a")))
            throw new IllegalStateException("half-written row: steps " + writer + '/' + partition + " generation " + step);
        return step;
    }
}
