/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.repair;

import java.util.List;
import java.util.concurrent.TimeUnit;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.cassiterite.nodetest.Cql;
import io.cassiterite.nodetest.Node;
import io.cassiterite.nodetest.Pause;

import static org.junit.jupiter.api.Assertions.assertEquals;

/**
 * Of a row that outlives its INSERT an engine replica keeps cells that a stock replica leaves out. Their digests differ
 * then; the answer has the row, and read repair writes none of these cells, whose values are not read.
 */
@Timeout(value = 1200, unit = TimeUnit.SECONDS)
class MixedReadsTest
{
    private static final int ROWS = 10;
    private static final int TTL_SECONDS = 1;
    private static final int READS = 6;

    @Test
    void aRowThatOutlivesItsInsertIsReadAndNotHarmed()
    {
        try (Pair pair = Pair.mixed("mixed-reads"); Cql cql = pair.first.cql(Pair.KEYSPACE))
        {
            cql.run("CREATE TABLE outlived (k int, c int, r1 int, r2 int, m map<int, int>, PRIMARY KEY (k, c)) "
                    + "WITH memtable = 'cassiterite'");
            pair.awaitBoth();
            for (int c = 0; c < ROWS; c++)
            {
                atAll(cql, "INSERT INTO outlived (k, c, r1, m) VALUES (1, " + c + ", 5, {1: 1})");
                atAll(cql, "INSERT INTO outlived (k, c, r2) VALUES (1, " + c + ", 2) USING TTL " + TTL_SECONDS);
            }
            Pause.millis(1000 * TTL_SECONDS + 1500);
            for (int i = 0; i < READS; i++)
            {
                assertEquals(ROWS, atAll(cql, "SELECT r2 FROM outlived").size());
                assertEquals(ROWS, atAll(cql, "SELECT c, r2 FROM outlived WHERE k = 1").size());
                for (int c = 0; c < ROWS; c++)
                    assertEquals(1, atAll(cql, "SELECT r2 FROM outlived WHERE k = 1 AND c = " + c).size());
            }
            for (Node node : pair.both())
                try (Cql own = node.cql(Pair.KEYSPACE))
                {
                    List<Row> rows = own.localRows("SELECT r1, m FROM outlived");
                    assertEquals(ROWS, rows.stream().filter(row -> row.getInt(0) == 5
                                                                   && row.getMap(1, Integer.class, Integer.class).size() == 1).count());
                }
            pair.assertInSync("outlived");
        }
    }

    /** At ALL, by whichever node the driver asks. */
    private static List<Row> atAll(Cql cql, String statement)
    {
        return cql.session().execute(SimpleStatement.newInstance(statement).setConsistencyLevel(ConsistencyLevel.ALL)).all();
    }
}
