/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.index;

import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.cassiterite.nodetest.Cql;
import io.cassiterite.nodetest.NodeTest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** What an index answers: the same as a scan of a stock table with the same rows that filters. */
@NodeTest
class IndexedColumnsTest
{
    private static final String COLUMNS = "(k1 int, k2 int, c1 int, c2 text, s text static, v text, n int, d decimal, l list<text>,"
                                          + " e set<int>, m map<text, int>, f frozen<list<int>>, PRIMARY KEY ((k1, k2), c1, c2))"
                                          + " WITH CLUSTERING ORDER BY (c1 DESC, c2 ASC)";

    private final Cql cql;

    IndexedColumnsTest(Cql cql)
    {
        this.cql = cql;
    }

    @BeforeAll
    static void rows(Cql cql)
    {
        cql.run("CREATE TABLE stock " + COLUMNS);
        cql.run("CREATE TABLE engine " + COLUMNS + " AND memtable = 'cassiterite'");
        // half of the rows come before the indexes
        fill(cql, 0, 150);
        for (String target : List.of("k1", "c1", "c2", "s", "v", "n", "d", "l", "e", "keys(m)", "values(m)", "entries(m)", "full(f)"))
            cql.run("CREATE INDEX ON engine (" + target + ")");
        Indexes.awaitBuilt(cql, "indexedcolumnstest", 13);
        fill(cql, 150, 300);
        for (String table : List.of("stock", "engine"))
        {
            cql.run("DELETE FROM " + table + " WHERE k1 = 1 AND k2 = 1");
            cql.run("DELETE FROM " + table + " WHERE k1 = 2 AND k2 = 1 AND c1 > 3");
            cql.run("DELETE FROM " + table + " WHERE k1 = 2 AND k2 = 0 AND c1 = 2 AND c2 = 'b'");
            cql.run("DELETE v FROM " + table + " WHERE k1 = 0 AND k2 = 0 AND c1 = 0 AND c2 = 'a'");
            cql.run("UPDATE " + table + " SET v = 'other', l = ['z'], m = {'z': 1} WHERE k1 = 3 AND k2 = 1 AND c1 = 1 AND c2 = 'b'");
            cql.run("UPDATE " + table + " SET s = 'new' WHERE k1 = 3 AND k2 = 0");
        }
    }

    private static void fill(Cql cql, int from, int to)
    {
        for (int i = from; i < to; i++)
            for (String table : List.of("stock", "engine"))
                cql.run("INSERT INTO " + table + " (k1, k2, c1, c2, s, v, n, d, l, e, m, f) VALUES (" + i % 5 + ", " + i % 2 + ", "
                        + i % 7 + ", '" + "abc".charAt(i % 3) + "', 's" + i % 4 + "', 'v" + i % 6 + "', " + i % 11 + ", " + (i % 3)
                        + ".0, ['x', 'y" + i % 4 + "', 'x'], {" + i % 5 + ", 9}, {'a': " + i % 3 + ", 'b" + i % 4 + "': 7}, [" + i % 2
                        + ", 1])");
    }

