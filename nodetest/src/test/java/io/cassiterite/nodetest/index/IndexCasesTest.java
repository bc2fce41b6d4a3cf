/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.index;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import io.cassiterite.nodetest.Cql;
import io.cassiterite.nodetest.Node;
import io.cassiterite.nodetest.NodeTest;

import static org.junit.jupiter.api.Assertions.assertEquals;

/**
 * Cases in which an index of an engine table could lose or show a row wrongly. Each runs with the index made before the
 * writes, after them, and after a flush; the rows are those that a stock table filters.
 */
@NodeTest
class IndexCasesTest
{
    private final Node node;
    private final Cql cql;

    IndexCasesTest(Node node, Cql cql)
    {
        this.node = node;
        this.cql = cql;
    }

    /** When the index is made. */
    enum Made
    {
        BEFORE, AFTER, AFTER_FLUSH
    }

    record Case(String name, String columns, List<String> targets, List<String> writes, List<String> conditions)
    {
        @Override
        public String toString()
        {
            return name;
        }
    }

    private static Case of(String name, String columns, List<String> targets, List<String> writes, String... conditions)
    {
        return new Case(name, columns, targets, writes, List.of(conditions));
    }

    static Stream<Case> cases()
    {
        return Stream.of(
            of("equal decimals of other scale", "k int PRIMARY KEY, v decimal", List.of("v"),
               List.of("INSERT INTO {t} (k, v) VALUES (1, 1.0)", "INSERT INTO {t} (k, v) VALUES (2, 1.00)",
                       "INSERT INTO {t} (k, v) VALUES (3, 10E-1)", "INSERT INTO {t} (k, v) VALUES (4, 1.01)"),
               "v = 1", "v = 1.000", "v = 1.01"),
            of("an older value written later", "k int PRIMARY KEY, v int", List.of("v"),
               List.of("INSERT INTO {t} (k, v) VALUES (1, 5) USING TIMESTAMP 200",
                       "INSERT INTO {t} (k, v) VALUES (1, 4) USING TIMESTAMP 100",
                       "INSERT INTO {t} (k, v) VALUES (2, 4) USING TIMESTAMP 100",
                       "INSERT INTO {t} (k, v) VALUES (2, 5) USING TIMESTAMP 200",
                       "DELETE v FROM {t} USING TIMESTAMP 250 WHERE k = 2", "INSERT INTO {t} (k, v) VALUES (2, 4) USING TIMESTAMP 300"),
               "v = 4", "v = 5"),
            of("a tie of timestamps", "k int PRIMARY KEY, v int", List.of("v"),
               List.of("INSERT INTO {t} (k, v) VALUES (1, 4) USING TIMESTAMP 100",
                       "INSERT INTO {t} (k, v) VALUES (1, 5) USING TIMESTAMP 100",
                       "INSERT INTO {t} (k, v) VALUES (2, 5) USING TIMESTAMP 100",
                       "INSERT INTO {t} (k, v) VALUES (2, 4) USING TIMESTAMP 100",
                       "INSERT INTO {t} (k, v) VALUES (3, 5) USING TIMESTAMP 100", "DELETE v FROM {t} USING TIMESTAMP 100 WHERE k = 3"),
               "v = 4", "v = 5"),
            of("an index of keys, of a row whose newest cell has expired", "p int, q int, c int, v int, w int, PRIMARY KEY ((p, q), c)",
               List.of("c", "p"),
               List.of("INSERT INTO {t} (p, q, c, v) VALUES (1, 1, 1, 1) USING TIMESTAMP 100",
                       "UPDATE {t} USING TIMESTAMP 200 AND TTL 1 SET w = 1 WHERE p = 1 AND q = 1 AND c = 1",
                       "UPDATE {t} USING TTL 1 SET w = 1 WHERE p = 2 AND q = 1 AND c = 1"),
               "c = 1", "p = 1", "p = 2"),
            of("a partition of statics only", "p int, q int, c int, s int static, v int, PRIMARY KEY ((p, q), c)", List.of("s", "p", "v"),
               List.of("UPDATE {t} SET s = 7 WHERE p = 1 AND q = 1", "INSERT INTO {t} (p, q, c, s, v) VALUES (2, 1, 1, 7, 3)",
                       "INSERT INTO {t} (p, q, c, v) VALUES (2, 1, 2, 3)", "INSERT INTO {t} (p, q, c, v) VALUES (3, 1, 2, 3)"),
               "s = 7", "p = 1", "s = 7 AND v = 3", "s = 7 AND p = 2", "v = 3", "s = 7 AND c = 1"),
            of("deletions of every kind", "p int, c int, v int, PRIMARY KEY (p, c)", List.of("v", "c"),
               List.of("INSERT INTO {t} (p, c, v) VALUES (1, 1, 9)", "INSERT INTO {t} (p, c, v) VALUES (1, 2, 9)",
                       "INSERT INTO {t} (p, c, v) VALUES (1, 3, 9)", "INSERT INTO {t} (p, c, v) VALUES (1, 4, 9)",
                       "INSERT INTO {t} (p, c, v) VALUES (2, 1, 9)", "DELETE FROM {t} WHERE p = 2", "DELETE FROM {t} WHERE p = 1 AND c = 1",
                       "DELETE FROM {t} WHERE p = 1 AND c > 2 AND c < 4", "UPDATE {t} SET v = null WHERE p = 1 AND c = 2"),
               "v = 9", "c = 1", "c = 2", "c = 3"),
            of("empty values", "k int PRIMARY KEY, v text, b blob, i int", List.of("v", "b", "i"),
               List.of("INSERT INTO {t} (k, v, b, i) VALUES (1, '', 0x, blob_as_int(0x))",
                       "INSERT INTO {t} (k, v, b, i) VALUES (2, 'a', 0x00, 0)"),
               "v = ''", "b = 0x", "i = blob_as_int(0x)", "i = 0"),
            of("collections", "k int PRIMARY KEY, l list<int>, m map<text, int>, s set<int>",
               List.of("l", "keys(m)", "values(m)", "entries(m)", "s"),
               List.of("INSERT INTO {t} (k, l, m, s) VALUES (1, [1, 1, 2], {'a': 1, 'b': 1}, {1, 2})",
                       "UPDATE {t} SET l = l - [1] WHERE k = 1", "UPDATE {t} SET m['a'] = 2 WHERE k = 1",
                       "UPDATE {t} SET s = {3} WHERE k = 1",
                       "INSERT INTO {t} (k, l, m, s) VALUES (2, [1], {'a': 1}, {1})", "UPDATE {t} SET m = m - {'a'} WHERE k = 2",
                       "UPDATE {t} SET m['a'] = 3 WHERE k = 2", "DELETE s FROM {t} WHERE k = 2"),
               "l CONTAINS 1", "l CONTAINS 2", "m CONTAINS KEY 'a'", "m CONTAINS 1", "m['a'] = 2", "m['a'] = 1", "s CONTAINS 1",
               "s CONTAINS 3",
               "m CONTAINS KEY 'a' AND s CONTAINS 3"),
            of("descending clustering and pages", "p int, c int, v int, PRIMARY KEY (p, c)", List.of("v"), many(), "v = 1",
               "v = 1 AND p = 3", "v = 2 AND token(p) > 0"));
    }

