/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.index;

import java.util.Random;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.cassiterite.nodetest.Cql;
import io.cassiterite.nodetest.NodeTest;

/**
 * Several indexes of one query, of which one has few entries and the others many: what the others have of its rows is
 * sought, window by window, and the answers are those of a filter.
 */
@NodeTest
class IndexedIntersectionTest
{
    private static final int PARTITIONS = 150;
    private static final int ROWS = 6_000;

    private final Cql cql;

    IndexedIntersectionTest(Cql cql)
    {
        this.cql = cql;
    }

    /** Some values are of half of the rows, others of a hundredth, and one is of the first rows only. */
    @BeforeAll
    static void rows(Cql cql)
    {
        Indexes.createTwins(cql, "p int, c int, s int static, dense int, rare int, early int, l list<int>, PRIMARY KEY (p, c)");
        for (String table : new String[]{ "stock", "engine" })
        {
            Random random = new Random(7);
            for (int i = 0; i < ROWS; i++)
                cql.run("INSERT INTO " + table + " (p, c, dense, rare, early, l) VALUES (?, ?, ?, ?, ?, " + list(random) + ')',
                        random.nextInt(PARTITIONS), random.nextInt(100), random.nextInt(2), random.nextInt(100), i < 200 ? 1 : 0);
            for (int p = 0; p < PARTITIONS; p++)
                cql.run("INSERT INTO " + table + " (p, s) VALUES (?, ?)", p, p % 3);
            for (int p = 0; p < PARTITIONS; p += 10)
                cql.run("DELETE FROM " + table + " WHERE p = ? AND c > 50", p);
        }
        Indexes.indexTwin(cql, "indexedintersectiontest", "s", "c", "dense", "rare", "early", "l");
    }

    /** Equal values have entries of their own. */
    private static String list(Random random)
    {
        int value = random.nextInt(3);
        return "[" + value + ", " + value + ", 9]";
    }

    @ParameterizedTest
    @ValueSource(strings = { "dense = 1 AND rare = 7", "rare = 7 AND dense = 1", "dense = 1 AND early = 1", "early = 0 AND rare = 3",
                             "rare = 7 AND l CONTAINS 9", "rare = 7 AND l CONTAINS 2", "l CONTAINS 1 AND l CONTAINS 9 AND rare = 11",
                             "rare = 7 AND s = 1", "s = 1 AND dense = 0 AND rare = 8", "dense = 1 AND s = 2", "c = 7 AND dense = 1",
                             "rare > 96 AND dense = 1", "rare = 7 AND dense = 5", "rare = 1000 AND dense = 1",
                             "p = 3 AND dense = 1 AND rare = 7", "p = 4 AND dense = 1 AND c = 9",
                             "token(p) > 0 AND dense = 1 AND rare = 7", "dense = 0 AND l CONTAINS 0" })
    void theyFindWhatAFilterFinds(String where)
    {
        Indexes.assertFindsWhatAFilterFinds(cql, "p, c, s, dense, rare", where);
    }
}