    @ParameterizedTest
    @ValueSource(strings = { "v = 'v3'", "v = 'other'", "v = 'none'", "n = 4", "d = 1.0", "d = 1.00", "s = 's1'", "s = 'new'",
                             "k1 = 2", "k1 = 1", "c1 = 3", "c2 = 'b'", "l CONTAINS 'x'", "l CONTAINS 'y2'", "l CONTAINS 'z'",
                             "e CONTAINS 3", "e CONTAINS 9", "m CONTAINS 7", "m CONTAINS KEY 'b1'", "m['a'] = 2", "m['z'] = 1",
                             "f = [1, 1]", "k1 = 2 AND k2 = 0 AND v = 'v2'", "k1 = 2 AND k2 = 0 AND c1 > 2 AND v = 'v2'",
                             "k1 = 3 AND k2 = 1 AND s = 's1'", "k1 = 3 AND k2 = 0 AND s = 'new'", "v = 'v3' AND n = 4",
                             "v = 'v1' AND s = 's1' AND l CONTAINS 'x'", "v = 'v1' AND k1 = 1", "s = 's1' AND k1 = 3",
                             "v = 'v2' AND n > 3", "n = 3 AND k2 = 1", "m['a'] = 2 AND e CONTAINS 9",
                             "l CONTAINS 'x' AND l CONTAINS 'y2'", "n > 8", "n >= 8 AND n < 10", "n < 1", "n <= 0", "d > 0.5",
                             "d >= 1 AND d < 2.000", "v > 'v3'", "n > 8 AND v = 'v3'", "n > 8 AND s = 's1'", "s > 's2'",
                             "k1 = 3 AND k2 = 1 AND n > 5", "k1 > 3", "c1 > 4 AND n = 3", "c2 >= 'b'",
                             "token(k1, k2) > 0 AND n > 7", "n > 8 AND n < 5",
                             "token(k1, k2) > -3000000000000000000 AND v = 'v4'",
                             "token(k1, k2) > -3000000000000000000 AND token(k1, k2) <= 3000000000000000000 AND n = 2",
                             "c1 = 3 AND c2 = 'a'", "v = 'v3' AND c1 IN (1, 2, 3)", "v IN ('v1', 'v3')", "n IN (1, 4, 77) AND v = 'v4'",
                             "s IN ('s1', 'new')", "c1 IN (1, 3) AND n = 3", "e CONTAINS 1 AND e CONTAINS 9",
                             "l CONTAINS 'x' AND l CONTAINS 'y2' AND v = 'v2'", "m['a'] = 2 AND m['b1'] = 7" })
    void anIndexFindsWhatAScanFinds(String where)
    {
        List<String> expected = cql.texts("SELECT * FROM stock WHERE " + where + " ALLOW FILTERING");
        assertEquals(expected, cql.texts("SELECT * FROM engine WHERE " + where + " ALLOW FILTERING"));
        assertEquals(expected, cql.texts("SELECT * FROM engine WHERE " + where + " ALLOW FILTERING"), "stale entries may be gone");
        assertEquals(cql.texts("SELECT count(*) FROM stock WHERE " + where + " ALLOW FILTERING"),
                     cql.texts("SELECT count(*) FROM engine WHERE " + where + " ALLOW FILTERING"));
        for (int rows : new int[]{ 1, 3, 10, 100 })
            assertEquals(cql.exactPaged(rows, "SELECT k1, k2, c1, c2, s, v FROM stock WHERE " + where + " ALLOW FILTERING"),
                         cql.exactPaged(rows, "SELECT k1, k2, c1, c2, s, v FROM engine WHERE " + where + " ALLOW FILTERING"),
                         "pages of " + rows);
        for (String limit : List.of("LIMIT 1", "LIMIT 7", "PER PARTITION LIMIT 2"))
            assertEquals(cql.texts("SELECT k1, k2, c1, c2, n FROM stock WHERE " + where + " " + limit + " ALLOW FILTERING"),
                         cql.texts("SELECT k1, k2, c1, c2, n FROM engine WHERE " + where + " " + limit + " ALLOW FILTERING"), limit);
    }

    @ParameterizedTest
    @ValueSource(strings = { "n > 3", "n >= 3 AND n < 5", "v > 'a' AND n = 1", "v = 'v3'", "v = 'v3' AND n = 4",
                             "l CONTAINS 'x'", "m CONTAINS KEY 'a'", "m['a'] = 2", "f = [1, 1]", "s = 's1'",
                             "v = 'v3' AND s = 's1' AND m CONTAINS 7", "e CONTAINS 1 AND e CONTAINS 9",
                             "m CONTAINS KEY 'a' AND m CONTAINS 7", "l CONTAINS 'x' AND l CONTAINS 'y2'" })
    void anIndexNeedsNoFiltering(String where)
    {
        assertEquals(cql.texts("SELECT * FROM stock WHERE " + where + " ALLOW FILTERING"),
                     cql.texts("SELECT * FROM engine WHERE " + where));
    }

