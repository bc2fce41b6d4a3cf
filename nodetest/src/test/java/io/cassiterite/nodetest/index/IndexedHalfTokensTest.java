/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.index;

import java.nio.ByteBuffer;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.apache.cassandra.dht.Murmur3Partitioner;

import io.cassiterite.nodetest.Cql;
import io.cassiterite.nodetest.NodeTest;

/**
 * Many partitions have half a token in common, by which an index sorts its entries. The answers are those of a filter, in
 * its order, whole and in pages.
 */
@NodeTest
class IndexedHalfTokensTest
{
    private static final int PARTITIONS_OF_A_HALF = 5;
    private static final int ROWS = 8;
    /** More than are sorted in memory, in each of some partitions. */
    private static final int MANY_ROWS = 300;
    private static final long[] HALVES = { Long.MIN_VALUE + (1L << 32), -7L << 32, 0, 3L << 32, 0x7FFF_FFFFL << 32 };

    private final Cql cql;

    IndexedHalfTokensTest(Cql cql)
    {
        this.cql = cql;
    }

    @BeforeAll
    static void rows(Cql cql)
    {
        Indexes.createTwins(cql, "p blob, c int, s int static, v int, w int, l list<int>, PRIMARY KEY (p, c)");
        for (String table : new String[]{ "stock", "engine" })
        {
            for (int half = 0; half < HALVES.length; half++)
                for (int of = 0; of < PARTITIONS_OF_A_HALF; of++)
                    insert(cql, table, half, of);
        }
        Indexes.indexTwin(cql, "indexedhalftokenstest", "v", "w", "s", "c", "l");
        // beside what was built, entries of writes
        for (String table : new String[]{ "stock", "engine" })
            for (int of = 0; of < PARTITIONS_OF_A_HALF; of++)
                cql.run("INSERT INTO " + table + " (p, c, v, w, l) VALUES (?, 1000, 1, 7, [1, 1])", key(HALVES[1] + of));
    }

    private static void insert(Cql cql, String table, int half, int of)
    {
        ByteBuffer key = key(HALVES[half] + of);
        int rows = half == 2 && of < 3 ? MANY_ROWS : ROWS;
        for (int c = 0; c < rows; c++)
            cql.run("INSERT INTO " + table + " (p, c, v, w, l) VALUES (?, ?, ?, ?, [1, 2, 1])", key, c, c % 8 == 3 ? 0 : 1, c % 9);
        cql.run("INSERT INTO " + table + " (p, s) VALUES (?, ?)", key, of % 2);
    }

    /** The key with this token: keys sort otherwise than their tokens. */
    private static ByteBuffer key(long token)
    {
        return Murmur3Partitioner.LongToken.keyForToken(token);
    }

    @ParameterizedTest
    @ValueSource(strings = { "v = 1", "v = 0", "w = 7", "v = 1 AND w = 7", "w = 7 AND v = 1", "c = 3", "c = 3 AND v = 0", "s = 1",
                             "s = 1 AND v = 1", "s = 0 AND w = 7", "v > 0 AND w = 3", "w > 6", "l CONTAINS 1", "l CONTAINS 1 AND w = 4",
                             "token(p) > -30064771071 AND v = 1", "token(p) >= 1 AND token(p) <= 2 AND v = 1",
                             "token(p) > 1 AND token(p) < 12884901890 AND w = 7", "token(p) <= 12884901889 AND v = 0",
                             "token(p) > 9223372032559808512 AND s = 1" })
    void theyFindWhatAFilterFinds(String where)
    {
        Indexes.assertFindsWhatAFilterFinds(cql, "p, c, s, v, w", where);
    }
}
