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

/** Composite partition keys, several clusterings in mixed order, static columns, nulls and empty values. */
@NodeTest
class KeysTest
{
    @Test
    void clusteringsComeInTheirOwnOrder(Cql cql)
    {
        TwinTables twin = TwinTables.create(cql, "orders", "p int, q text, a int, b text, c double, v int, PRIMARY KEY ((p, q), a, b, c)",
                                            "AND CLUSTERING ORDER BY (a DESC, b ASC, c DESC)");
        for (String q : new String[]{ "''", "'x'" })
            for (int a = -1; a < 3; a++)
                for (String b : new String[]{ "''", "'a'", "'ab'", "'b'" })
                    for (String c : new String[]{ "-1.5", "0", "7" })
                        twin.run("INSERT INTO T (p, q, a, b, c, v) VALUES (1, " + q + ", " + a + ", " + b + ", " + c + ", " + a + ')');
        twin.sameAndNotEmpty();
        for (String slice : new String[]{ "a > 0", "a >= 0 AND a < 2", "a = 1 AND b > 'a'", "a = 1 AND b >= 'a' AND b < 'b'",
                "(a, b) > (1, 'a')",
                                          "(a, b, c) <= (1, 'a', 0)", "(a, b) >= (0, 'a') AND (a) < (2)", "a IN (2, 0) AND b = 'a'",
                                          "(a, b) IN ((1, 'a'), (0, ''))", "a = 1 AND b IN ('b', '') AND c > 0",
                                          "a = 1 AND b = 'a' AND c < 7" })
        {
            twin.run("SELECT * FROM T WHERE p = 1 AND q = 'x' AND " + slice);
            twin.run("SELECT * FROM T WHERE p = 1 AND q = 'x' AND " + slice + " ORDER BY a ASC, b DESC, c ASC LIMIT 5");
            twin.readPaged("SELECT * FROM T WHERE p = 1 AND q = 'x' AND " + slice, 3);
        }
        twin.run("SELECT * FROM T WHERE p = 1 AND q IN ('x', '') ORDER BY a ASC");
        twin.run("SELECT DISTINCT p, q FROM T");
    }

    @Test
    void staticsBelongToThePartition(Cql cql)
    {
        TwinTables twin = TwinTables.create(cql, "statics", "p int, c int, s text static, m map<int, int> static, v int, PRIMARY KEY "
                + "(p, c)");
        twin.run("INSERT INTO T (p, s) VALUES (1, 'only static')");
        assertEquals(List.of("p=1, c=null, m=null, s='only static', v=null"), twin.read("SELECT * FROM T"));
        twin.run("UPDATE T SET m[1] = 1, m[2] = 2 WHERE p = 1");
        twin.run("INSERT INTO T (p, c, v, s) VALUES (1, 1, 1, 'with a row')");
        twin.run("INSERT INTO T (p, c, v) VALUES (2, 1, 1)");
        twin.sameAndNotEmpty();
        twin.run("SELECT DISTINCT p, s, m FROM T");
        twin.run("SELECT * FROM T WHERE p = 1 AND c > 5");
        twin.run("SELECT s FROM T WHERE p = 1 AND c = 5");
        twin.run("DELETE FROM T WHERE p = 1 AND c = 1");
        assertEquals(List.of("p=1, c=null, s='with a row'"), twin.read("SELECT p, c, s FROM T WHERE p = 1"));
        twin.run("DELETE s, m[1] FROM T WHERE p = 1");
        twin.sameAndNotEmpty();
        twin.run("DELETE FROM T WHERE p = 1");
        assertEquals(List.of(), twin.read("SELECT * FROM T WHERE p = 1"));
    }

    @Test
    void nullsDeleteAndEmptyValuesStay(Cql cql)
    {
        TwinTables twin = TwinTables.create(cql, "empties", "p text, c text, i int, t text, b blob, PRIMARY KEY (p, c)");
        twin.run("INSERT INTO T (p, c, i, t, b) VALUES ('p', '', blob_as_int(0x), '', 0x)");
        assertEquals(List.of("p='p', c='', b=0x, i=<empty>, t=''"), twin.read("SELECT * FROM T"));
        twin.run("INSERT INTO T (p, c, i, t) VALUES ('p', '', null, 'x')");
        assertEquals(List.of("p='p', c='', b=0x, i=null, t='x'"), twin.read("SELECT * FROM T"));
        twin.run("INSERT INTO T (p, c) VALUES ('', 'an empty partition key is refused')");
        twin.bind("INSERT INTO T (p, c, t) VALUES (?, ?, ?)", "p", "null", null);
        twin.bind("INSERT INTO T (p, c, t) VALUES (?, ?, ?)", "p", "unset");
        twin.run("UPDATE T SET i = null WHERE p = 'only' AND c = 'a tombstone'");
        twin.sameAndNotEmpty();
        assertEquals(List.of(), twin.read("SELECT * FROM T WHERE p = 'only'"));
    }

    @Test
    void aTableMayHaveNoColumnsBesideItsKey(Cql cql)
    {
        TwinTables twin = TwinTables.create(cql, "bare", "p int, c int, PRIMARY KEY (p, c)");
        twin.run("INSERT INTO T (p, c) VALUES (1, 1)");
        twin.run("INSERT INTO T (p, c) VALUES (1, 2)");
        twin.run("DELETE FROM T WHERE p = 1 AND c = 1");
        assertEquals(List.of("p=1, c=2"), twin.read("SELECT * FROM T"));
    }
}