    @ParameterizedTest
    @ValueSource(strings = { "f > [1]", "v IN ('v1', 'v3')", "v = 'v3' AND k2 = 1" })
    void whatAnIndexDoesNotAnswerNeedsFiltering(String where)
    {
        assertTrue(cql.refusal("SELECT * FROM engine WHERE " + where).contains("ALLOW FILTERING"), where);
    }

    @Test
    void theClientIsToldWhichIndexItGot()
    {
        cql.run("CREATE TABLE told (k int PRIMARY KEY, v int) WITH memtable = 'cassiterite'");
        assertTrue(Indexes.warnings(cql, "CREATE INDEX told_v ON told (v)").contains("io.cassiterite.index.EngineIndex"));
        assertTrue(cql.texts("DESCRIBE TABLE told").toString().contains("io.cassiterite.index.EngineIndex"));
        cql.run("DROP INDEX told_v");
        cql.run("CREATE INDEX told_v ON told (v) USING 'sai' WITH OPTIONS = {'case_sensitive': 'true', 'normalize': 'false'}");
        assertTrue(cql.texts("DESCRIBE TABLE told").toString().contains("io.cassiterite.index.EngineIndex"));
        Indexes.await(Duration.ofSeconds(60), () -> cql.texts("SELECT k FROM told WHERE v = 1").isEmpty());
        cql.run("CREATE INDEX IF NOT EXISTS told_v ON told (v)");
        for (String sai : List.of("StorageAttachedIndex", "org.apache.cassandra.index.sai.StorageAttachedIndex"))
        {
            cql.run("DROP INDEX told_v");
            assertTrue(Indexes.warnings(cql, "CREATE CUSTOM INDEX told_v ON told (v) USING '" + sai + "'").contains("EngineIndex"));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = { "similarity_function': 'cosine", "index_analyzer': 'standard" })
    void optionsOfSaiThatMeanMoreAreRefused(String option)
    {
        String refusal = cql.refusal("CREATE INDEX refused ON engine (v) USING 'sai' WITH OPTIONS = {'" + option + "'}");
        assertTrue(refusal.contains(option.split("'")[0]) && refusal.contains("Cassiterite"), refusal);
        String sasi = "CREATE CUSTOM INDEX refused ON engine (v) USING 'org.apache.cassandra.index.sasi.SASIIndex'";
        assertTrue(cql.refusal(sasi).contains("USING"));
    }

    @Test
    void aNameThatCassandraDoesNotTakeIsRefusedWithTheWayOut()
    {
        cql.run("CREATE TABLE named (k int PRIMARY KEY, \"a b\" int, " + "x".repeat(60) + " int) WITH memtable = 'cassiterite'");
        for (String column : List.of("\"a b\"", "x".repeat(60)))
        {
            String refusal = cql.refusal("CREATE INDEX ON named (" + column + ")");
            assertTrue(refusal.contains("Column '") && refusal.contains("Index another column"), refusal);
        }
    }

    @Test
    void anIndexOfTheEngineOnAStockTableIsRefused()
    {
        String stray = "CREATE CUSTOM INDEX stray ON stock (v) USING 'io.cassiterite.index.EngineIndex'";
        assertTrue(cql.refusal(stray).contains("not a Cassiterite table"));
    }

    @Test
    void valuesThatAreTooLongAreRefused()
    {
        cql.run("CREATE TABLE long (k int PRIMARY KEY, v text) WITH memtable = 'cassiterite'");
        cql.run("CREATE INDEX long_v ON long (v)");
        Indexes.awaitBuilt(cql, "indexedcolumnstest", "long_v");
        String refusal = cql.refusal("INSERT INTO long (k, v) VALUES (1, ?)", "x".repeat(70_000));
        assertTrue(refusal.contains("Cannot index value of size 70000 for index long_v on indexedcolumnstest.long(v)"), refusal);
        cql.run("INSERT INTO long (k, v) VALUES (1, ?)", "x".repeat(60_000));
        assertEquals(List.of("k=1"), cql.texts("SELECT k FROM long WHERE v = ?", "x".repeat(60_000)));
    }
}