    private static List<String> many()
    {
        List<String> writes = new ArrayList<>();
        for (int i = 0; i < 120; i++)
            writes.add("INSERT INTO {t} (p, c, v) VALUES (" + i % 7 + ", " + i + ", " + i % 3 + ')');
        return writes;
    }

    @ParameterizedTest
    @MethodSource("cases")
    void theIndexFindsWhatAFilterFinds(Case of)
    {
        for (Made made : Made.values())
        {
            cql.run("DROP TABLE IF EXISTS stock");
            cql.run("DROP TABLE IF EXISTS engine");
            String order = of.name.startsWith("descending") ? " AND CLUSTERING ORDER BY (c DESC)" : "";
            cql.run("CREATE TABLE stock (" + of.columns + ") WITH memtable = 'trie'" + order);
            cql.run("CREATE TABLE engine (" + of.columns + ") WITH memtable = 'cassiterite'" + order);
            if (made == Made.BEFORE)
                index(of);
            for (String write : of.writes)
            {
                cql.run(write.replace("{t}", "stock"));
                cql.run(write.replace("{t}", "engine"));
            }
            if (made == Made.AFTER_FLUSH)
                node.flush("indexcasestest");
            if (made != Made.BEFORE)
                index(of);
            if (of.writes.stream().anyMatch(write -> write.contains("TTL 1")))
                awaitExpiry();
            // twice: the first query removes entries that it finds stale
            for (int i = 0; i < 2; i++)
                compare(of, made);
            node.compact("indexcasestest", "engine");
            compare(of, made);
        }
    }

    private void index(Case of)
    {
        for (int i = 0; i < of.targets.size(); i++)
        {
            cql.run("CREATE INDEX engine_" + i + " ON engine (" + of.targets.get(i) + ')');
            Indexes.awaitBuilt(cql, "indexcasestest", "engine_" + i);
        }
    }

    private void awaitExpiry()
    {
        while (!cql.rows("SELECT * FROM stock WHERE w = 1 ALLOW FILTERING").isEmpty())
            Thread.onSpinWait();
    }

    private void compare(Case of, Made made)
    {
        for (String condition : of.conditions)
        {
            // an index or several serve it alone, unless it has a restriction of another column
            String filtering = condition.contains("s = 7 AND c") ? " ALLOW FILTERING" : "";
            List<String> expected = cql.exact("SELECT * FROM stock WHERE " + condition + " ALLOW FILTERING");
            assertEquals(expected, cql.exact("SELECT * FROM engine WHERE " + condition + filtering), () -> condition + ", index " + made);
            assertEquals(expected, cql.exactPaged(1, "SELECT * FROM engine WHERE " + condition + filtering), () -> condition + ", pages");
        }
    }
}
