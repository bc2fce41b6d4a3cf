/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.index;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.cassiterite.nodetest.Cql;
import io.cassiterite.nodetest.NodeTest;

/** Ranges of more entries than are sorted are answered by a scan: the same rows, in the same order. */
@NodeTest(jvm = "-Dcassiterite.index_range_entries=50")
class IndexedRangesTest
{
    private final Cql cql;

    IndexedRangesTest(Cql cql)
    {
        this.cql = cql;
    }

    @BeforeAll
    static void rows(Cql cql)
    {
        Indexes.createTwins(cql, "p int, c int, s int static, v int, w int, PRIMARY KEY (p, c)");
        for (String table : new String[]{ "stock", "engine" })
        {
            for (int i = 0; i < 400; i++)
                cql.run("INSERT INTO " + table + " (p, c, s, v, w) VALUES (?, ?, ?, ?, ?)", i % 9, i, i % 9, i, i % 3);
            cql.run("DELETE FROM " + table + " WHERE p = 3");
            cql.run("DELETE FROM " + table + " WHERE p = 4 AND c > 200");
            cql.run("UPDATE " + table + " SET v = 1000 WHERE p = 5 AND c = 5");
        }
        Indexes.indexTwin(cql, "indexedrangestest", "v", "w", "s", "c");
    }

    @ParameterizedTest
    @ValueSource(strings = { "v > 10", "v >= 10 AND v < 390", "v < 10", "v > 350 AND v < 395", "v > 380", "v > 10 AND w = 1", "w >= 1",
                             "s > 2", "s > 2 AND v > 10", "c > 20", "c > 20 AND v < 30", "p = 5 AND v > 3", "p = 4 AND v > 3",
                             "token(p) > 0 AND v > 3", "v > 3 AND w > 0 AND s > 1" })
    void theyFindWhatAFilterFinds(String where)
    {
        for (int round = 0; round < 2; round++)
            Indexes.assertFindsWhatAFilterFinds(cql, "p, c, s, v", where);
    }
}
