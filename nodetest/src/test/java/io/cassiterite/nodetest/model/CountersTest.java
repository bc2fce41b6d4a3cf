/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.model;

import java.util.List;

import org.junit.jupiter.api.Test;

import io.cassiterite.nodetest.Cql;
import io.cassiterite.nodetest.NodeTest;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** Counters add up, also in batches, static ones and after deletions of rows. */
@NodeTest
class CountersTest
{
    @Test
    void countersAddUp(Cql cql)
    {
        TwinTables twin = TwinTables.create(cql, "sums", "p int, c int, n counter, m counter, s counter static, PRIMARY KEY (p, c)");
        for (int i = 0; i < 20; i++)
            twin.run("UPDATE T SET n = n + " + i + ", m = m - 1 WHERE p = 1 AND c = " + i % 3);
        twin.run("UPDATE T SET s = s + 5 WHERE p = 1");
        twin.run("BEGIN COUNTER BATCH UPDATE T SET n = n + 100 WHERE p = 1 AND c = 0; UPDATE T SET n = n + 1 WHERE p = 2 AND c = 0; "
                + "APPLY BATCH");
        assertEquals(List.of("c=0, m=-7, n=163, s=5", "c=1, m=-7, n=70, s=5", "c=2, m=-6, n=57, s=5"),
                     twin.read("SELECT c, m, n, s FROM T WHERE p = 1"));
        twin.sameAndNotEmpty();
        twin.run("SELECT sum(n), max(m), count(*) FROM T");
    }

    @Test
    void deletedRowsCountFromZero(Cql cql)
    {
        TwinTables twin = TwinTables.create(cql, "gone", "p int, c int, n counter, PRIMARY KEY (p, c)");
        for (int c = 0; c < 4; c++)
            twin.run("UPDATE T SET n = n + 7 WHERE p = 1 AND c = " + c);
        twin.run("DELETE FROM T WHERE p = 1 AND c = 1");
        twin.run("DELETE FROM T WHERE p = 1 AND c > 2");
        twin.run("UPDATE T SET n = n + 2 WHERE p = 1 AND c = 3");
        assertEquals(List.of("c=0, n=7", "c=2, n=7"), twin.read("SELECT c, n FROM T WHERE p = 1 AND c < 3"));
        // the node's counter cache ignores deletions of ranges: from where c = 3 counts is only compared
        twin.sameAndNotEmpty();
        twin.run("DELETE n FROM T WHERE p = 1 AND c = 0");
        twin.sameAndNotEmpty();
        twin.run("INSERT INTO T (p, c, n) VALUES (1, 1, 1)");
    }
}
